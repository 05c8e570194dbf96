package mapper

import (
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// Style is a canonical that names a page in another style than the sitemap.
type Style struct {
	Canonical string
	// Setting is the configuration under which the sitemap would agree, or empty.
	Setting string
}

// relation is what a URL is to a page.
type relation uint8

const (
	itself    relation = iota // the page's own loc
	styled                    // the page in another style: scheme, host, slash, extension or index file
	elsewhere                 // another page
)

// relate returns what a URL is to the page of the given loc, which has a name in
// the worker's folder.
func (w *Worker) relate(name, loc string, to *target) relation {
	if w.isLoc(loc, to) {
		return itself
	}
	if names, ok := w.namingOf(name, to); ok && to.query == "" && !w.isOther(name, names.path) {
		return styled
	}
	return elsewhere
}

// mayBe reports whether a URL names the page of a name in the worker's folder, in
// some style. It may be the URL of another file all the same.
func (w *Worker) mayBe(name string, to *target) bool {
	_, ok := w.namingOf(name, to)
	return ok && to.query == ""
}

// isLoc reports whether a URL is a page's loc.
func (w *Worker) isLoc(loc string, to *target) bool {
	return to.text[len(to.origin):] == loc[len(w.m.base.origin):] && to.origin == w.m.base.withoutDefaultPort()
}

// naming is how a URL names a page in some style.
type naming struct {
	prefix, below string // of the URL's path: where the site is, and the page there
	path          string // below, as it would be on disk
}

// namingOf returns how a URL names the page of a name in the worker's folder,
// whatever its query is, and false if it names another.
func (w *Worker) namingOf(name string, to *target) (n naming, ok bool) {
	own := w.join(name)
	if below, inside := w.m.below(to.path); inside {
		if n.path, ok = w.names(below, own); ok {
			n.prefix, n.below = to.path[:len(to.path)-len(below)], below
			return n, true
		}
	}
	// On another host the site may stand at another place: it is then base_url
	// that differs.
	if to.origin != w.m.base.withoutDefaultPort() {
		if n.path, ok = w.names(to.path[1:], own); ok {
			n.prefix, n.below = "/", to.path[1:]
			return n, true
		}
	}
	return naming{}, false
}

// below returns a URL's path below that of the site, and false if it is outside.
// The folder of the site is inside without its slash too.
func (m *Mapper) below(path string) (below string, inside bool) {
	if below, inside = strings.CutPrefix(path, m.base.path); inside {
		return below, true
	}
	return "", path+"/" == m.base.path
}

// Key returns what all styles of a page's URL have in common, as a number, and
// false for the URL of no page of the site.
func (m *Mapper) Key(loc string) (key uint64, ok bool) {
	to, ok := splitTarget(loc)
	if !ok || to.query != "" || host(to.origin) != host(m.base.withoutDefaultPort()) {
		return 0, false
	}
	below, inside := m.below(to.path)
	if !inside {
		return 0, false
	}
	return xxhash.Sum64String(m.styleKey(unescape(below))), true
}

// names reports whether a URL's path below that of the site names a page in some
// style, and returns the path as it would be on disk. What browsers encode is in
// UTF-8; what is encoded by the server's rules is in its charset.
func (w *Worker) names(below, page string) (path string, ok bool) {
	path = unescape(below)
	if w.m.isStyleOf(path, page) {
		return path, true
	}
	if w.transcoder == nil {
		return "", false
	}
	path, err := w.transcoder.decoder.String(path)
	return path, err == nil && w.m.isStyleOf(path, page)
}

// isStyleOf reports whether a path is that of a page in some style.
func (m *Mapper) isStyleOf(path, page string) bool {
	if path == page {
		return true
	}
	// dir/index.html is dir/, but also dir/index; page.html.html is page.html.
	return m.styleKey(path) == m.styleKey(page) || strings.TrimRight(path, "/") == cutExtension(page)
}

// join returns the path of a name in the worker's folder.
func (w *Worker) join(name string) string {
	if w.dir == "" {
		return name
	}
	return w.dir + "/" + name
}

// styleKey returns what all styles of a page's path have in common.
func (m *Mapper) styleKey(path string) string {
	folder := strings.LastIndexByte(path, '/') + 1
	if m.isIndex(path[folder:]) {
		path = path[:folder]
	}
	return cutExtension(strings.TrimRight(path, "/"))
}

// cutExtension cuts off the extension of a page, in any case, from its path. A
// name that is nothing else stays.
func cutExtension(path string) string {
	for _, extension := range extensions {
		if bare, ok := cutFoldedSuffix(path, extension); ok && bare != "" && !strings.HasSuffix(bare, "/") {
			return bare
		}
	}
	return path
}

// isIndex reports whether a server is likely to show a file for its folder: also
// one that the configuration does not say so of.
func (m *Mapper) isIndex(name string) bool {
	return slices.Contains(m.index, name) || slices.Contains(defaultIndex, name)
}

func cutFoldedSuffix(s, suffix string) (string, bool) {
	if len(s) < len(suffix) || !strings.EqualFold(s[len(s)-len(suffix):], suffix) {
		return s, false
	}
	return s[:len(s)-len(suffix)], true
}

// isOther reports whether a path that could be a style of the page's own is that
// of another file: page.html and page/index.html are two pages where both are
// there.
func (w *Worker) isOther(name, path string) bool {
	if w.m.has == nil {
		return false
	}
	indexes := w.m.index
	for _, index := range defaultIndex {
		if !slices.Contains(indexes, index) {
			indexes = append(slices.Clip(indexes), index)
		}
	}
	var files []string
	if path == "" || strings.HasSuffix(path, "/") {
		for _, index := range indexes {
			files = append(files, path+index)
		}
	} else {
		files = append(files, path)
		if extensionOf(path) == "" {
			for _, extension := range extensions {
				files = append(files, path+extension)
			}
			for _, index := range indexes {
				files = append(files, path+"/"+index)
			}
		}
	}
	if slices.Contains(files, w.join(name)) {
		return false
	}
	return slices.ContainsFunc(files, w.m.has)
}

// suggest returns the settings under which a page would be listed as the URL that
// names it in another style, or "" if there are none.
func (w *Worker) suggest(name string, to *target) string {
	names, ok := w.namingOf(name, to)
	if !ok || !strings.HasSuffix(names.prefix, "/") {
		return ""
	}
	spelling, ok := w.spellingOf(name, names.below)
	if !ok {
		return ""
	}
	if to.origin == w.m.base.withoutDefaultPort() && names.prefix == w.m.base.path {
		return spelling
	}
	place := "base_url: " + to.origin + names.prefix
	if spelling == "" {
		return place
	}
	return place + ", " + spelling
}

// spellingOf returns the values of urls under which a page has the given URL
// below base_url, with as few changes as can be: "" if it has it already. It
// reports false if there are none.
func (w *Worker) spellingOf(name, below string) (settings string, ok bool) {
	now := w.m.urls
	slashes := []Slash{now.Slash}
	for _, slash := range []Slash{SlashAuto, SlashNever, SlashAlways} {
		if slash != now.Slash {
			slashes = append(slashes, slash)
		}
	}
	extensions := []Extension{now.Extension, ExtensionStrip}
	if now.Extension == ExtensionStrip {
		extensions[1] = ExtensionKeep
	}
	indexes := [][]string{now.Index, nil}
	if len(now.Index) == 0 {
		indexes[1] = []string{name}
	}
	if !w.m.isIndex(name) {
		indexes = indexes[:1]
	}
	fewest := 4
	for i, index := range indexes {
		for j, extension := range extensions {
			for k, slash := range slashes {
				changes := min(i, 1) + min(j, 1) + min(k, 1)
				if changes >= fewest {
					continue
				}
				urls := URLs{Index: index, Extension: extension, Slash: slash}
				if extension == now.Extension {
					urls.stripped = now.stripped
				}
				if url, _, ok := w.spell(&urls, name); ok && string(url[w.levels[0].url:]) == below {
					settings, fewest = changed(&now, &urls, changes), changes
				}
			}
		}
	}
	return settings, fewest < 4
}

// changed returns the keys and values in which settings differ from others, in a
// number of places.
func changed(from, to *URLs, places int) string {
	var values []string
	if len(from.Index) != len(to.Index) {
		values = append(values, "index: ["+strings.Join(to.Index, ", ")+"]")
	}
	if from.Extension != to.Extension {
		values = append(values, "extension: "+string(to.Extension))
	}
	if from.Slash != to.Slash {
		values = append(values, "slash: "+string(to.Slash))
	}
	switch places {
	case 0:
		return ""
	case 1:
		return "urls." + values[0]
	}
	return "urls: {" + strings.Join(values, ", ") + "}"
}
