package sitewalk_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"sitewalk"
	"sitewalk/mapper"
	"sitewalk/output"
)

// countedFS counts how often pages are opened.
type countedFS struct {
	fstest.MapFS
	opened *atomic.Int64
}

func (c countedFS) Open(name string) (fs.File, error) {
	if strings.HasSuffix(name, ".html") {
		c.opened.Add(1)
	}
	return c.MapFS.Open(name)
}

// diskFolder returns the site's folder for output and state, and a configuration.
func diskFolder(t *testing.T, site *diskSite) (string, sitewalk.Config) {
	t.Helper()
	folder := memoryDir(t)
	config := diskConfig(site, folder)
	if err := os.Mkdir(config.Out, 0o755); err != nil {
		t.Fatal(err)
	}
	return folder, config
}

// batchedSite returns a site of folders that make a batch each.
func batchedSite(folders int) *diskSite {
	site := newDiskSite()
	for i := range folders {
		site.write(fmt.Sprintf("%03d/a.html", i), "a")
		site.write(fmt.Sprintf("%03d/b.html", i), `<meta name=robots content="unavailable_after: 2100-01-01">`)
	}
	return site
}

func TestUnchangedPagesAreNotOpenedAndNothingIsWritten(t *testing.T) {
	for _, sources := range [][]mapper.Source{{mapper.SourceMTime}, {mapper.SourceMeta}, {mapper.SourceContent}} {
		t.Run(string(sources[0]), func(t *testing.T) {
			site := batchedSite(5)
			_, config := diskFolder(t, site)
			opened := new(atomic.Int64)
			config.FS = countedFS{site.files, opened}
			config.Mapper.LastMod = sources
			mustBuild(t, config)
			if opened.Load() != 10 {
				t.Fatalf("the first build opened %d pages, want 10", opened.Load())
			}
			before, root := mustStat(t, config.State), mustStat(t, filepath.Join(config.Out, "sitemap.xml"))
			opened.Store(0)
			report := mustBuild(t, config)
			if opened.Load() != 0 || report.Event != "unchanged" {
				t.Errorf("the second build opened %d pages, and says %s", opened.Load(), report.Event)
			}
			sameFile(t, before, mustStat(t, config.State))
			sameFile(t, root, mustStat(t, filepath.Join(config.Out, "sitemap.xml")))

			site.touch("003/a.html", site.clock)
			opened.Store(0)
			mustBuild(t, config)
			if opened.Load() != 1 {
				t.Errorf("after a touch %d pages were opened, want 1", opened.Load())
			}
		})
	}
}

func mustStat(t *testing.T, path string) fs.FileInfo {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// sameFile fails if a file was written anew.
func sameFile(t *testing.T, before, after fs.FileInfo) {
	t.Helper()
	if !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Errorf("%s was written", after.Name())
	}
}

func TestAnEditWithinTheClocksGrainIsSeen(t *testing.T) {
	site := newDiskSite()
	site.write("index.html", "")
	_, config := diskFolder(t, site)
	for name, changed := range map[string]time.Time{
		"now": time.Now(), "in the future": time.Now().AddDate(1, 0, 0), "never, by a system that does not say": time.Unix(0, 0),
	} {
		site.set("a.html", "<title>listed</title>           ", siteTime, changed, 1000)
		if report := mustBuild(t, config); report.Pages != 2 {
			t.Errorf("changed %s: %d pages, want 2", name, report.Pages)
		}
		site.set("a.html", "<meta name=robots content=none>", siteTime, changed, 1000)
		site.files["a.html"].Data = append(site.files["a.html"].Data, ' ') // the same size
		if report := mustBuild(t, config); report.Pages != 1 {
			t.Errorf("changed %s: the edit was not seen", name)
		}
	}
}

// On some systems a file that gets another name keeps all of its times.
func TestTwinsThatChangeNamesAreReadAgain(t *testing.T) {
	site := newDiskSite()
	site.set("a.html", "<meta name=robots content=noindex>", siteTime, siteTime, 1)
	site.set("b.html", "<title>the same number of bytes</>", siteTime, siteTime, 2)
	_, config := diskFolder(t, site)
	for _, want := range []string{"https://h.test/b.html", "https://h.test/a.html"} {
		mustBuild(t, config)
		if got := listed(t, config.Out); !slices.Equal(got, []string{want}) {
			t.Errorf("got %q, want %s alone", got, want)
		}
		site.files["a.html"], site.files["b.html"] = site.files["b.html"], site.files["a.html"]
	}
}

