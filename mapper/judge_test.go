package mapper

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitewalk/scanner"
	"sitewalk/scanner/head"
)

// everything is a Reading of all that can be read.
var everything = Reading{Canonical: true, Alternates: true, Hints: true, Images: true}

// judged returns what becomes of the page of a path with the given head: from the
// facts as read, and, which must be the same, from what is kept of them.
func judged(t interface {
	Helper()
	Fatalf(string, ...any)
}, w *Worker, path string, h *head.Head) (scanner.File, Page, Facts) {
	t.Helper()
	page, verdict := mapPath(w, path)
	if verdict != scanner.Listed {
		t.Fatalf("%s is %v", path, verdict)
	}
	_, name := splitPath(path)
	facts := w.Distill(name, page.Loc, h, &everything)
	file, read := scanner.File{Name: name}, page
	listed := w.Judge(&file, &read, &facts, testNow)
	if listed != (file.Verdict == scanner.Listed) {
		t.Fatalf("Judge reports %v of a file that is %v", listed, file.Verdict)
	}
	kept, ok := ParseFacts(string(facts.Append(nil)))
	if !ok {
		t.Fatalf("what is kept of %+v cannot be read", facts)
	}
	again, recalled := scanner.File{Name: name}, page
	w.Judge(&again, &recalled, &kept, testNow)
	if !reflect.DeepEqual(again, file) || !reflect.DeepEqual(recalled, read) {
		t.Fatalf("as read: %+v %+v\nas kept: %+v %+v", file, read, again, recalled)
	}
	return file, read, facts
}

// evident adds the evidence to a head that a parser would give.
func evident(h head.Head) *head.Head {
	add := func(is bool, fact head.Fact, tag string) {
		if is {
			// A parser writes a tag on one line.
			h.Evidence = append(h.Evidence, head.Evidence{Fact: fact, Line: len(h.Evidence) + 1, Tag: strings.ReplaceAll(tag, "\n", " ")})
		}
	}
	for _, canonical := range h.Canonicals {
		add(true, head.FactCanonical, "<link canonical "+canonical+">")
	}
	add(h.NoIndex, head.FactNoIndex, "<meta noindex>")
	add(h.Expires != 0, head.FactExpires, "<meta unavailable_after>")
	add(h.ResourceType != "", head.FactResourceType, "<meta resource-type>")
	add(h.HasRefresh, head.FactRefresh, "<meta refresh>")
	add(h.HasURLMeta, head.FactURLMeta, "<meta url>")
	return &h
}

