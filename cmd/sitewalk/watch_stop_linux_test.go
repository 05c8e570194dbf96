package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stops are the signals that end a watch, with the exit codes that tell of them.
var stops = map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143}

func TestASignalEndsAWatchThatHasNothingToDo(t *testing.T) {
	t.Parallel()
	for signal, want := range stops {
		docroot := publicDir(t)
		writePages(t, docroot, numbered("a", 60)...)
		w := watchSite(t, docroot, quick+"output: {max_urls: 20}\n")
		w.probe(t)
		before := snapshot(t, w.out)
		code, events := w.end(t, signal)
		if code != want || len(events) > 0 || w.stderr.String() != "sitewalk: stopped\n" {
			t.Errorf("%v: exit code %d, events %v, and standard error has %q", signal, code, events, w.stderr.String())
		}
		if after := snapshot(t, w.out); !maps.Equal(before, after) {
			t.Errorf("%v: the set was\n%v\nand is\n%v", signal, before, after)
		}
	}
}

func TestASignalEndsAWatchWithoutADocroot(t *testing.T) {
	t.Parallel()
	docroot := filled(t, filepath.Join(publicDir(t), "public"), "index.html")
	w := watchSite(t, docroot, quick)
	remove(t, docroot)
	w.await(t, "waiting")
	if code, events := w.end(t, syscall.SIGTERM); code != 143 || len(events) > 0 {
		t.Errorf("exit code %d, events %v", code, events)
	}
}

// TestASignalInTheMiddleOfAPublicationLeavesAWholeSet stops the process as soon as
// there is a temporary file, and sends the signal if it is still there.
func TestASignalInTheMiddleOfAPublicationLeavesAWholeSet(t *testing.T) {
	t.Parallel()
	for signal, want := range stops {
		docroot := publicDir(t)
		pages := numbered("a", 400)
		writePages(t, docroot, pages...)
		w := watchSite(t, docroot, quick+"output: {max_urls: 20, gzip: none}\n")
		caught := false
		for edit := 1; !caught; edit++ {
			if edit > 50 {
				t.Fatal("the process was never caught in the middle of a publication")
			}
			for _, page := range pages {
				setTime(t, filepath.Join(docroot, page), firstDate.AddDate(0, 0, edit))
			}
			until(t, "a temporary file or an event", func() bool { return len(temps(t, w.out)) > 0 || len(w.events) > 0 })
			w.stopped(t, func() {
				if caught = len(temps(t, w.out)) > 0; caught {
					w.signal(t, signal)
				}
			})
			if !caught {
				w.converges(t)
				w.drain()
			}
		}
		code, _ := w.ending(t)
		if code != want || w.stderr.String() != "sitewalk: stopped\n" {
			t.Errorf("%v: exit code %d, and standard error has %q", signal, code, w.stderr.String())
		}
		if left := temps(t, w.out); len(left) > 0 {
			t.Errorf("%v: %q are left", signal, left)
		}
		if listed := w.locs(t); !slices.Equal(listed, pages) {
			t.Errorf("%v: %d pages are listed, not %d", signal, len(listed), len(pages))
		}
		done := execute(t, "build", "-c", w.config, "--docroot", docroot, "--out", w.out)
		if done.code != exitDone {
			t.Fatalf("%v: the build that follows ends with %d: %s", signal, done.code, done.stderr)
		}
		w.converges(t)
	}
}

// TestAStoppedWatchLeavesAStateThatKnowsAllPages moves pages into the docroot that
// are old enough to be known by their inodes' times, and has them built again.
func TestAStoppedWatchLeavesAStateThatKnowsAllPages(t *testing.T) {
	t.Parallel()
	dir := publicDir(t)
	docroot := filled(t, filepath.Join(dir, "public"), "index.html")
	writePages(t, dir, numbered("next", 20)...)
	made := time.Now()
	w := watchSite(t, docroot, quick, "--state", filepath.Join(dir, "state"))
	until(t, "the pages three seconds old", func() bool { return time.Since(made) > 3*time.Second })
	move(t, dir, "next", "public/next")
	w.await(t, "published")
	w.converges(t)
	if code, _ := w.end(t, syscall.SIGTERM); code != 143 {
		t.Errorf("exit code %d", code)
	}
	watched := spyOn(t, filepath.Join(docroot, "next/00"))
	report := buildReading(t, "-c", w.config, "--docroot", docroot, "--out", w.out, "--state", filepath.Join(dir, "state"))
	if report.Event != "unchanged" || report.Pages != 21 {
		t.Errorf("the build that follows is %+v", report)
	}
	opened := watched.opened(t)
	if read := slices.DeleteFunc(slices.Clone(opened), func(path string) bool { return !strings.HasSuffix(path, ".html") }); len(opened) == 0 || len(read) > 0 {
		t.Errorf("of %q opened, %q are pages that the state should know", opened, read)
	}
}

