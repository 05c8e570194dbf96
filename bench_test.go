package sitewalk_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sitewalk"
)

// BenchmarkBuild builds the sitemap of the docroot that SITEWALK_BENCH_DOCROOT
// names, or of one of 20,000 pages that it makes, over and over, by the
// configuration file that SITEWALK_BENCH_CONFIG names, if any.
func BenchmarkBuild(b *testing.B) {
	docroot := os.Getenv("SITEWALK_BENCH_DOCROOT")
	if docroot == "" {
		docroot = b.TempDir()
		makePages(b, docroot, 20_000)
	}
	config := sitewalk.DefaultConfig()
	if file := os.Getenv("SITEWALK_BENCH_CONFIG"); file != "" {
		var err error
		if config, err = sitewalk.Load(file); err != nil {
			b.Fatal(err)
		}
	}
	config.Scanner.Docroot = docroot
	config.Scanner.Pages.Read = false
	config.Mapper.BaseURL = "https://www.example.com/"
	config.Out = b.TempDir()
	var pages int64
	for b.Loop() {
		report, err := sitewalk.Build(context.Background(), config)
		if err != nil {
			b.Fatal(err)
		}
		pages = report.Pages
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(pages), "ns/page")
}

// makePages makes pages in folders of a hundred, each with an mtime of its own.
func makePages(tb testing.TB, docroot string, pages int) {
	tb.Helper()
	epoch := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range pages {
		folder := filepath.Join(docroot, "docs", fmt.Sprintf("part-%d", i/100))
		if i%100 == 0 {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				tb.Fatal(err)
			}
		}
		path := filepath.Join(folder, fmt.Sprintf("page-about-thing-%d.html", i))
		if err := os.WriteFile(path, []byte("<title>Thing</title>"), 0o644); err != nil {
			tb.Fatal(err)
		}
		modified := epoch.Add(time.Duration(i) * 97 * time.Second)
		if err := os.Chtimes(path, modified, modified); err != nil {
			tb.Fatal(err)
		}
	}
}
