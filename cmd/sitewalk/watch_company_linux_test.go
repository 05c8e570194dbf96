package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// These tests look at what a watch says and does where others are at work beside it.

func TestWhatASwapOfTheDocrootChangesIsCounted(t *testing.T) {
	t.Parallel()
	dir := publicDir(t)
	filled(t, filepath.Join(dir, "1"), "a.html", "b.html", "c.html")
	filled(t, filepath.Join(dir, "2"), "a.html", "b.html")
	writePage(t, filepath.Join(dir, "2"), "d.html", firstDate)
	writePage(t, filepath.Join(dir, "2"), "e/f.html", firstDate)
	writePage(t, filepath.Join(dir, "2"), "b.html", firstDate.Add(-time.Hour))
	docroot := filepath.Join(dir, "current")
	link(t, "1", docroot)
	w := watchSite(t, docroot, quick)
	link(t, "2", docroot)
	event, _ := w.await(t, "published")
	if event.Pages != 4 || event.PagesAdded != 2 || event.PagesChanged != 1 || event.PagesRemoved != 1 {
		t.Errorf("the swap is told of as\n%s", w.said())
	}
	w.converges(t)
}

func TestRootWaitsForADocrootThatIsNotThereYetAndBecomesItsOwner(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can become another user")
	}
	dir := publicDir(t)
	docroot := filepath.Join(dir, "public")
	made := filled(t, filepath.Join(dir, "made"), "index.html")
	for _, path := range []string{made, filepath.Join(made, "index.html")} {
		if err := os.Chown(path, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	// A configuration file would have to be the owner's to read.
	w := &watched{docroot: docroot, out: docroot, cmd: newCommand("watch", "--json", "--no-state", "--docroot", docroot, "--base-url", exampleBase)}
	w.start(t)
	if event := w.next(t); event.Event != "waiting" || !strings.Contains(event.Message, docroot) {
		t.Fatalf("not waiting:\n%s", w.said())
	}
	move(t, dir, "made", "public")
	w.await(t, "ready")
	info, err := os.Stat(filepath.Join(docroot, "sitemap.xml"))
	if err != nil || info.Sys().(*syscall.Stat_t).Uid != 65534 {
		t.Errorf("the set is %v, %v", info, err)
	}
	if uids := w.status(t, "Uid"); strings.HasPrefix(uids, "0") {
		t.Errorf("it runs as %q", uids)
	}
}

func TestWatchesThatDisagreeAreToldOfAndSlowDown(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, "index.html", "a.html")
	var both [2]*watched
	for i := range both {
		w := newWatched(t, docroot, quick).insideDocroot()
		w.cmd.Args = append(w.cmd.Args, "--base-url", fmt.Sprintf("https://%d.example/", i))
		w.start(t)
		both[i] = w
	}
	contested := func(w *watched) bool { return strings.Contains(w.said(), `"code":"contested"`) }
	until(t, "a warning", func() bool { return contested(both[0]) || contested(both[1]) })
	for _, w := range both {
		published := strings.Count(w.said(), `"event":"published"`)
		if published > 30 {
			t.Errorf("%d publications before it is told:\n%s", published, w.said())
		}
	}
	// When one has gone the other has its way.
	if code, _ := both[0].end(t, syscall.SIGTERM); code != 143 {
		t.Errorf("exit code %d", code)
	}
	until(t, "the other's set", func() bool {
		content, err := os.ReadFile(filepath.Join(docroot, "sitemap.xml"))
		return err == nil && strings.Contains(string(content), "https://1.example/")
	})
}

func TestALogDoesNotPutOffPages(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, "index.html")
	log, err := os.Create(filepath.Join(docroot, "access.log"))
	if err != nil {
		t.Fatal(err)
	}
	w := watchSite(t, docroot, "watch: {settle: 100ms, max_delay: 1h}\n")
	done, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
				_, _ = log.WriteString("a line\n")
			}
		}
	}()
	w.probe(t)
	w.probe(t)
	close(done)
	<-ended
	log.Close()
}

func TestAnotherModeIsTold(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, "index.html")
	w := newWatched(t, docroot, "watch: {settle: 50ms, poll_interval: 100ms}\n")
	w.limited(t, "max_inotify_watches", 8)
	w.start(t)
	w.awaitReady(t)
	if w.ready.Mode != "inotify" {
		t.Fatalf("the mode is %s at first", w.ready.Mode)
	}
	for i := range 10 {
		writePages(t, docroot, fmt.Sprintf("folder-%d/index.html", i))
	}
	event, before := w.await(t, "ready")
	if event.Mode != "mixed" {
		t.Errorf("the mode is %s", event.Mode)
	}
	warned := false
	for _, e := range before {
		warned = warned || warningOf(e.Report, "watches-short").Code != ""
	}
	if !warned {
		t.Errorf("no warning:\n%s", w.said())
	}
	w.converges(t)
}

