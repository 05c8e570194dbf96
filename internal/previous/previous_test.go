package previous

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// now is the time of all tests.
var now = time.Date(2024, 6, 1, 12, 0, 0, 0, time.UTC)

// write writes files into a new folder, and returns its path.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func compress(content string) string {
	var compressed bytes.Buffer
	w := gzip.NewWriter(&compressed)
	w.Write([]byte(content))
	w.Close()
	return compressed.String()
}

// urlset returns a sitemap of URLs below https://h.test/, each dated by a day
// of May 2024.
func urlset(days map[string]int) string {
	text := `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n"
	for path, day := range days {
		text += fmt.Sprintf("<url><loc>https://h.test/%s</loc><lastmod>2024-05-%02d</lastmod></url>\n", path, day)
	}
	return text + "</urlset>\n"
}

// index returns an index of sitemaps, with a comment at its end.
func index(comment string, locs ...string) string {
	var text strings.Builder
	text.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, loc := range locs {
		text.WriteString("<sitemap><loc>" + loc + "</loc><lastmod>2024-05-31</lastmod></sitemap>\n")
	}
	return text.String() + comment + "</sitemapindex>\n"
}

// want checks which URLs have a date, and which, in May 2024.
func want(t *testing.T, dates *Dates, days map[string]int) {
	t.Helper()
	for path, day := range days {
		seconds, dateOnly, ok := dates.Find([]byte("https://h.test/" + path))
		if !ok || !dateOnly || seconds != time.Date(2024, 5, day, 0, 0, 0, 0, time.UTC).Unix() {
			t.Errorf("%s: %d, %v, %v, want day %d", path, seconds, dateOnly, ok, day)
		}
	}
	if dates.Len() != len(days) {
		t.Errorf("%d URLs have a date, want %d", dates.Len(), len(days))
	}
}

func read(t *testing.T, location string, options Options) *Dates {
	t.Helper()
	options.Now = now
	dates, err := Read(context.Background(), location, options)
	if err != nil {
		t.Fatal(err)
	}
	return dates
}

// refuse checks that reading fails and says why.
func refuse(t *testing.T, location string, options Options, why string) {
	t.Helper()
	options.Now = now
	dates, err := Read(context.Background(), location, options)
	switch {
	case err == nil:
		t.Errorf("%s was taken, with %d dates, want the error %q", location, dates.Len(), why)
	case !strings.Contains(err.Error(), why):
		t.Errorf("the error is %q, want %q", err, why)
	case strings.ContainsAny(err.Error(), "\r\n"):
		t.Errorf("the error has several lines: %q", err)
	}
}

func TestSitemapOfAFolderIsFound(t *testing.T) {
	one, two := urlset(map[string]int{"": 1, "a": 2}), urlset(map[string]int{"b": 3})
	for _, c := range []struct {
		files map[string]string
		root  string
		days  map[string]int
	}{
		{map[string]string{"sitemap.xml": one}, "", map[string]int{"": 1, "a": 2}},
		{map[string]string{"sitemap.xml.gz": compress(one)}, "", map[string]int{"": 1, "a": 2}},
		{map[string]string{"sitemap.xml": compress(one)}, "", map[string]int{"": 1, "a": 2}},
		{map[string]string{"sitemap.xml.gz": one}, "", map[string]int{"": 1, "a": 2}},
		{map[string]string{"sitemap.xml": compress(compress(one))}, "", map[string]int{"": 1, "a": 2}},
		{map[string]string{"sitemap_index.xml": two}, "", map[string]int{"b": 3}},
		{map[string]string{"sitemap-index.xml": two}, "", map[string]int{"b": 3}},
		{map[string]string{"sitemap-index.xml": two, "sitemap.xml.gz": one}, "", map[string]int{"": 1, "a": 2}},
		{map[string]string{"map.xml": two, "sitemap.xml": one}, "map.xml", map[string]int{"b": 3}},
		{map[string]string{"sitemap.xml": one}, "map.xml", map[string]int{"": 1, "a": 2}},
	} {
		folder := write(t, c.files)
		want(t, read(t, folder, Options{Root: c.root}), c.days)
	}
	file := filepath.Join(write(t, map[string]string{"any name": one}), "any name")
	want(t, read(t, file, Options{}), map[string]int{"": 1, "a": 2})
}

func TestIndexLeadsToTheSitemapsBesideIt(t *testing.T) {
	folder := write(t, map[string]string{
		"sitemap.xml":         index("<!-- continued in sitemap-index-2.xml -->\n", "https://h.test/docs/sitemap-1.xml.gz", "https://h.test/b%20c.xml?x#y"),
		"sitemap-1.xml.gz":    compress(urlset(map[string]int{"a": 1, "b": 2})),
		"b c.xml":             urlset(map[string]int{"b": 3, "c": 2}),
		"sitemap-index-2.xml": index("<!-- the end -->", "https://elsewhere.test/sitemap-3.xml"),
		"sitemap-3.xml":       urlset(map[string]int{"d": 4, "c": 1}),
		"sitemap-4.xml":       urlset(map[string]int{"e": 5}),
	})
	// Of a URL that is there twice the latest date counts.
	days := map[string]int{"a": 1, "b": 3, "c": 2, "d": 4}
	want(t, read(t, folder, Options{}), days)
	want(t, read(t, filepath.Join(folder, "sitemap.xml"), Options{}), days)
	want(t, read(t, filepath.Join(folder, "sitemap-index-2.xml"), Options{}), map[string]int{"d": 4, "c": 1})
	t.Chdir(folder)
	want(t, read(t, "sitemap.xml", Options{}), days)
	want(t, read(t, ".", Options{}), days)
}

func TestIndexLeadsNowhereElse(t *testing.T) {
	top := write(t, map[string]string{"secret.xml": urlset(map[string]int{"secret": 1})})
	folder := filepath.Join(top, "site")
	if err := os.MkdirAll(filepath.Join(folder, "folder.xml"), 0o755); err != nil {
		t.Fatal(err)
	}
	put := func(content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, "sitemap.xml"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for loc, why := range map[string]string{
		"https://h.test/../secret.xml":        "is not there",
		"https://h.test/..%2fsecret.xml":      "is not there",
		"https://h.test/..%5csecret.xml":      "is not the name of a file",
		"https://h.test/a/..":                 "is not the name of a file",
		"https://h.test/":                     "is not the name of a file",
		"https://h.test/sitemap.xml":          "is an index",
		"https://h.test/folder.xml":           "is not a regular file",
		"https://h.test/missing.xml":          "is not there",
		"https://h.test/%zz":                  "is not a URL",
		"file://" + top + "/secret.xml":       "is not there",
		"https://h.test/&#10;missing&#10;.gz": "is not",
	} {
		put(index("", loc))
		refuse(t, folder, Options{}, why)
	}
	for name, why := range map[string]string{
		"../secret.xml": "is not the name of a file", "/etc/passwd": "is not the name of a file", "sitemap.xml": "in a circle", "no.xml": "is not there",
	} {
		put(index("<!-- continued in " + name + " -->"))
		refuse(t, folder, Options{}, why)
	}
	if err := os.Symlink("../secret.xml", filepath.Join(folder, "link.xml")); err == nil {
		put(index("", "https://h.test/link.xml"))
		refuse(t, folder, Options{}, "link.xml: ")
	}
}

func TestWhereThereIsNoSitemap(t *testing.T) {
	folder := t.TempDir()
	for _, location := range []string{folder, filepath.Join(folder, "sitemap.xml"), filepath.Join(folder, "missing", "sitemap.xml")} {
		if _, err := Read(context.Background(), location, Options{Root: "map.xml"}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", location, err)
		}
	}
	// A part that is missing is another thing.
	folder = write(t, map[string]string{"sitemap.xml": index("", "https://h.test/a.xml")})
	if _, err := Read(context.Background(), folder, Options{}); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	refuse(t, folder, Options{Root: "../sitemap.xml"}, "is not the name of a file")
}

func TestReadingIsBounded(t *testing.T) {
	// What gzip compressed in parts may stand one behind the other.
	padding := compress(strings.Repeat(" ", 1<<20))
	bomb := func(megabytes int) string {
		return compress("<urlset>") + strings.Repeat(padding, megabytes) + compress("</urlset>")
	}
	folder := write(t, map[string]string{
		"fits.gz": bomb(49), "bomb.gz": bomb(50), "twice.gz": compress(bomb(50)),
		"ten.xml":  urlset(map[string]int{"1": 1, "2": 1, "3": 1, "4": 1, "5": 1, "6": 1, "7": 1, "8": 1, "9": 1, "10": 1}),
		"full.xml": index("", strings.Fields(strings.Repeat("https://h.test/none.xml ", MaxSitemaps))...),
		"over.xml": index("", strings.Fields(strings.Repeat("https://h.test/none.xml ", MaxSitemaps+1))...),
	})
	at := func(name string) string { return filepath.Join(folder, name) }
	want(t, read(t, at("fits.gz"), Options{}), nil)
	refuse(t, at("bomb.gz"), Options{}, "is larger than 52428800 bytes")
	refuse(t, at("twice.gz"), Options{}, "is larger than 52428800 bytes")
	if dates := read(t, at("ten.xml"), Options{MaxURLs: 10}); dates.Len() != 10 {
		t.Errorf("%d URLs", dates.Len())
	}
	refuse(t, at("ten.xml"), Options{MaxURLs: 9}, "more than 9 URLs")
	refuse(t, at("full.xml"), Options{}, "is not there")
	refuse(t, at("over.xml"), Options{}, "more than 50000 sitemaps")
}

func TestLimitIsExact(t *testing.T) {
	for length, fits := range map[int]bool{9: true, 10: true, 11: false} {
		r := &limitedReader{strings.NewReader(strings.Repeat("x", length)), 10}
		content, err := readAll(r)
		if fits != (err == nil) || fits && len(content) != length {
			t.Errorf("of %d bytes came %d, %v", length, len(content), err)
		}
	}
}

func readAll(r *limitedReader) ([]byte, error) {
	var content bytes.Buffer
	_, err := content.ReadFrom(r)
	return content.Bytes(), err
}

func TestContextEndsReading(t *testing.T) {
	folder := write(t, map[string]string{"sitemap.xml": urlset(map[string]int{"a": 1})})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, location := range []string{folder, "http://127.0.0.1:1/sitemap.xml"} {
		if _, err := Read(ctx, location, Options{}); err != context.Canceled {
			t.Errorf("%s: %v", location, err)
		}
	}
}
