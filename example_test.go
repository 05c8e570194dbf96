package sitewalk_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing/fstest"
	"time"

	"sitewalk"
)

// A site need not be on disk: any file system will do, such as an embedded one.
func ExampleBuild() {
	written := time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	site := fstest.MapFS{
		"index.html":         {ModTime: written},
		"about us.html":      {ModTime: written.Add(-24 * time.Hour)},
		"404.html":           {ModTime: written},
		"blog/2026/pie.html": {ModTime: written.Add(time.Hour)},
		"blog/index.html":    {ModTime: written.Add(time.Hour)},
	}
	out, err := os.MkdirTemp("", "sitewalk-example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(out)

	config := sitewalk.DefaultConfig()
	config.FS = site
	config.Out = out
	config.Mapper.BaseURL = "https://www.example.com/"
	report, err := sitewalk.Build(context.Background(), config)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Event, report.Pages, report.Excluded, report.Written)
	xml, err := os.ReadFile(filepath.Join(out, report.Root))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(xml))
	// Output:
	// published 4 map[error-page:1] [sitemap.xml]
	// <?xml version="1.0" encoding="UTF-8"?>
	// <!-- written by sitewalk -->
	// <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
	// <url><loc>https://www.example.com/about%20us.html</loc><lastmod>2026-03-13T15:09:26+00:00</lastmod></url>
	// <url><loc>https://www.example.com/blog/2026/pie.html</loc><lastmod>2026-03-14T16:09:26+00:00</lastmod></url>
	// <url><loc>https://www.example.com/blog/</loc><lastmod>2026-03-14T16:09:26+00:00</lastmod></url>
	// <url><loc>https://www.example.com/</loc><lastmod>2026-03-14T15:09:26+00:00</lastmod></url>
	// </urlset>
}

func ExampleLoad() {
	config, err := sitewalk.Load("testdata/site.yaml")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(config.Mapper.BaseURL, config.Scanner.Docroot)

	// What a program sets goes over what the file says.
	config.DryRun = true
	report, err := sitewalk.Build(context.Background(), config)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Event, report.Written)
	// Output:
	// https://bakery.example/ testdata/site
	// dry-run [sitemap-blog.xml.gz sitemap-pages.xml.gz sitemap.xml]
}
