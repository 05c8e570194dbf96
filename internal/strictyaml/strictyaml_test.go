package strictyaml

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

var quoting = Options{File: "sitewalk.yaml", Quote: true}

func TestDefaultsStay(t *testing.T) {
	for _, text := range []string{"", "\n\n", "# nothing\n", "---\n", "---\n...\n", "\ufeff", "\ufeff# nothing", "~\n", "{}\n"} {
		got := defaults()
		if _, err := Decode([]byte(text), got, quoting); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if !reflect.DeepEqual(got, defaults()) {
			t.Errorf("%q changed the defaults to %+v", text, got)
		}
	}
}

// TestKeysOverrideFieldByField tells for each text how it changes the defaults.
func TestKeysOverrideFieldByField(t *testing.T) {
	yes, no := true, false
	zero, most, name, second := 0.0, 0.8, "blog", time.Second
	tests := []struct {
		text   string
		change func(c *config)
	}{
		{"base_url: http://x/", func(c *config) { c.BaseURL = "http://x/" }},
		{"output:\r\n  max_urls: 10\r\n", func(c *config) { c.Output.MaxURLs = 10 }},
		{"output: {max_urls: 0x1F, level: -128, workers: 65_535}", func(c *config) {
			c.Output.MaxURLs, c.Output.Level, c.Output.Workers = 31, -128, 65535
		}},
		{"output: {}", func(*config) {}},
		{"output: {protocol: 0.90, root: 5, dir: 2004-10-26}", func(c *config) {
			c.Output.Protocol, c.Output.Root, c.Output.Dir = "0.90", "5", "2004-10-26"
		}},
		{"state: \"\"\ndocroot: 'true'", func(c *config) { c.Docroot = "true" }},
		{"state: <<", func(c *config) { c.State = "<<" }},
		{"output: {stale_grace: 0}", func(c *config) { c.Output.StaleGrace = 0 }},
		{"output: {stale_grace: 0s}\nwatch: {settle: 1h30m, max_delay: 1s}", func(c *config) {
			c.Output.StaleGrace, c.Watch.Settle, c.Watch.MaxDelay = 0, 90*time.Minute, &second
		}},
		{"exclude: []", func(c *config) { c.Exclude = []string{} }},
		{"exclude:\n- x # a comment\n- 1\n", func(c *config) { c.Exclude = []string{"x", "1"} }},
		{"extra_urls: [a]", func(c *config) { c.ExtraURLs = []string{"a"} }},
		{"follow_symlinks: inside", func(c *config) { c.FollowSymlinks = "inside" }},
		{"follow_symlinks: false", func(c *config) { c.FollowSymlinks = "false" }},
		{"pages: {hints: true}", func(c *config) { c.Pages.Hints = &yes }},
		{"pages:\n  read: false\n  agents: [a, b]\n", func(c *config) { c.Pages.Read, c.Pages.Agents = false, words{"a", "b"} }},
		{"rules:\n  - match: a\n    priority: 0.0\n    list: false\n  - match: [b, c]\n    section: blog\n    priority: 8e-1\n", func(c *config) {
			c.Rules = []rule{
				{Match: words{"a"}, Priority: &zero, List: &no},
				{Match: words{"b", "c"}, Section: &name, Priority: &most},
			}
		}},
		{"rules: [{priority: 0}]", func(c *config) { c.Rules = []rule{{Priority: &zero}} }},
		// Aliases and merges.
		{"include: &list [x]\nexclude: *list", func(c *config) { c.Include, c.Exclude = []string{"x"}, []string{"x"} }},
		{"docroot: &d x\nextra_urls: [*d, *d]", func(c *config) { c.Docroot, c.ExtraURLs = "x", []string{"x", "x"} }},
		{"rules:\n- &r {match: a, section: s, list: true}\n- {<<: *r, section: blog}", func(c *config) {
			s := "s"
			c.Rules = []rule{{Match: words{"a"}, Section: &s, List: &yes}, {Match: words{"a"}, Section: &name, List: &yes}}
		}},
		{"rules:\n- &a {section: a}\n- &b {section: b, list: true}\n- section: blog\n  <<: [*a, *b]\n- {<<: [*a, *b]}\n", func(c *config) {
			a, b := "a", "b"
			c.Rules = []rule{{Section: &a}, {Section: &b, List: &yes}, {Section: &name, List: &yes}, {Section: &a, List: &yes}}
		}},
		{"docroot: &k state\n*k : x", func(c *config) { c.Docroot, c.State = "state", "x" }},
		{"output: !!map {root: !!str 5, max_urls: !!int \"5\"}", func(c *config) { c.Output.Root, c.Output.MaxURLs = "5", 5 }},
	}
	for _, test := range tests {
		got, want := defaults(), defaults()
		if _, err := Decode([]byte(test.text), got, quoting); err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		if test.change(want); !reflect.DeepEqual(got, want) {
			t.Errorf("%q gives\n%+v, want\n%+v", test.text, got, want)
		}
	}
}

// TestSharedDefaultsAreNotWrittenThrough: sites begin as copies of the top.
func TestSharedDefaultsAreNotWrittenThrough(t *testing.T) {
	top := defaults()
	site := *top
	if _, err := Decode([]byte("pages: {read: false, hints: true}\ninclude: [x]\n"), &site, quoting); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(top, defaults()) {
		t.Errorf("decoding a copy changed the original: %+v", top)
	}
	if site.Pages.Read || !*site.Pages.Hints || site.Include[0] != "x" {
		t.Errorf("the copy was not filled: %+v", site)
	}
}

