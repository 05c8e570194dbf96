package mapper

import (
	"strconv"
	"strings"
)

// maxTarget is the length, in bytes, from which on a URL leads nowhere: servers
// take no request that long. https://nginx.org/r/large_client_header_buffers,
// https://httpd.apache.org/docs/current/mod/core.html#limitrequestline
const maxTarget = 8 << 10

// maxHost is more than a host name needs, in bytes, however it is spelled. DNS
// allows 253, but a character may take several before it is written in ASCII.
const maxHost = 1 << 10

// target is where a link on a page leads, resolved and normalised as locs are.
type target struct {
	base  // origin, without the scheme's own port, and path; the path may end without a slash
	query string
	text  string // all of it
}

func newTarget(text string, origin, path int) target {
	return target{base{text[:origin], text[origin:path]}, strings.TrimPrefix(text[path:], "?"), text}
}

// splitTarget returns a target by its text, or that of a page by its loc. It
// reports false for what is no absolute URL.
func splitTarget(text string) (t target, ok bool) {
	origin := strings.Index(text, "://")
	if origin < 0 {
		return target{}, false
	}
	origin += len("://")
	slash := strings.IndexByte(text[origin:], '/')
	if slash < 0 {
		return target{}, false
	}
	origin += slash
	path := len(text)
	if query := strings.IndexByte(text[origin:], '?'); query >= 0 {
		path = origin + query
	}
	t = newTarget(text, origin, path)
	if short := t.withoutDefaultPort(); short != t.origin {
		t.origin, t.text = short, short+text[origin:]
	}
	return t, true
}

// document is the page that a link stands on, ready to resolve what it says.
type document struct {
	target
	unusable bool // by its base element no relative link leads to a web page
}

// newDocument returns the page that has a loc and a base element with an href;
// empty if there is none.
func newDocument(loc, baseHref string) document {
	page, ok := splitTarget(loc)
	d := document{page, !ok}
	if baseHref == "" || !ok {
		return d
	}
	to, ok := d.resolve(baseHref)
	if ok {
		return document{target: to}
	}
	// A base that cannot be is none, nor is one that holds its own content; that
	// of another scheme counts.
	// https://html.spec.whatwg.org/multipage/semantics.html#set-the-frozen-base-url
	switch scheme, _, found := cutScheme(trimReference(baseHref)); {
	case !found, scheme == "http", scheme == "https", scheme == "data", scheme == "javascript":
	default:
		d.unusable = true
	}
	return d
}

// resolve returns where a link leads. It reports false for what is no http or
// https URL. The fragment, which names a place within a page, falls away, and so
// do credentials. It reads references as browsers do, who take more than RFC 3986
// allows: https://url.spec.whatwg.org/#url-parsing.
func (d *document) resolve(href string) (target, bool) {
	rest := trimReference(href)
	if len(rest) >= maxTarget {
		return target{}, false
	}
	scheme, after, found := cutScheme(rest)
	own, _, _ := strings.Cut(d.origin, "://")
	slashes := 0 // that an authority stands behind, at least
	switch {
	case !found && d.unusable:
		return target{}, false
	case !found:
		scheme, slashes = own, 2
	case scheme != "http" && scheme != "https":
		return target{}, false
	case scheme == own && !d.unusable:
		rest, slashes = after, 2 // https:page.html is relative to a page of https
	default:
		rest = after
	}
	path := strings.TrimLeft(rest, `/\`)
	if len(rest)-len(path) < slashes {
		return d.resolvePath(rest)
	}
	end := strings.IndexAny(path, `/\?#`)
	if end < 0 {
		end = len(path)
	}
	origin, ok := d.originOf(scheme, path[:end])
	if !ok {
		return target{}, false
	}
	return finish(origin, "/", path[end:])
}

// resolvePath returns where a link within the page's site leads.
func (d *document) resolvePath(rest string) (target, bool) {
	if rest == "" || rest[0] == '#' {
		return d.target, true
	}
	switch rest[0] {
	case '?':
		return finish(d.origin, d.path, rest)
	case '/', '\\':
		return finish(d.origin, "/", rest)
	}
	return finish(d.origin, d.path[:strings.LastIndexByte(d.path, '/')+1], rest)
}

// originOf returns the origin of a URL by its scheme and what stands between the
// slashes: a host, perhaps credentials before it and a port behind.
func (d *document) originOf(scheme, authority string) (string, bool) {
	if own, ok := strings.CutPrefix(d.origin, scheme); ok && own[len("://"):] == authority {
		return d.origin, true // as almost always
	}
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	host, port := authority, ""
	if colon := strings.LastIndexByte(authority, ':'); colon > strings.LastIndexByte(authority, ']') {
		host, port = authority[:colon], authority[colon+1:]
	}
	host = unescape(host)
	if address, ok := strings.CutPrefix(host, "["); ok {
		if host, ok = strings.CutSuffix(address, "]"); !ok || !strings.Contains(host, ":") {
			return "", false
		}
	} else if strings.Contains(host, ":") {
		return "", false
	}
	if host == "" || len(host) > maxHost {
		return "", false
	}
	ascii, err := asciiHost(host)
	if err != nil || ascii == "" {
		return "", false
	}
	origin := base{origin: scheme + "://" + ascii}
	if port != "" {
		number, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return "", false
		}
		origin.origin += ":" + strconv.FormatUint(number, 10)
	}
	return origin.withoutDefaultPort(), true
}

