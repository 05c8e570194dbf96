package robots

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// ofBakery says that a sitemap is the bakery's.
func ofBakery(url string) bool {
	return strings.HasPrefix(url, "https://bakery.example/")
}

const (
	urlA = "https://bakery.example/a.xml"
	urlB = "https://bakery.example/b.xml"
)

func TestUpdateSitemaps(t *testing.T) {
	for _, c := range []struct {
		name, file string
		urls       []string
		want       string
	}{
		{"empty file", "", []string{urlA, urlB}, "Sitemap: " + urlA + "\nSitemap: " + urlB + "\n"},
		{"only a mark", "\xEF\xBB\xBF", []string{urlA}, "\xEF\xBB\xBFSitemap: " + urlA + "\n"},
		{"no line yet", "user-agent: *\n", []string{urlA}, "user-agent: *\nSitemap: " + urlA + "\n"},
		{"no line yet, CRLF", "user-agent: *\r\n", []string{urlA, urlB}, "user-agent: *\r\nSitemap: " + urlA + "\r\nSitemap: " + urlB + "\r\n"},
		{"no line yet, CR", "user-agent: *\r", []string{urlA}, "user-agent: *\rSitemap: " + urlA + "\r"},
		{"no final newline", "user-agent: *\r\ndisallow: /a", []string{urlA}, "user-agent: *\r\ndisallow: /a\r\nSitemap: " + urlA},
		{"no newline at all", "user-agent: *", []string{urlA, urlB}, "user-agent: *\nSitemap: " + urlA + "\nSitemap: " + urlB},
		{"another URL", "a\nSitemap: https://bakery.example/old\nb\n", []string{urlA}, "a\nSitemap: " + urlA + "\nb\n"},
		{"another URL at the end", "a\nSitemap: https://bakery.example/old", []string{urlA}, "a\nSitemap: " + urlA},
		{"more URLs", "a\r\nsitemap:" + urlA + "\r\nb", []string{urlA, urlB}, "a\r\nSitemap: " + urlA + "\r\nSitemap: " + urlB + "\r\nb"},
		{"fewer URLs", "\nsitemap:" + urlA + "#1\n\n  Sitemap : " + urlB + " # 2\nb", []string{urlB}, "\nSitemap: " + urlB + "\n\nb"},
		{"no URLs", "a\nSitemap: " + urlA + "\nb\nSitemap: " + urlB, nil, "a\nb\n"},
		{"nothing to do", "a", nil, "a"},
		{"duplicate", "Sitemap: " + urlA + "\nSitemap: " + urlA + "\n", []string{urlA}, "Sitemap: " + urlA + "\n"},
		{"right already", "sitemap:" + urlB + " # mine\r\n\r\n SITEMAP : " + urlA, []string{urlA, urlB}, "sitemap:" + urlB + " # mine\r\n\r\n SITEMAP : " + urlA},
		{"other sites", "Sitemap: https://other.example/a.xml\nsitemap:\n", []string{urlA}, "Sitemap: https://other.example/a.xml\nsitemap:\nSitemap: " + urlA + "\n"},
		{"other site's URL wanted", "Sitemap: https://other.example/a.xml\n", []string{"https://other.example/a.xml"}, "Sitemap: https://other.example/a.xml\n"},
		{"commented out", "# Sitemap: " + urlA + "\n", []string{urlA}, "# Sitemap: " + urlA + "\nSitemap: " + urlA + "\n"},
		{"misspelled", "site-map: " + urlA + "\n", []string{urlA}, "Sitemap: " + urlA + "\n"},
		{"mark before the line", "\xEF\xBB\xBFsitemap: " + urlB + "\n", []string{urlA}, "\xEF\xBB\xBFSitemap: " + urlA + "\n"},
		{"mark inside", "a\n\xEF\xBB\xBFsitemap: " + urlA + "\n", []string{urlA}, "a\nSitemap: " + urlA + "\n"},
		{"mark inside, no URLs", "sitemap: " + urlA + "\n\xEF\xBB\xBFsitemap: " + urlA + "\nb", nil, "b"},
		{"mixed endings", "a\rsitemap: " + urlB + "\n\nb", []string{urlA, urlB}, "a\rSitemap: " + urlA + "\rSitemap: " + urlB + "\n\nb"},
		{"URLs no line can hold", "a\n", []string{"", "x#y", "x\ny", "x\ry", " x", "x\x00", strings.Repeat("x", maxLine), urlA}, "a\nSitemap: " + urlA + "\n"},
	} {
		got := UpdateSitemaps([]byte(c.file), ofBakery, c.urls)
		if string(got) != c.want {
			t.Errorf("%s:\n%q\nwant\n%q", c.name, got, c.want)
		}
		if again := UpdateSitemaps(got, ofBakery, c.urls); !bytes.Equal(again, got) {
			t.Errorf("%s, again:\n%q\nwant\n%q", c.name, again, got)
		}
	}
}

func TestUpdateSitemapsReadsBeyondMaxSize(t *testing.T) {
	file := strings.Repeat("#\n", MaxSize) + "Sitemap: " + urlB + "\n"
	got := UpdateSitemaps([]byte(file), ofBakery, []string{urlA})
	if want := strings.Replace(file, urlB, urlA, 1); string(got) != want {
		t.Error("the line beyond MaxSize was not replaced")
	}
}

