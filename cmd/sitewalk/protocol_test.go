//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const exampleBase = "https://www.example.com/"

// siteConfig writes a configuration file outside the docroot.
func siteConfig(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sitewalk.yaml")
	writeFile(t, path, "base_url: "+exampleBase+"\n"+content)
	return path
}

// schemas returns the official schemas, for 0.84 with that protocol's namespace;
// that of a urlset with those of the vocabularies that may stand in it.
func schemas(t *testing.T, namespace string) (urlset, index string) {
	t.Helper()
	dir := t.TempDir()
	xsd := filepath.Join("..", "..", "testdata", "xsd")
	for name, path := range map[string]string{
		"sitemap.xsd":   shared(t, "xsd/sitemap.xsd"),
		"siteindex.xsd": shared(t, "xsd/siteindex.xsd"),
		"extended.xsd":  filepath.Join(xsd, "extended.xsd"),
		"xhtml.xsd":     filepath.Join(xsd, "xhtml.xsd"),
		"image.xsd":     filepath.Join(xsd, "image.xsd"),
	} {
		writeFile(t, filepath.Join(dir, name), strings.ReplaceAll(readFile(t, path), protocol09.namespace, namespace))
	}
	return filepath.Join(dir, "extended.xsd"), filepath.Join(dir, "siteindex.xsd")
}

// validate has xmllint hold every file of a set to its schema.
func validate(t *testing.T, set *publishedSet, p protocol) {
	t.Helper()
	t.Run("schemas", func(t *testing.T) {
		xmllint := program(t, "xmllint")
		urlset, index := schemas(t, p.namespace)
		dir := t.TempDir()
		files := map[string][]string{}
		for name, content := range set.xml {
			schema := urlset
			if rootElement(t, content) == "sitemapindex" {
				schema = index
			}
			path := filepath.Join(dir, name+".xml")
			writeFile(t, path, string(content))
			files[schema] = append(files[schema], path)
		}
		for schema, paths := range files {
			cmd := exec.Command(xmllint, append([]string{"--nonet", "--noout", "--schema", schema}, sorted(paths)...)...)
			if done := finish(t, cmd); done.code != 0 {
				t.Errorf("xmllint ends with %d\n%.2000s", done.code, done.stderr)
			}
		}
	})
}

func TestEverySetHoldsToTheProtocolAndItsSchemas(t *testing.T) {
	docroot := publicDir(t)
	names := nastyDocroot(t, docroot)
	names = append(names, numbered("blog", 300)...)
	names = append(names, numbered("shop/\u00fcber & <unter>", 300)...)
	writePages(t, docroot, names[len(names)-600:]...)
	old := time.Unix(0, 0)
	if err := os.Chtimes(filepath.Join(docroot, "index.html"), old, old); err != nil {
		t.Fatal(err) // a page without lastmod
	}
	const rules = `
rules:
  - {match: "blog/**", section: blog, changefreq: weekly, priority: 0.8}
  - {match: "shop/**", section: shop, priority: 0}
  - {match: "**/page-0007.html", changefreq: never, priority: 1}
`
	for name, test := range map[string]struct {
		config string
		p      protocol
		shards int // at least
		args   []string
	}{
		"one shard":             {"", protocol09, 1, nil},
		"sections":              {rules, protocol09, 3, nil},
		"small shards":          {rules + "output: {max_urls: 20}\n", protocol09, 40, nil},
		"shards of few bytes":   {rules + "output: {max_bytes: 4096, gzip: none}\n", protocol09, 20, nil},
		"one page a shard":      {rules + "output: {max_urls: 1}\n", protocol09, len(names), nil},
		"all compressed":        {rules + "output: {gzip: all, text: true}\n", protocol09, 3, nil},
		"schema location":       {rules + "output: {schema_location: true}\n", protocol09, 3, nil},
		"dates alone":           {rules + "lastmod_format: date\n", protocol09, 3, nil},
		"no dates":              {rules + "lastmod: []\n", protocol09, 3, nil},
		"stripped":              {rules + "urls: {extension: strip, slash: always}\n", protocol09, 3, nil},
		"transcoded":            {rules + "urls: {charset: windows-1252}\n", protocol09, 2, nil},
		"0.84":                  {rules + "output: {protocol: 0.84}\n", protocol084, 3, nil},
		"0.84, schema location": {rules + "output: {protocol: 0.84, schema_location: true, max_urls: 50}\n", protocol084, 12, nil},
		"another folder":        {rules + "output: {max_urls: 200}\n", protocol09, 3, []string{"--out", t.TempDir()}},
	} {
		t.Run(name, func(t *testing.T) {
			p := test.p
			p.scope = exampleBase
			folder := docroot
			if len(test.args) > 0 {
				folder = test.args[1]
			}
			t.Cleanup(func() { clearSet(t, docroot) })
			config := siteConfig(t, test.config)
			done := build(t, append([]string{"-c", config, "--docroot", docroot}, test.args...)...)
			set := checkSet(t, folder, p)
			if len(set.shards) < test.shards {
				t.Errorf("%d shards, fewer than %d\n%s", len(set.shards), test.shards, done.stdout)
			}
			if name != "transcoded" && len(set.pages) < len(names) {
				t.Errorf("%d pages of %d\n%s", len(set.pages), len(names), done.stdout)
			}
			if strings.Contains(test.config, "schema_location") != strings.Contains(string(set.xml[set.shards[0]]), p.namespace+"/sitemap.xsd") {
				t.Error("xsi:schemaLocation is not as configured")
			}
			validate(t, set, p)
		})
	}
}

