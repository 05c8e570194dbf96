//go:build unix

package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sitewalk"
)

// hugoBase is the base URL in testdata/hugo/hugo.toml.
const hugoBase = "https://hugo.example/"

// hugoSource is the site that real Hugo builds in these tests.
const hugoSource = "../../testdata/hugo"

// runHugo has real Hugo build a site. Settings are as NAME=VALUE, which Hugo
// takes from its environment.
func runHugo(t *testing.T, source, docroot string, settings []string, args ...string) {
	t.Helper()
	hugo := program(t, "hugo")
	source, err := filepath.Abs(source)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(hugo, append([]string{"--source", source, "--destination", docroot,
		"--cacheDir", t.TempDir(), "--noBuildLock", "--quiet"}, args...)...)
	cmd.Env = append(cleanEnv(), settings...)
	if done := finish(t, cmd); done.code != 0 {
		t.Fatalf("hugo ends with %d\n%s%s", done.code, done.stdout, done.stderr)
	}
}

// buildHugo has real Hugo build testdata/hugo as it stands, and returns the docroot.
func buildHugo(t *testing.T) string {
	t.Helper()
	docroot := filepath.Join(publicDir(t), "public")
	runHugo(t, hugoSource, docroot, nil)
	return docroot
}

// editedPage is the page that differs between the sites of editedHugoSites.
const editedPage = "notes/note-17/index.html"

// editedHugoSites has Hugo build testdata/hugo with many pages more: twice as it
// is, and once with one page edited. It returns the docroots.
func editedHugoSites(t *testing.T) (first, again, edited string) {
	t.Helper()
	source, built := filepath.Join(t.TempDir(), "source"), t.TempDir()
	if err := os.CopyFS(source, os.DirFS(hugoSource)); err != nil {
		t.Fatal(err)
	}
	notes := filepath.Join(source, "content", "notes")
	if err := os.Mkdir(notes, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		writeNote(t, notes, i, "A note.")
	}
	folder := func(name string) string {
		docroot := filepath.Join(built, name)
		runHugo(t, source, docroot, []string{"HUGO_PAGINATION_PAGERSIZE=100"})
		return docroot
	}
	first, again = folder("first"), folder("again")
	writeNote(t, notes, 17, "A note, with an afterthought.")
	edited = folder("edited")
	if changed := differences(pageBytes(t, first), pageBytes(t, again)); len(changed) > 0 {
		t.Fatalf("Hugo's second build differs in %q", changed)
	}
	if changed := differences(pageBytes(t, first), pageBytes(t, edited)); !slices.Equal(changed, []string{editedPage}) {
		t.Fatalf("the edit changed %q", changed)
	}
	return first, again, edited
}

func writeNote(t *testing.T, folder string, number int, text string) {
	t.Helper()
	writeFile(t, filepath.Join(folder, fmt.Sprintf("note-%02d.md", number)),
		fmt.Sprintf("---\ntitle: Note %d\ndate: 2024-05-03\n---\n%s\n", number, text))
}

// buildReading is build for a run that opens pages, and returns its report.
func buildReading(t *testing.T, args ...string) sitewalk.Report {
	t.Helper()
	return reportOf(t, newCommand(append([]string{"build", "--json"}, args...)...))
}

// reportOf runs a build that prints JSON, and fails the test unless it ends with
// code 0.
func reportOf(t *testing.T, cmd *exec.Cmd) sitewalk.Report {
	t.Helper()
	done := finish(t, cmd)
	var report sitewalk.Report
	if err := json.Unmarshal([]byte(done.stdout), &report); done.code != exitDone || err != nil {
		t.Fatalf("exit code is %d, not %d, and %v\n%s%s", done.code, exitDone, err, done.stdout, done.stderr)
	}
	return report
}

// warningOf returns the warning of a report that has a code, or one without.
func warningOf(report sitewalk.Report, code string) sitewalk.Warning {
	for _, warning := range report.Warnings {
		if warning.Code == code {
			return warning
		}
	}
	return sitewalk.Warning{}
}

// linkedShard is a shard with what it says of pages in other languages.
type linkedShard struct {
	Pages []struct {
		Loc     string `xml:"loc"`
		LastMod string `xml:"lastmod"`
		Links   []struct {
			Rel  string `xml:"rel,attr"`
			Lang string `xml:"hreflang,attr"`
			Href string `xml:"href,attr"`
		} `xml:"http://www.w3.org/1999/xhtml link"`
	} `xml:"url"`
}

