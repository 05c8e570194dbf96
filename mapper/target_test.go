package mapper

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// resolved returns the URL to which a link on a page leads, or "-".
func resolved(loc, base, href string) string {
	page := newDocument(loc, base)
	if to, ok := page.resolve(href); ok {
		return to.text
	}
	return "-"
}

func TestLinksLeadWhereBrowsersGo(t *testing.T) {
	const page = "https://h.test/a/b.html"
	for _, test := range []struct{ base, href, want string }{
		// Relative to the page.
		{"", "", page},
		{"", "#top", page},
		{"", " \t\n\f\r#top\x00 ", page},
		{"", "c.html", "https://h.test/a/c.html"},
		{"", " c.html\n", "https://h.test/a/c.html"},
		{"", "c\n.ht\tml", "https://h.test/a/c.html"},
		{"", "./c.html", "https://h.test/a/c.html"},
		{"", "../c.html", "https://h.test/c.html"},
		{"", "../../../c.html", "https://h.test/c.html"},
		{"", ".", "https://h.test/a/"},
		{"", "..", "https://h.test/"},
		{"", "c/..", "https://h.test/a/"},
		{"", "c/.", "https://h.test/a/c/"},
		{"", "c/%2E%2e/d", "https://h.test/a/d"},
		{"", ".%2e/d", "https://h.test/d"},
		{"", "%2e/d", "https://h.test/a/d"},
		{"", "...", "https://h.test/a/..."},
		{"", "c//..//d", "https://h.test/a/c//d"},
		{"", "1:2.html", "https://h.test/a/1:2.html"},
		{"", "ü:2.html", "https://h.test/a/%C3%BC:2.html"},
		{"", "/c.html", "https://h.test/c.html"},
		{"", `\c\d.html`, "https://h.test/c/d.html"},
		{"", `c\..\d.html`, "https://h.test/a/d.html"},
		{"", "?q=1", page + "?q=1"},
		{"", "?", page},
		{"", "?#x", page},
		{"", "#?q", page},
		{"", `?a\b/..%2e`, page + "?a%5Cb/..."},
		{"", "c?a#b?c", "https://h.test/a/c?a"},

		// With a scheme or a host.
		{"", "//H.TEST/c", "https://h.test/c"},
		{"", `\/h.test\c`, "https://h.test/c"},
		{"", "///other.test/c", "https://other.test/c"},
		{"", "//", "-"},
		{"", "https:c.html", "https://h.test/a/c.html"},
		{"", "https:/c.html", "https://h.test/c.html"},
		{"", "HTTPS:?q", page + "?q"},
		{"", "https:", page},
		{"", `https:\\other.test\c`, "https://other.test/c"},
		{"", "http:other.test", "http://other.test/"},
		{"", "http:/other.test/c", "http://other.test/c"},
		{"", "http:////other.test//c", "http://other.test//c"},
		{"", "http:", "-"},
		{"", "http://?q", "-"},
		{"", "https://other.test", "https://other.test/"},
		{"", "https://other.test?q", "https://other.test/?q"},
		{"", "https://other.test#f", "https://other.test/"},
		{"", "ht\ntps://other.test", "https://other.test/"},
		{"", "mailto:a@h.test", "-"},
		{"", "javascript:void(0)", "-"},
		{"", "data:text/html,x", "-"},
		{"", "ftp://h.test/a", "-"},
		{"", "tel:1", "-"},
		{"", "C:\\site\\page.html", "-"},

		// Hosts, ports and credentials.
		{"", "https://h.test:443/c", "https://h.test/c"},
		{"", "https://h.test:0443/c", "https://h.test/c"},
		{"", "https://h.test:80/c", "https://h.test:80/c"},
		{"", "http://h.test:80/c", "http://h.test/c"},
		{"", "http://h.test:8080/c", "http://h.test:8080/c"},
		{"", "https://h.test:/c", "https://h.test/c"},
		{"", "https://h.test:65536/c", "-"},
		{"", "https://h.test:x/c", "-"},
		{"", "https://h.test:-1/c", "-"},
		{"", "https://:443/c", "-"},
		{"", "https://me:secret@h.test/c", "https://h.test/c"},
		{"", "https://a@b@h.test/c", "https://h.test/c"},
		{"", "https://me@/c", "-"},
		{"", "https://[::1]:8080/c", "https://[::1]:8080/c"},
		{"", "https://[::1]c/", "-"},
		{"", "https://[::1/c", "-"},
		{"", "https://[h.test]/c", "-"},
		{"", "https://::1/c", "-"},
		{"", "https://BÜCHER.test/c", "https://xn--bcher-kva.test/c"},
		{"", "https://b%C3%BCcher.test/c", "https://xn--bcher-kva.test/c"},
		{"", "https://xn--bcher-kva.test/c", "https://xn--bcher-kva.test/c"},
		{"", "https://\u00AD/c", "-"},
		{"", "https://a b/c", "-"},
		{"", "https://a%2Fb/c", "-"},
		{"", "https://a%3A1/c", "-"},
		{"", "https://.h.test/c", "-"},
		{"", "https://in_house/c", "https://in_house/c"},

		// Escapes are as in locs.
		{"", "ü b.html", "https://h.test/a/%C3%BC%20b.html"},
		{"", "%c3%bc%41%7e.html", "https://h.test/a/%C3%BCA~.html"},
		{"", "a%2fb", "https://h.test/a/a%2Fb"},
		{"", "100%.html", "https://h.test/a/100%25.html"},
		{"", "%zz%4", "https://h.test/a/%25zz%254"},
		{"", "a\"<>[]^`{|}b", "https://h.test/a/a%22%3C%3E%5B%5D%5E%60%7B%7C%7Db"},
		{"", "a\x00b\x7f", "https://h.test/a/a%00b%7F"},
		{"", "?ü= %zz'", page + "?%C3%BC=%20%25zz'"},
		{"", "&amp;", "https://h.test/a/&amp;"},

		// With a base element.
		{"/x/y", "c", "https://h.test/x/c"},
		{"x/", "c", "https://h.test/a/x/c"},
		{"https://other.test/x/", "c", "https://other.test/x/c"},
		{"https://other.test/x/", "", "https://other.test/x/"},
		{"http://other.test/x/", "//third.test", "http://third.test/"},
		{"http://other.test/x/", "https:c", "https://c/"},
		{"https://other.test/x?q#f", "", "https://other.test/x?q"},
		{"https://other.test/x?q", "#f", "https://other.test/x?q"},
		{"#f", "c", "https://h.test/a/c"},
		{"https://", "c", "https://h.test/a/c"},
		{"http://a b/", "c", "https://h.test/a/c"},
		{"data:,x", "c", "https://h.test/a/c"},
		{"JavaScript:x", "c", "https://h.test/a/c"},
		{"mailto:x", "c", "-"},
		{"ftp://h.test/", "//h.test/c", "-"},
		{"ftp://h.test/", "https:h.test/c", "https://h.test/c"},
		{"ftp://h.test/", "https://h.test/c", "https://h.test/c"},
	} {
		if got := resolved(page, test.base, test.href); got != test.want {
			t.Errorf("base %q, link %q: got %s, want %s", test.base, test.href, got, test.want)
		}
	}
}

