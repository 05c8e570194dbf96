package sitewalk_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sitewalk"
	"sitewalk/output"
	"sitewalk/scanner"
)

// reportConfig returns a configuration for a docroot, with a time that stands still.
func reportConfig(docroot string) sitewalk.Config {
	config := siteConfig(docroot)
	config.Scanner.Pages.Read = true
	config.Now = func() time.Time { return time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC) }
	return config
}

func TestReportPageIsThatOfTheBuild(t *testing.T) {
	docroot := makeSite(t, map[string]string{
		"index.html": "", "a.html": "", "blog/b.html": "", "404.html": "", "css/x.css": "", ".git/config": "",
		"no.html": `<meta name=robots content=noindex>`,
	})
	before := len(readFolder(t, docroot))
	config := reportConfig(docroot)
	var found, left int
	config.Found = func(*sitewalk.Finding) { found++ }
	config.LeftOut = func(*sitewalk.Finding) { left++ }
	var page bytes.Buffer
	report, err := sitewalk.WriteReport(context.Background(), config, &page)
	if err != nil {
		t.Fatal(err)
	}
	if report.Event != "dry-run" || report.Pages != 3 || report.Excluded["noindex"] != 1 || found != 7 || left != 4 {
		t.Errorf("%+v, %d found, %d left out", report, found, left)
	}
	if after := len(readFolder(t, docroot)); after != before {
		t.Errorf("the docroot has %d files, and had %d", after, before)
	}
	for _, want := range []string{
		"<dt>pages listed</dt><dd>3</dd>", "<dt>left out</dt><dd>4</dd>", "2025-01-02 03:04 UTC", "https://h.test/sitemap.xml",
		"A build would now\nwrite <code>sitemap.xml</code>.", "line 1: &lt;meta name=robots content=noindex&gt;", "to be written",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}

	var again bytes.Buffer
	config.Jobs = 1
	if _, err := sitewalk.WriteReport(context.Background(), config, &again); err != nil || !bytes.Equal(page.Bytes(), again.Bytes()) {
		t.Errorf("the page is not the same a second time: %v", err)
	}
	if _, err := sitewalk.Build(context.Background(), config); err != nil {
		t.Fatal(err)
	}
	page.Reset()
	if _, err := sitewalk.WriteReport(context.Background(), config, &page); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), "What is published is what a build would publish now.") || !strings.Contains(page.String(), "as here") {
		t.Error("the page does not know the set that is published")
	}
	if size := fmt.Sprintf("<dt>sitemap size</dt><dd>%d B</dd>", fileSize(t, filepath.Join(docroot, "sitemap.xml"))); !strings.Contains(page.String(), size) {
		t.Errorf("the page does not say %s", size)
	}
}

// readFolder returns the names of the files below a folder.
func readFolder(t *testing.T, folder string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		names = append(names, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func fileSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func TestReportPageCountsEachFileOnce(t *testing.T) {
	files := empties("404.html", "x.css")
	for i := range 60 {
		files[fmt.Sprintf("%d/%d.html", i%7, i)] = ""
	}
	docroot := makeSite(t, files)
	extra := filepath.Join(t.TempDir(), "extra.txt")
	if err := os.WriteFile(extra, []byte("https://h.test/extra 2024-01-01\nhttps://h.test/other\nhttps://h.test/0/0.html\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	config := reportConfig(docroot)
	config.Mapper.ExtraURLs = []string{extra}
	config.Output.Files.MaxURLs = 12
	config.IndexTime = time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	var page bytes.Buffer
	report, err := sitewalk.WriteReport(context.Background(), config, &page)
	if err != nil {
		t.Fatal(err)
	}
	if report.Pages != 62 {
		t.Fatalf("%+v", report)
	}
	for _, want := range []string{
		"<dt>pages listed</dt><dd>62</dd>", "<dt>left out</dt><dd>2</dd>", "2020-01-02 03:04 UTC",
		"62 files and folders were looked at, and 2 pages that are not on disk added.", "<code>extra_urls</code>", "no lastmod", "<code>extra-taken</code>",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	rows := regexp.MustCompile(`<code>sitemap-pages-[^<]*</code></th><td>pages</td><td class="n">(\d+)</td>`).FindAllStringSubmatch(page.String(), -1)
	var pages int64
	for _, row := range rows {
		var n int64
		fmt.Sscan(row[1], &n)
		pages += n
	}
	if len(rows) != report.Shards || pages != report.Pages {
		t.Errorf("the page has %d shards of %d pages, the report %d of %d", len(rows), pages, report.Shards, report.Pages)
	}
}

func TestReportPageWithoutPageToListSaysWhy(t *testing.T) {
	config := reportConfig(makeSite(t, empties("404.html", "x.css")))
	var page bytes.Buffer
	report, err := sitewalk.WriteReport(context.Background(), config, &page)
	if !errors.Is(err, sitewalk.ErrNoPages) || report.Event != "error" {
		t.Fatalf("%+v, %v", report, err)
	}
	for _, want := range []string{"There is no page to list", "error-page", "not-included", "</html>"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func TestReportPageThatCannotBeMadeIsNotBegun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ended := reportConfig(makeSite(t, empties("a.html")))
	missing := reportConfig(filepath.Join(t.TempDir(), "missing"))
	mistaken := reportConfig(t.TempDir())
	mistaken.Mapper.BaseURL = "nonsense"
	for name, config := range map[string]sitewalk.Config{"ended": ended, "missing": missing, "mistaken": mistaken} {
		var page bytes.Buffer
		if _, err := sitewalk.WriteReport(ctx, config, &page); err == nil || page.Len() > 0 {
			t.Errorf("%s: %v, with %d bytes of a page", name, err, page.Len())
		}
	}
	failing := writerFunc(func([]byte) (int, error) { return 0, io.ErrShortWrite })
	if _, err := sitewalk.WriteReport(context.Background(), ended, failing); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("a page that cannot be written: %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(data []byte) (int, error) { return f(data) }

func TestReportPageOfAnyFileSystem(t *testing.T) {
	config := reportConfig("")
	config.FS, config.Out = os.DirFS(makeSite(t, empties("a.html", "b/c.html"))), t.TempDir()
	config.Output.Files.Gzip = output.GzipShards
	var page bytes.Buffer
	if report, err := sitewalk.WriteReport(context.Background(), config, &page); err != nil || report.Pages != 2 {
		t.Fatalf("%+v, %v", report, err)
	}
	if !strings.Contains(page.String(), scanner.Listed.String()) {
		t.Error("the page is empty")
	}
}
