package catalog

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"sitewalk/internal/state"
	"sitewalk/scanner"
)

const benchmarkPages = 1_000_000

// site makes the files of large docroots, as builds and transfers leave them.
type site struct {
	folders int
	each    int
	// kept says that modification times are whole seconds of earlier years, as
	// after a transfer that keeps them.
	kept    bool
	digests bool
	links   bool // every page has 300 bytes of links to its translations
}

func (s *site) dir(i int) string {
	return fmt.Sprintf("blog/%04d/some-article-%06d", i/1000, i)
}

func (s *site) file(folder, i int) File {
	n := int64(folder*s.each + i)
	noise := (n*2654435761 + 12345) % 99991
	modified := 1732196343_000000000 + n*200_000 + noise
	f := File{Name: fmt.Sprintf("page-%07d.html", i), Known: true, Page: state.Page{Identity: state.Identity{
		Size: 2000 + noise%5000, ModTime: modified, ChangeTime: modified + noise%3000, Inode: uint64(1000 + n),
	}}}
	if s.each == 1 {
		f.Name = "index.html"
	}
	if s.kept {
		f.Page.ModTime = (1732196343 - noise*1000) * 1e9
	}
	f.LastMod = f.Page.ModTime / 1e9
	if s.digests {
		f.Page.Digest = uint64(n+1) * 0x9e3779b97f4a7c15
		f.Page.Date = f.LastMod
	}
	if s.links {
		var facts strings.Builder
		for _, language := range []string{"en", "de", "fr", "es", "x-default"} {
			fmt.Fprintf(&facts, "a%s https://www.example.com/%s/%s/%s\n", language, language, s.dir(folder), f.Name)
		}
		f.Page.Facts = facts.String()
	}
	return f
}

func (s *site) files(dst []File, folder int) []File {
	for i := range s.each {
		dst = append(dst, s.file(folder, i))
	}
	return dst
}

func (s *site) tree() *Tree {
	t := New()
	var files []File
	for i := range s.folders {
		files = s.files(files[:0], i)
		t.Patch(s.dir(i), nil, files)
	}
	return t
}

func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC() // empties the pools
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// BenchmarkMemory is the live heap of a million pages.
func BenchmarkMemory(b *testing.B) {
	sites := []struct {
		name string
		site
	}{
		{"FoldersOfAHundred", site{folders: 10_000, each: 100}},
		{"FoldersOfTen", site{folders: 100_000, each: 10}},
		{"FoldersOfOne", site{folders: 1_000_000, each: 1}},
		{"OneFolder", site{folders: 1, each: 1_000_000}},
		{"KeptTimes", site{folders: 10_000, each: 100, kept: true}},
		{"Digests", site{folders: 10_000, each: 100, digests: true}},
		{"Links", site{folders: 1_000, each: 100, links: true}},
		{"LinksInFoldersOfTen", site{folders: 10_000, each: 10, links: true}},
	}
	for _, s := range sites {
		b.Run(s.name, func(b *testing.B) {
			for b.Loop() {
				before := heap()
				t := s.tree()
				grown := heap() - before
				b.ReportMetric(float64(grown)/float64(s.folders*s.each), "heap-bytes/page")
				runtime.KeepAlive(t)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*s.folders*s.each), "build-ns/page")
		})
	}
}

func perFile(b *testing.B, files int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(files), "ns/file")
}

func BenchmarkFiles(b *testing.B) {
	for _, s := range []site{
		{folders: 1000, each: 10}, {folders: 100, each: 100}, {folders: 1, each: 10_000},
		{folders: 100, each: 100, digests: true}, {folders: 100, each: 100, links: true},
	} {
		b.Run(fmt.Sprintf("Each=%d,Digests=%t,Links=%t", s.each, s.digests, s.links), func(b *testing.B) {
			t := s.tree()
			dirs := make([]string, s.folders)
			for i := range dirs {
				dirs[i] = s.dir(i)
			}
			var files []File
			b.ReportAllocs()
			for b.Loop() {
				for _, dir := range dirs {
					files = t.AppendFilesBetween(files[:0], dir, "", "")
				}
			}
			perFile(b, s.folders*s.each)
		})
	}
}

// BenchmarkWalk is what it takes to see the pages of one shard.
func BenchmarkWalk(b *testing.B) {
	for _, s := range []site{{folders: 100_000, each: 10}, {folders: 10_000, each: 100}, {folders: 1, each: 1_000_000}} {
		b.Run(fmt.Sprintf("Each=%d", s.each), func(b *testing.B) {
			const pages = 12_500
			t := s.tree()
			from := s.dir(s.folders/2) + "/page-0000005.html"
			b.ReportAllocs()
			for b.Loop() {
				visited := 0
				t.Walk(from, SectionsOf(0), func(string, *File) bool {
					visited++
					return visited < pages
				})
				if visited != pages {
					b.Fatal(visited)
				}
			}
			perFile(b, pages)
		})
	}
}

// BenchmarkWalkRareSection looks for the only page of a section.
func BenchmarkWalkRareSection(b *testing.B) {
	s := site{folders: 100_000, each: 10}
	t := s.tree()
	rare := s.file(99_000, 3)
	rare.Section = 5
	t.Patch(s.dir(99_000), nil, []File{rare})
	b.ReportAllocs()
	for b.Loop() {
		visited := 0
		t.Walk("", SectionsOf(5), func(string, *File) bool { visited++; return true })
		if visited != 1 {
			b.Fatal(visited)
		}
	}
}

func BenchmarkMillionFilesInAFolder(b *testing.B) {
	s := site{folders: 1, each: benchmarkPages}
	t := s.tree()
	dir := s.dir(0)
	n := 0
	next := func() File { // of any place in the folder
		n = (n + 7919*31) % benchmarkPages
		return s.file(0, n)
	}
	b.Run("Patch", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f := next()
			f.Page.Size++
			t.Patch(dir, nil, []File{f})
		}
	})
	b.Run("AddAndRemove", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f := next()
			f.Name += ".html"
			t.Patch(dir, nil, []File{f})
			t.Patch(dir, []string{f.Name}, nil)
		}
	})
	b.Run("Lookup", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f := next()
			if found, ok := t.Lookup(dir, f.Name); !ok || found.Verdict != scanner.Listed {
				b.Fatal(f.Name)
			}
		}
	})
}

// BenchmarkDeepFolders is a walk down folders that are each in the one before, and
// up again.
func BenchmarkDeepFolders(b *testing.B) {
	const depth = 12_000
	deepest := strings.TrimSuffix(strings.Repeat("a/", depth), "/")
	page := []File{{Name: "index.html"}}
	var files []File
	b.ReportAllocs()
	for b.Loop() {
		t := New()
		for end := 1; end <= len(deepest); end += 2 {
			t.AddFolder(deepest[:end])
		}
		for end := len(deepest); end > 0; end -= 2 {
			dir := deepest[:end]
			files = t.AppendFilesBetween(files[:0], dir, "", "")
			t.Patch(dir, nil, page)
			t.Folders(dir)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/depth, "ns/folder")
}
