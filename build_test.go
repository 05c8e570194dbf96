package sitewalk_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"sitewalk"
	"sitewalk/mapper"
	"sitewalk/output"
	"sitewalk/scanner"
)

// siteTime is the mtime of the first file that makeSite makes; the others follow
// a day apart, in the order of their names.
var siteTime = time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC)

// makeSite makes a docroot of files by path.
func makeSite(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	addFiles(t, root, files, slices.Sorted(maps.Keys(files)))
	return root
}

// addFiles makes files in an order; their times do not depend on it.
func addFiles(t testing.TB, root string, files map[string]string, order []string) {
	t.Helper()
	names := slices.Sorted(maps.Keys(files))
	for _, name := range order {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[name]), 0o644); err != nil {
			t.Fatal(err)
		}
		i, _ := slices.BinarySearch(names, name)
		modified := siteTime.Add(time.Duration(i) * 24 * time.Hour / time.Duration(1+len(names)/500))
		if err := os.Chtimes(path, modified, modified); err != nil {
			t.Fatal(err)
		}
	}
}

func empties(paths ...string) map[string]string {
	files := map[string]string{}
	for _, path := range paths {
		files[path] = ""
	}
	return files
}

// siteConfig returns a configuration for a docroot that publishes uncompressed.
func siteConfig(docroot string) sitewalk.Config {
	config := sitewalk.DefaultConfig()
	config.Scanner.Docroot = docroot
	config.Scanner.Pages.Read = false
	config.Mapper.BaseURL = "https://h.test/"
	config.Output.Files.Gzip = output.GzipNone
	return config
}

func mustBuild(t testing.TB, config sitewalk.Config) sitewalk.Report {
	t.Helper()
	report, err := sitewalk.Build(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// snapshot returns the content of all files in a folder, by path.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	content := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		content[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// sameFiles fails if two snapshots differ.
func sameFiles(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if content, found := got[name]; !found {
			t.Errorf("%s: %s is missing", what, name)
		} else if content != want[name] {
			t.Errorf("%s: %s differs", what, name)
		}
	}
	for name := range got {
		if _, found := want[name]; !found {
			t.Errorf("%s: %s is there too", what, name)
		}
	}
}

var locPattern = regexp.MustCompile(`<url><loc>([^<]*)</loc>`)

// listed returns the URLs of all shards in a folder, in the order of the shards'
// names.
func listed(t testing.TB, dir string) []string {
	t.Helper()
	var locs []string
	names, err := filepath.Glob(filepath.Join(dir, "sitemap*.xml*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		for _, match := range locPattern.FindAllStringSubmatch(readXML(t, name), -1) {
			locs = append(locs, match[1])
		}
	}
	return locs
}

func readXML(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		inflated, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(inflated); err != nil {
			t.Fatal(err)
		}
	}
	return string(data)
}

func warningCodes(report sitewalk.Report) (codes []string) {
	for _, warning := range report.Warnings {
		codes = append(codes, warning.Code)
	}
	return codes
}

func total(report sitewalk.Report) int64 {
	sum := report.Pages + report.Unreadable
	for _, n := range report.Excluded {
		sum += n
	}
	return sum
}