// TestAlternatesAndImagesAreValid has pages with what could break a sitemap that
// takes it over.
func TestAlternatesAndImagesAreValid(t *testing.T) {
	docroot := publicDir(t)
	for _, page := range numbered("p", 40) {
		writeMarkup(t, docroot, page, `<link rel=alternate hreflang=de href=/de/><img src=a.png>`)
	}
	for i, attribute := range []string{
		`de`, `x-default`, `zh-Hant-TW`, `de_AT`, `""`, `-`, `&quot;&gt;`, `"de de"`, "\x00", `ü`, strings.Repeat("x", 70_000),
	} {
		writeMarkup(t, docroot, fmt.Sprintf("language-%d.html", i),
			"<html lang="+attribute+"><link rel=alternate href=/x.html hreflang="+attribute+"><link rel=alternate href=/y.html hreflang=en>")
	}
	for i, href := range []string{
		`/a&amp;b?c=d&e="f"<g>`, `//other.example/`, `HTTPS://Other.Example:443/%7e`, `http://ünï.example/ü`, `http://[::1]:80/`,
		`javascript:alert(1)`, `mailto:a@b.example`, `http://`, `http://exa mple/`, `http://a.example:99999/`, "\x01\x1b\xff\xfe%zz", `]]>`, `<!--`,
		`http://user:secret@host.example/`, "/" + strings.Repeat("long/", 1000), `#part`, `?`, `..`, `\\x`, "a\nb\tc", `http://%00/`,
	} {
		href = "'" + href + "'"
		writeMarkup(t, docroot, fmt.Sprintf("link-%02d.html", i),
			"<html lang=fr><link rel=alternate hreflang=en href="+href+"><link rel=alternate hreflang=de href=/z><body><img src="+href+"><img src=b.png>")
	}
	for name, test := range map[string]struct {
		config       string
		p            protocol
		links, shown bool
	}{
		"both":         {"pages: {images: true}\n", protocol09, true, true},
		"links":        {"", protocol09, true, false},
		"images":       {"pages: {images: true, alternates: false}\n", protocol09, false, true},
		"small shards": {"pages: {images: true}\noutput: {max_urls: 10, schema_location: true}\n", protocol09, true, true},
		"0.84":         {"pages: {images: true}\noutput: {protocol: 0.84}\n", protocol084, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := test.p
			p.scope = exampleBase
			t.Cleanup(func() { clearSet(t, docroot) })
			done := execute(t, "build", "-q", "-c", siteConfig(t, test.config), "--docroot", docroot, "--no-state")
			if done.code != exitDone {
				t.Fatalf("exit code %d\n%s", done.code, done.stderr)
			}
			set := checkSet(t, docroot, p)
			var all strings.Builder
			for _, content := range set.xml {
				all.Write(content)
			}
			if links := strings.Count(all.String(), "<xhtml:link "); test.links != (links > 60) || !test.links && links > 0 {
				t.Errorf("%d links", links)
			}
			if images := strings.Count(all.String(), "<image:image>"); test.shown != (images > 60) || !test.shown && images > 0 {
				t.Errorf("%d images", images)
			}
			for _, never := range []string{"secret", "javascript:", "mailto:", "long/long"} {
				if strings.Contains(all.String(), never) {
					t.Errorf("the set holds %q", never)
				}
			}
			validate(t, set, p)
		})
	}
}

