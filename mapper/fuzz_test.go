package mapper

import (
	"slices"
	"strings"
	"testing"
)

// FuzzSpelling holds the URL of any file, under any urls that a configuration may set,
// to what DESIGN.md says of them, written again for whole paths.
func FuzzSpelling(f *testing.F) {
	for i, path := range []string{"index.html", "a/index.html", "a b/ü.htm", "a/.html", "x.xhtml", "b/v1.2", "a/page.html.html", "index.shtml/x.shtml", "a/..html", "...htm", "\xff/%41.html"} {
		f.Add(path, "index.html", "page.html", uint8(i))
		f.Add(path, "index.htm", "", uint8(i+4))
	}
	slashes := []Slash{SlashAuto, SlashAlways, SlashNever}
	f.Fuzz(func(t *testing.T, path, first, second string, style uint8) {
		if len(path) > 600 || slices.ContainsFunc(strings.Split(path, "/"), func(s string) bool { return s == "" || s == "." || s == ".." }) {
			return // no path of a file
		}
		urls := URLs{Index: []string{first}, Extension: ExtensionKeep, Slash: slashes[style%3], Charset: CharsetBytes}
		if second != "" {
			urls.Index = append(urls.Index, second)
		}
		if style&4 != 0 {
			urls.Extension = ExtensionStrip
		}
		base := "https://h.test/"
		if style&8 != 0 {
			base += "docs/v1/"
		}
		m, err := tryMapper("", func(c *Config) { c.BaseURL, c.URLs = base, urls })
		if err != nil {
			return // an index that no file can have as its name
		}
		loc := locOf(m.NewWorker(), path)
		if hasDotSegment(loc) {
			t.Errorf("%+v: %q became %s", urls, path, loc)
		}
		if got, want := checkLoc(t, loc, base), spelled(&urls, path); got != want {
			t.Errorf("%+v: %q became %s, which decodes to %q, want %q", urls, path, loc, got, want)
		}
	})
}

// spelled returns the path of the URL that a file has, not encoded.
func spelled(urls *URLs, path string) string {
	dir, name := splitPath(path)
	if dir != "" {
		dir += "/"
	}
	if slices.Contains(urls.Index, name) {
		if urls.Slash == SlashNever {
			return strings.TrimSuffix(dir, "/")
		}
		return dir
	}
	bare := name
	for _, extension := range []string{".html", ".htm", ".xhtml", ".shtml"} {
		if cut, has := strings.CutSuffix(name, extension); has && cut != "" && cut != "." && cut != ".." && urls.Extension == ExtensionStrip {
			bare = cut
		}
	}
	if urls.Slash == SlashAlways && (bare != name || !strings.Contains(name, ".")) {
		bare += "/"
	}
	return dir + bare
}
