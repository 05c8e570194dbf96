package mapper

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sitewalk/scanner"
	"sitewalk/scanner/head"
)

// survey asks pages, by path, what their canonicals say.
func survey(t testing.TB, change func(*Config), pages map[string]string) Surveyed {
	t.Helper()
	s := newMapper(t, func(c *Config) {
		c.URLs.Preset = PresetAuto
		if change != nil {
			change(c)
		}
	}).NewSurvey()
	for path, canonical := range pages {
		dir, name := splitPath(path)
		s.Add(dir, name, &head.Head{Canonicals: []string{canonical}})
	}
	return s.Result()
}

func TestCanonicalsTellHowURLsAreSpelled(t *testing.T) {
	plain := []string{"index.html", "index.htm", "index.xhtml"}
	for _, test := range []struct {
		name      string
		change    func(*Config)
		pages     map[string]string
		index     []string
		extension Extension
		slash     Slash
		pagesSaid int
	}{
		{"as by default", nil, map[string]string{"a.html": "/a.html", "b/index.html": "/b/"}, plain, ExtensionKeep, SlashAuto, 2},
		{"without extensions", nil, map[string]string{"a.html": "/a", "b/index.html": "/b/"}, plain, ExtensionStrip, SlashAuto, 2},
		{"without slashes", nil, map[string]string{"a.html": "/a", "b/index.html": "/b"}, plain, ExtensionStrip, SlashNever, 2},
		{"slashes everywhere", nil, map[string]string{"a.html": "/a/", "b/index.html": "/b/"}, plain, ExtensionStrip, SlashAlways, 2},
		{"files as they are", nil, map[string]string{"a.html": "/a.html", "b/index.html": "/b/index.html"}, []string{}, ExtensionKeep, SlashAuto, 2},
		{"index pages alone", nil, map[string]string{"index.html": "/", "b/index.html": "/b"}, plain, ExtensionKeep, SlashNever, 2},
		{"absolute, by the other scheme", nil, map[string]string{"a.html": "http://h.test/a"}, plain, ExtensionStrip, SlashAuto, 1},
		{"relative to the page", nil, map[string]string{"a.html": "a", "b/c.html": "c"}, plain, ExtensionStrip, SlashAuto, 2},
		{"escaped", nil, map[string]string{"ü b.html": "/%c3%bc%20b"}, plain, ExtensionStrip, SlashAuto, 1},
		{"below a path", func(c *Config) { c.BaseURL = "https://h.test/docs" }, map[string]string{"a.html": "/docs/a"}, plain, ExtensionStrip, SlashAuto, 1},
		{"of other pages", nil, map[string]string{"a.html": "/b", "c.html": "/"}, plain, ExtensionKeep, SlashAuto, 0},
		{"of other hosts", nil, map[string]string{"a.html": "https://www.h.test/a"}, plain, ExtensionKeep, SlashAuto, 0},
		{"the slash is set", func(c *Config) { c.URLs.set.slash = true }, map[string]string{"a.html": "/a", "b.html": "/b", "c.html": "/c"}, plain, ExtensionStrip, SlashAuto, 3},
		{"the extension is set", func(c *Config) { c.URLs.Extension = ExtensionStrip }, map[string]string{"b/index.html": "/b"}, plain, ExtensionStrip, SlashNever, 1},
		{"the index is set", func(c *Config) { c.URLs.Index = []string{"home.html"} }, map[string]string{"b/home.html": "/b"}, []string{"home.html"}, ExtensionKeep, SlashNever, 1},
	} {
		got := survey(t, test.change, test.pages)
		if !slices.Equal(got.URLs.Index, test.index) || got.URLs.Extension != test.extension || got.URLs.Slash != test.slash || got.URLs.Preset != PresetNone {
			t.Errorf("%s: %+v", test.name, got)
		}
		if got.Pages != test.pagesSaid || got.Agreeing != test.pagesSaid || len(got.Others) != 0 || got.IsClear() != (test.pagesSaid > 0) {
			t.Errorf("%s: %+v, want %d pages that agree", test.name, got, test.pagesSaid)
		}
	}
}

func TestNineOfTenMustAgree(t *testing.T) {
	for _, test := range []struct {
		strip, keep int
		clear       bool
		others      int
	}{{18, 2, true, 2}, {90, 10, true, 10}, {17, 2, false, 3}, {89, 11, false, 10}, {50, 50, false, 10}, {1, 0, true, 0}, {1, 1, false, 2}, {0, 0, false, 0}} {
		pages := map[string]string{}
		for i := range test.strip {
			pages[fmt.Sprintf("s%d.html", i)] = fmt.Sprintf("/s%d", i)
		}
		for i := range test.keep {
			pages[fmt.Sprintf("k%d.html", i)] = fmt.Sprintf("/k%d.html", i)
		}
		got := survey(t, nil, pages)
		if got.IsClear() != test.clear || (got.URLs.Extension == ExtensionStrip) != test.clear ||
			got.Pages != test.strip+test.keep || got.Agreeing != test.strip || len(got.Others) != test.others {
			t.Errorf("%d against %d: %+v", test.strip, test.keep, got)
		}
	}
}

// Whatever style a site is in, the survey finds one under which each page is called
// what its canonical says.
func TestSurveyFindsAnyStyle(t *testing.T) {
	segment := rapid.SampledFrom([]string{"a", "b.c", "ü", "x y", "index"})
	name := rapid.SampledFrom([]string{"index.html", "index.htm", "page.html", "v1.2.html", "p.htm", "q.xhtml", "bare"})
	rapid.Check(t, func(t *rapid.T) {
		style := DefaultConfig().URLs
		style.Extension = rapid.SampledFrom([]Extension{ExtensionKeep, ExtensionStrip}).Draw(t, "extension")
		style.Slash = rapid.SampledFrom([]Slash{SlashAuto, SlashAlways, SlashNever}).Draw(t, "slash")
		if rapid.Bool().Draw(t, "files as they are") {
			style.Index = []string{}
		}
		config := DefaultConfig()
		config.BaseURL = rapid.SampledFrom([]string{"https://h.test/", "http://h.test:8080/docs/"}).Draw(t, "base")
		config.URLs = style
		truth, err := New(config, Options{Now: func() int64 { return testNow }})
		if err != nil {
			t.Fatal(err)
		}
		config.URLs = DefaultConfig().URLs
		config.URLs.Preset = PresetAuto
		unresolved, err := New(config, Options{Now: func() int64 { return testNow }})
		if err != nil {
			t.Fatal(err)
		}
		told, asked := truth.NewWorker(), unresolved.NewSurvey()
		said := map[string]string{}
		for range rapid.IntRange(1, 20).Draw(t, "pages") {
			dir := ""
			for _, s := range rapid.SliceOfN(segment, 0, 3).Draw(t, "dir") {
				dir = scanner.Join(dir, s)
			}
			file := name.Draw(t, "file")
			path := scanner.Join(dir, file)
			said[path] = locOf(told, path)
			if !asked.Add(dir, file, &head.Head{Canonicals: []string{said[path]}}) {
				t.Fatalf("%s says %s, which was not heard", path, said[path])
			}
		}
		found := asked.Result()
		if !found.IsClear() || found.Agreeing != found.Pages {
			t.Fatalf("found %+v", found)
		}
		config.URLs = found.URLs
		now, err := New(config, Options{Now: func() int64 { return testNow }})
		if err != nil {
			t.Fatal(err)
		}
		for path, loc := range said {
			if got := locOf(now.NewWorker(), path); got != loc {
				t.Fatalf("%s is called %s, and says %s", path, got, loc)
			}
		}
	})
}
