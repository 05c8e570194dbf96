package mapper

import (
	"slices"
	"strings"
)

// relation is what a URL is to a page.
type relation uint8

const (
	itself    relation = iota // the page's own loc
	styled                    // the page in another style: scheme, host, slash, extension or index file
	elsewhere                 // another page
)

// relate returns what a URL is to the page that the worker mapped last under a
// name in its folder.
func (w *Worker) relate(name, loc string, to *target) relation {
	if to.asText == loc {
		return itself
	}
	if to.query != "" {
		return elsewhere
	}
	path, ok := w.pathOf(name, to)
	if !ok || w.isOther(name, path) {
		return elsewhere
	}
	return styled
}

// pathOf returns the path below the docroot that a URL names, if it names the
// page of a name in the worker's folder in some style.
func (w *Worker) pathOf(name string, to *target) (path string, ok bool) {
	own := w.m.styleKey(w.join(name))
	loc := w.m.styleKey(unescape(string(w.url[w.levels[0].url:w.top().url])) + name)
	full := unescape(to.path)
	below, inside := strings.CutPrefix(full, unescape(w.m.base.path))
	if !inside && full+"/" == unescape(w.m.base.path) {
		below, inside = "", true
	}
	is := func(path string) bool {
		key := w.m.styleKey(path)
		return key == own || key == loc
	}
	if inside && is(below) {
		return below, true
	}
	// On another host the site may stand at another place: it is then base_url
	// that differs.
	if below = full[1:]; to.origin != w.m.base.withoutDefaultPort() && is(below) {
		return below, true
	}
	return "", false
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
	path = strings.TrimRight(path, "/")
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
	var files []string
	if path == "" || strings.HasSuffix(path, "/") {
		for _, index := range w.m.index {
			files = append(files, path+index)
		}
	} else {
		files = append(files, path)
		if extensionOf(path) == "" {
			for _, extension := range extensions {
				files = append(files, path+extension)
			}
			for _, index := range w.m.index {
				files = append(files, path+"/"+index)
			}
		}
	}
	if slices.Contains(files, w.join(name)) {
		return false
	}
	return slices.ContainsFunc(files, w.m.has)
}

// suggest returns the settings under which a page would be listed as a URL that
// names it in another style.
func (w *Worker) suggest(name string, to *target) string {
	path, ok := w.pathOf(name, to)
	if !ok {
		return ""
	}
	var settings []string
	prefix := strings.TrimSuffix(unescape(to.path), path)
	if origin := to.origin; origin != w.m.base.withoutDefaultPort() || prefix != unescape(w.m.base.path) && prefix+"/" != unescape(w.m.base.path) {
		if prefix == "" {
			prefix = "/"
		}
		settings = append(settings, "base_url: "+origin+string(appendReescaped(nil, prefix)))
	}
	if spelling := w.spellingOf(name, path); spelling != "" {
		settings = append(settings, spelling)
	}
	return strings.Join(settings, ", ")
}

// spellingOf returns the values of urls under which a page has a path, or "" if
// it has it already or under none. One changed value is tried before two.
func (w *Worker) spellingOf(name, path string) string {
	urls := w.m.config.URLs
	fits := func(urls URLs) bool {
		loc, _, ok := w.spell(&urls, name)
		return ok && unescape(string(loc[w.levels[0].url:])) == path
	}
	if fits(urls) {
		return ""
	}
	slashes := []Slash{SlashNever, SlashAlways, SlashAuto}
	extensions := []Extension{ExtensionStrip, ExtensionKeep}
	for _, slash := range slashes {
		if other := urls; slash != urls.Slash {
			if other.Slash = slash; fits(other) {
				return "urls.slash: " + string(slash)
			}
		}
	}
	for _, extension := range extensions {
		if other := urls; extension != urls.Extension {
			if other.Extension = extension; fits(other) {
				return "urls.extension: " + string(extension)
			}
		}
	}
	for _, slash := range slashes {
		for _, extension := range extensions {
			other := urls
			if other.Slash, other.Extension = slash, extension; fits(other) {
				return "urls: {extension: " + string(extension) + ", slash: " + string(slash) + "}"
			}
		}
	}
	if other := urls; len(urls.Index) > 0 {
		if other.Index = nil; fits(other) {
			return "urls.index: []"
		}
	}
	return ""
}
