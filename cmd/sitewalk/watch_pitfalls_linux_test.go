package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// These tests are what watchers get wrong, one pitfall each.

func TestManyFoldersMadeMovedAndRemovedDoNotHangTheWatch(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, "index.html")
	w := watchSite(t, docroot, quick)
	for i := range 300 {
		made, moved := fmt.Sprintf("made-%d", i), fmt.Sprintf("moved-%d", i)
		writePage(t, docroot, made+"/index.html", firstDate)
		move(t, docroot, made, moved)
		if i%3 == 0 {
			remove(t, filepath.Join(docroot, moved))
		}
	}
	w.converges(t)
	for i := range 300 {
		if i%3 != 0 {
			writePage(t, docroot, fmt.Sprintf("moved-%d/late.html", i), firstDate)
		}
	}
	w.converges(t)
}

func TestRenamedFoldersAreWatchedUnderTheirNewNamesWithAllThatIsBelow(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	for i := range 100 {
		writePage(t, docroot, fmt.Sprintf("old-%d/a/b/index.html", i), firstDate)
	}
	w := watchSite(t, docroot, quick)
	for round, name := range []string{"old", "new", "newer"} {
		next := []string{"new", "newer", "old"}[round]
		for i := range 100 {
			move(t, docroot, fmt.Sprintf("%s-%d", name, i), fmt.Sprintf("%s-%d", next, i))
		}
		w.converges(t)
		for i := range 100 {
			folder := fmt.Sprintf("%s-%d", next, i)
			for _, below := range []string{"", "/a", "/a/b"} {
				writePage(t, docroot, fmt.Sprintf("%s%s/page-%d.html", folder, below, round), firstDate)
			}
		}
		w.converges(t)
	}
	// Folders may take each other's places, and go one below another.
	move(t, docroot, "old-1", "passing")
	move(t, docroot, "old-2", "old-1")
	move(t, docroot, "passing", "old-2")
	move(t, docroot, "old-3/a", "old-4/a/moved")
	move(t, docroot, "old-4", "old-5/moved")
	w.converges(t)
	for _, folder := range []string{"old-1/a/b", "old-2/a", "old-5/moved/a/moved/b", "old-5/moved", "old-3"} {
		writePage(t, docroot, folder+"/late.html", firstDate)
	}
	w.converges(t)
}

func TestFoldersMadeWithTheirContentAtOnceAreSeenWhole(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, "index.html")
	w := watchSite(t, docroot, quick)
	deep := strings.Repeat("deep/", 60)
	for i := range 150 {
		writePages(t, docroot, fmt.Sprintf("wide-%d/a/b/c/index.html", i), fmt.Sprintf("wide-%d/late.html", i))
	}
	writePages(t, docroot, deep+"index.html")
	w.converges(t)
	writePages(t, docroot, deep+"late.html", "wide-149/a/b/late.html", "wide-0/a/b/c/d/e/f/index.html")
	w.converges(t)
}