const otherBase = "https://other.example.com/"

// publishesFor waits until the set is one of a base URL.
func (w *watched) publishesFor(t *testing.T, base string) {
	t.Helper()
	until(t, "a set of "+base, func() bool { return strings.Contains(readFile(t, filepath.Join(w.out, "sitemap.xml")), "<loc>"+base) })
	w.converges(t)
}

func TestAChangedConfigurationIsTakenAtTheNextLooksOrOnSIGHUP(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, "index.html", "a/page.html")
	w := watchSite(t, docroot, quick)
	writeFile(t, w.config, "base_url: "+otherBase+"\n"+quick)
	w.publishesFor(t, otherBase)
	w.await(t, "ready")
	w.stopped(t, func() { // lest a look finds it first
		writeFile(t, w.config, "base_url: "+exampleBase+"\n"+quick+"exclude: ['a/**']\n")
		w.signal(t, syscall.SIGHUP)
	})
	w.publishesFor(t, exampleBase)
	if want := []string{""}; !slices.Equal(w.locs(t), want) {
		t.Errorf("%q are listed, not %q", w.locs(t), want)
	}
	w.await(t, "ready")
	w.probe(t)
	w.signal(t, syscall.SIGHUP) // nothing has changed
	if event := w.next(t); event.Event != "unchanged" {
		t.Errorf("a look at everything is told as %v", event)
	}
	w.await(t, "ready")
	w.probe(t)
	if code, _ := w.end(t, syscall.SIGTERM); code != 143 {
		t.Errorf("exit code %d", code)
	}
}

func TestAMistakeInTheConfigurationLeavesTheOldOneUntilItIsMended(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, "index.html")
	w := watchSite(t, docroot, quick)
	for i, broken := range []string{"base_url: [", "base_url: ftp://x/\n", "base_ulr: " + otherBase + "\n"} {
		before := snapshot(t, w.out)
		if i == 0 { // which is found by looks alone
			writeFile(t, w.config, broken)
		} else {
			w.stopped(t, func() { // lest a look finds it first
				writeFile(t, w.config, broken)
				w.signal(t, syscall.SIGHUP)
			})
		}
		event := w.next(t)
		if event.Event != "error" || event.Code != exitUsage || !strings.Contains(event.Message, w.config) {
			t.Errorf("%q is told as %+v", broken, event)
		}
		if after := snapshot(t, w.out); !maps.Equal(before, after) {
			t.Errorf("the set was\n%v\nand is\n%v", before, after)
		}
		if events, _ := w.probe(t); len(events) > 0 {
			t.Errorf("then it tells of %v", events)
		}
	}
	writeFile(t, w.config, "base_url: "+otherBase+"\n"+quick)
	w.publishesFor(t, otherBase)
	w.await(t, "ready")
	writePages(t, docroot, "late.html")
	w.converges(t)
}

// TestBuildsBesideAWatchSucceed runs them while the watch publishes, one of them in
// the middle of its own publication.
func TestBuildsBesideAWatchSucceed(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	pages := numbered("a", 200)
	writePages(t, docroot, pages...)
	w := newWatched(t, docroot, "watch: {settle: 1ms}\noutput: {max_urls: 40}\n").insideDocroot()
	w.start(t)
	w.awaitReady(t)
	for i := range 12 {
		writePage(t, docroot, pages[i*7], firstDate.AddDate(1, 0, i))
		cmd := newCommand("build", "--quiet", "-c", w.config, "--docroot", docroot, "--out", docroot)
		said := strings.Builder{}
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		writePages(t, docroot, fmt.Sprintf("b/new-%d.html", i))
		if code := wait(t, cmd); code != exitDone {
			t.Errorf("a build ends with %d: %s", code, said.String())
		}
	}
	w.converges(t)
	events, _ := w.probe(t)
	for _, event := range events {
		if event.Event != "published" {
			t.Errorf("beside the builds the watch told of %+v", event)
		}
	}
	w.converges(t)
}

