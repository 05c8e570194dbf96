package main

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hugoNotes is how many pages the tests add to testdata/hugo, so that Hugo needs a
// while to build it.
const hugoNotes = 500

// A hugoSite is a site that real Hugo builds over and over while it is watched.
type hugoSite struct{ source, docroot string }

func newHugoSite(t *testing.T) *hugoSite {
	t.Helper()
	s := &hugoSite{filepath.Join(t.TempDir(), "source"), filepath.Join(publicDir(t), "public")}
	copyFolder(t, hugoSource, s.source)
	if err := os.Mkdir(s.notes(), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range hugoNotes {
		writeNote(t, s.notes(), i, "A note.")
	}
	return s
}

func (s *hugoSite) notes() string { return filepath.Join(s.source, "content", "notes") }

// build has Hugo build the site. Unless it is told otherwise, it writes a sitemap.xml
// over the watch's own.
func (s *hugoSite) build(t *testing.T, args ...string) {
	t.Helper()
	runHugo(t, s.source, s.docroot, []string{"HUGO_PAGINATION_PAGERSIZE=100"}, args...)
}

// removeAll removes the docroot, in which a watch may be publishing.
func (s *hugoSite) removeAll(t *testing.T) {
	t.Helper()
	until(t, "the docroot removed", func() bool { return os.RemoveAll(s.docroot) == nil })
}

// A setReader reads the set in a folder again and again, as crawlers do.
type setReader struct {
	stop  chan struct{}
	done  chan struct{}
	reads int
	err   error
}

// readOften has the set read until the reader is asked to end. With fewer pages than
// some it is torn.
func readOften(folder string, least int) *setReader {
	r := &setReader{stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(r.done)
		for r.err == nil {
			select {
			case <-r.stop:
				return
			case <-time.After(time.Millisecond):
			}
			r.reads++
			pages, err := countPages(folder)
			if r.err = err; err == nil && pages < least {
				r.err = fmt.Errorf("only %d pages are listed, fewer than %d", pages, least)
			}
		}
	}()
	return r
}

// end ends the reading, and fails the test if a set was broken.
func (r *setReader) end(t *testing.T, while string, w *watched) {
	t.Helper()
	close(r.stop)
	<-r.done
	if r.err != nil || r.reads < 10 {
		t.Errorf("%s: after %d reads: %v\n%s", while, r.reads, r.err, w.said())
	}
}

// countPages returns the number of pages in the set in a folder.
func countPages(folder string) (pages int, err error) {
	root, err := os.ReadFile(filepath.Join(folder, "sitemap.xml"))
	if err != nil {
		return 0, err
	}
	var index indexFile
	if err := xml.Unmarshal(root, &index); err != nil || index.XMLName.Local != "" && len(index.Sitemaps) == 0 {
		return 0, fmt.Errorf("the index is broken: %w, %q", err, root)
	}
	for _, entry := range index.Sitemaps {
		name := strings.TrimPrefix(entry.Loc, hugoBase)
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return 0, err
		}
		reader, err := gzip.NewReader(bytes.NewReader(content))
		if err == nil {
			content, err = io.ReadAll(reader)
		}
		var shard shardFile
		if err := errors.Join(err, xml.Unmarshal(content, &shard)); err != nil || len(shard.Pages) == 0 {
			return 0, fmt.Errorf("%s has %d pages: %w", name, len(shard.Pages), err)
		}
		pages += len(shard.Pages)
	}
	return pages, nil
}

// TestASiteThatHugoRebuildsIsNeverSeenBroken has two watches follow one docroot, one
// that publishes in it and one that does so elsewhere.
func TestASiteThatHugoRebuildsIsNeverSeenBroken(t *testing.T) {
	t.Parallel()
	program(t, "hugo")
	// Hugo pauses now and then, on a machine that has other work.
	const config = "watch: {settle: 500ms}\noutput: {max_urls: 100}\nrules: [{match: 'notes/**', section: notes}]\n"
	s := newHugoSite(t)
	note := func(number int) string { return filepath.Join(s.notes(), fmt.Sprintf("note-%02d.md", number)) }
	s.build(t, "--disableKinds", "sitemap")
	elsewhere := watchSite(t, s.docroot, config, "--base-url", hugoBase)
	inside := newWatched(t, s.docroot, config, "--base-url", hugoBase).insideDocroot()
	inside.start(t)
	inside.awaitReady(t)
	pages := int(elsewhere.begun.Pages)
	if pages < hugoNotes+40 || elsewhere.begun.Shards < 10 || int(inside.begun.Pages) != pages {
		t.Fatalf("the first publications are %+v and %+v", elsewhere.begun, inside.begun)
	}
	for _, step := range []struct {
		name  string
		keeps bool // what the watch wrote in the docroot
		pages int  // more than at first
		does  func()
	}{
		{"built again", true, 0, func() { s.build(t, "--disableKinds", "sitemap") }},
		{"a page edited, one added", true, 1, func() {
			writeNote(t, s.notes(), 17, "A note, with an afterthought.")
			writeNote(t, s.notes(), hugoNotes, "A note more.")
			s.build(t, "--disableKinds", "sitemap")
		}},
		{"one removed, and what is left over cleaned away", false, 0, func() {
			remove(t, note(3))
			s.build(t, "--cleanDestinationDir")
		}},
		{"one made a draft, and all built anew", false, -1, func() {
			writeFile(t, note(4), "---\ntitle: Later\ndraft: true\n---\nNot yet.\n")
			s.removeAll(t)
			s.build(t)
		}},
		{"built for another base, whose canonicals are of another style", false, -1, func() {
			s.build(t, "--baseURL", "https://staging.example/")
		}},
		{"emptied, and built as it was", false, -1, func() {
			for _, name := range glob(t, s.docroot, "*") {
				remove(t, filepath.Join(s.docroot, name))
			}
			s.build(t)
		}},
	} {
		readers := []*setReader{readOften(elsewhere.out, pages-1)}
		if step.keeps {
			readers = append(readers, readOften(inside.out, pages-1))
		}
		step.does()
		want := elsewhere.fresh(t, "--base-url", hugoBase)
		elsewhere.convergesTo(t, want)
		inside.convergesTo(t, want)
		for _, reader := range readers {
			reader.end(t, step.name, elsewhere)
		}
		if got, err := countPages(elsewhere.out); err != nil || got != pages+step.pages {
			t.Errorf("%s: %d pages are listed, not %d; %v", step.name, got, pages+step.pages, err)
		}
	}
	for name, w := range map[string]*watched{"elsewhere": elsewhere, "inside": inside} {
		if said := w.said(); strings.Contains(said, `"event":"error"`) {
			t.Errorf("the watch that publishes %s has told of an error:\n%s", name, said)
		}
	}
}
