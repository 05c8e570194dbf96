package state

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// site is a docroot as a map: what is known of each page, by path.
type site map[string]Page

// batch is a run of pages in one folder.
type batch struct {
	dir   string
	names []string
}

// batches returns the site in the order of the walk, in batches of at most size.
func (s site) batches(size int) []batch {
	var paths [][]string
	for path := range s {
		paths = append(paths, strings.Split(path, "/"))
	}
	slices.SortFunc(paths, slices.Compare)
	var all []batch
	for _, path := range paths {
		dir, name := strings.Join(path[:len(path)-1], "/"), path[len(path)-1]
		if n := len(all); n > 0 && all[n-1].dir == dir && len(all[n-1].names) < size {
			all[n-1].names = append(all[n-1].names, name)
		} else {
			all = append(all, batch{dir, []string{name}})
		}
	}
	return all
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

const testSettings = 0x5e77

var testTime = time.Unix(1732196343, 0)

// open opens a state; one that is not there is nil.
func open(t failer, path string) *Reader {
	t.Helper()
	r, err := Open(path, testSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
	return r
}

// failer is what testing.T and rapid.T have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// save walks the site as a caller would, with chapters of the given weight,
// and reports whether anything was written.
func (s site) save(t failer, path string, size, weight int) bool {
	t.Helper()
	old := open(t, path)
	defer old.Close()
	w := NewWriter(path, old, testSettings, testTime)
	w.weight, w.hasty = weight, true
	defer w.Discard()
	cursor := old.NewCursor()
	var b Batch
	for _, batch := range s.batches(size) {
		b.Reset(batch.dir)
		for _, name := range batch.names {
			b.AddIdentity(name, s[join(batch.dir, name)].Identity)
		}
		if run := old.Run(&b); run != nil {
			if err := w.Keep(run); err != nil {
				t.Fatalf("keep %v: %v", batch, err)
			}
			continue
		}
		for _, name := range batch.names {
			cursor.Lookup(batch.dir, name)
			page := s[join(batch.dir, name)]
			b.Add(name, &page)
		}
		if err := w.Append(&b); err != nil {
			t.Fatalf("append %v: %v", batch, err)
		}
	}
	written, err := w.Commit()
	if err != nil {
		t.Fatalf("%v", err)
	}
	if err := old.Err(); err != nil {
		t.Fatalf("%v", err)
	}
	return written
}

// load returns what a state remembers.
func load(t failer, path string) site {
	t.Helper()
	r := open(t, path)
	defer r.Close()
	s := site{}
	for i := range r.chapters {
		for j := range r.chapter(i).runs {
			run := &r.chapter(i).runs[j]
			pages, ok := run.AppendPages(nil)
			if !ok {
				t.Fatalf("%v", r.Err())
			}
			for k, page := range pages {
				name, err := pageName(run.chapter.pageLine(run.start + k))
				if err != nil {
					t.Fatalf("%v", err)
				}
				page.Facts = strings.Clone(page.Facts)
				s[join(run.dir, name)] = page
			}
		}
	}
	if err := r.Err(); err != nil {
		t.Fatalf("%v", err)
	}
	return s
}

// statePath returns a place for a state.
func statePath(t testing.TB) string { return filepath.Join(t.TempDir(), "site.state") }