func TestHeadsAreJudged(t *testing.T) {
	refresh := func(to string) head.Head { return head.Head{Refresh: to, HasRefresh: true} }
	urlMeta := func(to string) head.Head { return head.Head{URLMeta: to, HasURLMeta: true} }
	canonical := func(hrefs ...string) head.Head { return head.Head{Canonicals: hrefs} }
	for _, test := range []struct {
		name   string
		path   string
		head   head.Head
		want   scanner.Verdict
		detail string
	}{
		{"nothing", "a/p.html", head.Head{}, scanner.Listed, ""},

		{"refresh", "a/p.html", refresh("/b.html"), scanner.Redirect, "the page leads to https://h.test/b.html; line 1: <meta refresh>"},
		{"refresh to a host", "a/p.html", refresh("https://other.test"), scanner.Redirect, "the page leads to https://other.test/; line 1: <meta refresh>"},
		{"refresh to this page on another host", "a/p.html", refresh("https://www.h.test/a/p.html"), scanner.Redirect, "the page leads to https://www.h.test/a/p.html; line 1: <meta refresh>"},
		{"refresh to another port", "a/p.html", refresh("https://h.test:8080/a/p.html"), scanner.Redirect, "the page leads to https://h.test:8080/a/p.html; line 1: <meta refresh>"},
		{"refresh to the other scheme", "a/p.html", refresh("http://h.test/a/p.html"), scanner.Listed, ""},
		{"refresh to nothing", "a/p.html", refresh(""), scanner.Listed, ""},
		{"refresh to a place", "a/p.html", refresh("#top"), scanner.Listed, ""},
		{"refresh to the name", "a/p.html", refresh("p.html"), scanner.Listed, ""},
		{"refresh to the loc", "a/p.html", refresh("https://H.test:443/a/%70.html"), scanner.Listed, ""},
		{"refresh to another style", "a/p.html", refresh("/a/p/"), scanner.Listed, ""},
		{"refresh past a cache", "a/p.html", refresh("p.html?again"), scanner.Listed, ""},
		{"refresh with a query to another page", "a/p.html", refresh("q.html?again"), scanner.Redirect, "the page leads to https://h.test/a/q.html?again; line 1: <meta refresh>"},
		{"refresh of a folder to itself", "a/index.html", refresh("."), scanner.Listed, ""},
		{"refresh of a folder to its index", "a/index.html", refresh("index.html"), scanner.Listed, ""},
		{"refresh of a folder below", "a/index.html", refresh("en/"), scanner.Redirect, "the page leads to https://h.test/a/en/; line 1: <meta refresh>"},
		{"refresh to another file of the name", "both.html", refresh("/both/"), scanner.Redirect, "the page leads to https://h.test/both/; line 1: <meta refresh>"},
		{"refresh to a script", "a/p.html", refresh("javascript:go()"), scanner.Listed, ""},
		{"refresh to an empty host", "a/p.html", refresh("http://"), scanner.Listed, ""},
		{"refresh by a base", "a/p.html", head.Head{Refresh: "p.html", HasRefresh: true, Base: "/b/"}, scanner.Redirect, "the page leads to https://h.test/b/p.html; line 1: <meta refresh>"},
		{"empty refresh by a base", "a/p.html", head.Head{HasRefresh: true, Base: "/b/"}, scanner.Redirect, "the page leads to https://h.test/b/; line 1: <meta refresh>"},

		{"name=URL", "a/p.html", urlMeta("/b.html"), scanner.Redirect, "the page leads to https://h.test/b.html; line 1: <meta url>"},
		{"name=URL to itself", "a/p.html", urlMeta("https://h.test/a/p.html"), scanner.Listed, ""},
		{"name=URL to another style", "a/p.html", urlMeta("http://h.test/a/p"), scanner.Listed, ""},
		{"name=URL without a base", "a/p.html", head.Head{URLMeta: "p.html", HasURLMeta: true, Base: "/b/"}, scanner.Listed, ""},
		{"refresh to itself and name=URL", "a/p.html", head.Head{HasRefresh: true, URLMeta: "/b", HasURLMeta: true}, scanner.Redirect, "the page leads to https://h.test/b; line 2: <meta url>"},
		{"refresh before name=URL", "a/p.html", head.Head{Refresh: "/c", HasRefresh: true, URLMeta: "/b", HasURLMeta: true}, scanner.Redirect, "the page leads to https://h.test/c; line 1: <meta refresh>"},

		{"noindex", "a/p.html", head.Head{NoIndex: true}, scanner.NoIndex, "line 1: <meta noindex>"},
		{"redirect before noindex", "a/p.html", head.Head{NoIndex: true, Refresh: "/b", HasRefresh: true}, scanner.Redirect, "the page leads to https://h.test/b; line 2: <meta refresh>"},
		{"noindex behind a harmless refresh", "a/p.html", head.Head{NoIndex: true, Refresh: "p", HasRefresh: true}, scanner.NoIndex, "line 1: <meta noindex>"},
		{"noindex before canonical", "a/p.html", head.Head{NoIndex: true, Canonicals: []string{"/b"}}, scanner.NoIndex, "line 2: <meta noindex>"},

		{"expired", "a/p.html", head.Head{Expires: testNow - 1}, scanner.Expired, "since 2023-11-14T22:13:19Z; line 1: <meta unavailable_after>"},
		{"expired now", "a/p.html", head.Head{Expires: testNow}, scanner.Expired, "since 2023-11-14T22:13:20Z; line 1: <meta unavailable_after>"},
		{"expired before 1970", "a/p.html", head.Head{Expires: 1}, scanner.Expired, "since 1970-01-01T00:00:01Z; line 1: <meta unavailable_after>"},
		{"not yet expired", "a/p.html", head.Head{Expires: testNow + 1}, scanner.Listed, ""},
		{"not yet expired, with another reason", "a/p.html", head.Head{Expires: testNow + 1, ResourceType: "image"}, scanner.ResourceType, "line 2: <meta resource-type>"},
		{"noindex before expired", "a/p.html", head.Head{Expires: 1, NoIndex: true}, scanner.NoIndex, "line 1: <meta noindex>"},

		{"resource-type", "a/p.html", head.Head{ResourceType: "image"}, scanner.ResourceType, "line 1: <meta resource-type>"},
		{"resource-type with line ends", "a/p.html", head.Head{ResourceType: "docu\nment\nn\n"}, scanner.ResourceType, "line 1: <meta resource-type>"},
		{"resource-type document", "a/p.html", head.Head{ResourceType: "document"}, scanner.Listed, ""},
		{"resource-type before canonical", "a/p.html", head.Head{ResourceType: "image", Canonicals: []string{"/b"}}, scanner.ResourceType, "line 2: <meta resource-type>"},

		{"canonical", "a/p.html", canonical("/b.html"), scanner.Canonical, "the page names https://h.test/b.html; line 1: <link canonical /b.html>"},
		{"canonical of itself", "a/p.html", canonical("p.html"), scanner.Listed, ""},
		{"canonical in another style", "a/p.html", canonical("p"), scanner.Listed, ""},
		{"canonical with a query", "a/p.html", canonical("?q"), scanner.Canonical, "the page names https://h.test/a/p.html?q; line 1: <link canonical ?q>"},
		{"canonical of the root", "a/p.html", canonical("/"), scanner.Canonical, "the page names https://h.test/; line 1: <link canonical />"},
		{"canonical on another host", "a/p.html", canonical("https://other.test/p.html"), scanner.Canonical, "the page names https://other.test/p.html; line 1: <link canonical https://other.test/p.html>"},
		{"canonical that is no URL", "a/p.html", canonical("http://a b/"), scanner.Listed, ""},
		{"canonical of another file of the name", "both.html", canonical("/both/"), scanner.Canonical, "the page names https://h.test/both/; line 1: <link canonical /both/>"},
		{"canonicals, one of itself", "a/p.html", canonical("/b", "/c", "p.html"), scanner.Listed, ""},
		{"canonicals, one in another style", "a/p.html", canonical("/b", "p", "/c"), scanner.Listed, ""},
		{"canonicals elsewhere", "a/p.html", canonical("http://a b/", "/b", "/c"), scanner.Canonical, "the page names https://h.test/b; line 2: <link canonical /b>"},
		{"canonical by a base", "a/p.html", head.Head{Canonicals: []string{"p.html"}, Base: "/b/"}, scanner.Canonical, "the page names https://h.test/b/p.html; line 1: <link canonical p.html>"},
		{"canonical and a harmless refresh", "a/p.html", head.Head{Canonicals: []string{"/b"}, Refresh: "p", HasRefresh: true}, scanner.Canonical, "the page names https://h.test/b; line 1: <link canonical /b>"},
	} {
		w := siteWorker(t, nil, "a/p.html", "both.html", "both/index.html")
		file, _, _ := judged(t, w, test.path, evident(test.head))
		if file.Verdict != test.want || file.Detail != test.detail {
			t.Errorf("%s: got %v, %q; want %v, %q", test.name, file.Verdict, file.Detail, test.want, test.detail)
		}
	}
}

