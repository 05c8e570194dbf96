package previous

import (
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// parse reads a document into the dates and the names of sitemaps that it gives.
func parse(document string) (*Dates, contents, error) {
	r := &reading{now: now.Unix(), maxURLs: DefaultMaxURLs}
	found, err := r.document(bufio.NewReaderSize(strings.NewReader(document), 16))
	return newDates(r.entries), found, err
}

func TestSitemapsOfAllKindsAreRead(t *testing.T) {
	const url = "<url><loc>https://h.test/a</loc><lastmod>2024-05-01</lastmod></url>"
	for _, document := range []string{
		"<urlset>" + url + "</urlset>",
		`<urlset xmlns="http://www.google.com/schemas/sitemap/0.84">` + url + "</urlset>",
		"\ufeff<?xml version='1.0'?><!DOCTYPE urlset>\n<!-- a > b --><?xml-stylesheet href='>'?><urlset>" + url + "</urlset>\n<!-- x --><?y?>\n",
		"  <?xml version='1.0'?><urlset>" + url + "</urlset>", // which PHP is good at
		`<sm:urlset xmlns:sm="http://www.sitemaps.org/schemas/sitemap/0.9"><sm:url><sm:loc>https://h.test/a</sm:loc><sm:lastmod>2024-05-01</sm:lastmod></sm:url></sm:urlset>`,
		"<urlset><url><lastmod>2024-05-01</lastmod><loc>https://h.test/a</loc></url></urlset>",
		"<urlset>\n <url >\r\n\t<loc\n>\n https://h.test/a \r\n</loc > <lastmod> 2024-05-01\t</lastmod><priority/></url>\n</urlset>",
		"<urlset><url><loc><![CDATA[https://h.test/a]]></loc><lastmod>2024<![CDATA[-05]]>-01</lastmod></url></urlset>",
		"<urlset><url><loc>https://<!-- no -->h.test/&#97;</loc><lastmod>2024-05-0&#x31;</lastmod></url></urlset>",
		"<urlset>" + url + "<url/><url></url><url><loc/></url><url><loc> </loc><lastmod>2024-05-02</lastmod></url></urlset>",
		`<urlset a=">" b='"/>' c="'"><url x="/url>"><loc>https://h.test/a</loc><lastmod>2024-05-01</lastmod></url></urlset>`,
		"<urlset><url><image:image><image:loc>https://h.test/i</image:loc><loc>https://h.test/j</loc><lastmod>2024-05-02</lastmod></image:image>" +
			"<image:loc>https://h.test/k</image:loc><xhtml:link rel='alternate'/>" + strings.TrimPrefix(url, "<url>") + "</urlset>",
		"<urlset>text" + url + "<other><loc>https://h.test/o</loc><lastmod>2024-05-02</lastmod></other></urlset>",
		"<urlset><url><loc>https://h.test/old</loc></url>" + url + "<url><lastmod>2024-05-02</lastmod></url></urlset>",
		"<urlset><!-- continued in x.xml -->" + url + "</urlset>",
	} {
		dates, found, err := parse(document)
		if err != nil || found.isIndex || found.next != "" {
			t.Errorf("%s\n%v, %v", document, found, err)
			continue
		}
		t.Log(document)
		want(t, dates, map[string]int{"a": 1})
	}
}

func TestEntitiesOfAURLAreResolved(t *testing.T) {
	dates, _, err := parse("<urlset><url><loc>https://h.test/?a=1&amp;b=&quot;&apos;&lt;&gt;&#252;&#xFc;&#x1F600;</loc><lastmod>2024-05-01</lastmod></url></urlset>")
	if err != nil {
		t.Fatal(err)
	}
	want(t, dates, map[string]int{"?a=1&b=\"'<>üü😀": 1})
}

func TestDatesAreTakenAsFarAsTheyNameADay(t *testing.T) {
	for text, want := range map[string]string{
		"2024-05-01T10:11:12Z":            "2024-05-01T10:11:12Z",
		"2024-05-01T10:11:12+00:00":       "2024-05-01T10:11:12Z",
		"2024-05-01T10:11:12+05:30":       "2024-05-01T04:41:12Z",
		"2024-05-01T00:11:12-08:00":       "2024-05-01T08:11:12Z",
		"2024-05-01T10:11:12.999Z":        "2024-05-01T10:11:12Z",
		"2024-05-01T10:11:12.123456+01:0": "",
		"2024-05-01T10:11Z":               "2024-05-01T10:11:00Z",
		"2024-05-01T10:11+02:00":          "2024-05-01T08:11:00Z",
		"2024-02-29":                      "2024-02-29",
		"2024-06-01":                      "2024-06-01",
		"1970-01-02":                      "1970-01-02",
		"1970-01-01T00:00:01Z":            "1970-01-01T00:00:01Z",
		"2024-06-01T12:00:00Z":            "2024-06-01T12:00:00Z",
		"2024-06-01T14:00:00+02:00":       "2024-06-01T12:00:00Z",

		"2024-06-01T12:00:01Z": "", "2024-06-02": "", "2099-01-01": "", // yet to come
		"1970-01-01": "", "1970-01-01T00:00:00Z": "", "1969-12-31": "", "0001-01-01": "", "0000-01-01": "",
		"2024": "", "2024-05": "", "": "", "today": "", "2024-5-1": "", "20240501": "", "2023-02-29": "", "2024-13-01": "", "01.05.2024": "",
		"2024-05-01T10:11:12": "", "2024-05-01 10:11:12": "", "2024-05-01T25:00:00Z": "", "Wed, 01 May 2024 10:11:12 GMT": "", "99999-01-01": "",
	} {
		dates, _, err := parse("<urlset><url><loc>https://h.test/</loc><lastmod>" + text + "</lastmod></url></urlset>")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if seconds, dateOnly, ok := dates.Find([]byte("https://h.test/")); ok {
			moment := time.Unix(seconds, 0).UTC()
			if got = moment.Format(time.RFC3339); dateOnly {
				got = moment.Format(time.DateOnly)
			}
		}
		if got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestMalformedFilesAreRefusedWithTheirPlace(t *testing.T) {
	for document, want := range map[string]string{
		"":                                     "1:1: is not a sitemap: there is no root element",
		" \n <!-- x -->\n":                     "3:1: is not a sitemap: there is no root element",
		"<html>\n<urlset/></html>":             `1:1: is not a sitemap: the root element is "html"`,
		"<!DOCTYPE html>\n<HTML></HTML>":       `2:1: is not a sitemap: the root element is "HTML"`,
		"https://h.test/\n":                    "1:1: malformed XML: text outside of the root element",
		"\xff\xfe<\x00u\x00":                   "1:1: malformed XML: text outside of the root element",
		"<urlset/>\nx":                         "1:10: malformed XML: text outside of the root element",
		"<urlset/><![CDATA[x]]>":               "1:10: malformed XML: text outside of the root element",
		"<urlset/><urlset/>":                   "1:10: malformed XML: <urlset> begins a second root element",
		"<urlset>\n<url>\n <loc>x</lco>":       `3:8: malformed XML: "lco" ends where "loc" should`,
		"<urlset></urlset></urlset>":           `1:18: malformed XML: </"urlset"> ends no element`,
		"<urlset>\n<url>":                      `2:6: malformed XML: the file ends before "url" does`,
		"<urlset><url":                         "1:9: malformed XML: the markup has no end",
		"<urlset><!-- ->":                      "1:9: malformed XML: the markup has no end",
		"<urlset><!-->":                        "1:9: malformed XML: the markup has no end",
		"<urlset><![CDATA[ ]>":                 "1:9: malformed XML: the markup has no end",
		"<urlset a='>":                         "1:1: malformed XML: the markup has no end",
		"<urlset><></urlset>":                  "1:9: malformed XML: <> is not a tag",
		"<urlset>< url></urlset>":              `1:9: malformed XML: <" url" is not a tag`,
		"<urlset><url<loc></urlset>":           `1:9: malformed XML: <"url<loc" is not a tag`,
		"<urlset><1/></urlset>":                `1:9: malformed XML: <"1/" is not a tag`,
		"<urlset><url><loc>a&b</loc></url>":    "1:22: malformed XML: the text before holds an & that is no reference",
		"<urlset><url><loc>&nbsp;</loc></url>": "1:25: malformed XML: the text before holds an & that is no reference",
		"<urlset><url><loc>&#0;</loc></url>":   "1:23: malformed XML: the text before holds an & that is no reference",
		"<urlset><url><loc>&#xD800;</loc>":     "1:27: malformed XML: the text before holds an & that is no reference",
		"<urlset><url><loc>&#+1;</loc>":        "1:24: malformed XML: the text before holds an & that is no reference",
		"<!DOCTYPE u [<!ENTITY a 'b'>]><u/>":   "1:1: declares entities or elements, which is not taken",
		strings.Repeat("<urlset>", 101):        "1:801: more than 100 elements stand in each other",
		"<urlset><!--" + strings.Repeat("x", maxMarkup) + "-->":                    "1:9: markup is longer than 1048576 bytes",
		"<urlset><url><loc>" + strings.Repeat("x\n", maxMarkup/2) + "</loc></url>": "",
		"<urlset><url><loc>" + strings.Repeat("x\n", maxMarkup/2) + "x</loc>":      "524289:1: a text is longer than 1048576 bytes",
	} {
		shown := document[:min(len(document), 100)]
		_, _, err := parse(document)
		if want == "" {
			want = fmt.Sprintf("%d:7: malformed XML: the file ends before %q does", maxMarkup/2+1, "urlset")
			want = strings.Replace(want, ":7:", ":13:", 1)
		}
		wrong, ok := err.(*syntaxError)
		if !ok {
			t.Errorf("%q: %v", shown, err)
			continue
		}
		if got := fmt.Sprintf("%d:%d: %s", wrong.line, wrong.column, wrong.problem); got != want {
			t.Errorf("%q\n\t is  %s\n\twant %s", shown, got, want)
		}
	}
}

func TestErrorsNameTheFile(t *testing.T) {
	folder := write(t, map[string]string{
		"sitemap.xml": index("", "https://h.test/a.xml.gz"),
		"a.xml.gz":    compress("<urlset>\n<url></urlset>"),
		"cut.gz":      compress("<urlset>" + strings.Repeat("<url/>", 1000) + "</urlset>")[:30],
		"no.gz":       "\x1f\x8bno gzip",
	})
	refuse(t, folder, Options{}, `a.xml.gz:2:6: malformed XML: "urlset" ends where "url" should`)
	refuse(t, folder+"/cut.gz", Options{}, "cut.gz: unexpected EOF")
	refuse(t, folder+"/no.gz", Options{}, "no.gz: unexpected EOF")
}

func TestIndexesAreRead(t *testing.T) {
	for document, want := range map[string]string{
		index("", "https://h.test/a.xml", " https://h.test/b.xml?a&amp;b "):                   "https://h.test/a.xml https://h.test/b.xml?a&b + ",
		index("<!-- continued in sitemap-index-2.xml -->\n", "https://h.test/a.xml"):          "https://h.test/a.xml + sitemap-index-2.xml",
		"<x:sitemapindex><x:sitemap><x:loc>a</x:loc></x:sitemap></x:sitemapindex>":            "a + ",
		"<sitemapindex><url><loc>a</loc></url><sitemap/></sitemapindex>":                      " + ",
		"<sitemapindex><sitemap><loc>a</loc><!-- continued in b --></sitemap></sitemapindex>": "a + ",
		"<!-- continued in b --><sitemapindex/>":                                              " + ",
	} {
		dates, found, err := parse(document)
		if got := strings.Join(found.sitemaps, " ") + " + " + found.next; err != nil || !found.isIndex || got != want || dates.Len() != 0 {
			t.Errorf("%s\nbecame %s, %v, %d dates", document, got, err, dates.Len())
		}
	}
}

// listed is what a document lists, as two readers tell it.
type listed struct{ loc, lastmod string }

// readStrictly reads a sitemap by encoding/xml, and returns false if that finds
// fault with it.
func readStrictly(document []byte) ([]listed, bool) {
	check := xml.NewDecoder(bytes.NewReader(document))
	for {
		token, err := check.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, false
		}
		if directive, is := token.(xml.Directive); is && bytes.ContainsAny(directive, "[<>'\"") {
			return nil, false
		}
	}
	decoder := xml.NewDecoder(bytes.NewReader(document))
	var path []string
	var all []listed
	var current listed
	var text string
	for {
		token, err := decoder.RawToken()
		if err == io.EOF {
			return all, len(path) == 0
		}
		switch token := token.(type) {
		case xml.StartElement:
			name := token.Name.Local
			if token.Name.Space != "" {
				name = token.Name.Space + ":" + name
			}
			path = append(path, name)
			switch strings.Join(path, "/") {
			case "urlset/url":
				current = listed{}
			case "urlset/url/loc", "urlset/url/lastmod":
				text = ""
			}
		case xml.CharData:
			text += string(token)
		case xml.EndElement:
			switch strings.Join(path, "/") {
			case "urlset/url/loc":
				current.loc = strings.Trim(text, space)
			case "urlset/url/lastmod":
				current.lastmod = strings.Trim(text, space)
			case "urlset/url":
				if current.loc != "" {
					all = append(all, current)
				}
			}
			path = path[:len(path)-1]
		}
	}
}

// compareWithStandard checks that what encoding/xml reads is read the same.
func compareWithStandard(t interface {
	Fatalf(format string, arguments ...any)
}, document []byte) {
	dates, _, err := parse(string(document))
	root := bytes.HasPrefix(bytes.TrimLeft(document, space), []byte("<urlset"))
	want, fine := readStrictly(document)
	if !fine || !root || bytes.ContainsRune(document, '\r') || len(document) > maxMarkup {
		return
	}
	if err != nil {
		if strings.Contains(err.Error(), "elements stand in each other") || strings.Contains(err.Error(), "the root element is") ||
			strings.Contains(err.Error(), "outside of the root") || strings.Contains(err.Error(), "second root") {
			return // which encoding/xml leaves to others
		}
		t.Fatalf("%q: %v", document, err)
	}
	latest := map[string]int64{}
	for _, entry := range want {
		seconds, dateOnly, ok := parseDate(entry.lastmod)
		if ok && seconds > 0 && seconds <= now.Unix() {
			latest[entry.loc] = max(latest[entry.loc], pack(seconds, dateOnly))
		}
	}
	for loc, date := range latest {
		if seconds, dateOnly, ok := dates.Find([]byte(loc)); !ok || pack(seconds, dateOnly) != date {
			t.Fatalf("%q: %q has the date %d, %v, %v", document, loc, seconds, dateOnly, ok)
		}
	}
	if dates.Len() != len(latest) {
		t.Fatalf("%q: %d dates, want %d", document, dates.Len(), len(latest))
	}
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(urlset(map[string]int{"a": 1, "b?a&amp;b": 2})))
	f.Add([]byte(index("<!-- continued in b.xml -->", "https://h.test/a.xml")))
	f.Add([]byte("<urlset a='>'><url><loc><![CDATA[<a>]]>&#x41;</loc><lastmod>2024-05-01T10:11:12.5+02:00</lastmod><x:y/></url><!-- > --></urlset>"))
	f.Add([]byte("<!DOCTYPE urlset [<!ENTITY a 'b'>]><urlset><url><loc>&a;</loc></url></urlset>"))
	f.Add([]byte("<urlset><url><loc>a<loc>b</loc></loc><lastmod>2024-05-01</lastmod></url></urlset>"))
	f.Fuzz(func(t *testing.T, document []byte) { compareWithStandard(t, document) })
}

// FuzzFolder puts anything in the place of a set: an index, and a sitemap beside it.
// Nothing outside of the folder is read, and compression changes nothing.
func FuzzFolder(f *testing.F) {
	set := urlset(map[string]int{"a": 1})
	for _, loc := range []string{"https://h.test/a.xml", "../outside.xml", "https://h.test/..%2foutside.xml", "file:///outside.xml", "a.xml/../../outside.xml", "https://h.test/sub/outside.xml", ".."} {
		f.Add(index("", loc), set)
	}
	f.Add(index("<!-- continued in a.xml -->", "https://h.test/a.xml"), index("<!-- continued in ../outside.xml -->"))
	f.Add(set, "")
	above, err := os.MkdirTemp("/dev/shm", "sitewalk-test-") // where there is one, it is quick
	if err != nil {
		above = f.TempDir()
	}
	f.Cleanup(func() { os.RemoveAll(above) })
	folder := filepath.Join(above, "folder")
	for _, dir := range []string{folder, filepath.Join(above, "sub")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			f.Fatal(err)
		}
	}
	for _, name := range []string{"outside.xml", "sub/outside.xml"} {
		if err := os.WriteFile(filepath.Join(above, name), []byte(urlset(map[string]int{"outside-of-the-folder": 1})), 0o644); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, root, beside string) {
		told := [2]string{}
		for i, content := range []func(string) string{strings.Clone, compress} {
			for name, text := range map[string]string{"sitemap.xml": root, "a.xml": beside} {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(content(text)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			dates, err := Read(context.Background(), folder, Options{Now: now})
			if err == nil {
				if _, _, found := dates.Find([]byte("https://h.test/outside-of-the-folder")); found && !strings.Contains(root+beside, "outside-of-the-folder") {
					t.Fatal("a file outside of the folder was read")
				}
				told[i] = fmt.Sprint(dates)
			} else {
				told[i] = err.Error()
			}
		}
		if compressed := strings.HasPrefix(root, "\x1f\x8b") || strings.HasPrefix(beside, "\x1f\x8b"); !compressed && told[0] != told[1] {
			t.Fatalf("compressed, it says\n%.500s\nand plain\n%.500s", told[1], told[0])
		}
	})
}

func TestDocumentsAreReadAsByTheStandardLibrary(t *testing.T) {
	pieces := []string{
		"<url>", "</url>", "<loc>", "</loc>", "<lastmod>", "</lastmod>", "<x:loc>", "</x:loc>", "<url/>", "<loc/>", "a", "b", " ", "\n", "&amp;", "&#65;", "&lt;x",
		"<![CDATA[", "]]>", "<!--", "-->", "<?x", "?>", "2024-05-01", "2024-05-02T10:00Z", "<a b='", "'>", "</a>", "&", ">",
		"<url><loc>c</loc><lastmod>2024-05-03</lastmod></url>", "<loc>d</loc>", "<lastmod>2024-05-04</lastmod>",
	}
	rapid.Check(t, func(t *rapid.T) {
		body := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		compareWithStandard(t, []byte("<urlset>"+body+"</urlset>"))
		compareWithStandard(t, []byte("<urlset><url>"+body+"</url></urlset>"))
	})
}
