package sitewalk_test

import (
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"sitewalk"
	"sitewalk/mapper"
	"sitewalk/scanner"
)

// says returns a page whose canonical is a path.
func says(canonical string) string {
	return `<link rel="canonical" href="https://h.test` + canonical + `">`
}

// autoConfig returns a configuration that infers how URLs are spelled in a site of
// some files.
func autoConfig(t testing.TB, files map[string]string) sitewalk.Config {
	t.Helper()
	config := siteConfig("")
	config.Scanner.Pages.Read = true
	config.Mapper.LastMod = nil
	config.Mapper.URLs.Preset = mapper.PresetAuto
	config.Out = t.TempDir()
	site := fstest.MapFS{}
	for path, content := range files {
		site[path] = &fstest.MapFile{Data: []byte(content)}
	}
	config.FS = site
	return config
}

// openedFS counts how often pages are opened.
type openedFS struct {
	fstest.MapFS
	opened atomic.Int64
}

func (c *openedFS) Open(name string) (fs.File, error) {
	if strings.HasSuffix(name, ".html") {
		c.opened.Add(1)
	}
	return c.MapFS.Open(name)
}

func TestInferringOpensNoMorePagesThanItMust(t *testing.T) {
	own := func(i int) string { return says(fmt.Sprintf("/p%04d", i)) }
	fifth := func(i int) string {
		if i%5 > 0 {
			return "x"
		}
		return own(i)
	}
	for name, test := range map[string]struct {
		preset mapper.Preset
		page   func(i int) string
		listed string // glob
		want   int64  // opened beside those that the build opens
	}{
		"a named preset":         {mapper.PresetNetlify, own, "**", 0},
		"all have a canonical":   {mapper.PresetAuto, own, "p*", 100},
		"every fifth has one":    {mapper.PresetAuto, fifth, "p*", 496},
		"none has one":           {mapper.PresetAuto, func(int) string { return "x" }, "**", 1000},
		"they name another host": {mapper.PresetAuto, func(int) string { return "<link rel=canonical href=https://other.test/>" }, "**", 1000},
		"they name another page": {mapper.PresetAuto, func(int) string { return says("/other") }, "**", 1000},
		"few can be listed":      {mapper.PresetAuto, own, "p00[0-4]*", 50},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"index.html": "x"}
			for i := range 1500 {
				files[fmt.Sprintf("p%04d.html", i)] = test.page(i)
			}
			count := func(preset mapper.Preset) int64 {
				config := autoConfig(t, files)
				counted := &openedFS{MapFS: config.FS.(fstest.MapFS)}
				config.FS, config.Scanner.Include, config.Mapper.URLs.Preset = counted, []string{test.listed}, preset
				mustBuild(t, config)
				return counted.opened.Load()
			}
			if got := count(test.preset) - count(mapper.PresetNone); got != test.want {
				t.Errorf("%d pages more were opened, want %d", got, test.want)
			}
		})
	}
}

// styledSite returns a site of so many pages, in folders and beside them, whose
// canonicals are what the given URLs make of them.
func styledSite(t interface{ Fatal(...any) }, urls mapper.URLs, pages int) map[string]string {
	config := mapper.DefaultConfig()
	config.BaseURL, config.URLs = "https://h.test/", urls
	m, err := mapper.New(config, mapper.Options{Now: func() int64 { return siteTime.Unix() }})
	if err != nil {
		t.Fatal(err)
	}
	names := m.NewWorker()
	files := map[string]string{}
	for i := range pages {
		dir, name := fmt.Sprintf("d%d", i%7), fmt.Sprintf("p%d.html", i)
		if i%3 == 0 {
			dir, name = fmt.Sprintf("%s/f%d", dir, i), "index.html"
		}
		names.Enter(dir)
		page, _ := names.Map(&scanner.File{Name: name})
		files[dir+"/"+name] = fmt.Sprintf(`<link rel="canonical" href="%s">`, page.Loc)
	}
	return files
}