func TestOverlongLinksLeadNowhere(t *testing.T) {
	const page = "https://h.test/a"
	fits := strings.Repeat("x", maxTarget-1-len("https://h.test/"))
	for _, test := range []struct {
		name, href, want string
	}{
		{"just fits", fits, "https://h.test/" + fits},
		{"one more", fits + "x", "-"},
		{"by its escapes", strings.Repeat("ü", maxTarget/4), "-"},
		{"by its query", "?" + fits, "-"},
		{"by dots that fall away", strings.Repeat("./", maxTarget), "-"},
		{"by its host", "//" + strings.Repeat("ü", maxHost/2+1) + ".test", "-"},
		{"by a megabyte", strings.Repeat("/", 1<<20), "-"},
	} {
		if got := resolved(page, "", test.href); got != test.want {
			t.Errorf("%s: got %d bytes, want %d", test.name, len(got), len(test.want))
		}
	}
}

func TestDefaultPortOfTheSiteIsNotInLinks(t *testing.T) {
	for _, href := range []string{"c", "/c", "//h.test/c", "https://h.test:443/c", "//h.test:443/c"} {
		if got := resolved("https://h.test:443/a", "", href); got != "https://h.test/c" {
			t.Errorf("%s leads to %s", href, got)
		}
	}
	if got := resolved("https://h.test:443/a", "", "#top"); got != "https://h.test/a" {
		t.Errorf("#top leads to %s", got)
	}
}

