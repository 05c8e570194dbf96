package htmlreport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sitewalk/internal/display"
	"sitewalk/scanner"
)

func TestIndexHasALineOfEachFile(t *testing.T) {
	files := []File{
		{Path: "a.html", URL: "https://example.com/a.html", Section: "pages", LastMod: "2024-05-06T07:08:09+00:00"},
		{Path: "b.html", URL: "https://example.com/b", Section: "blog", LastMod: "2024-05-06"},
		{Path: "d/index.html", URL: "https://example.com/d/", Section: "pages", Detail: "allow[0]: d"},
		{Path: "é\xff.html", URL: "https://example.com/%C3%A9%FF.html", Section: "blog"},
		{Path: "é.html", Verdict: scanner.NoIndex, Detail: "line 1:\n<meta>"},
		{Path: "css/", Verdict: scanner.Excluded, Detail: strings.Repeat("é", 200)},
		{URL: "https://example.com/extra", Section: "pages"},
		{URL: "https://example.com:8443/elsewhere", Section: "pages"},
	}
	lines := indexOf(t, write(t, &Site{}, files...))
	var head struct {
		Base               string
		Count              int
		Verdicts, Sections []string
	}
	if err := json.Unmarshal([]byte(lines[0]), &head); err != nil {
		t.Fatal(err)
	}
	if head.Base != "https://example.com/" || head.Count != len(files) || !slices.Equal(head.Sections, []string{"pages", "blog"}) {
		t.Errorf("the head is %+v", head)
	}
	if head.Verdicts[scanner.NoIndex] != "noindex" {
		t.Errorf("the verdicts are %q", head.Verdicts)
	}
	want := []string{
		"a.html", "b.html", "d/index.html", `é\xff.html` + "\t%C3%A9%FF.html", "\textra", "\thttps://example.com:8443/elsewhere", "é.html", "css/", "",
		"0 0 6 2024-05-06T07:08", "0 1 1 2024-05-06", "0 0 2 \tallow[0]: d", "0 1  ", "0 0  ", "0 0  ",
		fmt.Sprintf("%d 0  \tline 1:\\n<meta>", scanner.NoIndex), fmt.Sprintf("%d 0  \t%s…", scanner.Excluded, strings.Repeat("é", 98)), "",
	}
	if got := lines[1:]; !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestIndexOfALargeSiteHasListedPagesFirst(t *testing.T) {
	d := New("https://example.com/")
	file := leftOut("", scanner.NoIndex, "")
	for i := range maxSearched + 10 {
		file.Path = fmt.Sprintf("a/%d.html", i)
		d.Add(&file)
	}
	page := listed("")
	for i := range 100 {
		page.Path = fmt.Sprintf("b/%d.html", i)
		d.Add(&page)
	}
	var written bytes.Buffer
	if err := d.Write(&written, &Site{MaxURLs: 1, MaxBytes: 1}); err != nil {
		t.Fatal(err)
	}
	lines := indexOf(t, written.Bytes())
	if len(lines) != 1+2*(maxSearched+1) {
		t.Fatalf("the index has %d lines", len(lines))
	}
	for i, want := range map[int]string{1: "b/0.html", 100: "b/99.html", 101: "a/0.html", maxSearched: fmt.Sprintf("a/%d.html", maxSearched-101), maxSearched + 1: ""} {
		if got, _, _ := strings.Cut(lines[i], "\t"); got != want {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
	if !strings.Contains(written.String(), "The search covers 200,000 of 200,110 files") {
		t.Error("the page does not say what the search covers")
	}
}

func TestCutKeepsWholeCharacters(t *testing.T) {
	for _, test := range []struct {
		text string
		want string
	}{{"", ""}, {"12345678", "12345678"}, {"123456789", "12345…"}, {"ééééé", "éé…"}} {
		if got := cut(test.text, 8); got != test.want {
			t.Errorf("%q is cut to %q, want %q", test.text, got, test.want)
		}
	}
}

func FuzzIndexIsWholeWhateverNamesHold(f *testing.F) {
	for _, name := range hostileNames {
		f.Add(name, name, name)
	}
	f.Fuzz(func(t *testing.T, path, detail, url string) {
		if path == "" || path == "/" {
			return
		}
		lines := indexOf(t, write(t, &Site{Docroot: detail}, leftOut(path, scanner.NoIndex, detail), listed("a.html")))
		if len(lines) != 7 || lines[1] != "a.html" || lines[3] != "" || lines[6] != "" {
			t.Fatalf("the index is %q", lines)
		}
		if got, want := lines[2], cut(display.Name(path), maxPath); got != want {
			t.Errorf("the index says %q of %q", got, path)
		}
	})
}