func TestInferredStyleAgreesWithWhatPagesSay(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		urls := mapper.DefaultConfig().URLs
		urls.Extension = rapid.SampledFrom([]mapper.Extension{mapper.ExtensionKeep, mapper.ExtensionStrip}).Draw(rt, "extension")
		urls.Slash = rapid.SampledFrom([]mapper.Slash{mapper.SlashAuto, mapper.SlashAlways, mapper.SlashNever}).Draw(rt, "slash")
		if rapid.Bool().Draw(rt, "files as they are") {
			urls.Index = []string{}
		}
		pages := rapid.IntRange(2, 130).Draw(rt, "pages")
		files := styledSite(rt, urls, pages)
		config := autoConfig(t, files)
		config.Jobs = rapid.IntRange(1, 8).Draw(rt, "jobs")
		var inferred mapper.Surveyed
		config.Inferred = func(found mapper.Surveyed) { inferred = found }
		if codes := warningCodes(mustBuild(t, config)); len(codes) > 0 {
			rt.Fatalf("warned of %q, having inferred %+v", codes, inferred)
		}
		if inferred.Pages != min(pages, 100) || inferred.Agreeing != inferred.Pages {
			rt.Fatalf("inferred %+v", inferred)
		}
		var wanted []string
		for _, content := range files {
			wanted = append(wanted, strings.Split(content, `"`)[3])
		}
		if got := listed(t, config.Out); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(wanted))) {
			rt.Fatalf("listed are %q, want %q", got, wanted)
		}
	})
}

func TestInferredStyleIsTheSameHoweverTheSiteIsWalked(t *testing.T) {
	// Nine of ten of the first hundred say so, and most of the rest say otherwise.
	urls := mapper.DefaultConfig().URLs
	urls.Extension, urls.Slash = mapper.ExtensionStrip, mapper.SlashNever
	files := styledSite(t, urls, 105)
	plain := styledSite(t, mapper.DefaultConfig().URLs, 1200)
	for path, content := range plain {
		if _, found := files[path]; !found {
			files["z/"+path] = strings.ReplaceAll(content, "h.test/", "h.test/z/")
		}
	}
	docroot := makeSite(t, files)
	config := autoConfig(t, files)
	first := mustBuild(t, config)
	want := snapshot(t, config.Out)
	if codes := warningCodes(first); !slices.Equal(codes, []string{"canonical-style"}) || !strings.Contains(want["sitemap.xml"], "<loc>https://h.test/d1/p1</loc>") {
		t.Errorf("warned of %q; listed are %.200q", codes, want["sitemap.xml"])
	}
	for name, change := range map[string]func(*sitewalk.Config){
		"8 jobs":           func(c *sitewalk.Config) { c.Jobs = 8 },
		"a folder":         func(c *sitewalk.Config) { c.FS, c.Scanner.Docroot = nil, docroot },
		"a folder, 8 jobs": func(c *sitewalk.Config) { c.FS, c.Scanner.Docroot, c.Jobs = nil, docroot, 8 },
		"a portable walk":  func(c *sitewalk.Config) { c.FS, c.Scanner.Docroot, c.Portable = nil, docroot, true },
		"as settings":      func(c *sitewalk.Config) { c.Mapper.URLs = urls },
	} {
		again := config
		again.Out = t.TempDir()
		change(&again)
		mustBuild(t, again)
		sameFiles(t, name, snapshot(t, again.Out), want)
	}
}

func TestPagesThatDisagreeAreWarnedOf(t *testing.T) {
	half := map[string]string{"index.html": says("/")}
	for i := range 10 {
		half[fmt.Sprintf("a%d.html", i)] = says(fmt.Sprintf("/a%d", i))
		half[fmt.Sprintf("b%d.html", i)] = says(fmt.Sprintf("/b%d.html", i))
	}
	for name, test := range map[string]struct {
		files   map[string]string
		change  func(*sitewalk.Config)
		message string
		paths   []string
	}{
		"half of them": {half, nil, "do not agree", []string{"b0.html", "a0.html"}},
		"no canonical": {map[string]string{"a.html": "x"}, nil, "have no canonical", []string{}},
		"unread":       {half, func(c *sitewalk.Config) { c.Scanner.Pages.Read = false }, "needs to open pages", []string{}},
	} {
		config := autoConfig(t, test.files)
		if test.change != nil {
			test.change(&config)
		}
		report := mustBuild(t, config)
		i := slices.IndexFunc(report.Warnings, func(w sitewalk.Warning) bool { return w.Code == "preset-undecided" })
		if i < 0 || !strings.Contains(report.Warnings[i].Message, test.message) {
			t.Errorf("%s: warned of %+v", name, report.Warnings)
			continue
		}
		if w := report.Warnings[i]; len(w.Paths) != len(w.Details) || len(w.Paths) < len(test.paths) || !slices.Equal(w.Paths[:len(test.paths)], test.paths) {
			t.Errorf("%s: names %q, %q", name, w.Paths, w.Details)
		}
		explicit := config
		explicit.Mapper.URLs, explicit.Out = mapper.DefaultConfig().URLs, t.TempDir()
		mustBuild(t, explicit)
		sameFiles(t, name, snapshot(t, config.Out), snapshot(t, explicit.Out))
	}
}

