package scanner

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// The walks count a file, not a walk, as an operation to compare by.

func BenchmarkWalkFoldersOfAHundred(b *testing.B) { benchmarkWalk(b, 200, 100, Options{}) }

func BenchmarkWalkFoldersOfOne(b *testing.B) { benchmarkWalk(b, 10_000, 1, Options{}) }

func BenchmarkWalkPortably(b *testing.B) { benchmarkWalk(b, 100, 100, Options{Portable: true}) }

func benchmarkWalk(b *testing.B, folders, files int, options Options) {
	dir := b.TempDir()
	for i := range folders {
		folder := filepath.Join(dir, fmt.Sprintf("part-%d", i/100), fmt.Sprintf("folder-%d", i))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			b.Fatal(err)
		}
		for j := range files {
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("page-about-thing-%d.html", j)), nil, 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	docroot := open(b, dir)
	s := newScanner(b, DefaultConfig(), options)
	count := func() func(*Batch) int {
		return func(batch *Batch) int {
			for i := range batch.Files {
				batch.Stat(i)
			}
			return len(batch.Files)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		total := 0
		err := Walk(b.Context(), docroot, s, count, func(n int) error { total += n; return nil })
		if err != nil || total != folders*files {
			b.Fatal(total, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(folders*files), "ns/file")
}
