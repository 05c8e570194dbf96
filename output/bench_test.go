package output

import (
	"bytes"
	stdflate "compress/flate"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/klauspost/compress/flate"
)

// BenchmarkSet renders, adds and publishes 200,000 pages, but for the disk.
func BenchmarkSet(b *testing.B) {
	pages := makePages(0, 200_000)
	s := newSite(b)
	s.dry = true
	b.ReportAllocs()
	for b.Loop() {
		s.publish(b, pages)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(pages)), "ns/page")
}

func BenchmarkRenderer(b *testing.B) {
	pages := makePages(0, 1000)
	renderer := NewRenderer(DateTime)
	var xml []byte
	for b.Loop() {
		xml = xml[:0]
		for i := range pages {
			xml = renderer.Append(xml, &pages[i].Page)
		}
	}
	b.SetBytes(int64(len(xml)))
}

// BenchmarkCompression shows why compressionLevel is what it is: B/page is what
// a page takes in a compressed shard. The pages are named as a site's are, and
// dated at random.
func BenchmarkCompression(b *testing.B) {
	words := []string{"about", "release", "guide", "install", "linux", "garden", "history", "summer", "index", "kernel", "review", "music"}
	random := newRandom()
	renderer := NewRenderer(DateTime)
	const pages = 5000
	var segments [][]byte
	var segment []byte
	total := 0
	for i := range pages {
		page := Page{
			Loc: fmt.Appendf(nil, "%sblog/20%02d/%02d/%s-%s-%s-%d.html", testURL, i/500, i/50%12, words[random.IntN(12)], words[random.IntN(12)],
				words[random.IntN(12)], random.IntN(1000)),
			LastMod: 1_500_000_000 + random.Int64N(100_000_000),
		}
		if segment = renderer.Append(segment, &page); len(segment) >= segmentSize || i == pages-1 {
			segments = append(segments, segment)
			total += len(segment)
			segment = nil
		}
	}
	type writer interface {
		io.Writer
		Flush() error
		Reset(io.Writer)
	}
	run := func(name string, w writer, err error) {
		b.Run(name, func(b *testing.B) {
			if err != nil {
				b.Fatal(err)
			}
			var out bytes.Buffer
			size := 0
			b.SetBytes(int64(total))
			for b.Loop() {
				size = 0
				for _, segment := range segments {
					out.Reset()
					w.Reset(&out)
					_, _ = w.Write(segment)
					_ = w.Flush()
					size += out.Len()
				}
			}
			b.ReportMetric(float64(size)/pages, "B/page")
		})
	}
	for _, level := range []int{1, 2, 3, 5, 7} {
		w, err := flate.NewWriter(io.Discard, level)
		run(fmt.Sprintf("klauspost-%d", level), w, err)
	}
	for _, level := range []int{1, 6} {
		w, err := stdflate.NewWriter(io.Discard, level)
		run(fmt.Sprintf("standard-%d", level), w, err)
	}
}

// BenchmarkUpdate changes one page of a published set, on a file system in memory.
// The first has a million pages, in some 80 shards; the second 4,000 small ones,
// which shows what does not depend on a shard's own pages.
func BenchmarkUpdate(b *testing.B) {
	for _, set := range []struct {
		name           string
		pages, maxURLs int
	}{{"million-pages", 1_000_000, MaxURLs}, {"4000-shards", 4000 * 40, 160}} {
		b.Run(set.name, func(b *testing.B) {
			l := &living{site: newSiteInMemory(b)}
			l.config.Files.MaxURLs = set.maxURLs
			for i := range set.pages {
				p := placedPage{testPage: onePage(i), dir: "articles", name: fmt.Sprintf("page-%07d.html", i)}
				p.hash = p.Hash()
				l.pages = append(l.pages, p)
			}
			var err error
			if l.result, l.published, err = l.build(); err != nil {
				b.Fatal(err)
			}
			shards, asked := l.result.Shards, 0
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				l.now = l.now.Add(time.Second)
				n, err := l.update(l.edit(i*7919%set.pages), nil)
				if err != nil {
					b.Fatal(err)
				}
				asked += n
			}
			b.ReportMetric(float64(shards), "shards")
			b.ReportMetric(float64(asked)/float64(b.N), "pages/op")
		})
	}
}
