package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// These tests take the docroot, or the output folder, from under the watch, and put
// another into its place.

// filled makes a folder with pages in the place of one that may be there.
func filled(t *testing.T, folder string, pages ...string) string {
	t.Helper()
	remove(t, folder)
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	writePages(t, folder, pages...)
	return folder
}

func TestADocrootThatWasRemovedAndMadeAgainIsWatchedAgain(t *testing.T) {
	t.Parallel()
	docroot := filled(t, filepath.Join(publicDir(t), "public"), "index.html", "a/page.html")
	w := watchSite(t, docroot, quick)
	for i := range 3 { // the folder may be given the old one's inode, or not
		filled(t, docroot, "index.html", fmt.Sprintf("a/new-%d.html", i))
		w.converges(t)
		writePages(t, docroot, "a/late.html", "b/late.html")
		w.converges(t)
	}
}

func TestWithoutADocrootTheOldSetStaysAndTheWatchWaits(t *testing.T) {
	t.Parallel()
	dir := publicDir(t)
	docroot := filled(t, filepath.Join(dir, "public"), "index.html", "a/page.html")
	w := watchSite(t, docroot, quick)
	before := snapshot(t, w.out)
	for range 2 {
		w.stopped(t, func() { remove(t, docroot) }) // lest it sees pages go one by one
		event, others := w.await(t, "waiting")
		if len(others) > 0 || !strings.Contains(event.Message, docroot) {
			t.Errorf("%q is told after %v", event.Message, others)
		}
		if after := snapshot(t, w.out); !maps.Equal(before, after) {
			t.Errorf("the old set was\n%v\nand is\n%v", before, after)
		}
		filled(t, docroot, "index.html", "new.html")
		w.await(t, "ready")
		w.converges(t)
		w.probe(t)
		before = snapshot(t, w.out)
	}
	// The folder above may go too.
	w.drain()
	move(t, filepath.Dir(dir), filepath.Base(dir), filepath.Base(dir)+".gone")
	w.await(t, "waiting")
	move(t, filepath.Dir(dir), filepath.Base(dir)+".gone", filepath.Base(dir))
	w.await(t, "ready")
	w.probe(t)
	w.converges(t)
}

func TestAWatchMayBeStartedBeforeItsDocrootIsThere(t *testing.T) {
	t.Parallel()
	docroot := filepath.Join(publicDir(t), "public")
	w := newWatched(t, docroot, quick, "--allow-root") // root cannot know whom to become
	w.start(t)
	w.await(t, "waiting")
	filled(t, docroot, "index.html")
	w.await(t, "ready")
	w.probe(t)
	w.converges(t)
}

func TestADocrootSwappedByRenameIsPublished(t *testing.T) {
	t.Parallel()
	dir := publicDir(t)
	docroot := filled(t, filepath.Join(dir, "public"), "index.html", "a/page.html")
	w := watchSite(t, docroot, quick)
	for i := range 3 {
		filled(t, filepath.Join(dir, "next"), "index.html", "a/page.html", fmt.Sprintf("b/new-%d.html", i))
		remove(t, filepath.Join(dir, "old"))
		move(t, dir, "public", "old")
		move(t, dir, "next", "public")
		w.converges(t)
		writePages(t, dir, "old/a/stray.html") // which is nothing to the watch
		writePages(t, docroot, "a/late.html", "b/late.html")
		w.converges(t)
	}
}

func TestADocrootSwappedByALinkIsPublished(t *testing.T) {
	t.Parallel()
	dir := publicDir(t)
	first := filled(t, filepath.Join(dir, "1"), "index.html", "a/first.html")
	second := filled(t, filepath.Join(dir, "2"), "index.html", "a/second.html")
	docroot := filepath.Join(dir, "current")
	link(t, "1", docroot)
	w := watchSite(t, docroot, quick)
	for i, release := range []string{second, first, second} {
		link(t, filepath.Base(release), docroot)
		w.converges(t)
		writePages(t, release, fmt.Sprintf("a/late-%d.html", i))
		w.converges(t)
	}
	// A link of a folder above the docroot counts too.
	above := filepath.Join(publicDir(t), "site")
	link(t, dir, above)
	other := publicDir(t)
	filled(t, filepath.Join(other, "1"), "index.html", "elsewhere.html")
	w = watchSite(t, filepath.Join(above, "1"), quick)
	link(t, other, above)
	w.converges(t)
	if !w.lists(t, "elsewhere.html") {
		t.Errorf("%q are listed", w.locs(t))
	}
	w.probe(t)
}

