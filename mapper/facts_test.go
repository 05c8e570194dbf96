package mapper

import (
	"encoding/xml"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitewalk/output"
	"sitewalk/scanner"
	"sitewalk/scanner/head"
)

func TestNoFactsTakeNoText(t *testing.T) {
	if got := (&Facts{}).Append(nil); len(got) != 0 {
		t.Errorf("got %q", got)
	}
	if got, ok := ParseFacts(""); !ok || !reflect.DeepEqual(got, Facts{}) {
		t.Errorf("got %+v, %v", got, ok)
	}
}

func TestFactsOfAllKindsComeBack(t *testing.T) {
	facts := Facts{
		Redirect: "https://h.test/r", NoIndex: true, Expires: 1, OtherResource: true, Canonical: "https://h.test/c",
		Modified: -5, ModifiedDateOnly: true, ChangeFreq: "weekly",
		Alternates: []output.Alternate{{Lang: "de", Loc: "https://h.test/de"}, {Lang: "x-default", Loc: "https://h.test/"}},
		Images:     []string{"https://h.test/i", "https://h.test/j"},
		Evidence: []Evidence{
			{scanner.Redirect, "line 1: <r>"}, {scanner.NoIndex, "line 2: <n>"}, {scanner.Expired, "line 3: <x>"},
			{scanner.ResourceType, "line 4: <t>"}, {scanner.Canonical, "line 5: <c>"},
		},
	}
	for i := range reflect.TypeFor[Facts]().NumField() {
		if reflect.ValueOf(facts).Field(i).IsZero() {
			t.Errorf("%s is not tested", reflect.TypeFor[Facts]().Field(i).Name)
		}
	}
	const want = "rhttps://h.test/r\nn\nx1\nt\nchttps://h.test/c\nd-5\nfweekly\nade https://h.test/de\nax-default https://h.test/\n" +
		"ihttps://h.test/i\nihttps://h.test/j\nerline 1: <r>\nenline 2: <n>\nexline 3: <x>\netline 4: <t>\necline 5: <c>\n"
	text := string(facts.Append(nil))
	if text != want {
		t.Errorf("got %q, want %q", text, want)
	}
	if got, ok := ParseFacts(text); !ok || !reflect.DeepEqual(got, facts) {
		t.Errorf("got %+v, %v, want %+v", got, ok, facts)
	}
}

func TestTextThatIsNoFactsIsRefused(t *testing.T) {
	for _, text := range []string{
		"\n", "n", "n\n\n", "z\n", "ra\nb\n", "x\n", "x1.5\n", "x99999999999999999999\n", "m \n", "ade\n", "e\n", "eline 3\n", "e \n",
	} {
		if facts, ok := ParseFacts(text); ok {
			t.Errorf("%q was taken for %+v", text, facts)
		}
	}
}

// TestDistilledFactsComeBack puts any text wherever a head holds some.
func TestDistilledFactsComeBack(t *testing.T) {
	w := siteWorker(t, nil)
	loc := locOf(w, "a/p.html")
	rapid.Check(t, func(rt *rapid.T) {
		h := drawHead(rt, loc)
		h.ResourceType, h.DocumentState = rapid.String().Draw(rt, "type"), rapid.String().Draw(rt, "state")
		h.Alternates = append(h.Alternates, head.Alternate{Language: rapid.String().Draw(rt, "hreflang"), Href: rapid.String().Draw(rt, "href")})
		h.Language = rapid.String().Draw(rt, "language")
		checkKept(rt, w, loc, h)
	})
}

func checkKept(t interface {
	Helper()
	Fatalf(string, ...any)
}, w *Worker, loc string, h *head.Head) {
	t.Helper()
	facts := w.Distill("p.html", []byte(loc), h, &everything)
	text := string(facts.Append(nil))
	got, ok := ParseFacts(text)
	if !ok || !reflect.DeepEqual(got, facts) {
		t.Fatalf("%q: got %+v, %v, want %+v", text, got, ok, facts)
	}
}

func FuzzParseFacts(f *testing.F) {
	f.Add("rhttps://h.test/r\nn\nx1\nt\nchttps://h.test/c\nd-5\nm7\nfweekly\nade https://h.test/de\nihttps://h.test/i\nerline 1: <r>\n")
	f.Add("ctext\n")
	f.Add("c://\n")
	f.Add("rhttps://h.test?/\n")
	w := siteWorker(f, nil, "a/p.html", "a/p/index.html")
	mapped, _ := mapPath(w, "a/p.html")
	f.Fuzz(func(t *testing.T, text string) {
		facts, ok := ParseFacts(text)
		if !ok {
			return
		}
		// What is kept may be anybody's: it is judged without harm.
		file, page := scanner.File{Name: "p.html"}, mapped
		w.Judge(&file, &page, &facts, testNow)
		// Facts that stand twice count once, so only the second time is the same.
		kept := string(facts.Append(nil))
		again, ok := ParseFacts(kept)
		if !ok || string(again.Append(nil)) != kept || strings.Count(kept, "\n") > strings.Count(text, "\n") {
			t.Fatalf("%q is kept as %q", text, kept)
		}
	})
}

// checkElement holds what a sitemap would say of a page to an independent reader of
// XML.
func checkElement(t *testing.T, page *Page) {
	t.Helper()
	type link struct {
		Lang string `xml:"hreflang,attr"`
		Loc  string `xml:"href,attr"`
	}
	var got struct {
		Loc    string   `xml:"loc"`
		Links  []link   `xml:"link"`
		Images []string `xml:"image>loc"`
	}
	text := output.NewRenderer(output.DateTime).Append(nil, &page.Page)
	if err := xml.Unmarshal(text, &got); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	var links []link
	for _, a := range page.Alternates {
		links = append(links, link(a))
	}
	if got.Loc != string(page.Loc) || !slices.Equal(got.Links, links) || !slices.Equal(got.Images, page.Images) {
		t.Fatalf("%q is read as %+v, want %q, %+v, %q", text, got, page.Loc, links, page.Images)
	}
	for _, b := range text {
		if b != '\n' && (b < ' ' || b > '~') {
			t.Fatalf("%q is not plain", text)
		}
	}
}

// FuzzDistill holds what is kept of any head to this: it is judged as what was read, and
// what the sitemap says of the page then is XML that says the same.
func FuzzDistill(f *testing.F) {
	f.Add("/b/", "p", "../c?d", "https://other.test/", "image\nn", "de", "7 days")
	f.Add("", "https://h.test/a/p.html", "", "#", "document", "x-default", "static")
	w := siteWorker(f, nil, "a/p.html", "a/p/index.html")
	f.Fuzz(func(t *testing.T, base, canonical, refresh, other, kind, language, hint string) {
		h := evident(head.Head{
			Base: base, Canonicals: []string{canonical, other}, Refresh: refresh, HasRefresh: refresh != "", URLMeta: other, HasURLMeta: other != "",
			ResourceType: kind, Language: language, RevisitAfter: hint, Images: []string{other},
			Alternates: []head.Alternate{{Language: language, Href: canonical}, {Language: "de", Href: other}},
		})
		_, page, _ := judged(t, w, "a/p.html", h)
		checkElement(t, &page)
	})
}
