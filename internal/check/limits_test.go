package check

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// writeSet writes the files of a set and returns its folder.
func writeSet(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// urlset returns a sitemap of pages below https://www.example.com/.
func urlset(pages ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<urlset xmlns=%q>", namespace09)
	for _, page := range pages {
		fmt.Fprintf(&b, "<url><loc>https://www.example.com/%s</loc></url>\n", page)
	}
	b.WriteString("</urlset>")
	return b.String()
}

// index returns an index of sitemaps there.
func index(names ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<sitemapindex xmlns=%q>", namespace09)
	for _, name := range names {
		fmt.Fprintf(&b, "<sitemap><loc>https://www.example.com/%s</loc></sitemap>\n", name)
	}
	b.WriteString("</sitemapindex>")
	return b.String()
}

// continued returns an index that says that another goes on.
func continued(index, next string) string {
	return strings.Replace(index, "</sitemapindex>", "<!-- continued in "+next+" --></sitemapindex>", 1)
}

func numbers(n int) []string {
	numbers := make([]string, n)
	for i := range numbers {
		numbers[i] = fmt.Sprint("p", i)
	}
	return numbers
}

func compressed(t testing.TB, content string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// padded returns a sitemap of so many bytes, with comments at its end.
func padded(content string, length int) string {
	var b strings.Builder
	b.WriteString(content)
	for length-b.Len() > 500_000 {
		b.WriteString("<!--" + strings.Repeat(" ", 400_000) + "-->")
	}
	b.WriteString(strings.Repeat("\n", length-b.Len()))
	return b.String()
}

func old(content string) string { return strings.Replace(content, namespace09, namespace084, 1) }

func TestLimitsOfTheProtocol(t *testing.T) {
	for name, test := range map[string]struct {
		content string
		want    []Code
	}{
		"50,000 URLs":            {urlset(numbers(50_000)...), nil},
		"50,001 URLs":            {urlset(numbers(50_001)...), []Code{TooManyURLs}},
		"50,001 URLs, 0.84":      {old(urlset(numbers(50_001)...)), []Code{TooManyURLs}},
		"10,485,760 bytes, 0.84": {padded(old(urlset("a")), 10_485_760), nil},
		"10,485,761 bytes, 0.84": {padded(old(urlset("a")), 10_485_761), []Code{TooLarge}},
		"2,047 characters":       {urlset(strings.Repeat("x", 2047-len("https://www.example.com/"))), nil},
	} {
		t.Run(name, func(t *testing.T) {
			set := writeSet(t, map[string]string{"sitemap.xml.gz": compressed(t, test.content)})
			if got := violationsOf(t, Options{Target: set}); !slices.Equal(got, test.want) {
				t.Errorf("has %v, not %v", got, test.want)
			}
		})
	}
}

func TestLimitsOfAnIndex(t *testing.T) {
	for name, test := range map[string]struct {
		content string
		limited bool
	}{
		"50,000":       {index(numbers(50_000)...), false},
		"50,001":       {index(numbers(50_001)...), true},
		"1,000, 0.84":  {old(index(numbers(1_000)...)), false},
		"1,001, 0.84":  {old(index(numbers(1_001)...)), true},
		"1,001 in 0.9": {index(numbers(1_001)...), false},
	} {
		t.Run(name, func(t *testing.T) {
			set := writeSet(t, map[string]string{"sitemap.xml": test.content})
			if got := violationsOf(t, Options{Target: set}); slices.Contains(got, TooManyShards) != test.limited {
				t.Errorf("has %v of %d violations", slices.Contains(got, TooManyShards), len(got))
			}
		})
	}
}

func TestLimitOfBytes(t *testing.T) {
	line := strings.Repeat(" ", 49_999) + "\n"
	const first = "https://www.example.com/\n"
	full := first + strings.Repeat(line, (52_428_800-len(first))/len(line))
	full += strings.Repeat("\n", 52_428_800-len(full))
	for name, test := range map[string]struct {
		content string
		want    []Code
	}{
		"52,428,800": {full, nil},
		"52,428,801": {full + "\n", []Code{TooLarge}},
	} {
		t.Run(name, func(t *testing.T) {
			set := writeSet(t, map[string]string{"sitemap.txt": test.content})
			if got := violationsOf(t, Options{Target: set}); !slices.Equal(got, test.want) {
				t.Errorf("has %v, not %v", got, test.want)
			}
		})
	}
}

// TestWhatIsTooMuchToReadEndsTheReading has what could fill memory or take for ever.
func TestWhatIsTooMuchToReadEndsTheReading(t *testing.T) {
	const head = `<urlset xmlns="` + namespace09 + `">`
	for name, content := range map[string]string{
		"sitemap.xml":     head + strings.Repeat("<a>", 101),
		"tag.xml":         head + "<a " + strings.Repeat("b='' ", 1<<18),
		"attribute.xml":   head + "<a b='" + strings.Repeat("b ", 1<<20),
		"text.xml":        head + "<url><loc>" + strings.Repeat("b", 2<<20),
		"comment.xml":     head + "<!--" + strings.Repeat("b", 2<<20),
		"section.xml":     head + "<url><loc><![CDATA[" + strings.Repeat("b", 2<<20),
		"instruction.xml": head + "<?a " + strings.Repeat("b", 2<<20),
		"entry.xml":       head + "<url>" + strings.Repeat("<loc>b</loc>", 1<<17),
		"bomb.txt.gz":     compressed(t, strings.Repeat("x", 257<<20)),
	} {
		t.Run(name, func(t *testing.T) {
			set := writeSet(t, map[string]string{name: content})
			if got := violationsOf(t, Options{Target: filepath.Join(set, name)}); !slices.Contains(got, Unread) {
				t.Errorf("has %.200v", got)
			}
		})
	}
	doctype := writeSet(t, map[string]string{"a.xml": "<!DOCTYPE a [" + strings.Repeat("<!ENTITY a 'b'>", 1<<17)})
	if got := violationsOf(t, Options{Target: filepath.Join(doctype, "a.xml")}); !slices.Contains(got, Unread) {
		t.Errorf("a document type declaration without end has %v", got)
	}
}

// TestMemoryDoesNotGrowWithTheSet holds a check of many large sitemaps to what one of
// a small one takes.
func TestMemoryDoesNotGrowWithTheSet(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 20 MB")
	}
	large := compressed(t, urlset(slices.Repeat([]string{strings.Repeat("x", 400)}, 50_000)...))
	names := numbers(2_000)
	files := map[string]string{"sitemap.xml": index(append(names, "large.xml.gz")...), "large.xml.gz": large}
	for _, name := range names {
		files[name] = urlset(name + "/a")
	}
	set := writeSet(t, files)
	var peak, pages atomic.Int64
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	measure := func(*Page) (Code, string) {
		if pages.Add(1)%10_000 == 0 {
			var during runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&during)
			peak.Store(max(peak.Load(), int64(during.HeapAlloc)))
		}
		return "", ""
	}
	result, err := Run(t.Context(), Options{Target: set, Now: now, Page: measure, records: 1 << 12})
	if err != nil || result.Pages != 52_000 || result.Shards != 2_001 {
		t.Fatalf("%+v, %v", result, err)
	}
	if grown := peak.Load() - int64(before.HeapAlloc); peak.Load() == 0 || grown > 8<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
}