func TestAStyleGoesWithItsSetting(t *testing.T) {
	w := siteWorker(t, nil)
	_, page, _ := judged(t, w, "a/p.html", &head.Head{Canonicals: []string{"/b", "https://www.h.test/a/p", "p"}})
	want := Style{"https://www.h.test/a/p", "base_url: https://www.h.test/, urls.extension: strip"}
	if page.Style != want {
		t.Errorf("got %+v, want %+v", page.Style, want)
	}
}

func TestReadingSaysWhatCounts(t *testing.T) {
	h := head.Head{
		Canonicals: []string{"/b"}, Images: []string{"i.png"}, RevisitAfter: "1 day", Language: "en",
		Alternates: []head.Alternate{{Language: "de", Href: "/de"}},
	}
	w := siteWorker(t, nil)
	page, _ := mapPath(w, "p.html")
	if got := w.Distill("p.html", page.Loc, &h, &Reading{}); !reflect.DeepEqual(got, Facts{}) {
		t.Errorf("got %+v of what nobody asks for", got)
	}
	got := w.Distill("p.html", page.Loc, &h, &everything)
	if got.Canonical == "" || got.ChangeFreq != "daily" || len(got.Alternates) != 2 || len(got.Images) != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestHintsAreTheNearestWord(t *testing.T) {
	for _, test := range []struct{ state, revisit, want string }{
		{"static", "", "never"},
		{"STATIC", "1 day", "never"},
		{"dynamic", "", ""},
		{"dynamic", "7 days", "weekly"},
		{"", "", ""},
		{"", "0 days", "always"},
		{"", "15 minutes", "always"},
		{"", "1 hour", "hourly"},
		{"", "6 hours", "hourly"},
		{"", "20 hours", "daily"},
		{"", "1 day", "daily"},
		{"", "3 Days", "daily"},
		{"", "7days", "weekly"},
		{"", "14 days", "weekly"},
		{"", "2 weeks", "weekly"},
		{"", "20", "monthly"},
		{"", "1 month", "monthly"},
		{"", "0.5 years", "monthly"},
		{"", "1 year", "yearly"},
		{"", "99999999999 years", "yearly"},
		{"", "1e308 years", "yearly"},
		{"", "Weekly", "weekly"},
		{"", "daily, please", ""},
		{"", "-1 days", ""},
		{"", "7 moons", ""},
		{"", "NaN", ""},
		{"", "Inf", ""},
		{"", "often", ""},
		{"", " ", ""},
	} {
		if got := changeFreqHint(test.state, test.revisit); got != test.want {
			t.Errorf("document-state %q, revisit-after %q: got %q, want %q", test.state, test.revisit, got, test.want)
		}
	}
}

func TestRulesOverrideHints(t *testing.T) {
	word := ChangeFreq("hourly")
	w := siteWorker(t, func(c *Config) { c.Rules = []Rule{{Match: scanner.Globs{"p.html"}, ChangeFreq: &word}} })
	for path, want := range map[string]string{"p.html": "hourly", "q.html": "weekly"} {
		if _, page, _ := judged(t, w, path, &head.Head{RevisitAfter: "7 days"}); page.ChangeFreq != want {
			t.Errorf("%s: got %q, want %q", path, page.ChangeFreq, want)
		}
	}
}

func TestAlternatesHoldThePageItself(t *testing.T) {
	const own = "https://h.test/en/p.html"
	for _, test := range []struct {
		name     string
		language string
		links    string // language and href, in pairs
		want     string
	}{
		{"none", "en", "", ""},
		{"self is added", "en", "de /de/p.html", "de https://h.test/de/p.html en " + own},
		{"self is there", "en", "en p.html de /de/p.html", "en " + own + " de https://h.test/de/p.html"},
		{"self in another style", "en-GB", "en /en/p de /de/p.html", "en https://h.test/en/p de https://h.test/de/p.html"},
		{"self in another tag", "en", "en-us p.html de /de/p.html", "en-us " + own + " de https://h.test/de/p.html"},
		{"another host", "en", "de https://h.example/en/p.html", "de https://h.example/en/p.html en " + own},
		{"self alone", "en", "en p.html x-default /en/p", ""},
		{"language has another page", "EN", "en /uk/p.html", "en https://h.test/uk/p.html"},
		{"no language", "", "de /de/p.html", "de https://h.test/de/p.html"},
		{"no language's form", "english (uk)", "de /de/p.html", "de https://h.test/de/p.html"},
		{"default is the page", "en", "x-default p.html de /de/p.html", "x-default " + own + " de https://h.test/de/p.html en " + own},
		{"default in capitals", "en", "X-Default / en p.html", "X-Default https://h.test/ en " + own},
		{"twice", "en", "de /de/p.html en p.html DE https://h.test:443/de/p.html", "de https://h.test/de/p.html en " + own},
		{"two of one language", "en", "de /de/p.html de /at/p.html en p.html", "de https://h.test/de/p.html de https://h.test/at/p.html en " + own},
		{"one page in two", "en", "de /de/p.html de-AT /de/p.html en p.html", "de https://h.test/de/p.html de-AT https://h.test/de/p.html en " + own},
		{"no languages", "en", "e /1 en_US /2 de--at /3 toolongalanguage /4 de- /5 -de /6 d3 /7 de-toolongasub /8 ünï /9 de\ten /10 x-klingon /11 i-tlh /12", ""},
		{"long tags", "en", "zh-Hant-TW /1 sl-rozaj-biske-1994 /2 " + strings.Repeat("aa-", 12) + "aa /3 en p.html", "zh-Hant-TW https://h.test/1 sl-rozaj-biske-1994 https://h.test/2 en " + own},
		{"no pages", "en", "de javascript:x fr http://a:b/ it /" + strings.Repeat("x", MaxLoc), ""},
		{"another site", "en", "de https://h.example/ en p.html", "de https://h.example/ en " + own},
	} {
		h := head.Head{Language: test.language}
		links := strings.Split(test.links, " ")
		for i := 0; i+1 < len(links); i += 2 {
			h.Alternates = append(h.Alternates, head.Alternate{Language: links[i], Href: links[i+1]})
		}
		_, page, _ := judged(t, siteWorker(t, nil), "en/p.html", &h)
		var got []string
		for _, a := range page.Alternates {
			got = append(got, a.Lang, a.Loc)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, strings.Join(got, " "), test.want)
		}
	}
}