func TestUpdateSitemapsLeavesItsArgumentsAlone(t *testing.T) {
	content := []byte("Sitemap: " + urlB + "\nb\n")
	urls := []string{urlB, "#", urlA}
	UpdateSitemaps(content, ofBakery, urls)
	if string(content) != "Sitemap: "+urlB+"\nb\n" || !slices.Equal(urls, []string{urlB, "#", urlA}) {
		t.Errorf("%q, %q", content, urls)
	}
}

var (
	anyLine   = regexp.MustCompile(`[^\r\n]*(?:\r\n|\r|\n|$)`)
	markBytes = regexp.MustCompile("^[\u00EF\u00BB\u00BF]*") // of a string with a character for each byte
)

// splitAtSitemaps returns what comes in a file before its first Sitemap line
// whose URL is ours, and what comes after without other such lines.
func splitAtSitemaps(file string, ours func(url string) bool) (before, after string) {
	mark := file[:len(file)-len(trimMark(file))]
	before = mark
	found := false
	for _, line := range anyLine.FindAllString(file[len(mark):], -1) {
		marks := len([]rune(markBytes.FindString(latin1String(line))))
		switch s := Parse([]byte(line[marks:])).Sitemaps(); {
		case len(s) == 1 && ours(s[0].URL):
			found = true
		case found:
			after += line
		default:
			before += line
		}
	}
	return before, after
}

func checkUpdate(t rapid.TB, file string, urls []string) {
	file = file[:min(len(file), MaxSize/2)]
	ours := func(url string) bool { return ofBakery(url) || slices.Contains(urls, url) && fitsLine(url) }
	updated := string(UpdateSitemaps([]byte(file), ofBakery, urls))
	if again := string(UpdateSitemaps([]byte(updated), ofBakery, urls)); again != updated {
		t.Fatalf("%q with %q becomes\n%q, then\n%q", file, urls, updated, again)
	}

	var wanted, lines, named []string
	for _, url := range urls {
		if fitsLine(url) {
			wanted = append(wanted, url)
			lines = append(lines, "Sitemap: "+url)
		}
	}
	for _, s := range Parse([]byte(updated)).Sitemaps() {
		if ours(s.URL) {
			named = append(named, s.URL)
		}
	}
	slices.Sort(wanted)
	slices.Sort(named)
	if !slices.Equal(named, wanted) {
		t.Fatalf("%q with %q becomes\n%q, which names %q", file, urls, updated, named)
	}
	if updated == file {
		return
	}

	before, after := splitAtSitemaps(file, ours)
	between, found := strings.CutPrefix(updated, before)
	if found {
		between, found = strings.CutSuffix(between, after)
	}
	isEnding := func(r rune) bool { return r == '\r' || r == '\n' }
	if !found || !slices.Equal(strings.FieldsFunc(between, isEnding), lines) {
		t.Fatalf("%q with %q becomes\n%q, not new lines between %q and %q", file, urls, updated, before, after)
	}
}

func TestUpdateSitemapsIsIdempotentAndChangesNoOtherLine(t *testing.T) {
	url := rapid.SampledFrom([]string{urlA, urlB, "https://other.example/c.xml", "/d.xml"})
	line := rapid.Custom(func(t *rapid.T) string {
		name := rapid.SampledFrom([]string{
			"Sitemap: ", "sitemap:", " SITEMAP : ", "\xEF\xBB\xBFSitemap: ", "\xBBsitemap:", "\xEF", "site-map: ", "sitemap ", "# Sitemap: ",
			"user-agent: *", "disallow: /", "", "sitemap:",
		}).Draw(t, "name")
		if strings.Contains(strings.ToLower(name), "map") {
			name += url.Draw(t, "url")
		}
		return name + rapid.SampledFrom([]string{"\n", "\r\n", "\r", "\n\n", " # x\n", ""}).Draw(t, "ending")
	})
	rapid.Check(t, func(t *rapid.T) {
		file := strings.Join(rapid.SliceOfN(line, 0, 8).Draw(t, "lines"), "")
		checkUpdate(t, file, rapid.SliceOfNDistinct(url, 0, 3, rapid.ID[string]).Draw(t, "urls"))
	})
}

func FuzzUpdateSitemaps(f *testing.F) {
	for _, file := range []string{
		"", "user-agent: *", "\xEF\xBB\xBFsitemap: " + urlA + "\r\n", "a\rSitemap: " + urlB + "\n\nb",
		"sitemap:" + urlA + "\n\xBBsitemap:" + urlB + "#\nsitemap:x", "\xEFSitemap: " + urlB + "\n\xBB\xBFsite-map: " + urlA,
	} {
		f.Add(file, urlA, urlB)
		f.Add(file, "x", "")
	}
	f.Fuzz(func(t *testing.T, file, first, second string) {
		checkUpdate(t, file, nil)
		checkUpdate(t, file, []string{first})
		if first != second {
			checkUpdate(t, file, []string{first, second})
		}
	})
}
