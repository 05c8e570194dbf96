package sitewalk_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"sitewalk"
	"sitewalk/internal/strictyaml"
	"sitewalk/mapper"
	"sitewalk/output"
	"sitewalk/scanner"
)

// writeConfig writes a configuration file into a folder of its own.
func writeConfig(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sitewalk.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// mistakeIn returns what Load, Validate or Build says of a file, with the folder
// cut off, or "" if nothing.
func mistakeIn(t *testing.T, text string) string {
	t.Helper()
	path := writeConfig(t, text)
	config, err := sitewalk.Load(path)
	if err == nil {
		err = config.Validate()
	}
	if err == nil {
		config.Scanner.Docroot = t.TempDir()
		_, err = sitewalk.Build(t.Context(), config)
	}
	if err == nil || errors.Is(err, sitewalk.ErrNoPages) {
		return ""
	}
	var bad *sitewalk.ConfigError
	if !errors.As(err, &bad) {
		t.Errorf("%q: %v is no *ConfigError", text, err)
	}
	return strings.ReplaceAll(err.Error(), filepath.Dir(path)+string(filepath.Separator), "")
}

// designBlock is the configuration that DESIGN.md shows, word for word.
const designBlock = `
base_url: https://www.example.com/     # required; http or https and a host; port and path kept, / added; no query, fragment or credentials
docroot: public                        # default: .

include: ["**/*.{html,htm,xhtml}"]     # doublestar globs on slash paths relative to the docroot, case-sensitive (this default also takes .HTML and the like)
exclude: []                            # added to the built-in safety list; matched folders are not descended into
allow: []                              # lifts sensitive and hidden for what it matches, with a warning
follow_symlinks: false                 # false | inside (targets inside the docroot only, each real file or folder at most once per path, cycles cut)

urls:
  index: [index.html, index.htm, index.xhtml]   # dir/index.html → dir/
  extension: keep                      # keep | strip: .html, .htm, .xhtml, .shtml fall away (page.html → page)
  slash: auto                          # auto: folders end in /, files don't | always: also URLs left without an extension | never: dir/index.html → dir (the site's root stays /)
  charset: bytes                       # bytes: percent-encode the name as it is on disk | utf-8, iso-8859-1, windows-1251, … transcode first

pages:
  read: true                           # open pages and honour what their heads say
  head_limit: 256KiB
  canonical: true                      # leave out a page whose canonical is another page
  agents: ["*", googlebot]             # which robots meta names count
  hints: false                         # changefreq from revisit-after, document-state
  alternates: true                     # hreflang links → xhtml:link
  images: false                        # <img> → image:image
robots:
  respect: true                        # leave out what docroot/robots.txt disallows
  agent: "*"
  update: false                        # keep a Sitemap: line in docroot/robots.txt

lastmod: [mtime]                       # first that answers wins: meta, git, content, mtime; [] for none
lastmod_format: datetime               # datetime: 2004-10-26T08:56:39+00:00, in UTC | date: 2004-10-26

extra_urls: []                         # files of URLs that are not on disk: "URL [lastmod [changefreq [priority]]]" a line

rules:                                 # applied in order; a later match overrides field by field
  - match: "blog/**"
    section: blog
    changefreq: weekly
    priority: 0.8
  - match: ["blog/drafts/**"]
    list: false

output:
  dir: .                               # relative to the docroot
  root: sitemap.xml
  gzip: shards                         # shards | all | none
  protocol: "0.9"                      # "0.9": 50,000 URLs, 50 MiB, 50,000 shards an index | "0.84": Google's namespace, 10 MiB, 1,000 shards
  max_urls: 50000
  max_bytes: 52428800
  stale_grace: 1h
  text: false                          # also sitemap.txt
state: ""                              # default: a file of this docroot's in the user's cache folder
watch: {settle: 200ms, max_delay: 5s, poll: auto, poll_interval: 2s, rescan: 1h}
submit: {indexnow: {key: "", endpoint: "https://api.indexnow.org/indexnow"}, ping: []}
sites: []                              # several docroots: each entry a config that inherits from the top
`

func TestDESIGNsConfigurationIsTheDefaultsAndItsRules(t *testing.T) {
	path := writeConfig(t, designBlock)
	config, err := sitewalk.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := config.Validate(); err != nil {
		t.Fatal(err)
	}
	blog, weekly, priority, list := "blog", mapper.ChangeFreq("weekly"), mapper.Priority(0.8), false
	want := sitewalk.DefaultConfig()
	want.Mapper.BaseURL = "https://www.example.com/"
	want.Scanner.Docroot = filepath.Join(filepath.Dir(path), "public")
	want.Mapper.Rules = []mapper.Rule{
		{Match: scanner.Globs{"blog/**"}, Section: &blog, ChangeFreq: &weekly, Priority: &priority},
		{Match: scanner.Globs{"blog/drafts/**"}, List: &list},
	}
	for name, pair := range map[string][2]any{
		"scanner": {config.Scanner, want.Scanner}, "mapper": {config.Mapper, want.Mapper}, "output": {config.Output, want.Output},
		"state": {config.State, want.State}, "watch": {config.Watch, want.Watch}, "submit": {config.Submit, want.Submit},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: loaded\n%+v\nwant\n%+v", name, pair[0], pair[1])
		}
	}
	if len(config.Sites) != 0 {
		t.Errorf("sites: %v", config.Sites)
	}
}