func TestImagesAreListedOnce(t *testing.T) {
	_, page, _ := judged(t, siteWorker(t, nil), "a/p.html", &head.Head{
		Images: []string{"i.png", "./i.png", "/i ü.png", "//cdn.test/i.png?w=1&h=2", "data:,x", "blob:x", strings.Repeat("x", MaxLoc), "https://h.test/a/i.png#x"},
	})
	want := []string{"https://h.test/a/i.png", "https://h.test/i%20%C3%BC.png", "https://cdn.test/i.png?w=1&h=2"}
	if !slices.Equal(page.Images, want) {
		t.Errorf("got %q, want %q", page.Images, want)
	}
}

// drawHead returns a head that may say anything, mostly a little.
func drawHead(rt *rapid.T, loc string) *head.Head {
	var h head.Head
	link := func() string {
		if rapid.Bool().Draw(rt, "own") {
			return loc
		}
		return drawLink(rt)
	}
	for _, field := range rapid.SliceOfN(rapid.IntRange(0, 12), 0, 3).Draw(rt, "fields") {
		switch field {
		case 0:
			h.NoIndex = true
		case 1:
			h.Expires = rapid.Int64Range(1, 2*testNow).Draw(rt, "expires")
		case 2:
			h.ResourceType = rapid.SampledFrom([]string{"document", "image", "a\nn"}).Draw(rt, "type")
		case 3:
			h.Base = link()
		case 4, 5, 6:
			h.Canonicals = append(h.Canonicals, link())
		case 7:
			h.Refresh, h.HasRefresh = link(), true
		case 8:
			h.URLMeta, h.HasURLMeta = link(), true
		case 9:
			h.Modified, h.ModifiedDateOnly = rapid.Int64().Draw(rt, "modified"), rapid.Bool().Draw(rt, "date only")
		case 10:
			h.Language, h.Alternates = "en", append(h.Alternates, head.Alternate{Language: "de", Href: link()})
		case 11:
			h.Images = append(h.Images, link())
		case 12:
			h.RevisitAfter = rapid.String().Draw(rt, "revisit")
		}
	}
	return evident(h)
}

