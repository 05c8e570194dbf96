package scanner

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// newTestWatcher watches a new folder whose content is given as by pages, and
// enters all of it.
func newTestWatcher(t *testing.T, poll PollMode, names ...string) (w *Watcher, root string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(root, "docroot")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	pages(names...).create(t, root)
	w = NewWatcher(root, WatcherOptions{
		Poll: poll, Place: root, Output: filepath.Join(root, "out"),
		IsOutput: func(name string) bool { return name == "sitemap.xml" },
		IsTemp:   func(name string) bool { return strings.HasSuffix(name, ".tmp") },
	})
	t.Cleanup(w.Close)
	enterAll(t, w, root)
	return w, root
}

// enterAll walks a docroot as a watch does.
func enterAll(t *testing.T, w *Watcher, root string) {
	t.Helper()
	walkAll(t, open(t, root), DefaultConfig(), Options{Enter: w.Enter})
}

// await takes changes until they include a path, and returns all of them, sorted.
func await(t *testing.T, w *Watcher, path string) (paths []string) {
	t.Helper()
	for deadline := time.After(time.Minute); ; {
		paths = append(paths, w.Take().Paths...)
		if slices.Contains(paths, path) {
			slices.Sort(paths)
			return slices.Compact(paths)
		}
		select {
		case <-w.Some():
		case <-deadline:
			t.Fatalf("no hint of %q; got %q", path, paths)
		}
	}
}

