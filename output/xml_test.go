package output

import (
	"bytes"
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// urlset is a shard, as an independent reader of XML sees it.
type urlset struct {
	XMLName xml.Name
	Schema  string `xml:"http://www.w3.org/2001/XMLSchema-instance schemaLocation,attr"`
	URLs    []struct {
		Loc        string `xml:"loc"`
		LastMod    string `xml:"lastmod"`
		ChangeFreq string `xml:"changefreq"`
		Priority   string `xml:"priority"`
	} `xml:"url"`
}

// sitemapindex is an index, likewise.
type sitemapindex struct {
	XMLName  xml.Name
	Sitemaps []struct {
		Loc     string `xml:"loc"`
		LastMod string `xml:"lastmod"`
	} `xml:"sitemap"`
}

func decode[T any](t testing.TB, content string) (decoded T) {
	t.Helper()
	if err := xml.Unmarshal([]byte(content), &decoded); err != nil {
		t.Fatal(err)
	}
	return decoded
}

func FuzzEntities(f *testing.F) {
	for _, seed := range []string{"", "&", "https://example.com/?a=1&b='2'", `<>"'&amp;`, "ü&", "]]>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			t.Skip("not a URL")
		}
		for _, r := range text {
			if r < ' ' || r == 0xFFFE || r == 0xFFFF {
				t.Skip("not of XML's characters")
			}
		}
		escaped := appendEntities([]byte("<a>"), []byte(text))
		if bytes.ContainsAny(escaped[3:], `<>'"`) {
			t.Fatalf("%q has characters that must be entities", escaped)
		}
		var back string
		if err := xml.Unmarshal(append(escaped, "</a>"...), &back); err != nil || back != text {
			t.Fatalf("%q came back as %q, %v", text, back, err)
		}
	})
}

func TestDatesAreThoseOfPackageTime(t *testing.T) {
	const perDay = 24 * 60 * 60
	seconds := []int64{-1, 0, 1, -perDay, -perDay - 1, -perDay + 1, perDay - 1, perDay, 1 << 31, 1<<31 - 1, 253402300799, -62135596800}
	random := newRandom()
	for range 20_000 {
		seconds = append(seconds, random.Int64N(8_000_000_000)-4_000_000_000)
	}
	for format, layout := range map[LastModFormat]string{DateTime: "2006-01-02T15:04:05+00:00", Date: time.DateOnly} {
		for _, second := range seconds {
			w := newDateWriter(format) // and one that has not written the day before
			shared := newDateWriter(format)
			want := time.Unix(second, 0).UTC().Format(layout)
			for _, got := range [][]byte{w.append(nil, second), shared.append(shared.append(nil, second-perDay)[:0], second)} {
				if string(got) != want {
					t.Fatalf("%d is written %q, want %q", second, got, want)
				}
			}
		}
	}
}

func TestElementsAreWrittenInTheOrderOfTheSchemaAndOnlyIfSet(t *testing.T) {
	loc := []byte("https://example.com/")
	for want, page := range map[string]Page{
		"<url><loc>https://example.com/</loc></url>\n":                               {Loc: loc},
		"<url><loc>https://example.com/</loc><priority>0.0</priority></url>\n":       {Loc: loc, Priority: "0.0"},
		"<url><loc>https://example.com/</loc><changefreq>never</changefreq></url>\n": {Loc: loc, ChangeFreq: "never"},
		"<url><loc>https://example.com/</loc><lastmod>2001-09-09T01:46:40+00:00</lastmod><changefreq>daily</changefreq><priority>1.0</priority></url>\n": {
			Loc: loc, LastMod: 1_000_000_000, ChangeFreq: "daily", Priority: "1.0"},
	} {
		if got := NewRenderer(DateTime).Append(nil, &page); string(got) != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestNamespaceAndSchemaLocationFollowTheSettings(t *testing.T) {
	for _, protocol := range []Protocol{Protocol09, Protocol084} {
		for _, schema := range []bool{false, true} {
			s := newSite(t)
			s.config.Files.Protocol, s.config.Files.SchemaLocation, s.config.Files.Gzip = protocol, schema, GzipNone
			s.publish(t, append(makePages(0, 2), inSection(1, makePages(2, 4))...))
			namespace := namespace09
			if protocol == Protocol084 {
				namespace = namespace084
			}
			for name, content := range files(t, s.dir) {
				decoded := decode[urlset](t, content)
				want := ""
				if schema {
					want = namespace + " " + namespace + "/sitemap.xsd"
					if name == "sitemap.xml" {
						want = namespace + " " + namespace + "/siteindex.xsd"
					}
				}
				if decoded.XMLName.Space != namespace || decoded.Schema != want {
					t.Errorf("%s: namespace %q, schema %q", name, decoded.XMLName.Space, decoded.Schema)
				}
			}
		}
	}
}

func TestFilesAreValidByTheOfficialSchemas(t *testing.T) {
	xmllint := program(t, "xmllint")
	schemas := "../../shared/xsd"
	if _, err := os.Stat(schemas); err != nil {
		t.Skipf("the schemas are no part of the project, and not beside it: %v", err)
	}
	for _, format := range []LastModFormat{DateTime, Date} {
		s := newSite(t)
		s.config.LastModFormat, s.config.Files.Gzip, s.config.Files.MaxURLs = format, GzipNone, 20
		s.config.Files.SchemaLocation = format == Date
		if format == Date { // and several indexes
			s.config.Files.MaxURLs, s.maxIndex = 1, 4096
		}
		pages := makePages(0, 60)
		pages[0].Loc, pages[1].LastMod = []byte(testURL+`?a=1&b='2'%20"<>`), 0
		pages[2].Priority, pages[2].ChangeFreq = "0.0", "always"
		s.publish(t, append(pages, inSection(1, makePages(60, 62))...))
		bySchema := map[string][]string{}
		for name, content := range files(t, s.dir) {
			schema := "sitemap.xsd"
			if strings.Contains(content, "<sitemapindex") {
				schema = "siteindex.xsd"
			}
			bySchema[schema] = append(bySchema[schema], filepath.Join(s.dir, name))
		}
		if len(bySchema["sitemap.xsd"]) < 3 || (len(bySchema["siteindex.xsd"]) > 1) != (format == Date) {
			t.Fatalf("unexpected set %v", bySchema)
		}
		for schema, paths := range bySchema {
			args := append([]string{"--nonet", "--noout", "--schema", filepath.Join(schemas, schema)}, paths...)
			if out, err := exec.Command(xmllint, args...).CombinedOutput(); err != nil {
				t.Errorf("xmllint: %v\n%s", err, out)
			}
		}
	}
}
