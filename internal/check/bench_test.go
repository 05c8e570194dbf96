package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// largeSet writes a set of so many sitemaps with so many pages each, and returns its
// folder.
func largeSet(tb testing.TB, shards, pages int) string {
	tb.Helper()
	dir := tb.TempDir()
	write := func(name string, lines func(*strings.Builder)) {
		var b strings.Builder
		lines(&b)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(b.String()), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	write("sitemap.xml", func(b *strings.Builder) {
		fmt.Fprintf(b, "<sitemapindex xmlns=%q>\n", namespace09)
		for i := range shards {
			fmt.Fprintf(b, "<sitemap><loc>https://www.example.com/s-%d.xml</loc></sitemap>\n", i)
		}
		b.WriteString("</sitemapindex>\n")
	})
	for i := range shards {
		write(fmt.Sprintf("s-%d.xml", i), func(b *strings.Builder) {
			fmt.Fprintf(b, "<urlset xmlns=%q>\n", namespace09)
			for j := range pages {
				fmt.Fprintf(b, "<url><loc>https://www.example.com/blog/%d/page-%06d.html</loc><lastmod>2024-05-06T07:08:09+00:00</lastmod></url>\n", i, j)
			}
			b.WriteString("</urlset>\n")
		})
	}
	return dir
}

func BenchmarkCheck(b *testing.B) {
	set := largeSet(b, 20, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		result, err := Run(b.Context(), Options{Target: set, Now: now})
		if err != nil || result.Pages != 200_000 {
			b.Fatal(result, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/0.2, "µs/million-pages")
}