// writeMarkup writes a page with a date of its own.
func writeMarkup(t *testing.T, docroot, name, markup string) {
	t.Helper()
	writePage(t, docroot, name, firstDate)
	writeFile(t, filepath.Join(docroot, name), markup)
}

// clearSet removes what sitewalk published.
func clearSet(t *testing.T, folder string) {
	t.Helper()
	for _, name := range glob(t, folder, "sitemap*.xml", "sitemap*.xml.gz", "sitemap*.txt") {
		if err := os.Remove(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnIndexOf084NamesAtMost1000Shards(t *testing.T) {
	docroot := publicDir(t)
	writePages(t, docroot, numbered("p", 1001)...)
	config := siteConfig(t, "output: {protocol: 0.84, max_urls: 1, gzip: none}\n")
	build(t, "-c", config, "--docroot", docroot)
	p := protocol084
	p.scope = exampleBase
	set := checkSet(t, docroot, p)
	if len(set.pages) != 1001 || len(set.shards) != 1001 {
		t.Errorf("%d pages in %d shards", len(set.pages), len(set.shards))
	}
	if _, found := set.xml["sitemap-index-2.xml"]; !found {
		t.Errorf("there is no second index in %q", glob(t, docroot, "*index*"))
	}
	validate(t, set, p)
}

func TestTheTextListHoldsTheSameURLs(t *testing.T) {
	docroot := publicDir(t)
	nastyDocroot(t, docroot)
	build(t, "-c", siteConfig(t, "output: {text: true}\n"), "--docroot", docroot)
	p := protocol09
	p.scope = exampleBase
	set := checkSet(t, docroot, p)
	if list := lines(readFile(t, filepath.Join(docroot, "sitemap.txt"))); !slices.Equal(sorted(list), set.locs()) {
		t.Errorf("sitemap.txt lists %d URLs, the set %d", len(list), len(set.pages))
	}
}

// TestLastModIsWhatDatePrints holds every date to the program that users would
// ask.
func TestLastModIsWhatDatePrints(t *testing.T) {
	date := program(t, "date")
	if finish(t, exec.Command(date, "--iso-8601=seconds", "-u", "-r", ".")).code != 0 {
		lack(t, "date here is not GNU's")
	}
	docroot := publicDir(t)
	files := map[string]string{} // URL → path
	for i, modified := range []time.Time{
		time.Unix(1, 0), time.Unix(86399, 999_999_999), time.Unix(86400, 0),
		time.Date(2000, 2, 29, 23, 59, 59, 999_999_999, time.UTC), time.Date(2004, 10, 26, 8, 56, 39, 0, time.UTC),
		time.Date(2024, 3, 31, 1, 30, 0, 0, time.UTC), time.Date(2016, 12, 31, 23, 59, 59, 1, time.UTC),
		time.Unix(1<<31-1, 0).AddDate(-20, 0, 0), time.Now().Add(-time.Minute),
	} {
		name := fmt.Sprintf("page-%d.html", i)
		writePage(t, docroot, name, modified)
		files[exampleBase+name] = filepath.Join(docroot, name)
	}
	// Where a user happens to live does not matter.
	cmd := newCommand("build", "--no-read", "--docroot", docroot, "--base-url", exampleBase)
	cmd.Env = append(cmd.Env, "TZ=Asia/Kolkata")
	if done := finish(t, cmd); done.code != 0 {
		t.Fatal(done.stderr)
	}
	p := protocol09
	p.scope = exampleBase
	for _, page := range checkSet(t, docroot, p).pages {
		done := finish(t, exec.Command(date, "--iso-8601=seconds", "-u", "-r", files[page.Loc]))
		if want := strings.TrimSpace(done.stdout); page.LastMod != want {
			t.Errorf("%s: lastmod is %q, date prints %q", page.Loc, page.LastMod, want)
		}
		delete(files, page.Loc)
	}
	if len(files) > 0 {
		t.Errorf("not listed: %v", files)
	}
}
