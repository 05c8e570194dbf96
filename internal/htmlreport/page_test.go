package htmlreport

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"

	"golang.org/x/net/html"

	"sitewalk/output"
	"sitewalk/scanner"
)

// write returns the page about some files of https://example.com/.
func write(t *testing.T, site *Site, files ...File) []byte {
	t.Helper()
	d := New("https://example.com/")
	for i := range files {
		d.Add(&files[i])
	}
	site.BaseURL, site.Time = "https://example.com/", time.Unix(1_700_000_000, 0)
	site.MaxURLs, site.MaxBytes = 50_000, 50<<20
	var page bytes.Buffer
	if err := d.Write(&page, site); err != nil {
		t.Fatal(err)
	}
	return page.Bytes()
}

// listed returns a page at a path that is its URL, too.
func listed(path string) File {
	return File{Path: path, URL: "https://example.com/" + path, Section: "pages", LastMod: "2024-05-06T07:08:09+00:00", Source: "mtime"}
}

func leftOut(path string, verdict scanner.Verdict, detail string) File {
	return File{Path: path, Verdict: verdict, Detail: detail}
}

// elements calls visit for every element of a page.
func elements(t *testing.T, page []byte, visit func(*html.Node)) {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for node := range root.Descendants() {
		if node.Type == html.ElementNode {
			visit(node)
		}
	}
}