func TestWhatFallsOutLaterIsToldToWhoAsks(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, "index.html", "thanks.html")
	w := watchSite(t, docroot, quick, "-v")
	writeFile(t, filepath.Join(docroot, "thanks.html"), `<meta name="robots" content="noindex">`)
	until(t, "the reason", func() bool { return strings.Contains(w.said(), "left out: thanks.html (noindex)") })
}

// A reload begins anew, and must not take a site for whole that has only begun to be
// built.
func TestAReloadWhileAGeneratorIsAtWorkPublishesNothingByHalves(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	const pages = 60
	build := func(pause time.Duration) {
		for i := range pages {
			writePage(t, docroot, fmt.Sprintf("page-%02d.html", i), firstDate.Add(pause))
			time.Sleep(pause)
		}
	}
	build(0)
	// However long a loaded machine holds up the generator, it must not seem to have ended.
	w := watchSite(t, docroot, "watch: {settle: 500ms}\n")
	w.stopped(t, func() {
		for i := range pages {
			remove(t, filepath.Join(docroot, fmt.Sprintf("page-%02d.html", i)))
		}
	})
	built := make(chan bool)
	go func() {
		defer close(built)
		build(10 * time.Millisecond)
	}()
	until(t, "half of the site", func() bool {
		_, err := os.Stat(filepath.Join(docroot, "page-20.html"))
		return err == nil
	})
	w.signal(t, syscall.SIGHUP)
	<-built
	w.converges(t)
	_, events := w.end(t, syscall.SIGTERM)
	for _, e := range events {
		if (e.Event == "published" || e.Event == "unchanged") && e.Pages != pages {
			t.Errorf("%d pages are published:\n%s", e.Pages, w.said())
		}
	}
}

func TestAnOutputFolderThatALinkLeadsToIsFollowed(t *testing.T) {
	t.Parallel()
	docroot, dir := publicDir(t), publicDir(t)
	writePages(t, docroot, "index.html", "blog/a.html")
	for _, name := range []string{"a", "b"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "out")
	link(t, "a", out)
	w := newWatched(t, docroot, quick+"rules: [{match: 'blog/**', section: blog}]\n")
	w.cmd.Args = append(w.cmd.Args, "--out", out)
	w.out = out
	w.start(t)
	w.awaitReady(t)
	w.converges(t)
	link(t, "b", out)
	writePages(t, docroot, "blog/b.html")
	w.converges(t) // with all shards, also those that did not change
}

func TestACommitIsFollowed(t *testing.T) {
	t.Parallel()
	git := program(t, "git")
	docroot := publicDir(t)
	run := func(args ...string) {
		t.Helper()
		cmd := newCommand()
		cmd.Path, cmd.Args, cmd.Dir = git, append([]string{"git", "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...), docroot
		cmd.Env = append(cmd.Env, "GIT_COMMITTER_DATE=2024-05-06T07:08:09Z", "GIT_AUTHOR_DATE=2024-05-06T07:08:09Z")
		if done := finish(t, cmd); done.code != 0 {
			t.Fatalf("git %q: %s", args, done.stderr)
		}
	}
	run("init", "-q")
	writePages(t, docroot, "index.html", "a.html")
	run("add", ".")
	run("commit", "-qm", "first")
	w := watchSite(t, docroot, quick+"lastmod: [git]\n")
	writeFile(t, filepath.Join(docroot, "a.html"), "edited")
	dates := func() int { return strings.Count(fmt.Sprint(setBytes(t, w.out)), "<lastmod>2024-05-06") }
	until(t, "a page without a date", func() bool { return dates() == 1 })
	w.converges(t)
	run("commit", "-qam", "second") // which changes nothing in the docroot's own files
	until(t, "its date", func() bool { return dates() == 2 })
	w.converges(t)
}

func TestASwapOfTheDocrootLeavesShardsThatStayTheSame(t *testing.T) {
	t.Parallel()
	dir := publicDir(t)
	for _, release := range []string{"1", "2"} {
		filled(t, filepath.Join(dir, release), "index.html", "blog/a.html", "blog/b.html")
	}
	writePages(t, filepath.Join(dir, "2"), "new.html")
	docroot := filepath.Join(dir, "current")
	link(t, "1", docroot)
	w := watchSite(t, docroot, quick+"rules: [{match: 'blog/**', section: blog}]\n")
	before := snapshot(t, w.out)
	link(t, "2", docroot)
	event, _ := w.await(t, "published")
	if event.PagesAdded != 1 || event.Unchanged != 1 {
		t.Errorf("the swap is told of as\n%s", w.said())
	}
	wantUntouched(t, before, snapshot(t, w.out), "sitemap.xml", "sitemap-pages.xml.gz")
	w.converges(t)
}
