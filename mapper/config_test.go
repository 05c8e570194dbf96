package mapper

import (
	"math"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"sitewalk/output"
	"sitewalk/scanner"
)

// rules reads the rules of a configuration file.
func rules(t testing.TB, text string) []Rule {
	t.Helper()
	var list []Rule
	if err := yaml.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// saidOf returns what the rules say of a file: section, changefreq, priority.
func saidOf(m *Mapper, path string) string {
	page, verdict := mapPath(m.NewWorker(), path)
	if verdict != scanner.Listed {
		return verdict.String()
	}
	return m.Sections()[page.Section] + " " + page.ChangeFreq + " " + page.Priority
}

func TestLaterRulesOverrideFieldByField(t *testing.T) {
	m := newMapper(t, func(c *Config) {
		c.Rules = rules(t, `
- {match: "**", priority: 0.5}
- {match: "blog/**", section: blog, changefreq: weekly, priority: 0.8}
- {match: ["blog/drafts/**", "old/**", "**/secret.html"], list: false}
- {match: "blog/drafts/public/**", list: true, changefreq: daily}
- {match: "blog/archive/**", section: pages, priority: 0.0}
- {match: ["*.html", "top/*"], priority: 1.0}
- {match: "**/{a,b}.html", changefreq: never}
`)
	})
	for path, want := range map[string]string{
		"x.html":                    "pages  1.0",
		"top/x.html":                "pages  1.0",
		"top/deep/x.html":           "pages  0.5",
		"a.html":                    "pages never 1.0",
		"blog/x.html":               "blog weekly 0.8",
		"blog/a.html":               "blog never 0.8",
		"blog/drafts/x.html":        "rule",
		"blog/drafts/a.html":        "rule",
		"blog/drafts/public/x.html": "blog daily 0.8",
		"blog/drafts/public/b.html": "blog never 0.8",
		"blog/archive/x.html":       "pages weekly 0.0",
		"old/x.html":                "rule",
		"any/where/secret.html":     "rule",
		"secret.html":               "rule",
		"Blog/x.html":               "pages  0.5",
	} {
		if got := saidOf(m, path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestTheLastWordOnListingWins(t *testing.T) {
	for text, want := range map[string]string{
		`[{match: "**", list: false}, {match: "**", list: true}]`:                  "pages  ",
		`[{match: "**", list: true}, {match: "**", list: false}]`:                  "rule",
		`[{match: "**", list: false}, {match: "**", priority: 0.3}]`:               "rule",
		`[{match: "**", list: false}, {match: "b/**", list: true}]`:                "rule",
		`[{match: ["b/**", "a/**"], list: false}]`:                                 "rule",
		`[{match: "a/**", section: one}, {match: "a/x.html", section: two}]`:       "two  ",
		`[{match: "a/x.html", section: two}, {match: "a/**", section: one}]`:       "one  ",
		`[{match: "a/**", section: one}, {match: "a/x.html", changefreq: yearly}]`: "one yearly ",
		`[{match: "a/**", priority: 1}, {match: "a/**", priority: 0}]`:             "pages  0.0",
		`[{match: "a/**", priority: 0.25}, {match: "a/**", changefreq: "always"}]`: "pages always 0.25",
		`[{match: "b/**", priority: 0.25}, {match: "a/*/*", changefreq: "daily"}]`: "pages  ",
	} {
		m := newMapper(t, func(c *Config) { c.Rules = rules(t, text) })
		if got := saidOf(m, "a/x.html"); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestOnlyThePathOfAFileDecidesItsRules(t *testing.T) {
	// The extension is stripped from the URL, not from what rules see.
	m := newMapper(t, func(c *Config) {
		c.URLs.Extension = ExtensionStrip
		c.Rules = rules(t, `[{match: "**/index.html", priority: 1.0}, {match: "a b/ü.html", priority: 0.1}]`)
	})
	for path, want := range map[string]string{"x/index.html": "pages  1.0", "a b/ü.html": "pages  0.1", "x/page.html": "pages  "} {
		if got := saidOf(m, path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestPriorityIsWrittenWithADecimal(t *testing.T) {
	for p, want := range map[Priority]string{0: "0.0", 1: "1.0", 0.5: "0.5", 0.25: "0.25", 0.1: "0.1"} {
		if got := p.String(); got != want {
			t.Errorf("%v became %s", float64(p), got)
		}
	}
	if got := Priority(math.Copysign(0, -1)).String(); got != "0.0" {
		t.Errorf("-0.0 became %s", got)
	}
}

func TestValuesOutsideTheProtocolAreRefused(t *testing.T) {
	for _, text := range []string{
		"priority: 1.1", "priority: -0.1", "priority: .nan", "priority: .inf", `priority: "0.5"`, "priority: high", "priority: [0.5]", "priority: 2",
		"changefreq: biweekly", "changefreq: Weekly", "changefreq: [daily]", `changefreq: ""`, "changefreq: 1",
	} {
		var rule Rule
		if err := yaml.Unmarshal([]byte(text), &rule); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
	for _, text := range []string{"extension: drop", "extension: true", "slash: sometimes", "slash: [auto]"} {
		var urls URLs
		if err := yaml.Unmarshal([]byte(text), &urls); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
	var sources []Source
	if err := yaml.Unmarshal([]byte("[mtime, ctime]"), &sources); err == nil {
		t.Error("the lastmod source ctime was taken")
	}
}

func TestSectionsMustNotMeetInTheNamesOfTheirShards(t *testing.T) {
	for _, c := range []struct {
		sections string
		bad      string // the key of the one that is refused, or empty
	}{
		{"blog", ""}, {"pages", ""}, {"blog pages", ""}, {"a b c", ""}, {"2024", ""}, {"en-gb", ""}, {"a-b-c", ""}, {"blog blog", ""},
		{strings.Repeat("x", 64), ""}, {"indexes", ""}, {"index-a", ""}, {"my-index", ""}, {"first", ""}, {"0123456789", ""},
		{"blog-first", ""}, {"blog-0123456789", ""}, // no other section is called blog
		{"blog blog-second", ""}, {"blog blog-first-first", ""}, {"blog blog-012345678", ""}, {"blog blog-01234567890", ""}, {"blog blog-012345678g", ""},

		{"", "rules[0].section"}, {"Blog", "rules[0].section"}, {"a_b", "rules[0].section"}, {"-a", "rules[0].section"}, {"a-", "rules[0].section"},
		{"a--b", "rules[0].section"}, {"ü", "rules[0].section"}, {"a/b", "rules[0].section"}, {"a.b", "rules[0].section"}, {"..", "rules[0].section"},
		{"a\n", "rules[0].section"}, {strings.Repeat("x", 65), "rules[0].section"},
		{"index", "rules[0].section"}, {"index-2", "rules[0].section"}, {"blog index-17", "rules[1].section"},
		{"pages-first", "rules[0].section"}, {"pages-0123456789", "rules[0].section"}, {"pages-0123456789abcdef", "rules[0].section"},
		{"blog blog-first", "rules[1].section"}, {"blog-first blog", "rules[0].section"}, {"blog blog-0a1b2c3d4e", "rules[1].section"},
		{"a a-first-first a-first", "rules[1].section"}, {"a-first a-first-first", "rules[1].section"},
	} {
		names := strings.Split(c.sections, " ")
		m, err := tryMapper("", func(config *Config) {
			for _, name := range names {
				config.Rules = append(config.Rules, Rule{Match: scanner.Globs{"**"}, Section: &name})
			}
		})
		switch {
		case c.bad == "" && err != nil:
			t.Errorf("sections %q: %v", names, err)
		case c.bad != "" && err == nil:
			t.Errorf("sections %q were taken", names)
		case c.bad != "":
			if bad := configError(t, err); bad.Key != c.bad || bad.Problem == "" || bad.Hint == "" {
				t.Errorf("sections %q: %#v, want key %s", names, bad, c.bad)
			}
		case m.Sections()[0] != DefaultSection:
			t.Errorf("sections %q: %q", names, m.Sections())
		}
	}
}

func TestRulesMustMatchSomething(t *testing.T) {
	for _, c := range []struct {
		match scanner.Globs
		key   string
	}{
		{nil, "rules[0]"}, {scanner.Globs{}, "rules[0]"}, {scanner.Globs{"a", "[z-"}, "rules[0].match[1]"}, {scanner.Globs{"{a,b"}, "rules[0].match[0]"},
	} {
		_, err := tryMapper("", func(config *Config) { config.Rules = []Rule{{Match: c.match}} })
		if err == nil {
			t.Errorf("match %q was taken", c.match)
			continue
		}
		if bad := configError(t, err); bad.Key != c.key {
			t.Errorf("match %q: %#v, want key %s", c.match, bad, c.key)
		}
	}
}

func TestRenderedPagesCarryWhatTheRulesSay(t *testing.T) {
	m := newMapper(t, func(c *Config) {
		c.Rules = rules(t, `[{match: "a.html", changefreq: hourly, priority: 0.0}]`)
	})
	render := func(path string) string {
		page, _ := mapPath(m.NewWorker(), path)
		page.LastMod = testNow - 1
		return string(output.NewRenderer(output.Date).Append(nil, &page.Page))
	}
	if got, want := render("a.html"), "<url><loc>https://h.test/a.html</loc><lastmod>2023-11-14</lastmod><changefreq>hourly</changefreq><priority>0.0</priority></url>\n"; got != want {
		t.Errorf("got %s want %s", got, want)
	}
	if got, want := render("b.html"), "<url><loc>https://h.test/b.html</loc><lastmod>2023-11-14</lastmod></url>\n"; got != want {
		t.Errorf("got %s want %s", got, want)
	}
}
