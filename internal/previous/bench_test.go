package previous

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkRead reads a million URLs in twenty sitemaps of 50,000.
func BenchmarkRead(b *testing.B) {
	folder := b.TempDir()
	var locs []string
	size := int64(0)
	for n := range 20 {
		var sitemap bytes.Buffer
		sitemap.WriteString("<urlset>\n")
		for i := range 50_000 {
			fmt.Fprintf(&sitemap, "<url><loc>https://www.example.com/section-%d/a-page-of-some-length-%d.html</loc><lastmod>2024-05-%02dT10:11:12+00:00</lastmod></url>\n", n, i, i%28+1)
		}
		sitemap.WriteString("</urlset>\n")
		name := fmt.Sprintf("sitemap-%d.xml", n)
		if err := os.WriteFile(filepath.Join(folder, name), sitemap.Bytes(), 0o644); err != nil {
			b.Fatal(err)
		}
		locs = append(locs, "https://www.example.com/"+name)
		size += int64(sitemap.Len())
	}
	if err := os.WriteFile(filepath.Join(folder, "sitemap.xml"), []byte(index("", locs...)), 0o644); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		dates, err := Read(context.Background(), folder, Options{Now: now})
		if err != nil || dates.Len() != 1_000_000 {
			b.Fatal(err)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	r := reading{now: now.Unix(), maxURLs: DefaultMaxURLs}
	locs := make([][]byte, 50_000)
	for i := range locs {
		locs[i] = fmt.Appendf(nil, "https://www.example.com/a-page-of-some-length-%d.html", i)
		if err := r.add(&contents{}, locs[i], []byte("2024-05-01")); err != nil {
			b.Fatal(err)
		}
	}
	dates := newDates(r.entries)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, _, ok := dates.Find(locs[i%len(locs)]); !ok {
			b.Fatal("a URL has no date")
		}
	}
}
