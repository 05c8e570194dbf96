package state

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
)

// explore asks a forged state for everything, and makes a new one of it. Nothing may
// panic, take long or be larger than it may be; and if all of it can be read, the new
// one says the same.
func explore(t *testing.T, path string) {
	r, err := Open(path, testSettings)
	if err != nil {
		return
	}
	defer r.Close()
	w := NewWriter(path, r, testSettings, testTime)
	w.weight, w.hasty = 3, true
	defer w.Discard()
	cursor := r.NewCursor()
	for i := range r.chapters {
		c := r.chapter(i)
		for j := range c.runs {
			run := &c.runs[j]
			_, _ = cursor.Lookup(run.dir, run.first)
			_, _ = cursor.Lookup(run.dir, run.last+"x")
			var b Batch
			b.Reset(run.dir)
			b.AddIdentity(run.first, Identity{})
			_ = r.Run(&b)
			_ = w.Keep(run)
		}
	}
	before, whole := contentsOf(t, r)
	if _, err := w.Commit(); err != nil {
		return
	}
	r, err = Open(path, testSettings)
	if err != nil {
		t.Fatalf("what was made of it: %v", err)
	}
	defer r.Close()
	if after, _ := contentsOf(t, r); whole && after != before {
		t.Fatalf("what was made of\n%s\nsays\n%s", before, after)
	}
}

// contentsOf returns all that a state says, as text, and whether all of it could be read.
func contentsOf(t *testing.T, r *Reader) (text string, whole bool) {
	t.Helper()
	var all strings.Builder
	whole = true
	for i := range r.chapters {
		c := r.chapter(i)
		whole = whole && len(c.runs) > 0
		for j := range c.runs {
			run := &c.runs[j]
			pages, ok := run.AppendPages(nil)
			if ok != (len(pages) == run.pages) {
				t.Fatalf("%d pages of %d, %v", len(pages), run.pages, ok)
			}
			whole = whole && ok
			fmt.Fprintf(&all, "%q %+v\n", run.lineText(), pages)
		}
	}
	return all.String(), whole
}

// fixHash makes the trailer fit the bytes before, if there is room for one.
func fixHash(content []byte) []byte {
	if int64(len(content)) < trailerSize {
		return content
	}
	start := int64(len(content)) - trailerSize
	offset := binary.LittleEndian.Uint64(content[start+int64(len(trailerStart)):])
	hash := xxhash.New()
	_, _ = hash.Write(content[:start])
	return appendTrailer(bytes.Clone(content[:start]), int64(offset), hash)
}

func FuzzOpen(f *testing.F) {
	path := filepath.Join(f.TempDir(), "seed")
	for _, s := range []site{{}, numbered(1, 1), numbered(4, 3), {"a": {Facts: "f", Racy: true}}} {
		os.Remove(path)
		w := NewWriter(path, nil, testSettings, testTime)
		w.weight, w.hasty = 4, true
		var b Batch
		for _, batch := range s.batches(2) {
			b.Reset(batch.dir)
			for _, name := range batch.names {
				page := s[join(batch.dir, name)]
				b.Add(name, &page)
			}
			if err := w.Append(&b); err != nil {
				f.Fatal(err)
			}
		}
		if _, err := w.Commit(); err != nil {
			f.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Add([]byte("no state"))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := statePath(t)
		write(t, path, fixHash(content))
		explore(t, path)
	})
}

func FuzzForgedText(f *testing.F) {
	runs := "/\t1\t0000000000000001\tp\ta\n/d\t2\t0000000000000000\t\ta\tb\n"
	pages := "a\t1\t2\t3\t4\na\t1\t2\t3\t4\tr\nb\t1\t2\t3\t4\t\t\t\t5\tf\n"
	f.Add(runs, pages, "", uint16(3))
	f.Add(runs, pages, "", uint16(4))
	f.Add(runs, pages[1:], "", uint16(3))
	f.Add(runs, "b"+pages[1:], "", uint16(3))
	f.Add(runs, "\n\n\n", "", uint16(3))
	f.Add(runs, pages, "//0\t1152921504606846976\t20\t1152921504606846976\t1\t1\t\ta\n", uint16(0))
	f.Add(runs, pages, "//0\t40\t40\t18000000\t18000000\t9000\t\ta\n", uint16(0))
	f.Add(runs, "%\t1\t2\t3\t4\n%\t1\t2\t3\t4\n%\t1\t2\t3\t4\n", "", uint16(3))
	f.Fuzz(func(t *testing.T, runs, pages, index string, count uint16) {
		path := statePath(t)
		d, err := newDraft(path, &header{settings: testSettings, saved: testTime})
		if err != nil {
			t.Fatal(err)
		}
		defer d.discard()
		d.hasty = true
		entry := indexEntry{offset: d.offset, count: int(count), first: "a"}
		if entry.runs, err = d.writeMember([]byte(runs)); err != nil {
			t.Fatal(err)
		}
		if entry.pages, err = d.writeMember([]byte(pages)); err != nil {
			t.Fatal(err)
		}
		if index == "" {
			index = string(appendIndexEntry(nil, &entry))
		}
		if err := d.finish([]byte(index)); err != nil {
			t.Fatal(err)
		}
		if err := d.publish(); err != nil {
			t.Fatal(err)
		}
		explore(t, path)
	})
}