// linkedPages are what sitemaps say of pages, by URL: their alternates, sorted,
// each with its language, and their lastmod.
type linkedPages struct {
	alternates map[string][]string
	lastMod    map[string]string
}

func newLinkedPages() linkedPages {
	return linkedPages{map[string][]string{}, map[string]string{}}
}

func (l *linkedPages) add(t *testing.T, content []byte) {
	t.Helper()
	var shard linkedShard
	if err := xml.Unmarshal(content, &shard); err != nil {
		t.Fatal(err)
	}
	for _, page := range shard.Pages {
		links := []string{}
		for _, link := range page.Links {
			links = append(links, link.Rel+" "+link.Lang+" "+link.Href)
		}
		slices.Sort(links)
		l.alternates[page.Loc] = links
		l.lastMod[page.Loc] = page.LastMod
	}
}

// hugoPages returns what Hugo's own sitemaps say: those of the languages, which
// the one in the root names.
func hugoPages(t *testing.T, docroot, base string) linkedPages {
	t.Helper()
	var index indexFile
	if err := xml.Unmarshal([]byte(readFile(t, filepath.Join(docroot, "sitemap.xml"))), &index); err != nil {
		t.Fatal(err)
	}
	if len(index.Sitemaps) != 3 {
		t.Fatalf("Hugo's index names %d sitemaps, not one for each of three languages", len(index.Sitemaps))
	}
	pages := newLinkedPages()
	for _, sitemap := range index.Sitemaps {
		pages.add(t, []byte(readFile(t, filepath.Join(docroot, strings.TrimPrefix(sitemap.Loc, base)))))
	}
	return pages
}

// ownPages returns what the set that sitewalk published says.
func ownPages(t *testing.T, folder, base string) linkedPages {
	t.Helper()
	p := protocol09
	p.scope = base
	set := checkSet(t, folder, p)
	pages := newLinkedPages()
	for _, shard := range set.shards {
		pages.add(t, set.xml[shard])
	}
	return pages
}

func TestTheSetIsExactlyHugosOwn(t *testing.T) {
	relative := "HUGO_PARAMS_RELATIVE=true"
	for name, test := range map[string]struct {
		base     string
		settings []string
		args     []string
	}{
		"as it stands": {base: hugoBase},
		"minified":     {base: hugoBase, args: []string{"--minify"}},
		// A language's folder has the same name.
		"base URL with port and path":      {base: "http://hugo.example:8080/shop/de/"},
		"base URL with an escape":          {base: "https://hugo.example/my%20shop/"},
		"root-relative heads below a path": {base: "https://hugo.example/shop/", settings: []string{relative}},
		"canonifyURLs":                     {base: "https://hugo.example/shop/", settings: []string{relative, "HUGO_CANONIFYURLS=true"}},
		"relativeURLs":                     {base: hugoBase, settings: []string{relative, "HUGO_RELATIVEURLS=true"}},
		"every language in a folder":       {base: hugoBase, settings: []string{"HUGO_DEFAULTCONTENTLANGUAGEINSUBDIR=true"}},
	} {
		t.Run(name, func(t *testing.T) {
			docroot := filepath.Join(publicDir(t), "public")
			runHugo(t, hugoSource, docroot, test.settings, append(test.args, "--baseURL", test.base)...)
			wanted := hugoPages(t, docroot, test.base)
			cmd := newCommand("build", "--json", "--base-url", test.base)
			cmd.Dir = docroot
			report := reportOf(t, cmd)
			compareAlternates(t, ownPages(t, docroot, test.base), wanted)
			if len(wanted.alternates) < 35 {
				t.Errorf("Hugo lists only %d pages", len(wanted.alternates))
			}
			for reason, least := range map[string]int64{"redirect": 20, "canonical": 5, "noindex": 2, "error-page": 3} {
				if report.Excluded[reason] < least {
					t.Errorf("%d files are left out as %s, fewer than %d", report.Excluded[reason], reason, least)
				}
			}
			for _, code := range []string{"canonical-style", "alternates-one-way"} {
				if warning := warningOf(report, code); warning.Code != "" {
					t.Errorf("warned of %q", warning)
				}
			}
		})
	}
}

