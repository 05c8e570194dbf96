package generator

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"sitewalk/internal/display"
)

// address takes the base URL from the generator's own settings: site is the setting
// called siteName that names the site, and base, where the generator has such a
// setting, the path on it. Where they do not tell, other files may.
func (s *survey) address(siteName string, site *value, baseName string, base *value) {
	path := "/"
	switch {
	case base.isCode():
		s.computed(baseName, base)
	case base.string() != "":
		s.mayDiffer(baseName, base)
		path = "/" + strings.Trim(base.text, "/") + "/"
		if path == "//" {
			path = "/"
		}
	}
	s.project.Path = path
	switch {
	case s.given.BaseURL != "":
		s.project.BaseURL = Setting{Value: s.given.BaseURL, Given: true}
		return
	case site.isCode():
		s.computed(siteName, site)
	case site.string() != "":
		if s.baseURL(siteName, site.text, path, site.place) {
			s.mayDiffer(siteName, site)
			return
		}
	}
	if s.fromCNAME(path) || s.fromIndex() || s.fromHomepage() {
		return
	}
	s.note(NoteBaseURL, Place{}, "nothing in the project says where the site is served")
}

// maxURL is the protocol's limit (https://www.sitemaps.org/protocol.html#locdef).
const maxURL = 2048

// baseURL takes a base URL, to which a path is added, if it is one of a site.
func (s *survey) baseURL(what, text, path string, place Place) bool {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		s.note(NoteUnusable, place, "%s in %s is %s, and no URL such as https://www.example.com/", what, place, quoted(display.Redacted(text)))
		return false
	}
	u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/")+"/", ""
	if !strings.HasSuffix(u.Path, path) { // some say the path in both settings
		u.Path = strings.TrimSuffix(u.Path, "/") + path
	}
	if len(text) > maxURL {
		s.note(NoteUnusable, place, "%s in %s is too long for a URL", what, place)
		return false
	}
	s.project.BaseURL = Setting{Value: u.String(), Place: place}
	s.project.Path = u.EscapedPath()
	if isExample(u.Hostname()) {
		s.note(NotePlaceholder, place, "%s in %s is an example's: set the site's own there, and as base_url in sitewalk.yaml", what, place)
	}
	return true
}

// quoted returns a text from a file for a message, cut where it is long.
func quoted(text string) string {
	const most = 80
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return `"` + text + `"`
}

// reserved are names that no site has (https://www.rfc-editor.org/rfc/rfc6761,
// https://www.rfc-editor.org/rfc/rfc2606), and those that starters and documentation
// put in their place.
var reserved = []string{
	"example", "test", "invalid", "localhost", "example.com", "example.org", "example.net",
	"your-docusaurus-test-site.com", "mywebsite.com", "my-site.com",
}

func isExample(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return slices.ContainsFunc(reserved, func(name string) bool { return host == name || strings.HasSuffix(host, "."+name) })
}

// fromCNAME takes the host that a CNAME file gives to GitHub Pages
// (https://docs.github.com/pages/configuring-a-custom-domain-for-your-github-pages-site).
func (s *survey) fromCNAME(path string) bool {
	name := s.cname()
	if name == "" {
		return false
	}
	data, err := s.read(name)
	host, _, _ := strings.Cut(strings.TrimSpace(string(data)), "\n")
	host = strings.TrimSpace(host)
	if err != nil || host == "" || strings.ContainsAny(host, "/:@?# ") {
		return false
	}
	return s.baseURL("the host", "https://"+host, path, Place{name, 1})
}

// cname returns the CNAME file of the project, if there is one: in its folder, where
// files are copied from as they are, or in the docroot.
func (s *survey) cname() string {
	names := []string{"CNAME", "static/CNAME", "public/CNAME", "docs/CNAME", "src/CNAME"}
	if docroot := within(s.project.Docroot.Value); docroot != "" {
		names = append(names, docroot+"/CNAME")
	}
	return s.first(names...)
}

// maxHead is how much of a page is read for its canonical.
const maxHead = 256 << 10

// fromIndex takes the canonical of the site's first page, or its og:url, if the site
// has been built.
func (s *survey) fromIndex() bool {
	docroot := within(s.project.Docroot.Value)
	if docroot == "" {
		return false
	}
	name := s.first(docroot+"/index.html", docroot+"/index.htm")
	if name == "" {
		return false
	}
	data, err := s.read(within(name))
	if err != nil {
		return false
	}
	canonical, opengraph := pageURLs(string(data[:min(len(data), maxHead)]))
	for _, said := range []struct {
		what string
		url  foundURL
	}{{"the canonical", canonical}, {"og:url", opengraph}} {
		u, err := url.Parse(said.url.text)
		if said.url.text == "" || err != nil || u.Host == "" {
			continue
		}
		// The first page's URL is the site's, but for its name.
		u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "index.html"), "index.htm")
		u.RawPath = ""
		if s.baseURL(said.what, u.String(), "/", Place{within(name), said.url.line}) {
			return true
		}
	}
	return false
}

// A foundURL is one that a page says, and the line in which it does.
type foundURL struct {
	text string
	line int
}

// pageURLs returns the first canonical and the first og:url in a page's head.
func pageURLs(page string) (canonical, opengraph foundURL) {
	tokens := html.NewTokenizer(strings.NewReader(page))
	line := 1
	for {
		kind := tokens.Next()
		raw := string(tokens.Raw())
		switch kind {
		case html.ErrorToken:
			return canonical, opengraph
		case html.StartTagToken, html.SelfClosingTagToken:
			token := tokens.Token()
			switch {
			case token.Data == "body":
				return canonical, opengraph
			case token.Data == "link" && canonical.text == "" && hasWord(attribute(token, "rel"), "canonical"):
				canonical = foundURL{strings.TrimSpace(attribute(token, "href")), line}
			case token.Data == "meta" && opengraph.text == "" && attribute(token, "property") == "og:url":
				opengraph = foundURL{strings.TrimSpace(attribute(token, "content")), line}
			}
		}
		line += strings.Count(raw, "\n")
	}
}

func attribute(token html.Token, name string) string {
	for _, a := range token.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func hasWord(words, wanted string) bool {
	return slices.ContainsFunc(strings.Fields(words), func(word string) bool { return strings.EqualFold(word, wanted) })
}

// forges keep code: a package's homepage there is no site of its own.
var forges = []string{"github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "sr.ht", "npmjs.com", "gitea.com"}

// fromHomepage takes package.json's homepage.
func (s *survey) fromHomepage() bool {
	homepage := s.packages.find("homepage")
	u, err := url.Parse(homepage.string())
	if err != nil || u.Host == "" {
		return false
	}
	for _, forge := range forges {
		if u.Hostname() == forge || strings.HasSuffix(u.Hostname(), "."+forge) {
			return false
		}
	}
	u.Fragment = ""
	return s.baseURL("homepage", u.String(), "/", homepage.place)
}
