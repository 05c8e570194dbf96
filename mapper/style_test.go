package mapper

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"
)

// siteWorker returns a worker for a docroot that holds the given files.
func siteWorker(t testing.TB, change func(*Config), files ...string) *Worker {
	t.Helper()
	config := DefaultConfig()
	config.BaseURL = "https://h.test/"
	if change != nil {
		change(&config)
	}
	m, err := New(config, Options{
		Now: func() int64 { return testNow }, Details: true,
		Has: func(path string) bool { return slices.Contains(files, path) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return m.NewWorker()
}

// relationOf returns what a link on the page of a path is to that page.
func relationOf(t testing.TB, w *Worker, path, href string) relation {
	t.Helper()
	loc := locOf(w, path)
	page := newDocument(loc, "")
	to, ok := page.resolve(href)
	if !ok {
		t.Fatalf("%s leads nowhere", href)
	}
	_, name := splitPath(path)
	return w.relate(name, loc, &to)
}

func TestStylesOfAPageAreTheSamePage(t *testing.T) {
	for _, test := range []struct {
		path string
		want relation
		urls []string
	}{
		{"page.html", itself, []string{
			"page.html", "./page.html", "#top", "https://h.test/page.html", "HTTPS://H.TEST:443/page.html", "//h.test/page.html",
			"p%61ge.html", "a/../page.html", "https://me@h.test/page.html", "/page.html?",
		}},
		{"page.html", styled, []string{
			"page", "page/", "page.htm", "page.xhtml", "page.shtml", "PAGE/../page.HTML", "page.html/", "page/index.html", "page/index.htm",
			"http://h.test/page.html", "https://www.h.test/page.html", "https://h.test:8443/page.html", "http://other.test/page/",
		}},
		{"page.html", elsewhere, []string{
			"/", "Page.html", "pages.html", "page.html?a", "page?a", "a/page.html", "page.pdf", "page.html.html", "page/index",
			"https://other.test/", "https://other.test/a/page.html", "page.php", "%70age%2Findex.html",
		}},
		{"index.html", itself, []string{"", "/", ".", "https://h.test", "https://h.test/#a"}},
		{"index.html", styled, []string{"index.html", "index.htm", "index", "https://h.test//", "http://www.h.test", "https://other.test/index.html"}},
		{"index.html", elsewhere, []string{"a/", "?a", "https://other.test/a/", "indexes", "Index.html", "a/index.html"}},
		{"a/b/index.html", itself, []string{".", "../b/", "https://h.test/a/b/"}},
		{"a/b/index.html", styled, []string{"../b", "index.html", "index.htm", "index", "../b.html", "index/", "https://other.test/a/b"}},
		{"a/b/index.html", elsewhere, []string{"/", "..", "/a", "/a/", "/b/", "?a", "c", "/a/index.html", "https://other.test/b/"}},
		{"index/index.html", styled, []string{"/index", "/index/index", "/index.html/"}},
		{"a/page.html.html", styled, []string{"page.html", "page.html/"}},
		{"a/page.html.html", elsewhere, []string{"page"}},
		{"a/bare", styled, []string{"bare/", "bare.html"}},
		{"a/v1.2.html", styled, []string{"v1.2", "v1.2/"}},
		{"a/v1.2.html", elsewhere, []string{"v1", "v1.2.3"}},
		{"a/.html", itself, []string{".html"}},
		{"a/.html", elsewhere, []string{".", "/a"}},
		{"ü/ß !.html", itself, []string{"/ü/ß !.html", "/%C3%BC/%c3%9f%20!.html", "/%C3%BC/ß%20!%2Ehtml"}},
		{"ü/ß !.html", styled, []string{"/ü/ß !", "/%C3%BC/%C3%9F%20%21.html", "http://h.test/ü/ß%20!/"}},
		{"ü/ß !.html", elsewhere, []string{"/u%CC%88/ß !.html", "/%FC/%DF%20!.html", "/ü%2Fß !.html"}},
		{"100%.html", itself, []string{"100%.html", "100%25.html"}},
		{"100%41.html", itself, []string{"100%2541.html"}},
		{"100%41.html", elsewhere, []string{"100%41.html", "100A.html"}},
	} {
		w := siteWorker(t, nil, test.path)
		for _, url := range test.urls {
			if got := relationOf(t, w, test.path, url); got != test.want {
				t.Errorf("%s: %q is %d, want %d", test.path, url, got, test.want)
			}
		}
	}
}

func TestStylesOfASiteBelowItsHost(t *testing.T) {
	for _, test := range []struct {
		base, path, url string
		want            relation
	}{
		{"https://h.test/docs/", "page.html", "https://h.test/docs/page.html", itself},
		{"https://h.test/docs/", "page.html", "https://h.test/docs/page", styled},
		{"https://h.test/docs/", "page.html", "https://h.test/page.html", elsewhere},
		{"https://h.test/docs/", "page.html", "https://h.test/docs", elsewhere},
		{"https://h.test/docs/", "page.html", "https://other.test/docs/page.html", styled},
		{"https://h.test/docs/", "page.html", "https://other.test/page.html", styled},
		{"https://h.test/docs/", "index.html", "https://h.test/docs", styled},
		{"https://h.test/docs/", "index.html", "https://h.test/docs/index.html", styled},
		{"https://h.test/docs/", "index.html", "https://h.test/", elsewhere},
		{"https://h.test/docs/", "index.html", "https://h.test/docs.html", elsewhere},
		{"https://h.test/docs/", "index.html", "https://other.test/docs", styled},
		{"https://h.test/docs/", "docs/page.html", "https://other.test/docs/page.html", styled},
		{"https://h.test/a b/", "page.html", "https://h.test/a b/page", styled},
		{"https://h.test:443/", "page.html", "https://h.test/page.html", itself},
		{"https://h.test:443/", "page.html", "https://h.test:443/page.html", itself},
		{"http://h.test:80/", "page.html", "http://h.test/page.html", itself},
		{"https://h.test:80/", "page.html", "https://h.test/page.html", styled},
		{"https://bücher.test/", "page.html", "https://BÜCHER.test/page.html", itself},
	} {
		w := siteWorker(t, func(c *Config) { c.BaseURL = test.base }, test.path)
		if got := relationOf(t, w, test.path, test.url); got != test.want {
			t.Errorf("%s below %s: %q is %d, want %d", test.path, test.base, test.url, got, test.want)
		}
	}
}

func TestAnotherFileIsAnotherPage(t *testing.T) {
	files := []string{"a.html", "a/index.html", "b.html", "b.htm", "c.html", "c", "d.html", "d.html.html", "e/index.html", "e/index.htm", "f.html", "f/index.xhtml"}
	for _, test := range []struct {
		path, url string
		want      relation
	}{
		{"a.html", "/a/", elsewhere},
		{"a.html", "/a/index.html", elsewhere},
		{"a.html", "/a", styled}, // it is the server that says of which file
		{"a.html", "/a.htm", styled},
		{"a/index.html", "/a.html", elsewhere},
		{"a/index.html", "/a", styled},
		{"a/index.html", "/a/index", styled},
		{"b.html", "/b.htm", elsewhere},
		{"b.html", "/b", styled},
		{"b.htm", "/b", styled},
		{"b.html", "/b/", styled},
		{"c.html", "/c", styled},
		{"c", "/c.html", elsewhere},
		{"d.html.html", "/d.html", elsewhere},
		{"d.html", "/d", styled},
		{"e/index.html", "/e/index.htm", elsewhere},
		{"f.html", "/f/", elsewhere},
		{"f.html", "https://other.test/f/", elsewhere},
	} {
		w := siteWorker(t, func(c *Config) { c.URLs.Index = []string{"index.html"} }, files...)
		if got := relationOf(t, w, test.path, test.url); got != test.want {
			t.Errorf("%s: %q is %d, want %d", test.path, test.url, got, test.want)
		}
	}
}

func TestStylesInTheServersCharset(t *testing.T) {
	files := []string{"ü.html", "ö.html", "ö/index.html"}
	for _, test := range []struct {
		path, url string
		want      relation
	}{
		{"ü.html", "/%FC.html", itself},
		{"ü.html", "/%FC", styled},
		{"ü.html", "/%FC/", styled},
		{"ü.html", "/ü.html", styled}, // as browsers encode it
		{"ü.html", "/ü", styled},
		{"ü.html", "/%F6.html", elsewhere},
		{"ö.html", "/%F6/", elsewhere},
		{"ö.html", "/ö/", elsewhere},
		{"ö.html", "/%F6", styled},
	} {
		w := siteWorker(t, func(c *Config) { c.URLs.Charset = "iso-8859-1" }, files...)
		if got := relationOf(t, w, test.path, test.url); got != test.want {
			t.Errorf("%s: %q is %d, want %d", test.path, test.url, got, test.want)
		}
	}
}

func TestSettingsAreNamedThatAgree(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Config)
		path   string
		url    string
		want   string
	}{
		{"extension", nil, "a/b.html", "/a/b", "urls.extension: strip"},
		{"extension back", func(c *Config) { c.URLs.Extension = ExtensionStrip }, "a/b.html", "/a/b.html", "urls.extension: keep"},
		{"slash", nil, "a/index.html", "/a", "urls.slash: never"},
		{"slash back", func(c *Config) { c.URLs.Slash = SlashNever }, "a/index.html", "/a/", "urls.slash: auto"},
		{"slash after a bare name", nil, "a/bare", "/a/bare/", "urls.slash: always"},
		{"extension and slash", nil, "a/b.html", "/a/b/", "urls: {extension: strip, slash: always}"},
		{"slash alone", func(c *Config) { c.URLs.Extension = ExtensionStrip }, "a/b.html", "/a/b/", "urls.slash: always"},
		{"index", nil, "a/index.html", "/a/index.html", "urls.index: []"},
		{"index back", func(c *Config) { c.URLs.Index = nil }, "a/index.html", "/a/", "urls.index: [index.html]"},
		{"index and extension", nil, "a/index.html", "/a/index", "urls: {index: [], extension: strip}"},
		{"index, extension and slash", nil, "a/index.html", "/a/index/", "urls: {index: [], extension: strip, slash: always}"},
		{"scheme", nil, "a/b.html", "http://h.test/a/b.html", "base_url: http://h.test/"},
		{"host", nil, "a/index.html", "https://www.h.test/a/", "base_url: https://www.h.test/"},
		{"host and extension", nil, "a/b.html", "https://www.h.test/a/b", "base_url: https://www.h.test/, urls.extension: strip"},
		{"port", nil, "index.html", "https://h.test:8443", "base_url: https://h.test:8443/"},
		{"host and place", func(c *Config) { c.BaseURL = "https://h.test/docs/" }, "b.html", "https://www.h.test/b.html", "base_url: https://www.h.test/"},
		{"host, same place", func(c *Config) { c.BaseURL = "https://h.test/a%25b c/" }, "b.html", "https://www.h.test/a%25b c/b.html", "base_url: https://www.h.test/a%25b%20c/"},

		{"no server's style", nil, "b.html", "/b.htm", ""},
		{"extension in capitals", nil, "b.HTML", "/b", ""},
		{"escapes that need not be", nil, "a!.html", "/a%21.html", ""},
		{"host, and no server's style", nil, "b.html", "http://h.test/b.htm", ""},
		{"root without slash", func(c *Config) { c.BaseURL = "https://h.test/docs/" }, "index.html", "https://h.test/docs", ""},
	} {
		w := siteWorker(t, test.change, test.path)
		if got := suggested(t, w, test.path, test.url); got != test.want {
			t.Errorf("%s: %s as %s: got %q, want %q", test.name, test.path, test.url, got, test.want)
		}
	}
}

// suggested returns the settings that would agree with a link on a page.
func suggested(t testing.TB, w *Worker, path, href string) string {
	t.Helper()
	if got := relationOf(t, w, path, href); got != styled {
		t.Fatalf("%s is %d to %s", href, got, path)
	}
	page := newDocument(locOf(w, path), "")
	to, _ := page.resolve(href)
	_, name := splitPath(path)
	return w.suggest(name, &to)
}

// adopt changes a configuration by settings as they are suggested.
func adopt(config Config, settings string) (Config, error) {
	config.URLs.Index = slices.Clone(config.URLs.Index)
	for setting := range strings.SplitSeq(strings.ReplaceAll(settings, ", urls", "\nurls"), "\n") {
		if key, value, dotted := strings.Cut(setting, ": "); dotted && strings.HasPrefix(key, "urls.") {
			setting = fmt.Sprintf("urls: {%s: %s}", strings.TrimPrefix(key, "urls."), value)
		}
		if err := yaml.Unmarshal([]byte(setting), &config); err != nil {
			return config, err
		}
	}
	return config, nil
}

func drawURLs(rt *rapid.T, label string) (urls URLs) {
	urls = DefaultConfig().URLs
	urls.Slash = rapid.SampledFrom([]Slash{SlashAuto, SlashNever, SlashAlways}).Draw(rt, label+" slash")
	urls.Extension = rapid.SampledFrom([]Extension{ExtensionKeep, ExtensionStrip}).Draw(rt, label+" extension")
	if rapid.IntRange(0, 3).Draw(rt, label+" index") == 0 {
		urls.Index = []string{}
	}
	return urls
}

var styleNames = []string{"index.html", "index.htm", "index.xhtml", "page.html", "p.htm", "v1.2.shtml", "page.html.html", "bare", "ü ß.html", "100%.html", "a.HTML", "index.shtml"}

func drawPath(rt *rapid.T) string {
	folders := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b.d", "ü", "index", "docs", "50%41"}), 0, 3).Draw(rt, "folders")
	return strings.Join(append(folders, rapid.SampledFrom(styleNames).Draw(rt, "name")), "/")
}

func TestSuggestedSettingsListWhatPagesSay(t *testing.T) {
	suggestions := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		path := drawPath(rt)
		ours, theirs := DefaultConfig(), DefaultConfig()
		ours.BaseURL = rapid.SampledFrom([]string{"https://h.test/", "https://h.test/docs/", "https://h.test/a%25b/"}).Draw(rt, "base")
		theirs.BaseURL = rapid.SampledFrom([]string{ours.BaseURL, ours.BaseURL, strings.Replace(ours.BaseURL, "h.test", "www.h.test:8080", 1), "http://other.test/"}).Draw(rt, "other base")
		ours.URLs, theirs.URLs = drawURLs(rt, "our"), drawURLs(rt, "their")
		use := func(config Config) func(*Config) { return func(c *Config) { *c = config } }
		canonical := locOf(siteWorker(t, use(theirs), path), path)
		w := siteWorker(t, use(ours), path)
		loc := locOf(w, path)
		to, ok := splitTarget(canonical)
		if !ok {
			rt.Fatalf("%s does not split", canonical)
		}
		_, name := splitPath(path)
		switch got := w.relate(name, loc, &to); {
		case loc == canonical && got != itself, loc != canonical && got != styled:
			rt.Fatalf("%s, listed as %s: %s is %d", path, loc, canonical, got)
		case got == itself:
			return
		}
		settings := w.suggest(name, &to)
		suggestions[settings]++
		if settings == "" {
			rt.Fatalf("%s, listed as %s: no setting gives %s", path, loc, canonical)
		}
		agreed, err := adopt(ours, settings)
		if err != nil {
			rt.Fatalf("%q: %v", settings, err)
		}
		if got := locOf(siteWorker(t, use(agreed), path), path); got != canonical {
			rt.Fatalf("%s, listed as %s: with %q it is %s, and not %s", path, loc, settings, got, canonical)
		}
	})
	if len(suggestions) < 8 {
		t.Errorf("only %d settings were suggested", len(suggestions))
	}
}

