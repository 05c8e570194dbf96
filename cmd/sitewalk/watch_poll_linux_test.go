package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// usesInotify reports whether a process has an inotify instance.
func (w *watched) usesInotify(t *testing.T) bool {
	t.Helper()
	fds := fmt.Sprintf("/proc/%d/fd", w.cmd.Process.Pid)
	for _, name := range glob(t, fds, "*") {
		if target, err := os.Readlink(filepath.Join(fds, name)); err == nil && strings.Contains(target, "inotify") {
			return true
		}
	}
	return false
}

func TestPollAlwaysWorksWithoutAnyWatch(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, "index.html", "a/b/page.html")
	w := watchSite(t, docroot, "watch: {settle: 50ms, poll: always, poll_interval: 100ms}\n")
	if w.ready.Mode != "poll" || w.ready.Directories != 3 || w.usesInotify(t) {
		t.Errorf("mode %s, %d folders, inotify %v", w.ready.Mode, w.ready.Directories, w.usesInotify(t))
	}
	if warning := warningOf(w.begun.Report, "unwatched"); warning.Code != "" {
		t.Errorf("what was asked for is warned of: %v", warning)
	}
	writePages(t, docroot, "a/new.html", "c/d/new.html")
	w.converges(t)
	setTime(t, filepath.Join(docroot, "a/b/page.html"), firstDate.AddDate(-1, 0, 0))
	w.converges(t)
	move(t, docroot, "a", "moved")
	w.converges(t)
	remove(t, filepath.Join(docroot, "moved"))
	w.converges(t)
	remove(t, filepath.Join(w.out, "sitemap.xml"))
	w.converges(t)
}

func TestPollNeverWatchesAndNothingElse(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, "index.html", "a/b/page.html")
	w := watchSite(t, docroot, "watch: {settle: 50ms, poll: never}\n")
	if w.ready.Mode != "inotify" || !w.usesInotify(t) {
		t.Errorf("mode %s, inotify %v", w.ready.Mode, w.usesInotify(t))
	}
	writePages(t, docroot, "a/new.html", "c/d/new.html")
	w.converges(t)
}