// put writes a file, making the folders above it.
func put(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestHintsNameWhatChanged(t *testing.T) {
	w, root := newTestWatcher(t, PollAuto, "a/b/", "out/", "page.html")
	if folders, mode := w.Status(); folders != 4 || mode != "inotify" {
		t.Errorf("%d folders by %s", folders, mode)
	}
	put(t, filepath.Join(root, "a/b/new\n.html"))
	put(t, filepath.Join(root, "out/one.tmp"))
	put(t, filepath.Join(root, "a/sitemap.xml"))
	put(t, filepath.Join(root, "last.html"))
	if got, want := await(t, w, "last.html"), []string{"a/b/new\n.html", "a/sitemap.xml", "last.html"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	old := time.Unix(1_000_000_000, 0)
	if err := os.Chtimes(filepath.Join(root, "page.html"), old, old); err != nil {
		t.Fatal(err)
	}
	await(t, w, "page.html")
}

func TestPublishedFilesAreToldApart(t *testing.T) {
	w, root := newTestWatcher(t, PollAuto, "out/")
	put(t, filepath.Join(root, "out/sitemap.xml"))
	var outputs []string
	for deadline := time.After(time.Minute); len(outputs) == 0; {
		select {
		case <-w.Some():
		case <-deadline:
			t.Fatal("no hint")
		}
		c := w.Take()
		if outputs = c.Outputs; len(c.Paths) > 0 {
			t.Errorf("got %q", c.Paths)
		}
	}
	if outputs[0] != "sitemap.xml" {
		t.Errorf("got %q", outputs)
	}
}

// A folder keeps its watch, under its new path, if that is ended before it is set.
func TestMovedFoldersAreWatchedWhereTheyAre(t *testing.T) {
	w, root := newTestWatcher(t, PollAuto, "a/b/c/", "z/")
	for i, move := range [][2]string{{"a", "n"}, {"n", "z/a"}, {"z/a/b", "b"}, {"b", "a"}} {
		if err := os.Rename(filepath.Join(root, move[0]), filepath.Join(root, move[1])); err != nil {
			t.Fatal(err)
		}
		await(t, w, move[1])
		enterAll(t, w, root)
		w.Take()
		put(t, filepath.Join(root, move[1], "seen.html"))
		if got := await(t, w, move[1]+"/seen.html"); slices.Contains(got, move[0]+"/seen.html") {
			t.Errorf("move %d: also told under the old path: %q", i, got)
		}
	}
	put(t, filepath.Join(root, "a/c/seen.html"))
	await(t, w, "a/c/seen.html")
	if folders, _ := w.Status(); folders != 5 { // the docroot, a, a/c, z, z/a
		t.Errorf("%d folders are watched", folders)
	}
}

func TestHintOfAFolderEndsTheWatchesBelow(t *testing.T) {
	w, root := newTestWatcher(t, PollAuto, "a/b/c/", "ab/")
	w.Return(Changes{Paths: []string{"a"}})
	w.Take()
	if folders, _ := w.Status(); folders != 2 {
		t.Errorf("%d folders are watched", folders)
	}
	enterAll(t, w, root)
	if folders, _ := w.Status(); folders != 5 {
		t.Errorf("%d folders are watched", folders)
	}
}

func TestDistrustBeginsAnew(t *testing.T) {
	w, root := newTestWatcher(t, PollAuto, "a/")
	w.Distrust()
	put(t, filepath.Join(root, "a/lost.html"))
	if c := w.Take(); !c.All {
		t.Error("not all is to be looked at")
	}
	if folders, mode := w.Status(); folders != 0 || mode != "poll" {
		t.Errorf("%d folders by %s", folders, mode)
	}
	enterAll(t, w, root)
	put(t, filepath.Join(root, "a/seen.html"))
	await(t, w, "a/seen.html")
}

func TestAnotherFolderInTheDocrootsPlaceIsTold(t *testing.T) {
	w, root := newTestWatcher(t, PollAuto, "a/")
	if err := os.Rename(root, root+"-old"); err != nil {
		t.Fatal(err)
	}
	for deadline := time.After(time.Minute); !w.Take().Place; {
		select {
		case <-w.Some():
		case <-deadline:
			t.Fatal("no hint")
		}
	}
}

func TestPollingNeedsNoWatch(t *testing.T) {
	w, _ := newTestWatcher(t, PollAlways, "a/b/")
	if folders, mode := w.Status(); folders != 3 || mode != "poll" {
		t.Errorf("%d folders by %s", folders, mode)
	}
	if got := w.Polled(); !slices.Equal(got, []string{""}) {
		t.Errorf("polled: %q", got)
	}
}

func TestOnlyTheTopsOfWhatIsPolledAreNamed(t *testing.T) {
	w, _ := newTestWatcher(t, PollAuto, "a/b/", "c/")
	for _, dir := range []string{"a", "a/b", "c/d"} {
		w.poll(dir)
	}
	got := w.Polled()
	slices.Sort(got)
	if !slices.Equal(got, []string{"a", "c/d"}) {
		t.Errorf("polled: %q", got)
	}
	if folders, mode := w.Status(); folders != 5 || mode != "mixed" {
		t.Errorf("%d folders by %s", folders, mode)
	}
}

func TestMountsAreKnownByTheirPath(t *testing.T) {
	if MountsBelow("/") == "" {
		t.Skip("this system tells of no mounts")
	}
	if mounts := MountsBelow("/proc"); !strings.Contains(mounts, " /proc\n") {
		t.Errorf("/proc is not mounted: %q", mounts)
	}
	if mounts := MountsBelow(t.TempDir()); mounts != "" {
		t.Errorf("mounted: %q", mounts)
	}
}

func TestLimitsAreNamedAsSysctlDoes(t *testing.T) {
	if limit := shortOf(os.ErrNotExist, "watches"); limit != "" {
		t.Errorf("short of %s", limit)
	}
	for folders, want := range map[int]int{1: 1 << 19, 200_000: 1 << 19, 300_000: 1 << 20} {
		if got := enoughFor("fs.inotify.max_user_watches", folders); got != want {
			t.Errorf("%d folders: %d", folders, got)
		}
	}
	if got := enoughFor("fs.inotify.max_user_instances", 5); got != 1024 {
		t.Errorf("got %d", got)
	}
}

func TestTooManyHintsStandForAll(t *testing.T) {
	w, _ := newTestWatcher(t, PollAlways)
	long := strings.Repeat("n", 4000)
	for i := range maxHints / len(long) {
		w.hints.note(fmt.Sprint(i, long))
	}
	if c := w.Take(); !c.All || len(c.Paths) > 0 {
		t.Errorf("all: %v, and %d paths", c.All, len(c.Paths))
	}
	w.hints.note("a")
	if c := w.Take(); c.All || len(c.Paths) != 1 {
		t.Errorf("all: %v, and %d paths afterwards", c.All, len(c.Paths))
	}
}

func TestFoldersBeyondAnyPathArePolledAsOne(t *testing.T) {
	w, _ := newTestWatcher(t, PollAuto)
	dir := "top"
	for range 100 {
		dir += "/" + strings.Repeat("d", 200)
		w.poll(dir)
	}
	tops := w.Polled()
	if len(w.polled) > 25 || len(tops) != 1 || len(tops[0]) > 300 {
		t.Errorf("%d folders are polled, below %d", len(w.polled), len(tops))
	}
}

func TestWritesThatDoNotMatterAreNoHints(t *testing.T) {
	w, root := newTestWatcher(t, PollAuto, "page.html", "access.log")
	w.options.Matters = func(path string) bool { return path != "access.log" }
	for _, name := range []string{"access.log", "page.html"} {
		file, err := os.OpenFile(filepath.Join(root, name), os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = file.WriteString("more")
			file.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := await(t, w, "page.html"); len(got) != 1 {
		t.Errorf("got %q", got)
	}
}

func TestWhereMostWatchesEndAllBeginAnew(t *testing.T) {
	w, root := newTestWatcher(t, PollAuto, "b/")
	for i := range manyFolders + 1 {
		if err := os.MkdirAll(filepath.Join(root, "a", fmt.Sprint(i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	enterAll(t, w, root)
	if folders, mode := w.Status(); folders != manyFolders+4 || mode != "inotify" {
		t.Skipf("%d folders are watched by %s: the system has no watches left", folders, mode)
	}
	w.Return(Changes{Paths: []string{"a"}})
	if c := w.Take(); !c.All {
		t.Error("not all is to be looked at")
	}
	enterAll(t, w, root)
	put(t, filepath.Join(root, "a", "1", "seen.html"))
	await(t, w, "a/1/seen.html")
}

// What a file system does not tell of is looked at again and again, though it is also
// watched.
func TestWalksOfAllLeaveNetworksPolled(t *testing.T) {
	w, root := newTestWatcher(t, PollAuto, "a/")
	id, err := FolderIDAt(root)
	if err != nil {
		t.Fatal(err)
	}
	w.networks[id.Device] = true
	for range 3 {
		w.Rewalk()
		enterAll(t, w, root)
		if got := w.Polled(); !slices.Equal(got, []string{""}) {
			t.Errorf("polled: %q", got)
		}
		if folders, mode := w.Status(); folders != 2 || mode != "mixed" {
			t.Errorf("%d folders by %s", folders, mode)
		}
	}
}