func TestAProtocolWithoutAlternatesIsNotGivenRememberedOnes(t *testing.T) {
	site := newDiskSite()
	site.write("de.html", `<html lang=de><link rel=alternate hreflang=en href=/en.html>`)
	site.write("en.html", `<html lang=en><link rel=alternate hreflang=de href=/de.html>`)
	_, config := diskFolder(t, site)
	for _, c := range []struct {
		protocol output.Protocol
		want     int
	}{{output.Protocol09, 4}, {output.Protocol084, 0}, {output.Protocol09, 4}} {
		config.Output.Files.Protocol = c.protocol
		mustBuild(t, config)
		if got := strings.Count(readXML(t, filepath.Join(config.Out, "sitemap.xml")), "<xhtml:link"); got != c.want {
			t.Errorf("protocol %v: %d links, want %d", c.protocol, got, c.want)
		}
	}
}

func TestAPageExpiresWhileItsFileStays(t *testing.T) {
	site := newDiskSite()
	site.write("index.html", "")
	site.write("a.html", `<meta name=robots content="unavailable_after: 2024-07-01">`)
	_, config := diskFolder(t, site)
	for _, c := range []struct {
		day  string
		want int64
	}{{"2024-06-30", 2}, {"2024-07-02", 1}, {"2024-06-30", 2}} {
		now, err := time.Parse(time.DateOnly, c.day)
		if err != nil {
			t.Fatal(err)
		}
		config.Now = func() time.Time { return now }
		if report := mustBuild(t, config); report.Pages != c.want {
			t.Errorf("on %s %d pages, want %d", c.day, report.Pages, c.want)
		}
	}
}

func TestTheOtherPageOfAURLIsListedOnceTheFirstIsGone(t *testing.T) {
	site := newDiskSite()
	site.write("a/index.htm", "")
	site.write("a/index.html", "")
	_, config := diskFolder(t, site)
	report := mustBuild(t, config)
	if report.Pages != 1 || report.Excluded["duplicate"] != 1 {
		t.Fatalf("%d pages, left out %v", report.Pages, report.Excluded)
	}
	delete(site.files, "a/index.htm")
	if report := mustBuild(t, config); report.Pages != 1 || len(report.Excluded) != 0 {
		t.Errorf("%d pages, left out %v", report.Pages, report.Excluded)
	}
}

func TestAStateThatCannotBeUsedOrKeptFailsNoBuild(t *testing.T) {
	write := func(content string) func(string) error {
		return func(state string) error { return os.WriteFile(state, []byte(content), 0o600) }
	}
	unusable, notKept := "state-unusable", "state-not-kept"
	for _, c := range []struct {
		name    string
		prepare func(state string) error
		want    []string // the warnings of the first build
		kept    bool     // whether the second finds a state
	}{
		{"noise", write("noise"), []string{unusable}, true},
		{"empty", write(""), []string{unusable}, true},
		{"dangling link", func(state string) error { return os.Symlink("nowhere", state) }, nil, true},
		{"link to a folder", func(state string) error { return os.Symlink("/", state) }, []string{notKept}, false},
		{"folder", func(state string) error { return os.MkdirAll(filepath.Join(state, "x"), 0o755) }, []string{notKept}, false},
		{"fifo", func(state string) error { return syscall.Mkfifo(state, 0o600) }, []string{notKept}, false},
		{"below a file", func(state string) error {
			return errors.Join(os.Remove(filepath.Dir(state)), os.WriteFile(filepath.Dir(state), nil, 0o600))
		}, []string{notKept}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder, config := diskFolder(t, batchedSite(3))
			config.State = filepath.Join(folder, "sub", "state")
			if err := errors.Join(os.Mkdir(filepath.Dir(config.State), 0o755), c.prepare(config.State)); err != nil {
				t.Fatal(err)
			}
			before, _ := os.Lstat(config.State)
			report := mustBuild(t, config)
			if got := warningCodes(report); report.Pages != 6 || !slices.Equal(got, c.want) {
				t.Errorf("%d pages, warnings %q, want %q", report.Pages, got, c.want)
			}
			after, err := os.Lstat(config.State)
			if c.kept && (err != nil || !after.Mode().IsRegular()) {
				t.Errorf("there is no state after the build: %v", err)
			}
			if !c.kept && before != nil && !os.SameFile(before, after) {
				t.Error("what was in the state's place is gone")
			}
			if got := warningCodes(mustBuild(t, config)); c.kept != (len(got) == 0) {
				t.Errorf("the next build warns %q", got)
			}
		})
	}
}

func TestAStateLostInTheMiddleFailsNoBuild(t *testing.T) {
	site := batchedSite(200)
	folder, config := diskFolder(t, site)
	config.State = filepath.Join(folder, "cache", "state")
	config.Jobs = 4
	mustBuild(t, config)
	for i := 100; i < 200; i++ { // so that the first batch to be written comes late
		site.write(fmt.Sprintf("%03d/a.html", i), "changed")
	}
	var removed error
	config.Found = func(f *sitewalk.Finding) {
		if f.Path == "000/a.html" {
			removed = os.RemoveAll(filepath.Dir(config.State))
		}
	}
	report := mustBuild(t, config)
	if removed != nil {
		t.Fatal(removed)
	}
	if got := warningCodes(report); report.Pages != 400 || !slices.Equal(got, []string{"state-not-kept"}) {
		t.Errorf("%d pages, warnings %q", report.Pages, got)
	}
}

