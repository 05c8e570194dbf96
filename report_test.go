package sitewalk

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"sitewalk/scanner"
)

func TestPercentEncodedPathsCanBeHadBack(t *testing.T) {
	for path, want := range map[string]string{
		"a b.html": "a b.html", "ü/日.html": "ü/日.html", "100%.html": "100%25.html", "%25": "%2525",
		"\xfc.html": "%FC.html", "a\nb\tc\x1b[31m\x7f": "a%0Ab%09c%1B[31m%7F", "\u0085": "%C2%85", "\ufffd": "\ufffd", "\xed\xa0\x80": "%ED%A0%80", "": "",
		"a\"b\\c": "a\"b\\c",
	} {
		if got := PercentEncode(path); got != want {
			t.Errorf("%q became %q, want %q", path, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		path := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		encoded := PercentEncode(path)
		if !utf8.ValidString(encoded) || strings.ContainsFunc(encoded, unicode.IsControl) {
			t.Fatalf("%q became %q", path, encoded)
		}
		if back, err := url.PathUnescape(encoded); err != nil || back != path {
			t.Fatalf("%q became %q, and came back as %q, %v", path, encoded, back, err)
		}
	})
}

// FuzzPercentEncode holds whatever a path or a message holds to this: in JSON it is
// text without control characters, and the bytes can be had back.
func FuzzPercentEncode(f *testing.F) {
	for _, seed := range []string{"a b.html", "ü/日.html", "100%.html", "%25", "\xfc.html", "a\nb\tc\x1b[31m\x7f", "\u0085\u2028\u202e", "\ufffd", "\xed\xa0\x80", "a\"b\\c<&>", "\xf4\x90\x80\x80"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		encoded := PercentEncode(path)
		if !utf8.ValidString(encoded) || strings.ContainsFunc(encoded, unicode.IsControl) {
			t.Fatalf("%q became %q", path, encoded)
		}
		line, err := json.Marshal(encoded)
		if err != nil {
			t.Fatal(err)
		}
		var carried string
		if err := json.Unmarshal(line, &carried); err != nil || carried != encoded {
			t.Fatalf("%q became %s in JSON, and came back as %q, %v", path, line, carried, err)
		}
		if back, err := url.PathUnescape(carried); err != nil || back != path {
			t.Fatalf("%q became %q, and came back as %q, %v", path, encoded, back, err)
		}
	})
}

// TestReportIsTheObjectThatDESIGNShows holds the keys and their order to
// DESIGN.md's sample.
func TestReportIsTheObjectThatDESIGNShows(t *testing.T) {
	report := Report{
		Event: "published", Root: "sitemap.xml", Pages: 1350, Excluded: map[string]int64{"noindex": 3, "redirect": 1, "error-page": 29},
		Shards: 4, Written: []string{"sitemap.xml", "sitemap-blog.xml.gz"}, Unchanged: 3, Removed: list(nil),
		Warnings: []Warning{{"lastmod-uniform", "…", []string{"…"}, nil}}, Seconds: 0.93,
	}
	got, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"event":"published","root":"sitemap.xml","pages":1350,"excluded":{"error-page":29,"noindex":3,"redirect":1},"unreadable":0,` +
		`"shards":4,"written":["sitemap.xml","sitemap-blog.xml.gz"],"unchanged":3,"removed":[],` +
		`"warnings":[{"code":"lastmod-uniform","message":"…","paths":["…"]}],"seconds":0.93}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAFindingIsTheSameJSONByValueAndByPointer(t *testing.T) {
	found := Finding{Path: "a%.html", Verdict: scanner.NoIndex, Detail: "line 1"}
	const want = `{"path":"a%25.html","verdict":"noindex","detail":"line 1","rules":[]}`
	for _, value := range []any{found, &found} {
		if got, err := json.Marshal(value); err != nil || string(got) != want {
			t.Errorf("%T: got %s, %v, want %s", value, got, err, want)
		}
	}
}

func TestEveryWarningHasACodeAndOneLine(t *testing.T) {
	seen := map[string]bool{}
	for code, text := range warningTexts {
		if text.code == "" || text.message == "" || seen[text.code] || strings.ContainsAny(text.message, "\n") || strings.HasSuffix(text.message, ".") {
			t.Errorf("warning %d: %+v", code, text)
		}
		// Of some kinds there are several messages, of which a report has one.
		seen[text.code] = text.code != "lastmod-uniform" && text.code != "preset-undecided"
	}
}

func TestWarningsCountAllAndShowSome(t *testing.T) {
	var w warnings
	if told := w.list(); told == nil || len(told) > 0 {
		t.Errorf("no warnings: %#v", told)
	}
	w.add(warnUniform, "", "")
	for range maxExamples + 5 {
		w.add(warnUnreadable, "a\n%.html", "permission denied")
	}
	told := w.list()
	if len(told) != 2 || told[0].Code != "unreadable" || told[1].Code != "lastmod-uniform" {
		t.Fatalf("%+v", told)
	}
	if !strings.HasPrefix(told[0].Message, "15 files") || len(told[0].Paths) != maxExamples || told[0].Paths[0] != "a\n%.html" || told[0].Details[0] != "permission denied" {
		t.Errorf("%+v", told[0])
	}
	if told[1].Paths == nil || len(told[1].Paths) > 0 {
		t.Errorf("%#v", told[1])
	}
}