func TestPlainHeadsChangeNothing(t *testing.T) {
	plain := 0
	rapid.Check(t, func(rt *rapid.T) {
		path := drawPath(rt)
		base := rapid.SampledFrom([]string{"https://h.test/", "http://h.test:80/a/", "https://h.test//b/"}).Draw(rt, "base URL")
		urls := drawURLs(rt, "")
		w := siteWorker(t, func(c *Config) { c.BaseURL, c.URLs = base, urls })
		mapped, _ := mapPath(w, path)
		h := drawHead(rt, string(mapped.Loc))
		file, page, facts := judged(rt, w, path, h)
		if !IsPlain(mapped.Loc, h) {
			return
		}
		plain++
		if !reflect.DeepEqual(facts, Facts{}) || file.Verdict != scanner.Listed || !reflect.DeepEqual(page, mapped) {
			rt.Fatalf("%+v of %s makes %+v, and %+v of it", h, mapped.Loc, facts, page)
		}
	})
	if plain == 0 {
		t.Error("no head was plain")
	}
}

// benchmarkPage reads and judges a page with one canonical.
func benchmarkPage(b *testing.B, w *Worker, path, canonical string) {
	page, _ := mapPath(w, path)
	dir, name := splitPath(path)
	w.Enter(dir)
	h := evident(head.Head{Canonicals: []string{canonical}})
	b.ReportAllocs()
	for b.Loop() {
		var facts Facts
		if !IsPlain(page.Loc, h) {
			facts = w.Distill(name, page.Loc, h, &everything)
		}
		file := scanner.File{Name: name}
		judged := page
		if !w.Judge(&file, &judged, &facts, testNow) {
			b.Fatal(file.Verdict)
		}
	}
}