// compareAlternates compares the URLs of two sets, and each page's alternates.
func compareAlternates(t *testing.T, got, want linkedPages) {
	t.Helper()
	for loc, links := range want.alternates {
		if listed, ok := got.alternates[loc]; !ok {
			t.Errorf("%s is not listed", loc)
		} else if !slices.Equal(listed, links) {
			t.Errorf("%s has the alternates\n%q, but in Hugo's sitemap\n%q", loc, listed, links)
		}
	}
	for _, loc := range missing(slices.Sorted(maps.Keys(got.alternates)), slices.Collect(maps.Keys(want.alternates))) {
		t.Errorf("%s is listed, but not by Hugo", loc)
	}
}

// With uglyURLs Hugo spells index.html out, and its canonicals say so: the set is
// Hugo's as soon as the user has done what the warning says.
func TestUglyURLsAreHugosOwnOnceTheWarningIsFollowed(t *testing.T) {
	docroot, out := filepath.Join(publicDir(t), "public"), t.TempDir()
	runHugo(t, hugoSource, docroot, []string{"HUGO_UGLYURLS=true"})
	wanted := hugoPages(t, docroot, hugoBase)
	report := buildReading(t, "--docroot", docroot, "--base-url", hugoBase, "--out", out)
	if report.Pages != int64(len(wanted.alternates)) {
		t.Errorf("%d pages are listed, %d by Hugo", report.Pages, len(wanted.alternates))
	}
	const setting = "urls.index: []"
	if warning := warningOf(report, "canonical-style"); !strings.HasSuffix(warning.Message, "set "+setting) {
		t.Errorf("the warning does not end with %s: %q", setting, warning.Message)
	}
	config := filepath.Join(t.TempDir(), "sitewalk.yaml")
	writeFile(t, config, "urls: {index: []}\n")
	report = buildReading(t, "-c", config, "--docroot", docroot, "--base-url", hugoBase, "--out", out)
	compareAlternates(t, ownPages(t, out, hugoBase), wanted)
	if warning := warningOf(report, "canonical-style"); warning.Code != "" {
		t.Errorf("still warned of %q", warning)
	}
}

// Hugo's heads date articles, and its lists not.
func TestDatesOfHugosArticlesAreHugosOwn(t *testing.T) {
	docroot, out := buildHugo(t), t.TempDir()
	wanted := hugoPages(t, docroot, hugoBase)
	config := filepath.Join(t.TempDir(), "sitewalk.yaml")
	writeFile(t, config, "lastmod: [meta]\n")
	buildReading(t, "-c", config, "--docroot", docroot, "--base-url", hugoBase, "--out", out)
	dated := 0
	for loc, lastMod := range ownPages(t, out, hugoBase).lastMod {
		isList := strings.HasSuffix(loc, "/posts/") || strings.Contains(loc, "/tags/") || strings.Contains(loc, "/categories/") ||
			strings.HasSuffix(loc, "/docs/") || strings.HasSuffix(loc, "/ovens/") || slices.Contains([]string{"", "de/", "ru/"}, strings.TrimPrefix(loc, hugoBase))
		switch {
		case isList && lastMod != "":
			t.Errorf("%s has the date %s, which its head does not say", loc, lastMod)
		case !isList && lastMod != wanted.lastMod[loc]:
			t.Errorf("%s has the date %q, and %q in Hugo's sitemap", loc, lastMod, wanted.lastMod[loc])
		case !isList:
			dated++
		}
	}
	if dated < 10 {
		t.Errorf("only %d pages have a date", dated)
	}
}

func TestUnreadHugoSiteListsAliasesAndLaterPagesToo(t *testing.T) {
	docroot := buildHugo(t)
	wanted := slices.Sorted(maps.Keys(hugoPages(t, docroot, hugoBase).alternates))
	build(t, "--docroot", docroot, "--base-url", hugoBase)
	p := protocol09
	p.scope = hugoBase
	listed := checkSet(t, docroot, p).locs()
	if lacking := missing(wanted, listed); len(lacking) > 0 {
		t.Errorf("not listed:\n%s", strings.Join(lacking, "\n"))
	}
	for _, loc := range missing(listed, wanted) {
		if !strings.Contains(loc, "/page/") && !strings.HasSuffix(loc, "/thanks/") && !isHugoAlias(t, docroot, loc) {
			t.Errorf("%s is neither an alias nor a later page of a list nor one not to be indexed", loc)
		}
	}
}

// isHugoAlias reports whether a URL leads to a page that only redirects.
func isHugoAlias(t *testing.T, docroot, loc string) bool {
	t.Helper()
	path := filepath.Join(docroot, strings.TrimPrefix(loc, hugoBase))
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "index.html")
	}
	return strings.Contains(readFile(t, path), `http-equiv="refresh"`)
}