func TestACancelledBuildLeavesTheStateAndNothingElse(t *testing.T) {
	site := batchedSite(200)
	folder, config := diskFolder(t, site)
	config.State = filepath.Join(folder, "cache", "state")
	config.Jobs = 4
	mustBuild(t, config)
	site.write("000/a.html", "changed")
	before, running := snapshot(t, folder), runtime.NumGoroutine()
	for _, at := range []string{"000/a.html", "100/b.html", "199/b.html"} {
		ctx, cancel := context.WithCancel(t.Context())
		config.Found = func(f *sitewalk.Finding) {
			if f.Path == at {
				cancel()
			}
		}
		if _, err := sitewalk.Build(ctx, config); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at %s: %v", at, err)
		}
		cancel()
		sameFiles(t, "cancelled at "+at, snapshot(t, folder), before)
		wantGoroutines(t, running)
	}
}

func TestAStateIsKeptOnlyWithWhatWasPublished(t *testing.T) {
	site := batchedSite(2)
	folder, config := diskFolder(t, site)
	mustBuild(t, config)
	for path := range site.files {
		site.write(path, "<meta name=robots content=noindex>")
	}
	before := snapshot(t, folder)
	if _, err := sitewalk.Build(t.Context(), config); !errors.Is(err, sitewalk.ErrNoPages) {
		t.Fatalf("got %v, want ErrNoPages", err)
	}
	sameFiles(t, "no page", snapshot(t, folder), before)

	site.write("000/a.html", "")
	root := filepath.Join(config.Out, "sitemap.xml")
	if err := errors.Join(os.Remove(root), os.MkdirAll(filepath.Join(root, "x"), 0o755)); err != nil {
		t.Fatal(err)
	}
	before = snapshot(t, folder)
	if _, err := sitewalk.Build(t.Context(), config); err == nil {
		t.Fatal("a folder in the place of the sitemap is no error")
	}
	sameFiles(t, "not published", snapshot(t, folder), before)
}

func TestADryRunLeavesTheStateAsItIs(t *testing.T) {
	for name, state := range map[string]string{"none": "", "noise": "noise"} {
		t.Run(name, func(t *testing.T) {
			docroot := makeSite(t, map[string]string{"index.html": "<title>x</title>", "robots.txt": "User-agent: *\n"})
			folder := t.TempDir()
			config := siteConfig(docroot)
			config.Scanner.Pages.Read, config.Mapper.Robots.Update, config.DryRun = true, true, true
			config.State = filepath.Join(folder, "state")
			if state != "" {
				if err := os.WriteFile(config.State, []byte(state), 0o600); err != nil {
					t.Fatal(err)
				}
			} else {
				config.State = filepath.Join(folder, "new", "state")
			}
			before, site := snapshot(t, folder), snapshot(t, docroot)
			report := mustBuild(t, config)
			if want := []string{"robots.txt", "sitemap.xml"}; !slices.Equal(slices.Sorted(slices.Values(report.Written)), want) {
				t.Errorf("would write %q, want %q", report.Written, want)
			}
			if _, err := sitewalk.Explain(t.Context(), config, []string{"index.html"}); err != nil {
				t.Error(err)
			}
			sameFiles(t, "state", snapshot(t, folder), before)
			sameFiles(t, "docroot", snapshot(t, docroot), site)
			if _, err := os.Stat(filepath.Join(folder, "new")); err == nil {
				t.Error("the folder for the state was made")
			}
		})
	}
}

func TestTwoBuildsAtOnceShareAState(t *testing.T) {
	files := map[string]string{}
	for i := range 100 {
		files[fmt.Sprintf("%d/index.html", i)] = fmt.Sprintf("<title>%d</title>", i)
	}
	config := siteConfig(makeSite(t, files))
	config.Scanner.Pages.Read, config.LockWait = true, time.Minute
	config.Mapper.LastMod = []mapper.Source{mapper.SourceContent}
	config.State = filepath.Join(t.TempDir(), "state")
	var builds sync.WaitGroup
	for range 4 {
		builds.Go(func() {
			if report, err := sitewalk.Build(t.Context(), config); err != nil || report.Pages != 100 || len(report.Warnings) > 0 {
				t.Errorf("%d pages, warnings %v: %v", report.Pages, report.Warnings, err)
			}
		})
	}
	builds.Wait()
}