func TestEveryKeyOfABuildLoads(t *testing.T) {
	path := writeConfig(t, `
base_url: http://example.com:8080/docs
docroot: /srv/www
include: "**/*.php"
exclude: [a/**, "b c/*"]
allow: [".env.html"]
follow_symlinks: inside
urls: {index: [default.htm], extension: strip, slash: never, charset: iso-8859-1}
pages: {read: false}
lastmod: []
lastmod_format: date
extra_urls: [extra.txt, /abs/extra.txt, ../up.txt]
rules: [{match: "**", list: true, priority: 0.0, changefreq: never, section: all}]
output: {dir: maps, root: map.xml, gzip: all, protocol: 0.84, max_urls: 10, max_bytes: 65536, stale_grace: 0s, text: true, schema_location: true}
`)
	config, err := sitewalk.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := config.Validate(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(path)
	s, m, o := config.Scanner, config.Mapper, config.Output
	for key, pair := range map[string][2]any{
		"base_url": {m.BaseURL, "http://example.com:8080/docs"}, "docroot": {s.Docroot, "/srv/www"},
		"include": {s.Include, scanner.Globs{"**/*.php"}}, "exclude": {s.Exclude, scanner.Globs{"a/**", "b c/*"}},
		"allow": {s.Allow, scanner.Globs{".env.html"}}, "follow_symlinks": {s.FollowSymlinks, scanner.FollowInside},
		"urls":  {m.URLs, mapper.URLs{Index: []string{"default.htm"}, Extension: "strip", Slash: "never", Charset: "iso-8859-1"}},
		"pages": {s.Pages.Read, false}, "lastmod": {m.LastMod, []mapper.Source{}}, "lastmod_format": {o.LastModFormat, output.Date},
		"extra_urls": {m.ExtraURLs, []string{filepath.Join(dir, "extra.txt"), "/abs/extra.txt", filepath.Join(filepath.Dir(dir), "up.txt")}},
		"output": {o.Files, output.Files{
			Dir: "maps", Root: "map.xml", Gzip: output.GzipAll, Protocol: output.Protocol084, MaxURLs: 10, MaxBytes: 65536, Text: true, SchemaLocation: true,
		}},
		"rules": {m.Rules[0].Priority.String(), "0.0"},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: %+v, want %+v", key, pair[0], pair[1])
		}
	}
}

