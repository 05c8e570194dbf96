package state

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// benchmarkPages is the number of pages in the benchmarks' docroots.
const benchmarkPages = 1_000_000

// docroot is a large docroot: folders of so many pages each.
type docroot struct {
	dirs  []string
	names []string // in each folder
	facts string
}

func newDocroot(pages, each int) *docroot {
	d := new(docroot)
	for i := range pages / each {
		d.dirs = append(d.dirs, fmt.Sprintf("blog/2024/%04d/some-article-%05d", i/1000, i))
	}
	if each == 1 {
		d.names = []string{"index.html"}
		return d
	}
	for i := range each {
		d.names = append(d.names, fmt.Sprintf("page-%04d.html", i))
	}
	return d
}

// identity returns the identity of a page that a build wrote: a few hundred
// microseconds after the one before, and changed a few after it was modified.
func (d *docroot) identity(folder, page int) Identity {
	n := int64(folder*len(d.names) + page)
	noise := (n*2654435761 + 12345) % 99991
	modified := 1732196343_000000000 + n*200_000 + noise
	return Identity{Size: 2000 + noise%5000, ModTime: modified, ChangeTime: modified + noise%3000, Inode: uint64(1000 + n)}
}

// walk makes the state as a caller would with one worker, and returns how many
// batches matched.
func (d *docroot) walk(b *testing.B, path string, edited int) int {
	old := open(b, path)
	defer old.Close()
	w := NewWriter(path, old, testSettings, testTime)
	defer w.Discard()
	cursor := old.NewCursor()
	var batch Batch
	var pages []Page
	matched := 0
	for i, dir := range d.dirs {
		batch.Reset(dir)
		for j, name := range d.names {
			id := d.identity(i, j)
			if i == edited {
				id.Size++
			}
			batch.AddIdentity(name, id)
		}
		var err error
		if run := old.Run(&batch); run != nil {
			matched++
			if !run.Plain() {
				pages, _ = run.AppendPages(pages[:0])
			}
			err = w.Keep(run)
		} else {
			for j, name := range d.names {
				_, _ = cursor.Lookup(dir, name)
				batch.Add(name, &Page{Identity: d.identity(i, j), Facts: d.facts})
			}
			err = w.Append(&batch)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	if _, err := w.Commit(); err != nil {
		b.Fatal(err)
	}
	return matched
}

func perPage(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchmarkPages, "ns/page")
}

var kinds = []struct {
	name  string
	each  int
	facts string
}{
	{"FoldersOfAHundred", 100, ""},
	{"FoldersOfOne", 1, ""},
	{"FoldersOfAHundredWithFacts", 100, "canonical https://www.example.com/some/page.html"},
}

// BenchmarkUnchanged is the whole cost of the state when nothing changed, from
// Open to Commit.
func BenchmarkUnchanged(b *testing.B) {
	for _, kind := range kinds {
		b.Run(kind.name, func(b *testing.B) {
			d := newDocroot(benchmarkPages, kind.each)
			d.facts = kind.facts
			path := statePath(b)
			d.walk(b, path, -1)
			info, err := os.Stat(path)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if matched := d.walk(b, path, -1); matched != len(d.dirs) {
					b.Fatal(matched)
				}
			}
			perPage(b)
			b.ReportMetric(float64(info.Size())/benchmarkPages, "file-bytes/page")
		})
	}
}

func BenchmarkFirstSave(b *testing.B) {
	for _, kind := range kinds {
		b.Run(kind.name, func(b *testing.B) {
			d := newDocroot(benchmarkPages, kind.each)
			d.facts = kind.facts
			path := statePath(b)
			b.ReportAllocs()
			for b.Loop() {
				os.Remove(path)
				d.walk(b, path, -1)
			}
			perPage(b)
		})
	}
}

// BenchmarkOneEdit is a walk in which one folder of the middle changed back and forth.
func BenchmarkOneEdit(b *testing.B) {
	d := newDocroot(benchmarkPages, 100)
	path := statePath(b)
	d.walk(b, path, -1)
	edited := len(d.dirs) / 2
	for b.Loop() {
		if matched := d.walk(b, path, edited); matched != len(d.dirs)-1 {
			b.Fatal(matched)
		}
	}
	perPage(b)
}

func BenchmarkLookup(b *testing.B) {
	for _, kind := range kinds {
		b.Run(kind.name, func(b *testing.B) {
			d := newDocroot(benchmarkPages, kind.each)
			d.facts = kind.facts
			path := statePath(b)
			d.walk(b, path, -1)
			r := open(b, path)
			defer r.Close()
			b.ReportAllocs()
			for b.Loop() {
				cursor := r.NewCursor()
				for _, dir := range d.dirs {
					for _, name := range d.names {
						if _, ok := cursor.Lookup(dir, name); !ok {
							b.Fatal(dir, name)
						}
					}
				}
			}
			perPage(b)
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	d := newDocroot(benchmarkPages, 100)
	path := statePath(b)
	d.walk(b, path, -1)
	for b.Loop() {
		r := open(b, path)
		r.Close()
	}
	perPage(b)
}

// BenchmarkMemory reports what is in use after a pass over states of two sizes.
func BenchmarkMemory(b *testing.B) {
	for _, pages := range []int{benchmarkPages, 4 * benchmarkPages} {
		b.Run(fmt.Sprint(pages), func(b *testing.B) {
			d := newDocroot(pages, 100)
			path := statePath(b)
			d.walk(b, path, -1)
			for b.Loop() {
				inUse := func() uint64 {
					var stats runtime.MemStats
					runtime.GC()
					runtime.ReadMemStats(&stats)
					return stats.HeapInuse
				}
				before := inUse()
				r := open(b, path)
				cursor := r.NewCursor()
				for _, dir := range d.dirs {
					_, _ = cursor.Lookup(dir, d.names[0])
				}
				b.ReportMetric(float64(inUse()-before)/(1<<20), "MiB")
				r.Close()
			}
		})
	}
}

// BenchmarkCompression is what compressionLevel was chosen by: a chapter's page
// lines at each level.
func BenchmarkCompression(b *testing.B) {
	d := newDocroot(chapterWeight, 100)
	var text []byte
	for i := range d.dirs {
		for j, name := range d.names {
			text = appendPage(text, name, &Page{Identity: d.identity(i, j)})
		}
	}
	for _, level := range []int{1, 2, 3, 5, 6} {
		b.Run(fmt.Sprint(level), func(b *testing.B) {
			draft := &draft{}
			draft.gzip, _ = gzip.NewWriterLevel(&draft.member, level)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				draft.member.Reset()
				draft.gzip.Reset(&draft.member)
				_, _ = draft.gzip.Write(text)
				_ = draft.gzip.Close()
			}
			b.ReportMetric(float64(draft.member.Len())/float64(len(d.dirs)*len(d.names)), "bytes/page")
		})
	}
}
