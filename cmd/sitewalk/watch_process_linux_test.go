package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sitewalk"
)

// quick is the configuration of a watch that publishes soon.
const quick = "watch: {settle: 50ms}\n"

// A watchEvent is a line that watch --json prints.
type watchEvent struct {
	sitewalk.Report
	PagesAdded   int64  `json:"pages_added"`
	PagesChanged int64  `json:"pages_changed"`
	PagesRemoved int64  `json:"pages_removed"`
	Directories  int    `json:"directories"`
	Mode         string `json:"mode"`
	Message      string `json:"message"`
	Code         int    `json:"code"`
	Docroot      string `json:"docroot"` // where there are several sites
}

// A watched is a watch that runs as a process of its own.
type watched struct {
	cmd     *exec.Cmd
	docroot string // empty if only the watch itself sees it
	out     string // the folder of the set
	config  string
	events  chan watchEvent // closed when standard output ends
	begun   watchEvent      // the first publication
	ready   watchEvent
	probes  int

	mutex  sync.Mutex
	told   []string // the lines so far
	stderr bytes.Buffer
	ended  bool
}

// watchSite has a docroot watched, with a configuration that may be empty, and
// returns when the watch is ready.
func watchSite(t *testing.T, docroot, config string, args ...string) *watched {
	t.Helper()
	w := newWatched(t, docroot, config, args...)
	w.start(t)
	w.awaitReady(t)
	return w
}

// newWatched is watchSite for a watch that is not started yet. The set is
// published elsewhere, so that nothing in the docroot changes by it.
func newWatched(t *testing.T, docroot, config string, args ...string) *watched {
	t.Helper()
	w := &watched{docroot: docroot, out: publicDir(t), config: siteConfig(t, config)}
	w.cmd = newCommand(append([]string{"watch", "--json", "-c", w.config, "--docroot", docroot, "--out", w.out}, args...)...)
	return w
}

// insideDocroot has the set published in the docroot itself.
func (w *watched) insideDocroot() *watched {
	w.out = w.docroot
	w.cmd.Args = append(w.cmd.Args, "--out", w.docroot) // the last one counts
	return w
}

// start starts the process, which ends with the test at the latest.
func (w *watched) start(t *testing.T) {
	t.Helper()
	stdout, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.cmd.Stderr, w.cmd.WaitDelay = w, timeout // should a process that it started live on
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.events = make(chan watchEvent, 10_000)
	go func() {
		defer close(w.events)
		for scanner := bufio.NewScanner(stdout); scanner.Scan(); {
			event := watchEvent{}
			if err := json.Unmarshal(scanner.Bytes(), &event); err != nil {
				event.Event, event.Message = "no JSON", scanner.Text()
			}
			w.mutex.Lock()
			w.told = append(w.told, scanner.Text())
			w.mutex.Unlock()
			w.events <- event
		}
	}()
	t.Cleanup(func() {
		if !w.ended {
			_ = w.cmd.Process.Signal(syscall.SIGCONT)
			_ = w.cmd.Process.Kill()
			_ = w.cmd.Wait()
		}
	})
}

// Write takes what the process writes to standard error.
func (w *watched) Write(text []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.stderr.Write(text)
}

// said returns all that the process has said so far.
func (w *watched) said() string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return strings.Join(w.told, "\n") + "\n" + w.stderr.String()
}

// next returns the next event.
func (w *watched) next(t *testing.T) watchEvent {
	t.Helper()
	select {
	case event, more := <-w.events:
		if !more {
			t.Fatalf("the watch has ended:\n%s", w.said())
		}
		return event
	case <-time.After(timeout):
		t.Fatalf("no event within %v after\n%s", timeout, w.said())
	}
	panic("not reached")
}

// await returns the next event of a kind, and those before it.
func (w *watched) await(t *testing.T, kind string) (watchEvent, []watchEvent) {
	t.Helper()
	var before []watchEvent
	for {
		event := w.next(t)
		if event.Event == kind {
			return event, before
		}
		before = append(before, event)
	}
}

func (w *watched) awaitReady(t *testing.T) {
	t.Helper()
	w.begun = w.next(t)
	var before []watchEvent
	if w.ready, before = w.await(t, "ready"); len(before) > 0 {
		t.Errorf("before the watch was ready it told %v", before)
	}
}

// signal sends a signal to the process.
func (w *watched) signal(t *testing.T, signal os.Signal) {
	t.Helper()
	if err := w.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
}

// stopped calls a function while the process is stopped, so that it finds out of
// all that is done there at once.
func (w *watched) stopped(t *testing.T, do func()) {
	t.Helper()
	w.signal(t, syscall.SIGSTOP)
	until(t, "the process stopped", func() bool { return w.status(t, "State") == "T (stopped)" })
	do()
	w.signal(t, syscall.SIGCONT)
}

// status returns a field of what the system says of the process.
func (w *watched) status(t *testing.T, field string) string {
	t.Helper()
	_, after, _ := strings.Cut(readFile(t, fmt.Sprintf("/proc/%d/status", w.cmd.Process.Pid)), "\n"+field+":\t")
	value, _, _ := strings.Cut(after, "\n")
	return value
}

// end stops the watch by a signal and returns its exit code and the events that were
// not taken yet.
func (w *watched) end(t *testing.T, signal os.Signal) (code int, events []watchEvent) {
	t.Helper()
	w.signal(t, signal)
	return w.ending(t)
}

