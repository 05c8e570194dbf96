package mapper

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"sitewalk/scanner"
)

// readExtra returns what becomes of each line: what is listed, or the problem in
// brackets, with the line's number.
func readExtra(t testing.TB, m *Mapper, text string) (lines []string) {
	t.Helper()
	err := m.ReadExtra(strings.NewReader(text), func(e Extra, warning string) {
		line := fmt.Sprintf("%d %s", e.Line, e.Loc)
		if e.Unbelievable {
			line += " unbelievable"
		}
		if e.LastMod != 0 {
			line += " " + time.Unix(e.LastMod, 0).UTC().Format(time.RFC3339)
		}
		if e.ChangeFreq+e.Priority != "" {
			line += " " + e.ChangeFreq + " " + e.Priority
		}
		if e.Section != 0 {
			line += " in " + m.Sections()[e.Section]
		}
		if warning != "" {
			line += " (" + warning + ")"
		}
		lines = append(lines, line)
	}, func(e *ExtraError) { lines = append(lines, fmt.Sprintf("%d [%s]", e.Line, e.Problem)) })
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestExtraURLsAreAURLAndPerhapsMoreALine(t *testing.T) {
	m := newMapper(t, nil)
	text := "\ufeff# pages of the shop\r\n" +
		"https://h.test/a\r\n" +
		"\r\n" +
		"  https://h.test/b \t 2004-10-26   \r\n" +
		"#https://h.test/no\n" +
		"   # no\n" +
		"https://h.test/c 2004-10-26T08:56:39+02:00 daily\n" +
		"https://h.test/d 2004-10-26T08:56Z weekly 0.0\n" +
		"https://h.test/e 2004-10-26T08:56:39.999Z never 1\n" +
		"https://h.test/f#2 2004-10-26\n" +
		"https://h.test/last"
	want := []string{
		"2 https://h.test/a",
		"4 https://h.test/b 2004-10-26T00:00:00Z",
		"7 https://h.test/c 2004-10-26T06:56:39Z daily ",
		"8 https://h.test/d 2004-10-26T08:56:00Z weekly 0.0",
		"9 https://h.test/e 2004-10-26T08:56:39Z never 1.0",
		"10 https://h.test/f 2004-10-26T00:00:00Z (lost the fragment)",
		"11 https://h.test/last",
	}
	if got := readExtra(t, m, text); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := readExtra(t, m, "\ufeffhttps://h.test/a"); len(got) != 1 || got[0] != "1 https://h.test/a" {
		t.Errorf("after a byte-order mark: %q", got)
	}
	for _, empty := range []string{"", "\n", "\ufeff", "\r\n\r\n", "# nothing"} {
		if got := readExtra(t, m, empty); len(got) != 0 {
			t.Errorf("%q: %q", empty, got)
		}
	}
}

func TestExtraLinesWithMistakesAreRefusedWithTheReason(t *testing.T) {
	m := newMapperIn(t, "shop", func(c *Config) {
		c.Rules = []Rule{{Match: scanner.Globs{"shop/hidden/**"}, List: new(bool)}}
	})
	const loc = "https://h.test/shop/a"
	for line, problem := range map[string]string{
		loc + " 2004-10-26 daily 0.5 more": "more than four fields",
		"https://h.test/shop/a b c d e":    "more than four fields",
		loc + " yesterday":                 "lastmod",
		loc + " 2004":                      "lastmod",
		loc + " 2004-10":                   "lastmod",
		loc + " 2004-02-30":                "lastmod",
		loc + " 2004-10-26T08:56:39":       "lastmod", // without a zone
		loc + " 26.10.2004":                "lastmod",
		loc + " daily":                     "lastmod",
		loc + " 2004-10-26 sometimes":      "changefreq",
		loc + " 2004-10-26 Daily":          "changefreq",
		loc + " 2004-10-26 daily 1.1":      "priority",
		loc + " 2004-10-26 daily -0.1":     "priority",
		loc + " 2004-10-26 daily NaN":      "priority",
		loc + " 2004-10-26 daily Inf":      "priority",
		loc + " 2004-10-26 daily 1e-1":     "priority", loc + " 2004-10-26 daily +0.5": "priority", loc + " 2004-10-26 daily 0x1p-1": "priority",
		loc + " 2004-10-26 daily high":                     "priority",
		"/shop/a":                                          "absolute",
		"shop/a":                                           "absolute",
		"//h.test/shop/a":                                  "absolute",
		"h.test/shop/a":                                    "absolute",
		"mailto:a@h.test":                                  "absolute",
		"http://h.test/shop/a":                             "scheme, host and port",
		"https://www.h.test/shop/a":                        "scheme, host and port",
		"https://h.test.evil/shop/a":                       "scheme, host and port",
		"https://h.test:8443/shop/a":                       "scheme, host and port",
		"https://h.test:80/shop/a":                         "scheme, host and port",
		"https://h.test:0/shop/a":                          "scheme, host and port",
		"https://user@h.test/shop/a":                       "scheme, host and port",
		"https://h.test@evil/shop/a":                       "scheme, host and port",
		"https://h.test\\@evil/shop/a":                     "scheme, host and port",
		"ftp://h.test/shop/a":                              "scheme, host and port",
		"https:///shop/a":                                  "scheme, host and port",
		"https://":                                         "scheme, host and port",
		"://":                                              "scheme, host and port",
		"https://h.test":                                   "outside https://h.test/shop/",
		"https://h.test/":                                  "outside https://h.test/shop/",
		"https://h.test/shop":                              "outside https://h.test/shop/",
		"https://h.test/shop?a=1":                          "outside https://h.test/shop/",
		"https://h.test/Shop/a":                            "outside https://h.test/shop/",
		"https://h.test/shop2/a":                           "outside https://h.test/shop/",
		"https://h.test?x=/shop/":                          "outside https://h.test/shop/",
		"https://h.test/shop/../a":                         "for a segment",
		"https://h.test/shop/./a":                          "for a segment",
		"https://h.test/shop/%2e%2E/a":                     "for a segment",
		"https://h.test/shop/..":                           "for a segment",
		"https://h.test/shop/..;jsessionid=1/a":            "for a segment",
		"https://h.test/shop/.;sid=1":                      "for a segment",
		"https://h.test/shop/hidden/a":                     "list: false",
		"https://h.test/shop/hidden/":                      "list: false",
		"https://h.test/shop/" + strings.Repeat("a", 2028): "2048 characters",
		"https://h.test/shop/" + strings.Repeat("ü", 338):  "2048 characters",
	} {
		got := readExtra(t, m, "\n"+line)
		if len(got) != 1 || !strings.HasPrefix(got[0], "2 [") || !strings.Contains(got[0], problem) {
			t.Errorf("%.80s: %.200q, want a line about %q", line, got, problem)
		}
	}
	longest := "https://h.test/shop/" + strings.Repeat("a", 2027)
	if got := readExtra(t, m, longest); len(got) != 1 || got[0] != "1 "+longest {
		t.Errorf("a URL of 2,047 characters: %.80q", got)
	}
}

func TestExtraURLsAreSpelledAsTheProtocolWants(t *testing.T) {
	m := newMapper(t, nil)
	for line, want := range map[string]string{
		"https://h.test":                "https://h.test/",
		"https://h.test?a=1":            "https://h.test/?a=1",
		"HTTPS://H.TEST/A":              "https://h.test/A",
		"https://h.test:443/a":          "https://h.test/a", // the scheme's own port
		"https://h.test:0443/a":         "https://h.test/a",
		"https://h.test/ü":              "https://h.test/%C3%BC",
		"https://h.test/\xfc":           "https://h.test/%FC",
		"https://h.test/%fc":            "https://h.test/%FC",
		"https://h.test/%20a":           "https://h.test/%20a",
		"https://h.test/%zz":            "https://h.test/%25zz",
		"https://h.test/100%":           "https://h.test/100%25",
		"https://h.test/%":              "https://h.test/%25",
		"https://h.test/%4":             "https://h.test/%254",
		"https://h.test/%7Euser":        "https://h.test/~user",
		"https://h.test/%61%2F%3F":      "https://h.test/a%2F%3F",
		`https://h.test/"<>\^{}|` + "`": "https://h.test/%22%3C%3E%5C%5E%7B%7D%7C%60",
		"https://h.test/a&b='c'":        "https://h.test/a&b='c'",
		"https://h.test/?q=ü+b&c=[1]":   "https://h.test/?q=%C3%BC+b&c=%5B1%5D",
		"https://h.test/?a=/b?c":        "https://h.test/?a=/b?c",
		"https://h.test/a?":             "https://h.test/a?",
		"https://h.test//a//":           "https://h.test//a//",
		"https://h.test/a\x01\x7f":      "https://h.test/a%01%7F",
		"https://h.test/...":            "https://h.test/...",
		"https://h.test/?a=..":          "https://h.test/?a=..",
		"https://h.test/http://x/":      "https://h.test/http://x/",
	} {
		if got := readExtra(t, m, line); len(got) != 1 || got[0] != "1 "+want {
			t.Errorf("%q became %q, want %q", line, got, want)
		}
	}
}

func TestDefaultPortIsTheSameOriginWrittenOrNot(t *testing.T) {
	for _, c := range []struct{ base, line, want string }{
		{"https://h.test/", "https://h.test:443/a", "https://h.test/a"},
		{"https://h.test:443/", "https://h.test/a", "https://h.test:443/a"},
		{"http://h.test/", "http://h.test:80/a", "http://h.test/a"},
		{"http://h.test:80/", "http://h.test/a", "http://h.test:80/a"},
		{"http://h.test:443/", "http://h.test/a", ""},
		{"https://h.test:80/", "https://h.test/a", ""},
		{"http://h.test/", "https://h.test/a", ""},
		{"http://[::1]/", "http://[::1]:80/a", "http://[::1]/a"},
		{"http://[::80]/", "http://[::80]/a", "http://[::80]/a"},
		{"http://h.test:8080/", "http://h.test:8080/a", "http://h.test:8080/a"},
		{"http://h.test:8080/", "http://h.test/a", ""},
		{"http://h.test:8080/", "http://h.test:80/a", ""},
		{"https://bücher.example/", "https://xn--bcher-kva.example/a", "https://xn--bcher-kva.example/a"},
		{"https://xn--bcher-kva.example/", "https://BÜCHER.example/a", "https://xn--bcher-kva.example/a"},
	} {
		m := newMapper(t, func(config *Config) { config.BaseURL = c.base })
		got := readExtra(t, m, c.line)
		if c.want == "" {
			if len(got) != 1 || !strings.Contains(got[0], "scheme, host and port") {
				t.Errorf("%s below %s: %q", c.line, c.base, got)
			}
		} else if len(got) != 1 || got[0] != "1 "+c.want {
			t.Errorf("%s below %s: %q, want %s", c.line, c.base, got, c.want)
		}
	}
}

func TestSessionIDsAreStripped(t *testing.T) {
	m := newMapper(t, nil)
	for path, want := range map[string]string{
		"a?PHPSESSID=1":                  "a",
		"a?PHPSESSID=1&b=2":              "a?b=2",
		"a?b=2&PHPSESSID=1":              "a?b=2",
		"a?b=2&PHPSESSID=1&c=3":          "a?b=2&c=3",
		"a?phpsessid=1&sid=2":            "a",
		"a?SID=1":                        "a",
		"a?sid=":                         "a",
		"a?jsessionid=1&b=%26":           "a?b=%26",
		"a?ASPSESSIONIDQWERTY=1":         "a",
		"a?b=2&sid=1#top":                "a?b=2",
		"a;jsessionid=1":                 "a",
		"a;JSESSIONID=1F!2?b=1":          "a?b=1",
		"a;jsessionid=1/b/c":             "a/b/c",
		"a;x=1;jsessionid=2/b;y=3":       "a;x=1/b;y=3",
		"a;jsessionid=1;x=2":             "a;x=2",
		"a;jsessionid=1/b;jsessionid=2/": "a/b/",
		"a;jsessionid=1?PHPSESSID=2":     "a",
		"a/;sid=1":                       "a/",

		// These are something else.
		"a?sida=1":          "",
		"a?inside=1":        "",
		"a?b=sid=1":         "",
		"a?b=PHPSESSID":     "",
		"a?sid":             "",
		"sid=1":             "",
		"sid=1/b":           "",
		"a/jsessionid=1/b":  "",
		"a;b=1/jsessionid=": "",
		"PHPSESSID":         "",
		"a;sidx=1":          "",
	} {
		got := readExtra(t, m, "https://h.test/"+path)
		full := "1 https://h.test/" + path
		if want != "" {
			full = "1 https://h.test/" + want + " (lost "
		}
		if len(got) != 1 || !strings.HasPrefix(got[0], full) || want != "" && !strings.Contains(got[0], "session id") || want == "" && got[0] != full {
			t.Errorf("%s became %q, want %q", path, got, want)
		}
	}
}

func TestRulesApplyToExtraURLsByPath(t *testing.T) {
	m := newMapper(t, func(c *Config) {
		c.BaseURL = "https://h.test/docs"
		c.Rules = rules(t, `
- {match: "**", priority: 0.5}
- {match: "blog/**", section: blog, changefreq: weekly}
- {match: "blog/*.html", priority: 0.8}
- {match: "a b/ü", priority: 1}
- {match: "drafts/**", list: false}
`)
	})
	for line, want := range map[string]string{
		"https://h.test/docs/x":                               "https://h.test/docs/x  0.5",
		"https://h.test/docs/":                                "https://h.test/docs/  0.5",
		"https://h.test/docs/blog/x":                          "https://h.test/docs/blog/x weekly 0.5 in blog",
		"https://h.test/docs/blog/x.html?p=2":                 "https://h.test/docs/blog/x.html?p=2 weekly 0.8 in blog",
		"https://h.test/docs/blog/":                           "https://h.test/docs/blog/ weekly 0.8 in blog", // as blog/index.html
		"https://h.test/docs/a%20b/%C3%BC":                    "https://h.test/docs/a%20b/%C3%BC  1.0",
		"https://h.test/docs/blog/x 2004-10-26 daily":         "https://h.test/docs/blog/x 2004-10-26T00:00:00Z daily 0.5 in blog",
		"https://h.test/docs/blog/x 2004-10-26 daily 0.1":     "https://h.test/docs/blog/x 2004-10-26T00:00:00Z daily 0.1 in blog",
		"https://h.test/docs/drafts/x 2004-10-26 always 1.0":  "[a rule says list: false]",
		"https://h.test/docs/drafts/;jsessionid=1/x?sid=1#no": "[a rule says list: false]",
		"https://h.test/docs/%64rafts/x":                      "[a rule says list: false]",
		"https://h.test/docs/drafts":                          "[a rule says list: false]", // ** matches no segment, too
	} {
		if got := readExtra(t, m, line); len(got) != 1 || got[0] != "1 "+want {
			t.Errorf("%s became %q, want %q", line, got, want)
		}
	}
}

func TestExtraDatesThatNobodyBelievesAreLeftOut(t *testing.T) {
	m := newMapper(t, nil)
	for date, want := range map[string]string{
		"1970-01-01":           " unbelievable",
		"1970-01-01T00:00:00Z": " unbelievable",
		"1969-12-31":           " unbelievable",
		"0001-01-01":           " unbelievable",
		"1970-01-02":           " 1970-01-02T00:00:00Z",
		"2023-11-14T22:13:20Z": " 2023-11-14T22:13:20Z", // now
		"2023-11-14T22:13:21Z": " unbelievable",
		"9999-12-31":           " unbelievable",
	} {
		if got := readExtra(t, m, "https://h.test/a "+date); len(got) != 1 || got[0] != "1 https://h.test/a"+want {
			t.Errorf("%s: %q, want %q", date, got, want)
		}
	}
}

func TestAnExtraLineMayBe64KiBLong(t *testing.T) {
	m := newMapper(t, nil)
	var refused []*ExtraError
	read := func(text string) error {
		return m.ReadExtra(strings.NewReader(text), func(Extra, string) {}, func(e *ExtraError) { refused = append(refused, e) })
	}
	if err := read("\n\nhttps://h.test/" + strings.Repeat("a", maxExtraLine)); err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("a line that is too long: %v", err)
	}
	if err := read("#" + strings.Repeat("a", maxExtraLine-10) + "\nhttps://h.test/a"); err != nil || len(refused) > 0 {
		t.Errorf("a long comment: %v, %v", err, refused)
	}
}