func TestAServerOnThisMachineIsWarnedOfAndWatchedLikeAnyOther(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"http://localhost:1313/", "http://127.0.0.1:8080/docs/"} {
		docroot := publicDir(t)
		writePages(t, docroot, "index.html", "a/page.html")
		w := watchSite(t, docroot, quick, "--base-url", base)
		if len(w.begun.Warnings) != 1 || w.begun.Warnings[0].Code != "base-url-local" {
			t.Errorf("%s is warned of as %q", base, w.begun.Warnings)
		}
		w.converges(t, "--base-url", base)
		writePages(t, docroot, "b/new.html")
		event, others := w.await(t, "published")
		if len(others) > 0 || event.Pages != 3 || len(event.Warnings) > 0 {
			t.Errorf("a new page is told of as %+v, after %v", event, others)
		}
		w.converges(t, "--base-url", base)
	}
	docroot := publicDir(t)
	writePages(t, docroot, "index.html")
	if w := watchSite(t, docroot, quick); len(w.begun.Warnings) > 0 {
		t.Errorf("%s is warned of as %q", exampleBase, w.begun.Warnings)
	}
}

func TestPeopleReadALineForEachPublication(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, "index.html", "a/page.html")
	w := newWatched(t, docroot, quick)
	w.cmd.Args = slices.DeleteFunc(w.cmd.Args, func(arg string) bool { return arg == "--json" })
	w.start(t)
	reads := func(pattern string) {
		t.Helper()
		if line := w.next(t).Message; !regexp.MustCompile("^" + pattern + "$").MatchString(line) {
			t.Errorf("%q does not match %q", line, pattern)
		}
	}
	const clock, took = `\d\d:\d\d:\d\d `, `, in \d+\.\d\d s`
	reads(`sitemap\.xml: 2 pages in 1 shard, 1 file written, 0 shards unchanged` + took)
	reads(`watching 2 folders \(inotify\); stop with Ctrl-C`)
	placePage(t, docroot, "new.html", firstDate)
	reads(clock + `sitemap\.xml: 1 page added; 3 pages in 1 shard` + took)
	setTime(t, filepath.Join(docroot, "new.html"), firstDate.AddDate(1, 0, 0))
	reads(clock + `sitemap\.xml: 1 page changed; 3 pages in 1 shard` + took)
	remove(t, filepath.Join(docroot, "new.html"))
	reads(clock + `sitemap\.xml: 1 page removed; 2 pages in 1 shard` + took)
	remove(t, filepath.Join(w.out, "sitemap.xml"))
	reads(clock + `sitemap\.xml: no page changed; 2 pages in 1 shard` + took)
	w.stopped(t, func() { // lest a look finds it first
		writeFile(t, w.config, "base_url: "+otherBase+"\n"+quick)
		w.signal(t, syscall.SIGHUP)
	})
	reads(clock + `configuration reloaded`)
	reads(`sitemap\.xml: 2 pages in 1 shard, 1 file written, 0 shards unchanged` + took)
	reads(`watching 2 folders \(inotify\); stop with Ctrl-C`)
	remove(t, docroot)
	until(t, "a word of the docroot that is gone", func() bool { return strings.Contains(w.said(), "sitewalk: the docroot is not there") })
	if err := os.Mkdir(docroot, 0o755); err != nil { // which the test removes
		t.Fatal(err)
	}
	code, events := w.end(t, os.Interrupt.(syscall.Signal))
	if code != 130 || !strings.HasSuffix(w.stderr.String(), "\nsitewalk: stopped\n") {
		t.Errorf("exit code %d, and standard error has %q after %v", code, w.stderr.String(), events)
	}
}
