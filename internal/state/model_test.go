package state

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func drawPath(t *rapid.T) string {
	dirs := []string{"", "a", "a/b", "a-b", "b", "b/a\tb", "c%/\xff", "d"}
	names := []string{"0", "a", "a.html", "b", "b.html", "index.html", "new\nline", "%41", "\xfc.html", "z"}
	return join(rapid.SampledFrom(dirs).Draw(t, "dir"), rapid.SampledFrom(names).Draw(t, "name"))
}

func TestStateIsWhatTheLastWalkSaw(t *testing.T) {
	base := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		folder, err := os.MkdirTemp(base, "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(folder)
		m := &model{
			path: filepath.Join(folder, "s"), now: site{}, then: site{},
			weight: rapid.IntRange(1, 20).Draw(t, "weight"), size: rapid.IntRange(1, 5).Draw(t, "batch size"),
		}
		for range rapid.IntRange(1, 6).Draw(t, "rounds") {
			m.change(t)
			m.walk(t)
			m.compare(t)
		}
	})
}

// model is a docroot now, and as the state should remember it from then.
type model struct {
	path         string
	now, then    site
	thenBatches  []batch
	saved        bool
	weight, size int
}

func (m *model) change(t *rapid.T) {
	for range rapid.IntRange(0, 12).Draw(t, "changes") {
		path := drawPath(t)
		switch {
		case rapid.IntRange(0, 2).Draw(t, "remove") == 0:
			delete(m.now, path)
		default:
			m.now[path] = drawPage(t)
		}
	}
	if rapid.IntRange(0, 9).Draw(t, "clear") == 0 {
		clear(m.now)
	}
}

// walk makes the state of now, and checks all answers on the way. Pages that
// are as they were keep what is remembered, as they would for a caller.
func (m *model) walk(t *rapid.T) {
	old := open(t, m.path)
	defer old.Close()
	w := NewWriter(m.path, old, testSettings, testTime)
	w.weight, w.hasty = m.weight, true
	defer w.Discard()
	cursor := old.NewCursor()
	var b Batch
	batches := m.now.batches(m.size)
	for _, batch := range batches {
		b.Reset(batch.dir)
		for _, name := range batch.names {
			b.AddIdentity(name, m.now[join(batch.dir, name)].Identity)
		}
		run := old.Run(&b)
		if want := m.isSame(batch); (run != nil) != want {
			t.Fatalf("%q: matches is %v, want %v", batch, run != nil, want)
		}
		if run != nil {
			m.check(t, batch, run)
			if err := w.Keep(run); err != nil {
				t.Fatal(err)
			}
			continue
		}
		for _, name := range batch.names {
			path := join(batch.dir, name)
			page, ok := cursor.Lookup(batch.dir, name)
			if want, known := m.then[path]; ok != known || page != want {
				t.Fatalf("%q: got %+v, %v, want %+v, %v", path, page, ok, want, known)
			}
			if ok && !page.Racy && page.Identity == m.now[path].Identity {
				m.now[path] = page
			}
			page = m.now[path]
			b.Add(name, &page)
		}
		if err := w.Append(&b); err != nil {
			t.Fatal(err)
		}
	}
	written, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	same := m.saved && maps.Equal(m.now, m.then) && slices.EqualFunc(batches, m.thenBatches, func(a, b batch) bool {
		return a.dir == b.dir && slices.Equal(a.names, b.names)
	})
	if written == same {
		t.Fatalf("written is %v", written)
	}
	if err := old.Err(); err != nil {
		t.Fatal(err)
	}
	m.then, m.thenBatches, m.saved = maps.Clone(m.now), batches, true
}

// isSame reports whether a batch is one of the last walk's, unchanged.
func (m *model) isSame(now batch) bool {
	return slices.ContainsFunc(m.thenBatches, func(then batch) bool {
		return then.dir == now.dir && slices.Equal(then.names, now.names)
	}) && !slices.ContainsFunc(now.names, func(name string) bool {
		then := m.then[join(now.dir, name)]
		return then.Racy || then.Identity != m.now[join(now.dir, name)].Identity
	})
}

func (m *model) check(t *rapid.T, batch batch, run *Run) {
	pages, ok := run.AppendPages([]Page{{Facts: "before"}})
	if !ok || len(pages) != 1+len(batch.names) || pages[0].Facts != "before" {
		t.Fatalf("%q: got %v, %v", batch, pages, ok)
	}
	plain, datedByFile := true, true
	for i, name := range batch.names {
		path := join(batch.dir, name)
		if pages[i+1] != m.then[path] {
			t.Fatalf("%q: got %+v, want %+v", path, pages[i+1], m.then[path])
		}
		m.now[path] = pages[i+1]
		plain = plain && pages[i+1].isPlain()
		datedByFile = datedByFile && pages[i+1].isDatedByFile()
	}
	if run.Plain() != plain || run.DatedByFile() != datedByFile {
		t.Fatalf("%q: plain is %v, dated by files %v", batch, run.Plain(), run.DatedByFile())
	}
}

// compare looks at the state from outside.
func (m *model) compare(t *rapid.T) {
	if got := load(t, m.path); !maps.Equal(got, m.then) {
		t.Fatalf("got %v\nwant %v", got, m.then)
	}
	r := open(t, m.path)
	defer r.Close()
	for i := range r.chapters {
		if entry := &r.chapters[i]; i+1 < len(r.chapters) && entry.weight() < m.weight/4 || entry.count == 0 {
			t.Fatalf("chapter %d of %d has a weight of %d", i, len(r.chapters), entry.weight())
		}
	}
	cursor := r.NewCursor()
	for range 20 { // in any order
		path := drawPath(t)
		dir, name := filepath.ToSlash(filepath.Dir(path)), filepath.Base(path)
		if dir == "." {
			dir = ""
		}
		page, ok := cursor.Lookup(dir, name)
		if want, known := m.then[path]; ok != known || page != want {
			t.Fatalf("%q: got %+v, %v, want %+v, %v", path, page, ok, want, known)
		}
	}
	if names, err := os.ReadDir(filepath.Dir(m.path)); err != nil || len(names) != 1 {
		t.Fatal(fmt.Sprint(names), err)
	}
}