func FuzzExtra(f *testing.F) {
	for _, seed := range []string{
		"https://h.test/docs/a 2004-10-26 daily 0.5", "https://h.test/docs/%zz?sid=1&b=ü#x", "https://h.test/docs/a;jsessionid=1/b;c=2",
		"https://h.test/docs/..;sid=1/../a", "https://h.test:443/docs/?", "\ufeff# c\r\nhttps://h.test/docs/\xff\x00", "https://h.test/docs/a 2004-10-26T08:56Z never 1e-9",
		"https://h.test/%64ocs/a", "://", "https://h.test/docs//", "https://h.test/docs/a?&&sid=1&", "https://h.test/docs/;sid=1/;sid=2/a;sid=3",
	} {
		f.Add(seed)
	}
	m := newMapper(f, func(c *Config) {
		c.BaseURL = "https://h.test/docs/"
		section := "s"
		c.Rules = []Rule{{Match: scanner.Globs{"a/**"}, Section: &section}}
	})
	f.Fuzz(func(t *testing.T, text string) {
		err := m.ReadExtra(strings.NewReader(text), func(e Extra, _ string) {
			loc := string(e.Loc)
			if len(loc) >= MaxLoc || !strings.HasPrefix(loc, "https://h.test/docs/") {
				t.Fatalf("%q was listed", loc)
			}
			path, query, _ := strings.Cut(loc, "?")
			checkLoc(t, path, "https://h.test/docs/")
			if strings.ContainsAny(query, "#\"<>\\^`{|} ") || hasDotSegment(path) {
				t.Fatalf("%q was listed", loc)
			}
			if u, err := url.Parse(loc); err != nil || u.Host != "h.test" || u.User != nil || u.Fragment != "" {
				t.Fatalf("%q: %v, %v", loc, u, err)
			}
			again, _, warning, err := m.checkURL(loc)
			if err != nil || again != loc || warning != "" {
				t.Fatalf("%q the second time became %q, %q, %v", loc, again, warning, err)
			}
			if e.ChangeFreq != "" && !isChangeFreq(e.ChangeFreq) || len(e.Priority) == 1 || strings.HasPrefix(e.Priority, "-") || e.LastMod < 0 || e.LastMod > testNow {
				t.Fatalf("%+v", e)
			}
		}, func(e *ExtraError) {
			if e.Line < 1 || e.Problem == "" {
				t.Fatalf("%+v", e)
			}
		})
		if err != nil && len(text) < maxExtraLine {
			t.Fatal(err)
		}
	})
}
