package output

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain is the child of the tests that need a process to kill or to trace.
func TestMain(m *testing.M) {
	if child := children[os.Getenv("OUTPUT_TEST_CHILD")]; child != nil {
		child()
	}
	os.Exit(m.Run())
}

// children are what such a process does, by name.
var children = map[string]func(){}

// testPage is a page and the section that it is in.
type testPage struct {
	Page
	section int
}

// site is a folder and the settings with which a test publishes in it.
type site struct {
	dir    string
	config Config
	now    time.Time
	dry    bool
	// maxIndex is the length that an index may have, if not the protocol's.
	maxIndex int64
	// namespaces are those that pages may need.
	namespaces Namespaces
}

var (
	testSections = []string{"pages", "blog", "docs"}
	testNow      = time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
)

const testURL = "https://example.com/"

func newSite(t testing.TB) *site {
	return &site{dir: t.TempDir(), config: DefaultConfig(), now: testNow}
}

// newSiteInMemory returns a site where syncing a file costs nothing, for tests
// that publish hundreds of sets.
func newSiteInMemory(t testing.TB) *site {
	s := &site{config: DefaultConfig(), now: testNow}
	dir, err := os.MkdirTemp("/dev/shm", "sitewalk-test-")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s.dir = dir
	return s
}

// with returns a site of the same settings in another, empty folder.
func (s *site) with(dir string) *site {
	other := *s
	other.dir = dir
	return &other
}

// build publishes pages, each section's in the order in which they come.
func (s *site) build(pages []testPage) (Result, error) {
	folder, err := OpenFolder(s.dir, s.dry)
	if err != nil {
		return Result{}, err
	}
	defer folder.Close()
	return s.buildIn(folder, pages)
}

// buildIn publishes pages in an open folder.
func (s *site) buildIn(folder *Folder, pages []testPage) (Result, error) {
	set, err := NewSet(folder, s.config, Options{URL: testURL, Sections: testSections, Namespaces: s.namespaces, Jobs: 2, IndexTime: s.now, Dry: s.dry})
	if err != nil {
		return Result{}, err
	}
	defer set.Close()
	if s.maxIndex > 0 {
		set.maxIndex = s.maxIndex
	}
	if err := addAll(set, pages); err != nil {
		return Result{}, err
	}
	return set.Publish(context.Background())
}

func addAll(set *Set, pages []testPage) error {
	renderer := NewRenderer(set.format)
	var xml []byte
	for i := range pages {
		p := &pages[i]
		xml = renderer.Append(xml[:0], &p.Page)
		if err := set.Add(&Rendered{Section: p.section, XML: xml, Hash: p.Hash(), LastMod: p.LastMod, Loc: p.Loc, Namespaces: p.Namespaces()}); err != nil {
			return err
		}
	}
	return nil
}

func (s *site) publish(t testing.TB, pages []testPage) Result {
	t.Helper()
	result, err := s.build(pages)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// makePages returns pages in the order of their URLs, in one section.
func makePages(from, to int) []testPage {
	pages := make([]testPage, 0, to-from)
	for i := from; i < to; i++ {
		pages = append(pages, onePage(i))
	}
	return pages
}

func onePage(i int) testPage {
	return testPage{Page: Page{
		Loc:     fmt.Appendf(nil, "%sarticles/page-%07d.html", testURL, i),
		LastMod: 1_600_000_000 + int64(i),
	}}
}

// inSection returns the pages, in another section.
func inSection(section int, pages []testPage) []testPage {
	pages = slices.Clone(pages)
	for i := range pages {
		pages[i].section = section
	}
	return pages
}

// files returns the content of all files of a folder.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		found[entry.Name()] = string(content)
	}
	return found
}

func names(files map[string]string) []string {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// age makes files look as if nobody had written them for two hours.
func age(t testing.TB, dir string, names ...string) {
	t.Helper()
	then := time.Now().Add(-2 * time.Hour)
	for _, name := range names {
		if err := os.Chtimes(filepath.Join(dir, name), then, then); err != nil {
			t.Fatal(err)
		}
	}
}

// laterThan returns once what is written is given a later time than a file has: the
// clocks of file systems may stand still for some milliseconds.
func laterThan(t testing.TB, path string) {
	t.Helper()
	file, err := os.Stat(path)
	must(t, err)
	clock := filepath.Join(t.TempDir(), "clock")
	for deadline := time.Now().Add(time.Minute); ; {
		must(t, os.WriteFile(clock, nil, 0o644))
		now, err := os.Stat(clock)
		must(t, err)
		if now.ModTime().After(file.ModTime()) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is of %v, and it is only %v", path, file.ModTime(), now.ModTime())
		}
	}
}

func wantNames(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("%s: got %q, want %q", what, got, want)
	}
}

// program returns the path of a program that a test needs. Without it the test
// is skipped, or fails where everything must be there.
func program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		missing(t, name+" is not installed")
	}
	return path
}

func missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("SITEWALK_E2E") == "1" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// wantNoTemps fails if a temporary file was left.
func wantNoTemps(t testing.TB, dir string) {
	t.Helper()
	for name := range files(t, dir) {
		if strings.HasPrefix(name, ".") {
			t.Fatalf("%s was left", name)
		}
	}
}

// newRandom returns random numbers that are the same in every run.
func newRandom() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