// checkResolved holds a target to what every one has to be.
func checkResolved(t interface {
	Helper()
	Fatalf(string, ...any)
}, page *document, href string) {
	t.Helper()
	to, ok := page.resolve(href)
	if !ok {
		return
	}
	for _, b := range []byte(to.text) {
		if b <= ' ' || b >= utf8.RuneSelf-1 || strings.IndexByte("\"<>\\^`{|}", b) >= 0 {
			t.Fatalf("%q leads to %q, which is not escaped", href, to.text)
		}
	}
	if len(to.text) >= maxTarget {
		t.Fatalf("%q leads to %d bytes", href, len(to.text))
	}
	if !strings.HasPrefix(to.path, "/") || hasDotSegment(to.path) {
		t.Fatalf("%q leads to the path %q", href, to.path)
	}
	if u, err := url.Parse(to.text); err != nil || u.Fragment != "" || u.User != nil || u.EscapedPath() != to.path || u.RawQuery != to.query {
		t.Fatalf("%q leads to %q, which is %#v, %v", href, to.text, u, err)
	}
	split, ok := splitTarget(to.text)
	if !ok || split != to {
		t.Fatalf("%q leads to %#v, and splits into %#v", href, to, split)
	}
	if again, ok := page.resolve(to.text); !ok || again != to {
		t.Fatalf("%q leads to %q, and that to %q", href, to.text, again.text)
	}
}

// linkParts are what links are made of, in places where it matters.
var linkParts = []string{
	"http", "https", ":", "/", "//", `\`, "h.test", "other.test", "@", "?", "#", ".", "..", "%2e", "%2F", "%", "%4",
	"a", "b.html", "index.html", " ", "\n", "ü", "\x00", "[::1]", ":443", ":80", "é", "\xff", "&", "=",
}

func drawLink(rt *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(linkParts), 0, 9).Draw(rt, "link"), "")
}

func TestResolvedLinksAreNormalised(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		page := newDocument("https://h.test/a/b.html", drawLink(rt))
		checkResolved(rt, &page, drawLink(rt))
	})
}

// TestLinksOfRFC3986LeadWhereItSays compares with net/url for links that need no
// mending.
func TestLinksOfRFC3986LeadWhereItSays(t *testing.T) {
	plain := []string{"a", "b.html", "/", ".", "..", "?q", "~", "-", "%20", "c;d", "e=f", "/g/"}
	page, err := url.Parse("https://h.test/a/b/c.html")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		href := strings.Join(rapid.SliceOfN(rapid.SampledFrom(plain), 0, 8).Draw(rt, "link"), "")
		if strings.Contains(href, "//") {
			rt.Skip("empty segments are where the two differ")
		}
		want, err := page.Parse(href)
		if err != nil {
			rt.Skip(err)
		}
		want.ForceQuery = false
		if got := resolved(page.String(), "", href); got != want.String() {
			rt.Fatalf("%q leads to %s, want %s", href, got, want)
		}
	})
}

// plainLink is a link that needs no mending, so that net/url reads it as browsers do.
var plainLink = regexp.MustCompile(`^[a-z0-9/._~;=-]*(\?[a-z0-9/._~;=-]+)?$`)

// FuzzResolve holds what any link on any page leads to to the forms that a target has,
// and where net/url is to be relied on, to that.
func FuzzResolve(f *testing.F) {
	for _, part := range linkParts {
		f.Add(part, "https://h.test/"+part)
	}
	f.Add("https://other.test/x/", "../c?d#e")
	f.Fuzz(func(t *testing.T, base, href string) {
		page := newDocument("https://h.test/a/b.html", base)
		checkResolved(t, &page, href)
		if base != "" || !plainLink.MatchString(href) || strings.Contains(href, "//") {
			return
		}
		here, err := url.Parse("https://h.test/a/b.html")
		if err != nil {
			t.Fatal(err)
		}
		want, err := here.Parse(href)
		if err != nil {
			return
		}
		want.ForceQuery = false
		if got := resolved(here.String(), "", href); len(got) < maxTarget && got != want.String() {
			t.Fatalf("%q leads to %s, by net/url to %s", href, got, want)
		}
	})
}