func TestAnEmptiedDocrootLeavesTheOldSet(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, "index.html", "a/page.html")
	w := watchSite(t, docroot, quick)
	before := snapshot(t, w.out)
	remove(t, filepath.Join(docroot, "a"))
	remove(t, filepath.Join(docroot, "index.html"))
	event, others := w.await(t, "error")
	if !strings.Contains(event.Message, "no page to list") {
		t.Errorf("the error is %q", event.Message)
	}
	for _, other := range others { // half way there
		before = nil
		if other.Event != "published" || other.Pages != 1 {
			t.Errorf("it tells of %v", other)
		}
	}
	writeFile(t, filepath.Join(docroot, "style.css"), "")
	if after := snapshot(t, w.out); before != nil && !maps.Equal(before, after) {
		t.Errorf("the old set was\n%v\nand is\n%v", before, after)
	}
	writePages(t, docroot, "index.html", "b/page.html")
	w.await(t, "published")
	w.converges(t)
	w.probe(t)
}

// TestAGeneratorAtWorkIsNotPublishedHalfWay removes most pages, and makes them again
// for longer than a site that has shrunk must be quiet.
func TestAGeneratorAtWorkIsNotPublishedHalfWay(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	pages := numbered("a", 90)
	writePages(t, docroot, pages...)
	// A site that has shrunk must be quiet for five times as long as others.
	w := watchSite(t, docroot, "watch: {settle: 500ms, max_delay: 30s}\n")
	watched := spyOn(t, docroot)
	w.stopped(t, func() {
		for _, page := range pages[30:] {
			remove(t, filepath.Join(docroot, page))
		}
	})
	until(t, "a look at what is left", func() bool { return len(watched.opened(t)) > 0 })
	for begun, i := time.Now(), 30; i < len(pages); time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > time.Duration(i-29)*60*time.Millisecond {
			writePage(t, docroot, pages[i], firstDate)
			i++
		}
		setTime(t, filepath.Join(docroot, pages[0]), firstDate) // something goes on all the time
	}
	before, last := w.probe(t)
	for _, event := range append(before, last) {
		if event.Event != "published" || event.Pages < 90 {
			t.Errorf("half way the watch told of %+v", event)
		}
	}
	w.converges(t)
}

func TestASiteThatHasShrunkForGoodIsPublished(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	pages := numbered("a", 90)
	writePages(t, docroot, pages...)
	w := watchSite(t, docroot, quick)
	for _, page := range pages[10:] {
		remove(t, filepath.Join(docroot, page))
	}
	w.converges(t)
}

// TestAnOutputFolderThatIsLostIsMadeAgainWithTheSet by the watch, or empty by somebody
// else. Either may have the old one's inode.
func TestAnOutputFolderThatIsLostIsMadeAgainWithTheSet(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, numbered("a", 60)...)
	w := watchSite(t, docroot, quick+"output: {max_urls: 20, gzip: none}\n")
	for i := range 4 {
		if i%2 == 0 { // which may be at work in it already
			until(t, "the output folder removed", func() bool { return os.RemoveAll(w.out) == nil })
			until(t, "another output folder", func() bool { _, err := os.Stat(w.out); return err == nil })
		} else {
			w.stopped(t, func() { filled(t, w.out) })
		}
		w.converges(t)
		remove(t, filepath.Join(w.out, "sitemap.xml"))
		w.converges(t)
	}
	w.probe(t)
}