func BenchmarkJudgePlain(b *testing.B) {
	benchmarkPage(b, siteWorker(b, nil), "guide/install/page.html", "https://h.test/guide/install/page.html")
}

func TestPlainHeadsAllocateNothing(t *testing.T) {
	w := siteWorker(t, nil)
	page, _ := mapPath(w, "a/p.html")
	h := &head.Head{Canonicals: []string{string(page.Loc)}, ResourceType: "document", Language: "en"}
	file := scanner.File{Name: "p.html"}
	allocated := testing.AllocsPerRun(100, func() {
		var facts Facts
		if !IsPlain(page.Loc, h) || !w.Judge(&file, &page, &facts, testNow) {
			t.Error("the head is not plain")
		}
	})
	if allocated != 0 {
		t.Errorf("%v allocations a page", allocated)
	}
}

func BenchmarkDistillAlternates(b *testing.B) {
	w := siteWorker(b, nil)
	page, _ := mapPath(w, "en/p.html")
	h := head.Head{Language: "en"}
	for _, language := range []string{"en", "de", "fr", "pt-BR"} {
		h.Alternates = append(h.Alternates, head.Alternate{Language: language, Href: "https://h.test/" + language + "/p.html"})
	}
	b.ReportAllocs()
	for b.Loop() {
		if facts := w.Distill("p.html", page.Loc, &h, &everything); len(facts.Alternates) != 4 {
			b.Fatal(facts)
		}
	}
}