func TestExampleConfigurationEqualsTheDefaults(t *testing.T) {
	config, err := sitewalk.Load("config.example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := sitewalk.DefaultConfig()
	if !reflect.DeepEqual(config.Scanner, want.Scanner) || !reflect.DeepEqual(config.Mapper, want.Mapper) || !reflect.DeepEqual(config.Output, want.Output) ||
		config.State != want.State || config.Watch != want.Watch || !reflect.DeepEqual(config.Submit, want.Submit) || len(config.Sites) != 0 {
		t.Errorf("config.example.yaml says\n%+v\nthe defaults are\n%+v", config, want)
	}
	// And every key is there.
	text, err := os.ReadFile("config.example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keysOf(reflect.TypeOf(want)) {
		if !regexp.MustCompile(`(?m)(^|[ {])` + key + `:`).Match(text) {
			t.Errorf("config.example.yaml lacks %s", key)
		}
	}
}

// keysOf returns the keys of a configuration struct at all depths, those of rules
// aside.
func keysOf(of reflect.Type) (keys []string) {
	for i := range of.NumField() {
		field := of.Field(i)
		key, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if !field.IsExported() || key == "-" {
			continue
		}
		if options != "inline" {
			keys = append(keys, key)
		}
		if field.Type.Kind() == reflect.Struct {
			keys = append(keys, keysOf(field.Type)...)
		}
	}
	return keys
}

func TestEmptyFileIsTheDefaults(t *testing.T) {
	path := writeConfig(t, "# nothing yet\n")
	config, err := sitewalk.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if config.Scanner.Docroot != filepath.Dir(path) {
		t.Errorf("docroot %s, want the file's folder", config.Scanner.Docroot)
	}
	if err := config.Validate(); err == nil || !strings.Contains(err.Error(), "base_url is missing") {
		t.Errorf("without a base URL: %v", err)
	}
}

func TestMistakesHaveTheirPlaceAndTheWayToMendThem(t *testing.T) {
	for text, want := range map[string]string{
		"bse_url: https://h.test/":                                              `sitewalk.yaml:1:1: unknown key "bse_url" (did you mean base_url?)`,
		"base_url: h.test":                                                      "sitewalk.yaml:1:11: base_url must begin with http",
		"base_url: https://h.test/?a":                                           "sitewalk.yaml:1:11: base_url must not hold a query",
		"base_url: [https://h.test/]":                                           "sitewalk.yaml:1:11: ",
		"base_url: https://h.test/\nexclud: []":                                 `sitewalk.yaml:2:1: unknown key "exclud" (did you mean exclude?)`,
		"base_url: https://h.test/\ninclude: ['[a']":                            "sitewalk.yaml:2:11: include[0] ",
		"base_url: https://h.test/\nexclude: a{b":                               "sitewalk.yaml:2:10: exclude[0] ",
		"base_url: https://h.test/\nallow: [a, '{']":                            "sitewalk.yaml:2:12: allow[1] ",
		"base_url: https://h.test/\ninclude: {a: b}":                            "sitewalk.yaml:2:10: ",
		"follow_symlinks: outside":                                              "sitewalk.yaml:1:18: follow_symlinks must be false or inside",
		"urls: {extention: strip}":                                              `sitewalk.yaml:1:8: unknown key "extention" (did you mean extension?)`,
		"urls:\n  slash: maybe":                                                 "sitewalk.yaml:2:10: ",
		"base_url: https://h.test/\nurls: {charset: elf}":                       `sitewalk.yaml:2:17: urls.charset "elf" is not an encoding`,
		"base_url: https://h.test/\nurls: {index: [a/b]}":                       "sitewalk.yaml:2:16: urls.index[0] must be the name of a file",
		"lastmod: [ctime]":                                                      "sitewalk.yaml:1:11: ",
		"lastmod_format: iso":                                                   "sitewalk.yaml:1:17: ",
		"base_url: https://h.test/\nrules:\n- match: 'a'\n  section: Blog":      "sitewalk.yaml:4:12: rules[0].section must be",
		"base_url: https://h.test/\nrules:\n- {match: a, section: pages-first}": "sitewalk.yaml:3:23: rules[0].section ",
		"base_url: https://h.test/\nrules:\n- section: blog":                    "sitewalk.yaml:3:3: rules[0] matches nothing",
		"base_url: https://h.test/\nrules:\n- match: [a, '{b']":                 "sitewalk.yaml:3:14: rules[0].match[1] ",
		"rules:\n- match: a\n  priority: 1.5":                                   "sitewalk.yaml:3:13: ",
		"rules:\n- match: a\n  priority: .nan":                                  "sitewalk.yaml:3:13: ",
		"rules:\n- match: a\n  changefreq: biweekly":                            "sitewalk.yaml:3:15: ",
		"rules:\n- match: a\n  lst: false":                                      `sitewalk.yaml:3:3: unknown key "lst" (did you mean list?)`,
		"rules:\n- match: a\n  list: nope":                                      "sitewalk.yaml:3:9: ",
		"rules: {match: a}":                                                     "sitewalk.yaml:1:8: ",
		"output: {dir: ../maps}\nbase_url: https://h.test/":                     "sitewalk.yaml:1:15: output.dir ",
		"output: {dir: /srv/maps}\nbase_url: https://h.test/":                   "sitewalk.yaml:1:15: output.dir ",
		"output: {max_urls: 50001}\nbase_url: https://h.test/":                  "sitewalk.yaml:1:20: output.max_urls must be from 1 to 50000",
		"output: {max_urls: 0}\nbase_url: https://h.test/":                      "sitewalk.yaml:1:20: output.max_urls must be from 1 to 50000",
		"output: {max_bytes: 52428801}\nbase_url: https://h.test/":              "sitewalk.yaml:1:21: output.max_bytes ",
		"output: {root: a/b.xml}\nbase_url: https://h.test/":                    "sitewalk.yaml:1:16: output.root ",
		"output: {root: sitemap-blog.xml}\nbase_url: https://h.test/":           "sitewalk.yaml:1:16: output.root ",
		"output: {gzip: some}":                                                  "sitewalk.yaml:1:16: ",
		"output: {protocol: 1.0}":                                               "sitewalk.yaml:1:20: ",
		"output: {stale_grace: 1}":                                              "sitewalk.yaml:1:23: ",
		"base_url: https://h.test/\nwatch: {poll: no}":                          "sitewalk.yaml:2:15: ",
		"base_url: https://h.test/\nwatch: {poll: often}":                       "sitewalk.yaml:2:15: watch.poll must be auto, always or never",
		"base_url: https://h.test/\nwatch: {settle: -1s}":                       "sitewalk.yaml:2:17: watch.settle must not be negative",
		"base_url: https://h.test/\nwatch: {settle: 6s}":                        "sitewalk.yaml:2:8: watch.max_delay must not be shorter than watch.settle",
		"base_url: https://h.test/\nwatch: {max_delay: 100ms}":                  "sitewalk.yaml:2:20: watch.max_delay must not be shorter than watch.settle",
		"base_url: https://h.test/\nwatch: {poll_interval: 1ms}":                "sitewalk.yaml:2:24: watch.poll_interval must be at least 50ms",
		"base_url: https://h.test/\nwatch: {rescan: 10ms}":                      "sitewalk.yaml:2:17: watch.rescan must be at least 1s, or 0 for never",
		"base_url: https://h.test/\n---\nbase_url: https://h.test/":             "sitewalk.yaml:",
		"base_url: https://h.test/\nbase_url: https://h.test/":                  "sitewalk.yaml:2:1: ",
		"base_url: 'https://h.test/":                                            "sitewalk.yaml:1:",
		"include:":                                                              "sitewalk.yaml:1:1: ",
		"base_url: https://h.test/\nextra_urls: text":                           "sitewalk.yaml:2:13: ",
	} {
		got := mistakeIn(t, text)
		if !strings.HasPrefix(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%q:\ngot  %s\nwant %s…", text, got, want)
		}
	}
}

func TestFilesThatAreNoConfigurationAreConfigErrors(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, []byte("# "+strings.Repeat("x", strictyaml.MaxSize)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "absent.yaml"), large} {
		_, err := sitewalk.Load(path)
		var bad *sitewalk.ConfigError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), filepath.Base(path)) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := sitewalk.Load(filepath.Join(dir, "absent.yaml")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an absent file: %v", err)
	}
}