// ending is end for a watch that has been told to end. One that does not has to show
// where it hangs.
func (w *watched) ending(t *testing.T) (code int, events []watchEvent) {
	t.Helper()
	kill := time.AfterFunc(timeout, func() { _ = w.cmd.Process.Signal(syscall.SIGQUIT) })
	for event := range w.events {
		events = append(events, event)
	}
	code = wait(t, w.cmd)
	w.ended = true
	if !kill.Stop() {
		t.Errorf("the watch did not end within %v:\n%s", timeout, w.said())
	}
	return code, events
}

// drain drops the events that have come, and returns how many publications were
// among them.
func (w *watched) drain() (published int) {
	for {
		select {
		case event := <-w.events:
			if event.Event == "published" {
				published++
			}
		default:
			return published
		}
	}
}

// locs returns the URLs listed, without the base URL, sorted.
func (w *watched) locs(t *testing.T) []string {
	t.Helper()
	p := protocol09
	p.scope = exampleBase
	locs := checkSet(t, w.out, p).locs()
	for i, loc := range locs {
		locs[i] = strings.TrimPrefix(loc, exampleBase)
	}
	return locs
}

// lists reports whether a URL is listed now, given without the base URL.
func (w *watched) lists(t *testing.T, loc string) bool {
	t.Helper()
	return slices.Contains(w.locs(t), loc)
}

// indexDates are the dates in an index, which tell when each shard changed.
var indexDates = regexp.MustCompile(`(?s)(<sitemap>.*?)<lastmod>[^<]*</lastmod>`)

// setBytes returns the files of the set in a folder, the index without its dates.
func setBytes(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range glob(t, folder, "sitemap*") {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			continue // it was just replaced by another
		}
		files[name] = indexDates.ReplaceAllString(string(content), "$1")
	}
	return files
}

// fresh returns what a build that remembers nothing writes now.
func (w *watched) fresh(t *testing.T, args ...string) map[string]string {
	t.Helper()
	scratch := t.TempDir()
	done := execute(t, append([]string{"build", "--no-state", "--quiet", "-c", w.config, "--docroot", w.docroot, "--out", scratch}, args...)...)
	if done.code != exitDone && done.code != exitUnreadable {
		t.Fatalf("a fresh build ends with %d: %s", done.code, done.stderr)
	}
	return setBytes(t, scratch)
}

// converges waits until the set is what a fresh build writes. The docroot must not
// change any more.
func (w *watched) converges(t *testing.T, args ...string) {
	t.Helper()
	w.convergesTo(t, w.fresh(t, args...))
}

// convergesTo waits until the set is one that was built afresh.
func (w *watched) convergesTo(t *testing.T, want map[string]string) {
	t.Helper()
	for end := time.Now().Add(timeout); ; time.Sleep(2 * time.Millisecond) {
		got := setBytes(t, w.out)
		// What left the set stays for a while.
		maps.DeleteFunc(got, func(name, _ string) bool { _, named := want[name]; return !named })
		if maps.Equal(got, want) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%q differ from a fresh build's; the watch has said\n%s", differences(got, want), w.said())
		}
	}
	until(t, "an output folder without temporary files", func() bool { return len(temps(t, w.out)) == 0 })
}

// placePage puts a page of a date into a docroot in one step. A watch that looks at any
// moment finds nothing or all of it, and so publishes it once.
func placePage(t *testing.T, docroot, name string, modified time.Time) {
	t.Helper()
	scratch := t.TempDir()
	writePage(t, scratch, name, modified)
	if err := os.MkdirAll(filepath.Join(docroot, filepath.Dir(name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(scratch, name), filepath.Join(docroot, name)); err != nil {
		t.Fatal(err)
	}
}

// probe makes a page and waits until it is listed: all that came before it has been
// dealt with then. It returns the events up to the one that tells of the page, and
// that one.
func (w *watched) probe(t *testing.T) (before []watchEvent, last watchEvent) {
	t.Helper()
	w.probes++
	name := fmt.Sprintf("probe-%d.html", w.probes)
	placePage(t, w.docroot, name, firstDate)
	for {
		last, others := w.await(t, "published")
		before = append(before, others...)
		if w.lists(t, name) {
			return before, last
		}
		before = append(before, last)
	}
}

// wantOnePublication fails the test unless the watch tells next of one publication,
// of some pages, and of nothing else.
func (w *watched) wantOnePublication(t *testing.T, added, changed, removed int64) watchEvent {
	t.Helper()
	event := w.next(t)
	if event.Event != "published" || event.PagesAdded != added || event.PagesChanged != changed || event.PagesRemoved != removed {
		t.Fatalf("%d pages added, %d changed and %d removed are told of as\n%s", added, changed, removed, w.said())
	}
	if before, last := w.probe(t); len(before) > 0 || last.PagesAdded != 1 || last.PagesChanged != 0 || last.PagesRemoved != 0 {
		t.Fatalf("one change is published more than once:\n%s", w.said())
	}
	return event
}

// wantUntouched fails the test if files of a set changed that are not of some names.
// Snapshots are of before and after.
func wantUntouched(t *testing.T, before, after map[string]string, names ...string) {
	t.Helper()
	for _, name := range missing(differences(before, after), names) {
		if _, found := before[name]; found {
			t.Errorf("%s was %s, and is %s", name, before[name], after[name])
		}
	}
}

// move renames a file or folder.
func move(t *testing.T, docroot, from, to string) {
	t.Helper()
	if err := os.Rename(filepath.Join(docroot, from), filepath.Join(docroot, to)); err != nil {
		t.Fatal(err)
	}
}

// remove removes what is at a path.
func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

// link makes a symbolic link, in place of one that may be there.
func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path+".new"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}
