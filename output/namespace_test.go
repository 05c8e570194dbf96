package output

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAlternatesAndImagesAreWrittenWithTheirEntities(t *testing.T) {
	page := Page{
		Loc: []byte("https://example.com/"), Priority: "0.5",
		Alternates: []Alternate{{"de", "https://example.com/de/?a=1&b='2'"}, {"x-default", "https://example.com/"}},
		Images:     []string{"https://example.com/a&b.png"},
	}
	want := `<url><loc>https://example.com/</loc><priority>0.5</priority>` +
		`<xhtml:link rel="alternate" hreflang="de" href="https://example.com/de/?a=1&amp;b=&apos;2&apos;"/>` +
		`<xhtml:link rel="alternate" hreflang="x-default" href="https://example.com/"/>` +
		`<image:image><image:loc>https://example.com/a&amp;b.png</image:loc></image:image></url>` + "\n"
	if got := string(NewRenderer(DateTime).Append(nil, &page)); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	if got := page.Namespaces(); got != XHTML|Image {
		t.Errorf("namespaces %b", got)
	}
}

// TestShardsDeclareWhatTheirPagesNeed has pages with alternates in one shard of
// several only, at its beginning or at its end, with and without compression.
func TestShardsDeclareWhatTheirPagesNeed(t *testing.T) {
	const xhtml, image = ` xmlns:xhtml="http://www.w3.org/1999/xhtml"`, ` xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"`
	for _, compression := range []Gzip{GzipShards, GzipNone, GzipAll} {
		for _, at := range []int{0, 700, 1999} {
			s := newSiteInMemory(t)
			s.namespaces = XHTML | Image
			s.config.Files.Gzip, s.config.Files.MaxURLs = compression, 400
			pages := makePages(0, 2000)
			pages[at].Alternates = []Alternate{{"de", "https://example.com/de"}}
			pages[(at+1000)%2000].Images = []string{"https://example.com/i.png"}
			s.publish(t, pages)
			declared := 0
			names, err := filepath.Glob(filepath.Join(s.dir, "sitemap-*"))
			if err != nil || len(names) < 4 {
				t.Fatal(names, err)
			}
			for _, name := range names {
				text := readPlain(t, name)
				for prefix, declaration := range map[string]string{"<xhtml:": xhtml, "<image:": image} {
					if strings.Contains(text, prefix) != strings.Contains(text, declaration) {
						t.Errorf("%s, page %d: %s has %s: %v, declares it: %v", compression, at, filepath.Base(name), prefix,
							strings.Contains(text, prefix), strings.Contains(text, declaration))
					}
					declared += strings.Count(text, declaration)
				}
			}
			if declared != 2 {
				t.Errorf("%s, page %d: %d shards declare something", compression, at, declared)
			}
			// And the same again changes nothing.
			if again := s.publish(t, pages); len(again.Written) > 0 {
				t.Errorf("%s, page %d: wrote %v again", compression, at, again.Written)
			}
		}
	}
}

func TestOnlyShardDeclaresWhatItsPagesNeed(t *testing.T) {
	s := newSite(t)
	s.namespaces = XHTML
	pages := makePages(0, 10)
	pages[9].Alternates = []Alternate{{"de", "https://example.com/de"}}
	s.publish(t, pages)
	if text := readPlain(t, filepath.Join(s.dir, "sitemap.xml")); !strings.Contains(text, "xmlns:xhtml=") {
		t.Error(text)
	}
}

func TestMarkedPagesAreFoundInTheirShards(t *testing.T) {
	for _, count := range []int{20, 2000} {
		s := newSiteInMemory(t)
		s.config.Files.MaxURLs = 400
		folder, err := OpenFolder(s.dir, true)
		if err != nil {
			t.Fatal(err)
		}
		set, err := NewSet(folder, s.config, Options{URL: testURL, Sections: testSections, Jobs: 2, IndexTime: s.now, Dry: true})
		if err != nil {
			t.Fatal(err)
		}
		renderer := NewRenderer(DateTime)
		pages := makePages(0, count)
		for i := range pages {
			p := &pages[i].Page
			must(t, set.Add(&Rendered{XML: renderer.Append(nil, p), Hash: p.Hash(), LastMod: p.LastMod, Mark: i + 1}))
		}
		result, err := set.Publish(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		set.Close()
		folder.Close()
		s.publish(t, pages)
		for mark := 1; mark <= count; mark++ {
			if text := readPlain(t, filepath.Join(s.dir, result.Marked[mark])); !strings.Contains(text, string(pages[mark-1].Loc)) {
				t.Fatalf("page %d of %d is not in %q", mark, count, result.Marked[mark])
			}
		}
	}
}

// readPlain returns a file, uncompressed.
func readPlain(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		inflated, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		if content, err = io.ReadAll(inflated); err != nil { // which checks sum and length
			t.Fatal(path, err)
		}
	}
	return string(content)
}