// finish returns the target of an origin and a reference relative to a folder:
// a path, perhaps with a query, or a query alone to follow a path.
func finish(origin, folder, reference string) (target, bool) {
	reference, _, _ = strings.Cut(reference, "#")
	relative, query, _ := strings.Cut(reference, "?")
	text := make([]byte, 0, len(origin)+len(folder)+len(reference)+len(reference)/4)
	text = append(append(text, origin...), folder...)
	text = appendRelative(text, len(origin), relative)
	path := len(text)
	if query != "" {
		text = appendReescapedQuery(append(text, '?'), query)
	}
	if len(text) >= maxTarget {
		return target{}, false
	}
	return newTarget(string(text), len(origin), path), true
}

// appendRelative appends a relative path to a URL that ends in a folder, and
// whose path begins at root. Segments that mean another folder are followed.
func appendRelative(url []byte, root int, relative string) []byte {
	if relative != "" && (relative[0] == '/' || relative[0] == '\\') {
		relative = relative[1:]
	}
	for relative != "" {
		end := strings.IndexAny(relative, `/\`)
		last := end < 0
		if last {
			end = len(relative)
		}
		switch segment := relative[:end]; dotsOf(segment) {
		case 1:
		case 2:
			url = url[:len(url)-1]
			for len(url) > root && url[len(url)-1] != '/' {
				url = url[:len(url)-1]
			}
			if len(url) == root {
				url = append(url, '/')
			}
		default:
			url = appendReescaped(url, segment)
			if !last {
				url = append(url, '/')
			}
		}
		if last {
			break
		}
		relative = relative[end+1:]
	}
	return url
}

// dotsOf returns 1 for a segment that means its folder, 2 for one that means the
// folder above, and 0 for any other.
func dotsOf(segment string) int {
	dots := 0
	for segment != "" {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case len(segment) >= 3 && strings.EqualFold(segment[:3], "%2e"):
			segment = segment[3:]
		default:
			return 0
		}
		if dots++; dots > 2 {
			return 0
		}
	}
	return dots
}

// trimReference returns a reference without what browsers overlook in one:
// control characters and spaces around it, tabs and line ends anywhere.
func trimReference(reference string) string {
	for reference != "" && reference[0] <= ' ' {
		reference = reference[1:]
	}
	for reference != "" && reference[len(reference)-1] <= ' ' {
		reference = reference[:len(reference)-1]
	}
	if !strings.ContainsAny(reference, "\t\n\r") {
		return reference
	}
	return strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(reference)
}

// cutScheme returns the scheme of a reference, in lower case, and what follows
// its colon; found is false if the reference is relative.
func cutScheme(reference string) (scheme, after string, found bool) {
	for i := 0; i < len(reference); i++ {
		b := reference[i]
		letter := 'a' <= b|0x20 && b|0x20 <= 'z'
		switch {
		case b == ':' && i > 0:
			return strings.ToLower(reference[:i]), reference[i+1:], true
		case letter:
		case i == 0, b != '+' && b != '-' && b != '.' && (b < '0' || b > '9'):
			return "", reference, false
		}
	}
	return "", reference, false
}

// unescape returns a path with what is percent-encoded as it is on disk. An
// encoded slash stays encoded: it separates nothing.
func unescape(path string) string {
	if !strings.Contains(path, "%") {
		return path
	}
	plain := make([]byte, 0, len(path))
	for i := 0; i < len(path); i++ {
		if path[i] == '%' && i+2 < len(path) && isHex(path[i+1]) && isHex(path[i+2]) {
			if b := unhex(path[i+1])<<4 | unhex(path[i+2]); b != '/' {
				plain = append(plain, b)
				i += 2
				continue
			}
		}
		plain = append(plain, path[i])
	}
	return string(plain)
}