func TestAFIFOIsNotWaitedFor(t *testing.T) {
	if _, err := exec.LookPath("mkfifo"); err != nil {
		t.Skip("mkfifo is not installed, and without it there is no FIFO to test with")
	}
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := exec.Command("mkfifo", fifo).Run(); err != nil {
		t.Skipf("this file system has no FIFOs: %v", err)
	}
	done := make(chan error, 2)
	go func() {
		_, err := sitewalk.Load(fifo)
		done <- err
		config := siteConfig(t.TempDir())
		config.Mapper.ExtraURLs = []string{fifo}
		_, err = sitewalk.Build(t.Context(), config)
		done <- err
	}()
	for range 2 {
		select {
		case err := <-done:
			if err == nil || !strings.Contains(err.Error(), "no regular file") {
				t.Errorf("got %v", err)
			}
		case <-time.After(time.Minute):
			t.Fatal("a FIFO is waited for")
		}
	}
}

func TestQuotelessMistakesTellNothingOfTheFile(t *testing.T) {
	for _, text := range []string{
		"secret-8301: 1", "secret-8301", "base_url: secret-8301", "- secret-8301", "rules: [{match: a, changefreq: secret-8301}]", "lastmod: [secret-8301]",
		"base_url: https://h.test/\nurls: {charset: secret-8301}", "base_url: https://h.test/\nrules: [{match: a, section: Secret-8301}]",
		"base_url: https://h.test/\nrules: [{match: '[secret-8301'}]", "base_url: https://h.test/\ninclude: '[secret-8301'", "base_url: https://h.test/\noutput: {root: secret-8301/}",
		"base_url: https://h.test/\nextra_urls: [secret-8301]", "base_url: https://h.test/\nrules: [{match: a, section: blog},{match: b, section: blog-first}]",
	} {
		config, err := sitewalk.LoadQuoting(writeConfig(t, text), false)
		if err == nil {
			config.Scanner.Docroot = t.TempDir()
			_, err = sitewalk.Build(t.Context(), config)
		}
		if err == nil {
			t.Errorf("%q was taken", text)
		} else if strings.Contains(strings.ToLower(err.Error()), "8301") || strings.Contains(err.Error(), "blog-first") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAFlagsBaseURLIsNotBlamedOnTheFile(t *testing.T) {
	config, err := sitewalk.Load(writeConfig(t, "base_url: https://h.test/\n"))
	if err != nil {
		t.Fatal(err)
	}
	config.Mapper.BaseURL = "h.test"
	if err := config.Validate(); err == nil || strings.Contains(err.Error(), "sitewalk.yaml") {
		t.Errorf("got %v", err)
	}
}

func TestZeroRunIsFine(t *testing.T) {
	var run sitewalk.Run
	if run.LockWait != 0 || run.Jobs != 0 || run.IndexTime != (time.Time{}) {
		t.Error("the zero value says something")
	}
	config := sitewalk.DefaultConfig()
	config.Scanner.Docroot = makeSite(t, map[string]string{"index.html": ""})
	config.Mapper.BaseURL = "https://h.test/"
	if _, err := sitewalk.Build(t.Context(), config); err != nil {
		t.Error(err)
	}
}

// FuzzConfig holds whatever a file says to this: it is taken, or refused with one
// line of printable text, and so is each of its sites; whether messages may quote it
// makes no difference; and neither takes long.
func FuzzConfig(f *testing.F) {
	for _, seed := range []string{
		designBlock, "", "base_url: https://h.test/", "rules: [{match: '{a,b', priority: -0.0}]", "output: {protocol: 0.84, root: é}", "urls: {charset: utf-16, index: ['']}",
		"base_url: https://h.test/\nrules: &r [{match: ['**'], section: a}]\nsites: [{rules: *r}]", "lastmod: {}", "include: ['{a,b}{c,d}{e,f}**/[!a-']",
	} {
		f.Add(seed)
	}
	path := filepath.Join(f.TempDir(), "sitewalk.yaml")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		check := func(config *sitewalk.Config, err error) {
			if err == nil {
				err = config.Validate()
			}
			var bad *sitewalk.ConfigError
			if err != nil && (!errors.As(err, &bad) || err.Error() == "" || strings.ContainsFunc(err.Error(), func(r rune) bool { return !unicode.IsPrint(r) })) {
				t.Errorf("%T %q", err, err)
			}
		}
		config, err := sitewalk.Load(path)
		check(&config, err)
		for i := range config.Sites {
			site, err := config.Site(i)
			check(&site, err)
		}
		if _, silent := sitewalk.LoadQuoting(path, false); (silent == nil) != (err == nil) {
			t.Errorf("%v, but %v without quoting", err, silent)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%q took %v", text, took)
		}
	})
}