func attribute(node *html.Node, name string) (string, bool) {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// textOf returns the text in a node, with single spaces.
func textOf(node *html.Node) string {
	var text strings.Builder
	for child := range node.Descendants() {
		if child.Type == html.TextNode {
			text.WriteString(child.Data + " ")
		}
	}
	return strings.Join(strings.Fields(text.String()), " ")
}

// example is a site with something of everything.
func exampleSite() (*Site, []File) {
	files := []File{
		leftOut(".git/", scanner.Sensitive, ""), listed("a.html"), listed("blog/one.html"), leftOut("blog/two.html", scanner.NoIndex, "line 1: <meta>"),
		{Path: "no.html", Verdict: scanner.Unreadable, Detail: "permission denied"}, {URL: "https://example.com/extra", Section: "more"},
	}
	return &Site{
		Docroot: "public", RootURL: "https://example.com/sitemap.xml", Written: []string{"sitemap.xml"}, Removed: []string{"old.xml.gz"},
		Shards: []output.Shard{
			{Name: "sitemap-more.xml.gz", Section: "more", Pages: 1, Size: 100, Length: 300},
			{Name: "sitemap-pages.xml.gz", Section: "pages", Pages: 2, Size: 200, Length: 2 << 20, Newest: 1_700_000_000, Published: true},
		},
		Warnings: []Warning{{Code: "unreadable", Message: "1 file could not be read", Mend: "Let it be read.", Paths: []string{"no.html"}, Details: []string{"permission denied"}}},
	}, files
}

func TestPageHasLandmarksAndItsReferencesLead(t *testing.T) {
	site, files := exampleSite()
	ids, landmarks, wanted := map[string]bool{}, map[string]int{}, map[string]string{}
	elements(t, write(t, site, files...), func(node *html.Node) {
		if id, has := attribute(node, "id"); has {
			if ids[id] {
				t.Errorf("two elements have the id %s", id)
			}
			ids[id] = true
		}
		switch node.Data {
		case "header", "main", "nav", "footer", "h1", "title":
			if node.Namespace == "" {
				landmarks[node.Data]++
			}
		case "table":
			captioned := false
			for child := range node.ChildNodes() {
				captioned = captioned || child.Data == "caption"
			}
			if !captioned {
				t.Error("a table has no caption: " + textOf(node))
			}
		case "th":
			if _, has := attribute(node, "scope"); !has {
				t.Error("a header cell has no scope: " + textOf(node))
			}
		}
		for _, name := range [...]string{"for", "aria-labelledby", "aria-describedby", "aria-controls"} {
			value, _ := attribute(node, name)
			for _, id := range strings.Fields(value) {
				wanted[id] = name
			}
		}
		if href, _ := attribute(node, "href"); strings.HasPrefix(href, "#") {
			wanted[href[1:]] = "href"
		}
	})
	for _, name := range [...]string{"header", "main", "nav", "footer", "h1", "title"} {
		if landmarks[name] != 1 {
			t.Errorf("%d elements are %s, want 1", landmarks[name], name)
		}
	}
	for id, name := range wanted {
		if !ids[id] {
			t.Errorf("%s names %s, which is not there", name, id)
		}
	}
}

func TestPageLoadsNothingAndRunsOnlyItsOwnScript(t *testing.T) {
	site, files := exampleSite()
	policy, scripts, styles := "", []string{}, []string{}
	elements(t, write(t, site, files...), func(node *html.Node) {
		if value, _ := attribute(node, "http-equiv"); value == "Content-Security-Policy" {
			policy, _ = attribute(node, "content")
		}
		for _, a := range node.Attr {
			switch {
			case a.Key == "src", a.Key == "style", strings.HasPrefix(a.Key, "on"):
				t.Errorf("<%s %s=%q>", node.Data, a.Key, a.Val)
			case a.Key == "href" && !strings.HasPrefix(a.Val, "#") && a.Val != "data:,":
				t.Errorf("<%s> leads to %s", node.Data, a.Val)
			}
		}
		kind, _ := attribute(node, "type")
		switch {
		case node.Data == "script" && kind == "":
			scripts = append(scripts, node.FirstChild.Data)
		case node.Data == "style":
			styles = append(styles, node.FirstChild.Data)
		}
	})
	if len(scripts) != 1 || len(styles) != 1 {
		t.Fatalf("%d scripts and %d style sheets, want one of each", len(scripts), len(styles))
	}
	for directive, text := range map[string]string{"script-src": scripts[0], "style-src": styles[0]} {
		sum := sha256.Sum256([]byte(text))
		if want := directive + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want+";") {
			t.Errorf("the policy is %s, without %s", policy, want)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none';") {
		t.Errorf("the policy is %s", policy)
	}
}

func TestPageSaysWhatItWasGiven(t *testing.T) {
	site, files := exampleSite()
	page := write(t, site, files...)
	var body string
	elements(t, page, func(node *html.Node) {
		if node.Data == "main" {
			body = textOf(node)
		}
	})
	for _, want := range []string{
		"pages listed 3", "left out 2", "could not be read 1", "shards 2", "sitemap size 300 B", "warning 1",
		"5 files and folders were looked at, and 1 page that is not on disk added.",
		"A build would now write sitemap.xml , and remove old.xml.gz .",
		"unreadable 1 file could not be read. To mend it: Let it be read. An example no.html permission denied",
		"more 1 33.3 % 1 100 B 300 B no date", "pages 2 66.7 % 1 200 B 2.0 MiB 2023-11-14",
		"sitemap-more.xml.gz more 1 0.0 % 100 B 300 B no date to be written", "sitemap-pages.xml.gz pages 2 4.0 % 200 B 2.0 MiB 2023-11-14 as here",
		"2 pages with a lastmod , from 2024-05-06 to 2024-05-06. 1 page without.", "mtime 2 no lastmod 1",
		"public 2 pages 3 left out", "blog/ 1 page 1 left out", ".git/ left out as a whole: sensitive", "in the folder itself 1 page 1 left out",
		"noindex 1 Its head says noindex or none.", "blog/two.html line 1: <meta>", "unreadable 1 Could not be read",
	} {
		if want = strings.ToUpper(want[:1]) + want[1:]; !strings.Contains(body, want) && !strings.Contains(body, strings.ToLower(want[:1])+want[1:]) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if t.Failed() {
		t.Log(body)
	}
}

func TestPageWithoutAnythingIsWhole(t *testing.T) {
	page := write(t, &Site{Docroot: "public"})
	for _, want := range []string{"There is no page to list", "Every file is listed", "</html>"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if lines := indexOf(t, page); len(lines) != 3 || lines[1] != "" || lines[2] != "" {
		t.Errorf("the index is %q", lines)
	}
}

func TestSameFilesSameBytes(t *testing.T) {
	site, files := exampleSite()
	first := write(t, site, files...)
	for range 5 {
		if !bytes.Equal(first, write(t, site, files...)) {
			t.Fatal("two pages of one site differ")
		}
	}
}

// hostileNames are names that must neither run, nor hide, nor break anything.
var hostileNames = []string{
	"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "' onmouseover='alert(1)", "javascript:alert(1)", "</script><script>alert(1)</script>",
	"-->", "<!--", "]]>", "{{.Style}}", "${alert(1)}", "`", `\`, `\n`, "a\u202egpj.html", "a\u2066b", "\u200b", "\x00", "new\nline", "tab\t", "\r", "\xff\xfe", "\ue000",
	"\u2028", "שלום", "ا" + strings.Repeat("\u0301", 50), strings.Repeat("a", 255), "&amp;", "&#60;", "caf\u00e9", "cafe\u0301", "👩\u200d👩\u200d👧",
}

// FuzzPage puts anything wherever a page says what a name, a message or the docroot is:
// its elements are what they are for a plain name, and all its text shows.
func FuzzPage(f *testing.F) {
	for _, name := range hostileNames {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if name == "" {
			return
		}
		page := write(t, hostileSite(name), hostileFiles(name)...)
		if plain, hostile := structure(t, write(t, hostileSite("x"), hostileFiles("x")...)), structure(t, page); hostile != plain {
			t.Errorf("%q makes other elements of the page:\n%s\nthan\n%s", name, hostile, plain)
		}
		for i, r := range string(page) {
			if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
				t.Fatalf("%q puts %U into the page, in %q", name, r, page[max(0, i-20):i])
			}
		}
	})
}

func TestHostileNamesAreTextEverywhere(t *testing.T) {
	plain, hostile := structure(t, write(t, hostileSite("x"), hostileFiles("x")...)), ""
	for _, name := range hostileNames {
		page := write(t, hostileSite(name), hostileFiles(name)...)
		if hostile = structure(t, page); hostile != plain {
			t.Errorf("%q makes other elements of the page:\n%s\nthan\n%s", name, hostile, plain)
		}
		for i, r := range string(page) {
			if r == '\ufffd' || r != '\n' && r != '\t' && (r < ' ' || r == 0x7f) || r >= 0x2000 && !isShown(r) {
				t.Errorf("%q puts %U into the page, in %q", name, r, page[max(0, i-20):i])
				break
			}
		}
	}
}

// isShown reports whether a character of the page's own texts, or a printable one of a
// name, is beyond doubt.
func isShown(r rune) bool { return strings.ContainsRune("…▸▾—👩👧", r) }

func hostileFiles(name string) []File {
	inside := strings.ReplaceAll(name, "/", "|")
	return []File{
		{Path: inside + "/", Verdict: scanner.Excluded, Detail: name},
		{Path: inside + "0/" + inside, URL: "https://example.com/x", Section: "pages"},
		{Path: inside + "0/" + inside + "0", Verdict: scanner.NoIndex, Detail: name},
	}
}

func hostileSite(name string) *Site {
	return &Site{
		Docroot: name, RootURL: name, Written: []string{name}, Shards: []output.Shard{{Name: name, Section: "pages", Pages: 1}},
		Warnings: []Warning{{Code: "c", Message: name, Paths: []string{name}, Details: []string{name}}},
	}
}

// structure returns the elements of a page with the names of their attributes, and
// with the script and the style.
func structure(t *testing.T, page []byte) string {
	var b strings.Builder
	elements(t, page, func(node *html.Node) {
		fmt.Fprintf(&b, "<%s", node.Data)
		for _, a := range node.Attr {
			b.WriteString(" " + a.Key)
		}
		b.WriteString(">\n")
		if kind, _ := attribute(node, "type"); kind == "" && (node.Data == "script" || node.Data == "style") {
			b.WriteString(textOf(node))
		}
	})
	return b.String()
}

// indexOf returns the lines of a page's index.
func indexOf(t *testing.T, page []byte) []string {
	t.Helper()
	var data string
	elements(t, page, func(node *html.Node) {
		if id, _ := attribute(node, "id"); id == "search-index" {
			data = node.FirstChild.Data
		}
	})
	deflated, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(deflated)))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasSuffix(text, []byte("\n")) {
		t.Fatalf("the index ends within a line: %q", text)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func TestEveryVerdictHasAMeaning(t *testing.T) {
	for v := scanner.OwnOutput; v <= scanner.Duplicate; v++ {
		if text := meanings[v].Text; !strings.HasSuffix(text, ".") {
			t.Errorf("%v means %q", v, text)
		}
	}
	if len(meanings) != int(scanner.Duplicate)+1 {
		t.Errorf("%d meanings", len(meanings))
	}
}