func TestKeysOfStylesAreEqual(t *testing.T) {
	m := newMapper(t, func(c *Config) { c.BaseURL = "https://h.test/docs/" })
	key := func(url string) uint64 {
		k, ok := m.Key(url)
		if !ok {
			t.Errorf("%s has no key", url)
		}
		return k
	}
	if key("https://h.test/docs/a/") != key("http://h.test/docs/a.html") || key("https://h.test/docs/a/index.html") != key("https://h.test/docs/a") {
		t.Error("keys of one page differ")
	}
	if key("https://h.test/docs/a/") == key("https://h.test/docs/b/") {
		t.Error("keys of two pages are the same")
	}
	for _, url := range []string{"https://other.test/docs/a", "https://h.test/a", "https://h.test/docs/a?b", "", "://"} {
		if _, ok := m.Key(url); ok {
			t.Errorf("%s has a key", url)
		}
	}
}

func BenchmarkJudgeCanonicalInAnotherStyle(b *testing.B) {
	for style, url := range map[string]string{
		"host": "https://www.h.test/guide/install/page.html", "extension": "https://h.test/guide/install/page", "slash": "https://h.test/guide/install/page/",
	} {
		b.Run(style, func(b *testing.B) {
			w := siteWorker(b, nil, "guide/install/page.html")
			benchmarkPage(b, w, "guide/install/page.html", url)
		})
	}
}