// TestNothingIsMissedWhenTheSystemsQueueOverflows has more happen than the queue
// holds while the watch is stopped: of what comes last, the system tells nothing.
func TestNothingIsMissedWhenTheSystemsQueueOverflows(t *testing.T) {
	t.Parallel()
	limit, err := strconv.Atoi(strings.TrimSpace(readFile(t, "/proc/sys/fs/inotify/max_queued_events")))
	if err != nil || limit > 200_000 {
		t.Skipf("the system's queue holds %d events (fs.inotify.max_queued_events), and the test fills it", limit)
	}
	docroot := publicDir(t)
	writePages(t, docroot, numbered("a", 100)...)
	writePages(t, docroot, "b/1.html", "b/2.html", "b/3.html", "c/gone.html")
	w := watchSite(t, docroot, quick+"output: {max_urls: 20, gzip: none}\nrules: [{match: 'a/**', section: a}]\n")
	before := snapshot(t, w.out)
	w.stopped(t, func() {
		for i := range limit { // the same event twice in a row counts once
			if err := os.Chmod(filepath.Join(docroot, "b", fmt.Sprintf("%d.html", 1+i%2)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		remove(t, filepath.Join(docroot, "c/gone.html"))
		writePages(t, docroot, "c/late.html", "d/e/f/late.html")
		writePage(t, docroot, "b/3.html", firstDate.AddDate(0, 0, 1))
		move(t, docroot, "a/00/page-0001.html", "b/moved.html")
	})
	w.converges(t)
	writePages(t, docroot, "d/e/f/later.html")
	w.converges(t)
	written := 0
	for _, name := range differences(before, snapshot(t, w.out)) {
		if strings.HasPrefix(name, "sitemap-a") {
			written++
		}
	}
	if shards := len(glob(t, w.out, "sitemap-a*")); shards < 10 || written > 4 {
		t.Errorf("%d of the %d shards were written for want of one page", written, shards)
	}
}

func TestSavesOfEditorsAreOnePublicationEach(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, "index.html", "notes/page.html", "notes/other.html")
	page := filepath.Join(docroot, "notes/page.html")
	w := watchSite(t, docroot, quick)
	write := func(name, text string) { writeFile(t, filepath.Join(docroot, "notes", name), text) }
	for name, save := range map[string]func(){
		"in place": func() { write("page.html", "<title>In place</title>\n") },
		"vim": func() {
			write("4913", "") // to see whether files can be made
			remove(t, filepath.Join(docroot, "notes/4913"))
			move(t, docroot, "notes/page.html", "notes/page.html~")
			write("page.html", "<title>As vim does</title>\n")
			remove(t, page+"~")
		},
		"emacs": func() {
			link(t, "somebody@host.123:1", filepath.Join(docroot, "notes/.#page.html"))
			write("#page.html#", "<title>As emacs does</title>\n")
			move(t, docroot, "notes/page.html", "notes/page.html~")
			write("page.html", "<title>As emacs does</title>\n")
			remove(t, filepath.Join(docroot, "notes/#page.html#"))
			remove(t, filepath.Join(docroot, "notes/.#page.html"))
		},
		"a new file renamed over the old": func() {
			write(".page.html.tmp123", "<title>Renamed over</title>\n")
			move(t, docroot, "notes/.page.html.tmp123", "notes/page.html")
		},
		"written in many pieces": func() {
			file, err := os.Create(page)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 1000 {
				fmt.Fprintf(file, "<p>%d\n", i)
			}
			file.Close()
		},
	} {
		w.stopped(t, func() {
			save()
			setTime(t, page, firstDate.AddDate(1, 0, w.probes))
		})
		if event := w.wantOnePublication(t, 0, 1, 0); !slices.Equal(event.Written, []string{"sitemap.xml"}) {
			t.Errorf("%s: %q are written", name, event.Written)
		}
		w.converges(t)
	}
}

func TestASaveWithVimItselfIsOnePublication(t *testing.T) {
	t.Parallel()
	vim := program(t, "vim")
	docroot := publicDir(t)
	writePages(t, docroot, "index.html", "page.html")
	w := watchSite(t, docroot, quick)
	w.stopped(t, func() {
		cmd := exec.Command(vim, "-u", "NONE", "-es", "--cmd", "set backup writebackup backupcopy=no backupskip=", "-c", "normal oMore text.", "-c", "wq", "page.html")
		cmd.Dir, cmd.Env = docroot, cleanEnv()
		if done := finish(t, cmd); done.code != 0 {
			t.Fatalf("vim ends with %d: %s%s", done.code, done.stdout, done.stderr)
		}
	})
	if _, err := os.Stat(filepath.Join(docroot, "page.html~")); err != nil {
		t.Fatal("vim has not saved as it was to:", err)
	}
	w.wantOnePublication(t, 0, 1, 0)
	w.converges(t)
}

// setTime sets a file's modification time, as touch -d does.
func setTime(t *testing.T, path string, modified time.Time) {
	t.Helper()
	if err := os.Chtimes(path, modified, modified); err != nil {
		t.Fatal(err)
	}
}

func TestAChangeOfNothingButTheTimeIsSeenAlsoWhenItGoesBackwards(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, "index.html", "page.html")
	page := filepath.Join(docroot, "page.html")
	w := watchSite(t, docroot, quick)
	for _, modified := range []time.Time{
		firstDate.AddDate(1, 0, 0), firstDate.AddDate(-1, 0, 0), time.Unix(86_400, 0), firstDate, time.Unix(0, 0), firstDate,
	} {
		setTime(t, page, modified)
		w.wantOnePublication(t, 0, 1, 0)
		w.converges(t)
	}
	// cp -p brings a file of another time.
	other := filepath.Join(t.TempDir(), "older.html")
	writeFile(t, other, "<title>Older</title>\n")
	setTime(t, other, firstDate.AddDate(-2, 0, 0))
	if done := finish(t, exec.Command(program(t, "cp"), "-p", other, page)); done.code != 0 {
		t.Fatal(done.stderr)
	}
	w.converges(t)
	// A time in seconds that stays the same changes nothing that is published.
	setTime(t, page, firstDate.AddDate(-2, 0, 0).Add(time.Millisecond))
	if before, _ := w.probe(t); len(w.locs(t)) != 2+w.probes {
		t.Errorf("%d pages are listed after %v", len(w.locs(t)), before)
	}
	w.converges(t)
}

func TestAHalfWrittenPageIsJudgedAgainWhenItIsWhole(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, "index.html")
	w := watchSite(t, docroot, quick)
	file, err := os.Create(filepath.Join(docroot, "page.html"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	until(t, "a half-written page listed", func() bool { return w.lists(t, "page.html") })
	fmt.Fprint(file, "<title>Not for the index</title><meta name=robots ")
	w.converges(t)
	fmt.Fprint(file, "content=noindex>")
	until(t, "the page left out", func() bool { return !w.lists(t, "page.html") })
	w.converges(t)
}

// TestWhatNothingTellsOfIsFoundByARescan writes through a mapping of the page into
// memory, and by a name that the page has elsewhere.
func TestWhatNothingTellsOfIsFoundByARescan(t *testing.T) {
	t.Parallel()
	dir := publicDir(t)
	docroot, outside := filepath.Join(dir, "public"), filepath.Join(dir, "outside.html")
	writePages(t, docroot, "index.html", "linked.html", "mapped.html")
	if err := os.Link(filepath.Join(docroot, "linked.html"), outside); err != nil {
		t.Fatal(err)
	}
	mapped := filepath.Join(docroot, "mapped.html")
	const page = "<meta name=robots content='index___'>\n"
	writeFile(t, mapped, page)
	file, err := os.OpenFile(mapped, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	memory, err := unix.Mmap(int(file.Fd()), 0, len(page), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	w := watchSite(t, docroot, "watch: {settle: 50ms, rescan: 1s}\n")
	writeFile(t, outside, "<meta name=robots content=noindex>\n")
	copy(memory, strings.Replace(page, "index___", "noindex ", 1))
	if err := unix.Msync(memory, unix.MS_SYNC); err != nil {
		t.Fatal(err)
	}
	if err := unix.Munmap(memory); err != nil {
		t.Fatal(err)
	}
	until(t, "both left out", func() bool { return slices.Equal(w.locs(t), []string{""}) })
	w.converges(t)
}

func TestWhatCannotBeReadAnyMoreIsToldOfAndComesBack(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, "a/1.html", "a/b/2.html", "c/3.html", "index.html")
	w := newWatched(t, docroot, "", "--no-state")
	config := publicConfig(t, os.Geteuid(), quick)
	if os.Geteuid() == 0 { // which then becomes whose docroot it is
		for _, folder := range []string{docroot, w.out, filepath.Dir(config)} {
			give(t, nobody, folder)
		}
	}
	w.cmd.Args = append(w.cmd.Args, "-c", config) // the last one counts
	w.start(t)
	w.awaitReady(t)
	for round, path := range []string{"a", "c/3.html", "a", "c"} {
		info, err := os.Stat(filepath.Join(docroot, path))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(docroot, path), 0); err != nil {
			t.Fatal(err)
		}
		event, _ := w.await(t, "published")
		warning := warningOf(event.Report, "unreadable")
		if event.Unreadable != 1 || !slices.Equal(warning.Paths, []string{path}) {
			t.Errorf("%d are unreadable, and the warning is of %q, not %q", event.Unreadable, warning.Paths, path)
		}
		want := slices.DeleteFunc([]string{"", "a/1.html", "a/b/2.html", "c/3.html"}, func(loc string) bool { return strings.HasPrefix(loc, path) })
		if listed := w.locs(t); !slices.Equal(listed, want) {
			t.Errorf("without %s, %q are listed, not %q", path, listed, want)
		}
		if err := os.Chmod(filepath.Join(docroot, path), info.Mode()); err != nil {
			t.Fatal(err)
		}
		w.await(t, "published")
		w.converges(t, "--allow-root")
		w.stopped(t, func() { // so that both are one publication
			for _, page := range []string{"a/b/2.html", "c/3.html"} { // it is still watched
				setTime(t, filepath.Join(docroot, page), firstDate.AddDate(1+round, 0, 0))
			}
		})
		w.await(t, "published")
		w.converges(t, "--allow-root")
	}
}

func TestSteadyChangesAreNotPutOffForEver(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, "index.html", "a/page.html")
	w := watchSite(t, docroot, "watch: {settle: 300ms, max_delay: 600ms}\n")
	changes := 0
	until(t, "a publication while changes go on", func() bool {
		changes++
		setTime(t, filepath.Join(docroot, "a/page.html"), firstDate.Add(time.Duration(changes)*time.Second))
		return len(w.events) > 0
	})
	w.converges(t)
}

// TestFoldersRemovedAndMadeAgainAreWatchedAgain while the watch can see that, and
// while it cannot: then it may find a folder of the same inode.
func TestFoldersRemovedAndMadeAgainAreWatchedAgain(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, "index.html", "a/b/c/page.html")
	w := watchSite(t, docroot, quick)
	for i := range 6 {
		again := func() {
			remove(t, filepath.Join(docroot, "a"))
			writePages(t, docroot, fmt.Sprintf("a/b/c/new-%d.html", i))
		}
		if i%2 == 0 {
			again()
		} else {
			w.stopped(t, again)
		}
		w.converges(t)
		writePages(t, docroot, "a/late.html", "a/b/late.html", "a/b/c/late.html")
		w.converges(t)
	}
}
