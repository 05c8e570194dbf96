package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"sitewalk/internal/indexnow/enginetest"
)

// TestAWatchSubmitsWhatItPublishes has a process watch a docroot, and an engine play the
// protocol.
func TestAWatchSubmitsWhatItPublishes(t *testing.T) {
	docroot := publicDir(t)
	site := httptest.NewServer(http.FileServerFS(os.DirFS(docroot)))
	defer site.Close()
	engine := new(enginetest.Engine)
	endpoint := httptest.NewServer(engine)
	defer endpoint.Close()
	const key = "0123456789abcdef"
	writeFile(t, filepath.Join(docroot, key+".txt"), key)
	writePages(t, docroot, "a.html", "b.html")
	w := newWatched(t, docroot, quick+fmt.Sprintf("submit: {auto: true, quiet: 1s, indexnow: {key: %s, endpoint: %s}}\n", key, endpoint.URL), "--base-url", site.URL)
	w.start(t)
	submitted := func() []string {
		for w.next(t).Event != "submitted" {
		}
		return sorted(engine.URLs())
	}
	if got := submitted(); !slices.Equal(got, []string{site.URL + "/a.html", site.URL + "/b.html"}) {
		t.Errorf("submitted %q", got)
	}
	// The engine hangs, and the set is published all the same.
	engine.Then(enginetest.Hang)
	writePages(t, docroot, "c.html")
	until(t, "the engine asked", func() bool { return engine.Requests() == 2 })
	writePages(t, docroot, "d.html")
	for {
		if event := w.next(t); event.Event == "published" && event.Pages == 4 {
			break
		}
	}
	start := time.Now()
	if code, _ := w.end(t, syscall.SIGTERM); code != 143 {
		t.Errorf("exit code %d\n%s", code, w.said())
	}
	if took := time.Since(start); took > 20*time.Second { // an answer is waited for longer
		t.Errorf("stopping took %v", took)
	}

	again := newWatched(t, docroot, "")
	again.cmd.Args = w.cmd.Args
	w = again
	w.start(t)
	if got := submitted(); !slices.Equal(got, []string{site.URL + "/c.html", site.URL + "/d.html"}) {
		t.Errorf("submitted %q", got)
	}
	w.end(t, syscall.SIGTERM)
}