func TestWhatPagesSayCountsForNothingThatIsSet(t *testing.T) {
	files := map[string]string{"a.html": says("/a"), "b/index.html": says("/b")}
	path := writeConfig(t, "urls: {preset: auto, slash: auto}\n")
	loaded, err := sitewalk.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	config := autoConfig(t, files)
	config.Mapper.URLs = loaded.Mapper.URLs
	mustBuild(t, config)
	if got, want := listed(t, config.Out), []string{"https://h.test/a", "https://h.test/b/"}; !slices.Equal(got, want) {
		t.Errorf("listed are %q, want %q", got, want)
	}
}

// What the state remembers of a page was made of it under the URL that it had.
func TestStateDoesNotOutliveTheInferredStyle(t *testing.T) {
	docroot, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
	config := siteConfig(docroot)
	config.Scanner.Pages.Read, config.State, config.Mapper.LastMod = true, state, nil
	config.Mapper.URLs.Preset = mapper.PresetAuto
	alternate := `<html lang=en><link rel=alternate hreflang=de href=/de.html>`
	for _, style := range []string{".html", "", ".html"} {
		addFiles(t, docroot, map[string]string{"a.html": says("/a" + style), "b.html": says("/b" + style)}, []string{"a.html", "b.html"})
		if style == ".html" {
			addFiles(t, docroot, map[string]string{"c.html": alternate}, []string{"c.html"})
		}
		config.Out = t.TempDir()
		mustBuild(t, config)
		fresh := config
		fresh.Out, fresh.State = t.TempDir(), ""
		mustBuild(t, fresh)
		got := snapshot(t, config.Out)
		sameFiles(t, "after "+style, got, snapshot(t, fresh.Out))
		if !strings.Contains(got["sitemap.xml"], "<loc>https://h.test/c"+style+"</loc>") {
			t.Errorf("c.html is not called by the style %q", style)
		}
	}
}

func TestExplainGoesByWhatIsInferred(t *testing.T) {
	files := map[string]string{"a.html": says("/a"), "a/index.html": says("/a/"), "b.html": says("/b"), "c.html": says("/c")}
	config := autoConfig(t, files)
	config.Out = t.TempDir()
	told := 0
	config.Inferred = func(found mapper.Surveyed) {
		told++
		if found.URLs.Extension != mapper.ExtensionStrip || found.Pages != 4 {
			t.Errorf("inferred %+v", found)
		}
	}
	findings, err := sitewalk.Explain(t.Context(), config, []string{"https://h.test/a", "https://h.test/a/", "b.html"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range findings {
		got[f.Path] = f.URL
	}
	want := map[string]string{"a.html": "https://h.test/a", "a/index.html": "https://h.test/a/", "b.html": "https://h.test/b"}
	if !maps.Equal(got, want) || told != 1 {
		t.Errorf("explained are %q, want %q; told %d times", got, want, told)
	}
}

func TestExplainFindsTheIndexFilesOfAPreset(t *testing.T) {
	config := autoConfig(t, map[string]string{"a/index.htm": "x", "b/index.html": "x"})
	config.Mapper.URLs.Preset = mapper.PresetNginx
	findings, err := sitewalk.Explain(t.Context(), config, []string{"a/", "b/"})
	if err != nil {
		t.Fatal(err)
	}
	if findings[0].Err == nil || findings[1].Path != "b/index.html" || findings[1].URL != "https://h.test/b/" {
		t.Errorf("explained are %+v", findings)
	}
}