func TestKeptNodesInheritFromTheTop(t *testing.T) {
	const text = "docroot: top\noutput: &o {root: a.xml}\nsites:\n" +
		"  - base_url: http://one/\n" +
		"  - output:\n      <<: *o\n      max_urls: 7\n" +
		"  - output:\n      max_urls: many\n"
	top := defaults()
	if _, err := Decode([]byte(text), top, quoting); err != nil {
		t.Fatal(err)
	}
	if len(top.Sites) != 3 {
		t.Fatalf("%d sites", len(top.Sites))
	}
	site := *top
	positions, err := DecodeNode(&top.Sites[0], &site, quoting)
	if err != nil || site.Docroot != "top" || site.BaseURL != "http://one/" {
		t.Errorf("site 0: %v, %+v", err, site)
	}
	if got := positions.Error("base_url", "m", "").Error(); got != "sitewalk.yaml:4:15: m" {
		t.Error(got)
	}
	if got := positions.Error("output.root", "m", "").Error(); got != "sitewalk.yaml:4:5: m" {
		t.Errorf("what a site does not set is at the site: %s", got)
	}
	site = *top
	if _, err = DecodeNode(&top.Sites[1], &site, quoting); err != nil || site.Output.Root != "a.xml" || site.Output.MaxURLs != 7 {
		t.Errorf("site 1: %v, %+v", err, site)
	}
	site = *top
	_, err = DecodeNode(&top.Sites[2], &site, quoting)
	if want := "sitewalk.yaml:9:17: output.max_urls must be a whole number"; err == nil || err.Error() != want {
		t.Errorf("site 2: %v, want %s", err, want)
	}
}

func TestEmptyNodesChangeNothing(t *testing.T) {
	for _, node := range []*yaml.Node{nil, {}, {Kind: yaml.DocumentNode}} {
		c := defaults()
		positions, err := DecodeNode(node, &c.Output, quoting)
		if node != nil && node.Kind != 0 {
			if err == nil {
				t.Error("a document without content passes")
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(c, defaults()) {
			t.Errorf("%v: %v", node, err)
		}
		if bad := positions.Error("dir", "m", ""); bad.Line != 0 {
			t.Errorf("place %d of nothing", bad.Line)
		}
	}
}

func TestOddTargetsAreErrorsNotPanics(t *testing.T) {
	var nothing *config
	for _, into := range []any{nil, config{}, nothing, 5} {
		var bad *Error
		if _, err := Decode([]byte("a: b"), into, quoting); err == nil || errors.As(err, &bad) {
			t.Errorf("%T: %v", into, err)
		}
	}
	for _, into := range []any{
		new(struct{ A map[string]string }),
		new(struct{ A any }),
		new(struct{ A [1]string }),
		new(struct{ A chan int }),
	} {
		if _, err := Decode([]byte("a: b"), into, quoting); err == nil {
			t.Errorf("%T passes", into)
		}
	}
}

// selfish returns whatever error it is told to.
type selfish struct{ f func(*yaml.Node) error }

func (s *selfish) UnmarshalYAML(node *yaml.Node) error { return s.f(node) }

func TestErrorsOfCustomTypesGetAPlace(t *testing.T) {
	tests := []struct {
		f    func(*yaml.Node) error
		want string
	}{
		{func(n *yaml.Node) error { return nil }, ""},
		{func(n *yaml.Node) error { return (*Error)(nil) }, ""},
		{func(n *yaml.Node) error { return Errorf(n.Content[1], "h", "m %d", 5) }, "f:2:9: m 5 (h)"},
		{func(n *yaml.Node) error { return Errorf(n, "h", "must be %d", 5) }, "f:2:5: in.a must be 5 (h)"},
		{func(n *yaml.Node) error { return Errorf(nil, "", "m") }, "f:2:5: m"},
		{func(n *yaml.Node) error { return &Error{File: "other", Message: "two\nlines"} }, `f:2:5: two\nlines`},
		{func(n *yaml.Node) error { return errors.New("oh no") }, "f:2:5: in.a is not valid: oh no"},
		{func(n *yaml.Node) error { return n.Decode(new(int)) }, "f:2:5: in.a is not valid"},
		{func(n *yaml.Node) error { panic("oops") }, "f:2:5: in.a is not valid"},
		{func(n *yaml.Node) error { _, err := DecodeNode(n, new([]int), Options{}); return err }, "f:2:6: an entry must be a whole number"},
		{func(n *yaml.Node) error { _, err := DecodeNode(n, new(string), Options{}); return err }, "f:2:5: this value must be text"},
	}
	for i, test := range tests {
		var into struct {
			In struct {
				A selfish `yaml:"a"`
			} `yaml:"in"`
		}
		into.In.A.f = test.f
		got := ""
		if _, err := Decode([]byte("in:\n a: [b, c]\n"), &into, Options{File: "f", Quote: true}); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%d: %s, want %s", i, got, test.want)
		}
		_, err := Decode([]byte("in:\n a: [b, c]\n"), &into, Options{File: "f"})
		if err != nil && !strings.HasSuffix(err.Error(), ": in.a is not valid") {
			t.Errorf("%d: without quoting: %v", i, err)
		}
	}
}

func TestErrorIsOnePrintableLine(t *testing.T) {
	tests := []struct {
		err  Error
		want string
	}{
		{Error{"f.yaml", 3, 5, "m", "h"}, "f.yaml:3:5: m (h)"},
		{Error{"f.yaml", 0, 0, "m", ""}, "f.yaml: m"},
		{Error{"", 3, 5, "m", ""}, "line 3:5: m"},
		{Error{"", 0, 0, "m", "h"}, "m (h)"},
		{Error{"a\nb\xff\x1b[31m", 1, 1, "ü\u2028'\u0085", "\t"}, `a\nb\xff\x1b[31m:1:1: ü\u2028'\u0085 (\t)`},
	}
	for _, test := range tests {
		if got := test.err.Error(); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}