func TestBuildPublishesAMapFS(t *testing.T) {
	config := siteConfig("")
	config.FS = fstest.MapFS{
		"index.html":     {ModTime: siteTime},
		"a/b.html":       {ModTime: siteTime.Add(999 * time.Millisecond)},
		"a/ü & ö.html":   {},
		"404.html":       {ModTime: siteTime},
		".git/HEAD.html": {ModTime: siteTime},
	}
	config.Out = t.TempDir()
	report := mustBuild(t, config)
	if got, want := fmt.Sprint(report.Pages, report.Excluded, report.Written, warningCodes(report)),
		"3 map[error-page:1 sensitive:1] [sitemap.xml] [lastmod-unbelievable]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if paths := report.Warnings[0].Paths; len(paths) != 1 || paths[0] != "a/ü & ö.html" {
		t.Errorf("undated: %q", paths)
	}
	want := `<?xml version="1.0" encoding="UTF-8"?>
<!-- written by sitewalk -->
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://h.test/a/b.html</loc><lastmod>2024-01-01T12:00:00+00:00</lastmod></url>
<url><loc>https://h.test/a/%C3%BC%20&amp;%20%C3%B6.html</loc></url>
<url><loc>https://h.test/</loc><lastmod>2024-01-01T12:00:00+00:00</lastmod></url>
</urlset>
`
	if got := readXML(t, filepath.Join(config.Out, "sitemap.xml")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

//go:embed testdata/site
var embedded embed.FS

func TestBuildPublishesAnEmbeddedSite(t *testing.T) {
	site, err := fs.Sub(embedded, "testdata/site")
	if err != nil {
		t.Fatal(err)
	}
	config := siteConfig("")
	config.FS, config.Out = site, t.TempDir()
	report := mustBuild(t, config)
	folder := siteConfig("testdata/site")
	folder.Out = t.TempDir()
	mustBuild(t, folder)
	if got, want := listed(t, config.Out), listed(t, folder.Out); !slices.Equal(got, want) || len(got) == 0 {
		t.Errorf("embedded: %q\non disk: %q", got, want)
	}
	// Embedded files have no time, which is not to be made up.
	if xml := readXML(t, filepath.Join(config.Out, "sitemap.xml")); strings.Contains(xml, "lastmod") || !slices.Contains(warningCodes(report), "lastmod-unbelievable") {
		t.Errorf("%v\n%s", warningCodes(report), xml)
	}
}

func TestAFileSystemNeedsAPlaceToPublish(t *testing.T) {
	config := siteConfig("")
	config.FS = fstest.MapFS{"index.html": {ModTime: siteTime}}
	_, err := sitewalk.Build(t.Context(), config)
	var bad *sitewalk.ConfigError
	if !errors.As(err, &bad) {
		t.Errorf("got %v", err)
	}
}

// manyPages is a site of several sections and shards, with names of all kinds.
func manyPages() map[string]string {
	files := empties("index.html", "about.html", "about.htm", "50x.html", "robots", "x/y/z/index.html", "x/y/z.html", "x/y-z.html", "x/y.html",
		"names/a b.html", "names/100%.html", "names/#?.html", "names/'\"<&>.html", "names/\n\x01.html", "names/u\u0308.html", "names/ü.html",
		".git/a.html", ".hidden/a.html", "node_modules/a/b.html", "drafts/a.html", "drafts/b/c.html", "notes.txt", "a.html.bak", "old/1.html")
	for i := range 150 {
		files[fmt.Sprintf("blog/%d/post-%d.html", 2000+i%17, i)] = ""
		files[fmt.Sprintf("docs/part-%d/page-%d/index.html", i%7, i)] = ""
	}
	return files
}

func manyConfig(t testing.TB, docroot string) sitewalk.Config {
	extra := filepath.Join(t.TempDir(), "extra.txt")
	text := "https://h.test/app 2024-01-01\nhttps://h.test/about.html\nhttps://h.test/zzz?a=1&b=2\nhttps://h.test/blog/extra\n"
	if err := os.WriteFile(extra, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	config := siteConfig(docroot)
	blog, half, no := "blog", mapper.Priority(0.5), false
	config.Mapper.URLs.Extension = mapper.ExtensionStrip
	config.Mapper.ExtraURLs = []string{extra}
	config.Mapper.Rules = []mapper.Rule{
		{Match: scanner.Globs{"blog/**"}, Section: &blog}, {Match: scanner.Globs{"docs/**"}, Priority: &half}, {Match: scanner.Globs{"old/**"}, List: &no},
	}
	config.Scanner.Exclude = scanner.Globs{"drafts/**"}
	config.Output.Files.Gzip = output.GzipShards
	config.Output.Files.MaxURLs = 40
	config.Output.Files.Text = true
	config.IndexTime = siteTime.Add(1000 * time.Hour)
	config.Out = t.TempDir()
	return config
}

func TestSameSiteGivesTheSameBytesHoweverItIsWalked(t *testing.T) {
	files := manyPages()
	docroot := makeSite(t, files)
	config := manyConfig(t, docroot)
	config.Jobs = 1
	first := mustBuild(t, config)
	want := snapshot(t, config.Out)
	if first.Shards < 10 || len(want) != len(first.Written) || want["sitemap.txt"] == "" {
		t.Fatalf("%d shards, files %q", first.Shards, slices.Sorted(maps.Keys(want)))
	}

	shuffled := t.TempDir()
	order := slices.Sorted(maps.Keys(files))
	rand.New(rand.NewPCG(7, 7)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	addFiles(t, shuffled, files, order)

	for name, change := range map[string]func(*sitewalk.Config){
		"8 jobs":         func(c *sitewalk.Config) { c.Jobs = 8 },
		"portable walk":  func(c *sitewalk.Config) { c.Portable = true },
		"portable, 8":    func(c *sitewalk.Config) { c.Portable, c.Jobs = true, 8 },
		"file system":    func(c *sitewalk.Config) { c.FS, c.Scanner.Docroot = os.DirFS(docroot), "/nonexistent" },
		"another order":  func(c *sitewalk.Config) { c.Scanner.Docroot = shuffled },
		"another time":   func(c *sitewalk.Config) { c.IndexTime = siteTime.Add(2000 * time.Hour) },
		"later, by Now":  func(c *sitewalk.Config) { c.Now = func() time.Time { return time.Now().Add(time.Hour) } },
		"a link":         func(c *sitewalk.Config) { c.Scanner.Docroot = linkTo(t, docroot) },
		"with a history": func(c *sitewalk.Config) { c.Out = withHistory(t, *c) },
		"reported":       func(c *sitewalk.Config) { c.LeftOut, c.Progress = func(*sitewalk.Finding) {}, func(int64, int64) {} },
	} {
		again := config
		again.Jobs, again.Out = 2, t.TempDir()
		change(&again)
		report := mustBuild(t, again)
		got := snapshot(t, again.Out)
		if name == "with a history" {
			// The index tells when each shard changed, and old shards stay a while.
			for file := range got {
				if _, found := want[file]; !found {
					delete(got, file)
				}
			}
			got["sitemap.xml"] = want["sitemap.xml"]
		}
		sameFiles(t, name, got, want)
		if report.Pages != first.Pages || fmt.Sprint(report.Excluded) != fmt.Sprint(first.Excluded) {
			t.Errorf("%s: %d pages, %v; want %d, %v", name, report.Pages, report.Excluded, first.Pages, first.Excluded)
		}
	}
}

func TestNamesOfAnyBytesAreListedButFromAnFS(t *testing.T) {
	docroot := makeSite(t, empties("a.html", "\xfc.html", "\xff/b.html"))
	for name, change := range map[string]func(*sitewalk.Config){
		"own walk": func(*sitewalk.Config) {}, "portable walk": func(c *sitewalk.Config) { c.Portable = true },
	} {
		config := siteConfig(docroot)
		config.Out = t.TempDir()
		change(&config)
		mustBuild(t, config)
		if got, want := listed(t, config.Out), []string{"https://h.test/a.html", "https://h.test/%FC.html", "https://h.test/%FF/b.html"}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	// Package io/fs knows no other names than UTF-8: they count, but cannot be read.
	config := siteConfig("")
	config.FS, config.Out = os.DirFS(docroot), t.TempDir()
	if report := mustBuild(t, config); report.Pages+report.Unreadable != 3 || report.Unreadable == 0 {
		t.Errorf("%+v", report)
	}
}

func linkTo(t *testing.T, folder string) string {
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Skipf("this system or user cannot make symbolic links: %v", err)
	}
	return link
}

// withHistory returns an output folder in which a site without some of the pages
// was published before.
func withHistory(t *testing.T, config sitewalk.Config) string {
	config.Out = t.TempDir()
	config.Scanner.Exclude = append(slices.Clone(config.Scanner.Exclude), "blog/2003/**", "docs/part-3/**")
	mustBuild(t, config)
	return config.Out
}

func TestSecondBuildChangesNothing(t *testing.T) {
	docroot := makeSite(t, manyPages())
	config := manyConfig(t, docroot)
	config.Out = "" // among the pages
	first := mustBuild(t, config)
	before, infos := snapshot(t, docroot), statAll(t, docroot)
	config.IndexTime = config.IndexTime.Add(time.Hour)
	for _, jobs := range []int{1, 4} {
		config.Jobs = jobs
		second := mustBuild(t, config)
		if second.Event != "unchanged" || len(second.Written) != 0 || len(second.Removed) != 0 || second.Unchanged != first.Shards || second.Pages != first.Pages {
			t.Errorf("the second build: %+v", second)
		}
		sameFiles(t, "the second build", snapshot(t, docroot), before)
		for path, info := range statAll(t, docroot) {
			if !os.SameFile(info, infos[path]) || !info.ModTime().Equal(infos[path].ModTime()) {
				t.Errorf("%s was touched", path)
			}
		}
		if second.Excluded["own-output"] != int64(len(first.Written)) {
			t.Errorf("own output: %d, written were %d", second.Excluded["own-output"], len(first.Written))
		}
	}
}

func statAll(t testing.TB, dir string) map[string]fs.FileInfo {
	t.Helper()
	infos := map[string]fs.FileInfo{}
	for path := range snapshot(t, dir) {
		info, err := os.Lstat(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		infos[path] = info
	}
	return infos
}

func TestDryRunSaysWhatABuildWouldWriteAndWritesNothing(t *testing.T) {
	docroot := makeSite(t, manyPages())
	config := manyConfig(t, docroot)
	for name, out := range map[string]string{"inside": "", "elsewhere": t.TempDir(), "not there yet": filepath.Join(t.TempDir(), "new", "folder")} {
		config.Out, config.DryRun = out, true
		before := snapshot(t, docroot)
		dry := mustBuild(t, config)
		sameFiles(t, name+", dry", snapshot(t, docroot), before)
		if out != "" {
			if entries, err := os.ReadDir(out); len(entries) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: a dry run left %v, %v", name, entries, err)
			}
		}
		config.DryRun = false
		wet := mustBuild(t, config)
		if dry.Event != "dry-run" || !slices.Equal(dry.Written, wet.Written) || dry.Pages != wet.Pages || dry.Shards != wet.Shards || dry.Root != wet.Root {
			t.Errorf("%s: the dry run said %+v, the build %+v", name, dry, wet)
		}
		for _, written := range wet.Written { // for the next
			if out == "" {
				os.Remove(filepath.Join(docroot, written))
			}
		}
	}
}

func TestNoPageKeepsTheOldSet(t *testing.T) {
	docroot := makeSite(t, empties("index.html", "a/b.html", "404.html", "x.txt"))
	config := siteConfig(docroot)
	mustBuild(t, config)
	for _, page := range []string{"index.html", "a/b.html"} {
		if err := os.Remove(filepath.Join(docroot, page)); err != nil {
			t.Fatal(err)
		}
	}
	before := snapshot(t, docroot)
	var left []string
	config.LeftOut = func(l *sitewalk.Finding) { left = append(left, l.Path+" "+l.Verdict.String()) }
	report, err := sitewalk.Build(t.Context(), config)
	if !errors.Is(err, sitewalk.ErrNoPages) {
		t.Fatalf("error %v", err)
	}
	sameFiles(t, "after a build without pages", snapshot(t, docroot), before)
	if report.Pages != 0 || total(report) != 3 || report.Excluded["own-output"] != 1 || report.Excluded["error-page"] != 1 || report.Event == "published" {
		t.Errorf("%+v", report)
	}
	if got, want := strings.Join(left, ", "), "404.html error-page, sitemap.xml own-output, x.txt not-included"; got != want {
		t.Errorf("left out %s, want %s", got, want)
	}
	if written, err := json.Marshal(report); err != nil || strings.Contains(string(written), "null") {
		t.Errorf("%s, %v", written, err)
	}
	// An empty docroot is no other case.
	config.Scanner.Docroot = t.TempDir()
	if _, err := sitewalk.Build(t.Context(), config); !errors.Is(err, sitewalk.ErrNoPages) {
		t.Errorf("an empty docroot: %v", err)
	}
}

func TestExtraURLsAloneAreASite(t *testing.T) {
	extra := filepath.Join(t.TempDir(), "extra.txt")
	text := ""
	for i := range 10 {
		text += fmt.Sprintf("https://h.test/app/%d 2024-01-01\n", i)
	}
	if err := os.WriteFile(extra, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	config := siteConfig(t.TempDir())
	config.Mapper.ExtraURLs = []string{extra}
	// That all have one date is what somebody wrote, and not what a build did.
	if report := mustBuild(t, config); report.Pages != 10 || report.Event != "published" || len(report.Warnings) > 0 {
		t.Errorf("%+v", report)
	}
}

func TestACancelledBuildPublishesNothing(t *testing.T) {
	docroot := makeSite(t, manyPages())
	config := manyConfig(t, docroot)
	mustBuild(t, config)
	before := snapshot(t, config.Out)
	if err := os.Remove(filepath.Join(docroot, "index.html")); err != nil {
		t.Fatal(err)
	}
	goroutines := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sitewalk.Build(ctx, config); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
	for at := 1; at <= 8; at++ { // the eighth file that is left out is in the middle
		ctx, cancel := context.WithCancelCause(t.Context())
		seen := 0
		config.LeftOut = func(*sitewalk.Finding) {
			if seen++; seen == at {
				cancel(errors.New("enough"))
			}
		}
		if report, err := sitewalk.Build(ctx, config); err == nil || !errors.Is(err, ctx.Err()) {
			t.Errorf("cancelled at file %d: %v, %+v", at, err, report)
		}
		cancel(nil)
	}
	sameFiles(t, "after cancelled builds", snapshot(t, config.Out), before)
	wantGoroutines(t, goroutines)
}

// wantGoroutines fails if there are more goroutines than before. One that has
// ended still counts for its last instructions, so it waits for these.
func wantGoroutines(t testing.TB, before int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, there were %d", runtime.NumGoroutine(), before)
		}
	}
}

func TestOneBuildAtATime(t *testing.T) {
	docroot, out := makeSite(t, empties("index.html")), t.TempDir()
	for name, locked := range map[string]string{"docroot": docroot, "output folder": out} {
		root, err := os.OpenRoot(locked)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		unlock, err := output.Lock(t.Context(), root, 0)
		if err != nil {
			t.Fatal(err)
		}
		config := siteConfig(docroot)
		config.Out = out
		if _, err := sitewalk.Build(t.Context(), config); !errors.Is(err, sitewalk.ErrLocked) {
			t.Errorf("with the %s locked: %v", name, err)
		}
		if files := snapshot(t, out); len(files) > 0 {
			t.Errorf("with the %s locked, %v was written", name, files)
		}
		config.DryRun = true
		if _, err := sitewalk.Build(t.Context(), config); err != nil {
			t.Errorf("a dry run with the %s locked: %v", name, err)
		}
		config.DryRun = false
		config.LockWait = time.Minute
		timer := time.AfterFunc(50*time.Millisecond, unlock)
		if _, err := sitewalk.Build(t.Context(), config); err != nil {
			t.Errorf("waiting for the %s: %v", name, err)
		}
		timer.Stop()
		for file := range snapshot(t, out) {
			os.Remove(filepath.Join(out, file))
		}
	}
}

func TestASetInASubfolderListsOnlyWhatIsBelow(t *testing.T) {
	files := empties("index.html", "maps/index.html", "maps/a.html", "maps/b/c.html", "maps2/a.html")
	for name, place := range map[string]func(*sitewalk.Config, string){
		"output.dir": func(c *sitewalk.Config, docroot string) { c.Output.Files.Dir = "maps" },
		"./maps/":    func(c *sitewalk.Config, docroot string) { c.Output.Files.Dir = "./maps/" },
		"Out":        func(c *sitewalk.Config, docroot string) { c.Out = filepath.Join(docroot, "maps") },
		"Out, relative": func(c *sitewalk.Config, docroot string) {
			t.Chdir(docroot)
			c.Out, c.Scanner.Docroot = "maps", "."
		},
		"Out, by a link": func(c *sitewalk.Config, docroot string) { c.Out = filepath.Join(linkTo(t, docroot), "maps") },
	} {
		docroot := makeSite(t, files)
		config := siteConfig(docroot)
		config.Output.Files.MaxURLs = 1
		config.Scanner.Include = scanner.Globs{"**/*.{html,xml}"}
		place(&config, docroot)
		for i := range 2 {
			report := mustBuild(t, config)
			want := map[string]int64{"out-of-scope": 2}
			if i == 1 {
				want["own-output"] = 4
			}
			if report.Pages != 3 || !maps.Equal(report.Excluded, want) {
				t.Errorf("%s, build %d: %d pages, %v", name, i+1, report.Pages, report.Excluded)
			}
		}
		locs := listed(t, filepath.Join(docroot, "maps"))
		slices.Sort(locs)
		if !slices.Equal(locs, []string{"https://h.test/maps/", "https://h.test/maps/a.html", "https://h.test/maps/b/c.html"}) {
			t.Errorf("%s: listed %q", name, locs)
		}
		index := readXML(t, filepath.Join(docroot, "maps", "sitemap.xml"))
		if strings.Count(index, "<sitemap><loc>https://h.test/maps/sitemap-pages-") != 3 {
			t.Errorf("%s: index %s", name, index)
		}
	}
}

func TestASetElsewhereIsNamedAsIfInTheDocroot(t *testing.T) {
	docroot := makeSite(t, empties("index.html", "sitemap-fake.xml", "a.html"))
	config := siteConfig(docroot)
	config.Out = filepath.Join(t.TempDir(), "new", "folder")
	config.Output.Files.MaxURLs = 1
	config.Scanner.Include = scanner.Globs{"**"}
	report := mustBuild(t, config)
	if report.Pages != 3 || len(report.Excluded) != 0 {
		t.Errorf("%+v", report)
	}
	if index := readXML(t, filepath.Join(config.Out, "sitemap.xml")); !strings.Contains(index, "<loc>https://h.test/sitemap-pages-first.xml</loc>") {
		t.Error(index)
	}
}

func TestOutputDirMayNotLeaveTheDocroot(t *testing.T) {
	parent := t.TempDir()
	docroot := filepath.Join(parent, "public")
	addFiles(t, docroot, empties("index.html"), []string{"index.html"})
	if err := os.Symlink("..", filepath.Join(docroot, "up")); err != nil {
		t.Skipf("this system or user cannot make symbolic links: %v", err)
	}
	for _, dir := range []string{"..", "../x", "a/../../x", parent, "up", "up/x", "index.html"} {
		config := siteConfig(docroot)
		config.Output.Files.Dir = dir
		if _, err := sitewalk.Build(t.Context(), config); err == nil {
			t.Errorf("output.dir %s was taken", dir)
		}
		if files := snapshot(t, parent); len(files) != 1 {
			t.Errorf("output.dir %s: %v", dir, slices.Sorted(maps.Keys(files)))
		}
	}
}

func TestExtraURLsAreMergedSortedAndGiveWayToFiles(t *testing.T) {
	docroot := makeSite(t, empties("index.html", "a.html", "b/index.html", "b/index.htm"))
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one.txt"), filepath.Join(dir, "two.txt")
	texts := map[string]string{
		one: "https://h.test/z\nhttps://h.test/m?x=1&y=2 2024-02-03 daily 0.9\nhttps://h.test/a.html 2020-01-01\nhttps://h.test/z\n",
		two: "# more\nhttps://h.test/b/#top\nhttps://h.test/c;jsessionid=1\nhttp://h.test/other\nnonsense\nhttps://h.test/%6d?x=1&y=2\nhttps://h.test/future 2999-01-01\n",
	}
	for path, text := range texts {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	config := siteConfig(docroot)
	config.Mapper.ExtraURLs = []string{one, two}
	report := mustBuild(t, config)
	want := []string{
		"https://h.test/a.html", "https://h.test/b/", "https://h.test/",
		"https://h.test/c", "https://h.test/future", "https://h.test/m?x=1&amp;y=2", "https://h.test/z",
	}
	if got := listed(t, docroot); !slices.Equal(got, want) {
		t.Errorf("listed\n%q\nwant\n%q", got, want)
	}
	if report.Pages != 7 || !maps.Equal(report.Excluded, map[string]int64{"duplicate": 1}) {
		t.Errorf("%+v", report)
	}
	xml := readXML(t, filepath.Join(docroot, "sitemap.xml"))
	if !strings.Contains(xml, "<loc>https://h.test/m?x=1&amp;y=2</loc><lastmod>2024-02-03</lastmod><changefreq>daily</changefreq><priority>0.9</priority>") {
		t.Error(xml)
	}
	if strings.Contains(xml, "2020-01-01") || strings.Contains(xml, "2999") {
		t.Error(xml)
	}
	told := map[string][]string{}
	for _, warning := range report.Warnings {
		told[warning.Code] = warning.Paths
	}
	for code, wantPaths := range map[string][]string{
		"extra-twice":          {one + ":4", two + ":6"},
		"extra-cut":            {two + ":2", two + ":3"},
		"extra-refused":        {two + ":4", two + ":5"},
		"lastmod-unbelievable": {two + ":7"},
	} {
		got := told[code]
		if !slices.EqualFunc(got, wantPaths, strings.HasPrefix) {
			t.Errorf("%s: %q, want %q", code, got, wantPaths)
		}
	}
}

func TestExtraFilesThatCannotBeReadFailTheBuild(t *testing.T) {
	dir := t.TempDir()
	text := "base_url: https://h.test/\ndocroot: %s\nextra_urls:\n  - good.txt\n  - %s\n"
	if err := os.WriteFile(filepath.Join(dir, "good.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	long := "long.txt"
	if err := os.WriteFile(filepath.Join(dir, long), bytes.Repeat([]byte("x"), 1<<17), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"absent.txt", ".", long} {
		path := filepath.Join(dir, "sitewalk.yaml")
		if err := os.WriteFile(path, fmt.Appendf(nil, text, makeSite(t, empties("index.html")), name), 0o644); err != nil {
			t.Fatal(err)
		}
		config, err := sitewalk.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = sitewalk.Build(t.Context(), config)
		var bad *sitewalk.ConfigError
		if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), path+":5:5: extra_urls[1] cannot be read: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEveryFileHasOneVerdictInOrder holds the report and LeftOut to the files
// there are.
func TestEveryFileHasOneVerdictInOrder(t *testing.T) {
	files := manyPages()
	for i := range 1500 { // more than one batch
		files[fmt.Sprintf("dup/%04d.htm", i)] = ""
		if i%3 == 0 {
			files[fmt.Sprintf("dup/%04d.html", i)] = ""
		}
		if i%5 == 0 {
			files[fmt.Sprintf("dup/%04d.txt", i)] = ""
		}
	}
	docroot := makeSite(t, files)
	config := manyConfig(t, docroot)
	config.Mapper.ExtraURLs = nil
	for _, jobs := range []int{1, 8} {
		config.Jobs = jobs
		var left []sitewalk.Finding
		config.LeftOut = func(l *sitewalk.Finding) { left = append(left, *l) }
		report := mustBuild(t, config)

		counts := map[string]int64{}
		covered := int64(0)
		for _, l := range left {
			counts[l.Verdict.String()]++
			folder, isFolder := strings.CutSuffix(l.Path, "/")
			found := int64(0)
			for file := range files {
				if file == l.Path || isFolder && strings.HasPrefix(file, folder+"/") {
					found++
				}
			}
			if found == 0 || !isFolder && found != 1 {
				t.Errorf("%q, left out as %v, stands for %d files", l.Path, l.Verdict, found)
			}
			covered += found
		}
		if !maps.Equal(counts, report.Excluded) {
			t.Errorf("told of %v, reported %v", counts, report.Excluded)
		}
		if report.Pages+covered != int64(len(files)) {
			t.Errorf("%d pages and %d files left out, of %d", report.Pages, covered, len(files))
		}
		if counts["duplicate"] != 501 || counts["rule"] != 1 || counts["sensitive"] != 3 || counts["hidden"] != 1 || counts["error-page"] != 1 {
			t.Errorf("%v", counts)
		}
		if !slices.IsSortedFunc(left, func(a, b sitewalk.Finding) int {
			return slices.Compare(strings.Split(strings.TrimSuffix(a.Path, "/"), "/"), strings.Split(strings.TrimSuffix(b.Path, "/"), "/"))
		}) {
			t.Error("files were told of in another order than the walk's")
		}
	}
}

func TestUnreadableFoldersAreReportedAndTheRestIsPublished(t *testing.T) {
	if os.Geteuid() == 0 && runtime.GOOS != "linux" {
		t.Skip("root can read every file, and only on Linux does the test become another user: run it as one")
	}
	site := fstest.MapFS{"a.html": {ModTime: siteTime}, "locked/b.html": {ModTime: siteTime}, "z.html": {ModTime: siteTime}}
	config := siteConfig("")
	config.FS, config.Out = lockedFS{site}, t.TempDir()
	var left []string
	config.LeftOut = func(l *sitewalk.Finding) {
		left = append(left, fmt.Sprint(l.Path, " ", l.Verdict, " ", errors.Is(l.Err, fs.ErrPermission)))
	}
	report := mustBuild(t, config)
	if report.Pages != 2 || report.Unreadable != 1 || len(report.Excluded) != 0 || !slices.Equal(left, []string{"locked/ unreadable true"}) {
		t.Errorf("%+v, %q", report, left)
	}
	if len(report.Warnings) != 1 || report.Warnings[0].Code != "unreadable" || !strings.HasPrefix(report.Warnings[0].Paths[0], "locked") {
		t.Errorf("%+v", report.Warnings)
	}
}

// lockedFS is a file system whose folder locked cannot be read.
type lockedFS struct{ fstest.MapFS }

func (l lockedFS) Open(name string) (fs.File, error) {
	if name == "locked" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return l.MapFS.Open(name)
}

func (l lockedFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "locked" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return l.MapFS.ReadDir(name)
}

func TestAllowedNamesAreListedWithAWarning(t *testing.T) {
	docroot := makeSite(t, empties("index.html", ".env.html", ".hidden/a.html", ".hidden/b.html", ".well-known/a.html"))
	config := siteConfig(docroot)
	config.Scanner.Allow = scanner.Globs{".env.html", ".hidden/a.html"}
	report := mustBuild(t, config)
	if report.Pages != 4 || report.Excluded["hidden"] != 1 {
		t.Errorf("%+v", report)
	}
	for _, warning := range report.Warnings {
		if warning.Code == "allowed" && slices.Equal(warning.Paths, []string{".env.html", ".hidden/a.html"}) && strings.HasPrefix(warning.Message, "2 ") {
			return
		}
	}
	t.Errorf("warnings %+v", report.Warnings)
}

func TestUniformDatesAreWarnedOf(t *testing.T) {
	site := fstest.MapFS{}
	for i := range 10 {
		site[fmt.Sprintf("%d.html", i)] = &fstest.MapFile{ModTime: siteTime.Add(time.Duration(i) * time.Second)}
	}
	config := siteConfig("")
	config.FS, config.Out = site, t.TempDir()
	if report := mustBuild(t, config); !slices.Equal(warningCodes(report), []string{"lastmod-uniform"}) {
		t.Errorf("ten pages within ten seconds: %v", warningCodes(report))
	}
	config.Mapper.LastMod = []mapper.Source{}
	if report := mustBuild(t, config); len(report.Warnings) != 0 {
		t.Errorf("without lastmod: %v", warningCodes(report))
	}
	site["old.html"] = &fstest.MapFile{ModTime: siteTime.Add(-time.Hour)}
	config.Mapper.LastMod = []mapper.Source{mapper.SourceMTime}
	if report := mustBuild(t, config); len(report.Warnings) != 0 {
		t.Errorf("ten of eleven: %v", warningCodes(report))
	}
}

func TestIndexTimeIsOfShardsThatChanged(t *testing.T) {
	docroot := makeSite(t, empties("a.html", "b.html", "c.html"))
	config := siteConfig(docroot)
	config.Output.Files.MaxURLs = 1
	config.IndexTime = time.Date(2025, 5, 5, 5, 5, 5, 0, time.UTC)
	mustBuild(t, config)
	index := readXML(t, filepath.Join(docroot, "sitemap.xml"))
	if strings.Contains(index, "2025-05-05") || strings.Count(index, "<lastmod>2024-01-0") != 3 {
		t.Errorf("with nothing to compare with:\n%s", index)
	}
	changed := siteTime.Add(24 * 100 * time.Hour)
	if err := os.Chtimes(filepath.Join(docroot, "b.html"), changed, changed); err != nil {
		t.Fatal(err)
	}
	report := mustBuild(t, config)
	if len(report.Written) != 2 || report.Unchanged != 2 {
		t.Errorf("an edit wrote %q", report.Written)
	}
	index = readXML(t, filepath.Join(docroot, "sitemap.xml"))
	if strings.Count(index, "<lastmod>2025-05-05T05:05:05+00:00</lastmod>") != 1 || strings.Count(index, "<lastmod>2024-01-0") != 2 {
		t.Errorf("after an edit:\n%s", index)
	}
}

func TestADocrootThatIsNotThereIsAnError(t *testing.T) {
	config := siteConfig(filepath.Join(t.TempDir(), "absent"))
	if _, err := sitewalk.Build(t.Context(), config); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	file := filepath.Join(makeSite(t, empties("index.html")), "index.html")
	if _, err := sitewalk.Build(t.Context(), siteConfig(file)); err == nil {
		t.Error("a file was taken for a docroot")
	}
	config = siteConfig(makeSite(t, empties("index.html")))
	config.CheckDocroot = func(fs.FileInfo) error { return fs.ErrPermission }
	if _, err := sitewalk.Build(t.Context(), config); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a docroot that the caller refuses: %v", err)
	}
}

func TestFilesOfAnotherSetAreOwnOutputs(t *testing.T) {
	docroot := makeSite(t, empties("index.html", "a.html", "feed.xml"))
	config := siteConfig(docroot)
	config.Scanner.Include = scanner.Globs{"**"}
	mustBuild(t, config)
	config.Out = t.TempDir()
	report := mustBuild(t, config)
	if report.Pages != 3 || report.Excluded["own-output"] != 1 {
		t.Errorf("%d pages, left out %v", report.Pages, report.Excluded)
	}
}

func TestPagesInProtectedFoldersAreLeftOut(t *testing.T) {
	docroot := makeSite(t, map[string]string{
		"index.html": "", "members/a.html": "", "members/deep/b.html": "", "members/.htaccess": "Deny from all",
		"members/open/c.html": "", "members/open/.htaccess": "Allow from all",
	})
	report := mustBuild(t, siteConfig(docroot))
	if report.Pages != 2 || report.Excluded["protected"] != 2 {
		t.Errorf("%d pages, left out %v", report.Pages, report.Excluded)
	}
}
