package check

import (
	"bytes"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"sitewalk/mapper"
)

// place is where on the web a folder is.
type place struct {
	origin string // scheme, host and port, lower case, without the scheme's own port
	path   string // percent-encoded, begins and ends in a slash
}

func (p place) String() string { return p.origin + p.path }

// parsePlace returns the folder of a URL: of http://h/a/b and http://h/a/ it is
// http://h/a/.
func parsePlace(raw string) (place, bool) {
	parts, problem := splitURL(raw)
	if problem != "" {
		return place{}, false
	}
	path := parts.path
	return place{parts.origin, path[:strings.LastIndexByte(path, '/')+1]}, true
}

// isBelow reports whether a place is another, or is in it.
func (p place) isBelow(other place) bool {
	return p.origin == other.origin && strings.HasPrefix(p.path, other.path)
}

// urlParts are the parts of a URL that are compared.
type urlParts struct {
	origin   string
	path     string // begins with a slash; a URL without a path has the path /
	rest     string // query and fragment
	fragment bool
}

// splitURL takes a URL apart, and says what it lacks to be an absolute one of http or
// https. It does not look for characters that should be escaped.
func splitURL(raw string) (parts urlParts, problem string) {
	scheme, after, found := strings.Cut(raw, "://")
	scheme = strings.ToLower(scheme)
	if !found || strings.ContainsAny(scheme, "/?#") {
		return parts, "is not absolute: it must begin with http:// or https:// and the host"
	}
	if scheme != "http" && scheme != "https" {
		return parts, fmt.Sprintf("has the scheme %.20q, and crawlers take only http and https", scheme)
	}
	end := strings.IndexAny(after, "/?#")
	if end < 0 {
		end = len(after)
	}
	host, problem := hostOf(after[:end], scheme)
	if problem != "" {
		return parts, problem
	}
	parts.origin = scheme + "://" + host
	parts.path = after[end:]
	if end := strings.IndexAny(parts.path, "?#"); end >= 0 {
		parts.path, parts.rest = parts.path[:end], parts.path[end:]
	}
	if parts.path == "" {
		parts.path = "/"
	}
	parts.fragment = strings.Contains(parts.rest, "#")
	return parts, ""
}

// hostOf returns host and port of a URL in lower case, without the scheme's own port.
func hostOf(authority, scheme string) (host, problem string) {
	if strings.Contains(authority, "@") {
		return "", "holds a user name or password, which would be published"
	}
	host, port := authority, ""
	if colon := strings.LastIndexByte(authority, ':'); colon > strings.LastIndexByte(authority, ']') {
		host, port = authority[:colon], authority[colon+1:]
		if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
			return "", fmt.Sprintf("has the port %.20q, which is not from 1 to 65535", port)
		}
		port = strings.TrimLeft(port, "0")
	}
	if strings.ContainsAny(host, "[]") {
		address, opened := strings.CutPrefix(host, "[")
		address, closed := strings.CutSuffix(address, "]")
		if ip, err := netip.ParseAddr(address); !opened || !closed || err != nil || !ip.Is6() || ip.Zone() != "" {
			return "", "has no valid IPv6 address for a host"
		}
	}
	if host == "" {
		return "", "has no host"
	}
	host = strings.ToLower(host)
	if port != "" && port != map[string]string{"http": "80", "https": "443"}[scheme] {
		host += ":" + port
	}
	return host, ""
}

// wrongByte returns the first byte of a URL that RFC 3986 does not allow where it is,
// or -1. Brackets may stand around the address of a host.
func wrongByte(raw string) int {
	hostEnd := -1 // where the host ends, once somebody asks
	for i := 0; i < len(raw); i++ {
		if plainByte[raw[i]] {
			continue
		}
		switch b := raw[i]; {
		case b == '%' && i+2 < len(raw) && isHex(raw[i+1]) && isHex(raw[i+2]):
			i += 2
		case b == '#' && !strings.Contains(raw[:i], "#"):
		case b == '[' || b == ']':
			if hostEnd < 0 {
				hostEnd = endOfHost(raw, i)
			}
			if i >= hostEnd {
				return i
			}
		default:
			return i
		}
	}
	return -1
}

// endOfHost returns where the host and port of a URL end that a place is within, or 0
// if the place is before or behind them.
func endOfHost(raw string, at int) int {
	_, host, found := strings.Cut(raw[:at], "://")
	if !found || strings.ContainsAny(host, "/?#") {
		return 0
	}
	if length := strings.IndexAny(raw[at:], "/?#"); length >= 0 {
		return at + length
	}
	return len(raw)
}

func isHex(b byte) bool { return '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'f' }

// plainByte are the bytes that may stand in a path or a query as they are: RFC 3986's
// unreserved, sub-delims, ':', '@', '/' and '?'.
// https://www.rfc-editor.org/rfc/rfc3986#section-3.4
var plainByte = func() (set [256]bool) {
	const all = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/?"
	for _, b := range []byte(all) {
		set[b] = true
	}
	return set
}()

// escaping says how what is at a byte of a URL should be written.
func escaping(raw string, at int) string {
	character, size := utf8.DecodeRuneInString(raw[at:])
	switch {
	case raw[at] == '%':
		return fmt.Sprintf("has a %% that begins no escaped byte, at %.12q; write %%25 for the character itself", raw[at:])
	case raw[at] == '#':
		return "has a second #; write %23 for the character itself"
	}
	var escaped strings.Builder
	for _, b := range []byte(raw[at : at+size]) {
		fmt.Fprintf(&escaped, "%%%02X", b)
	}
	what := fmt.Sprintf("%q", character)
	switch raw[at] {
	case ' ':
		what = "a space"
	case '[', ']':
		what = "a bracket"
	}
	return fmt.Sprintf("has %s that must be escaped, as %s", what, &escaped)
}

// hasDotSegment reports whether a path has a segment that means another folder.
func hasDotSegment(path string) bool {
	if !strings.Contains(path, "/.") && !strings.Contains(path, "/%2") {
		return false
	}
	for segment := range strings.SplitSeq(path, "/") {
		switch strings.ReplaceAll(strings.ToLower(segment), "%2e", ".") {
		case ".", "..":
			return true
		}
	}
	return false
}

// urlProblem says what keeps a text from being an absolute, escaped URL, or "".
func urlProblem(raw string) string {
	if at := wrongByte(raw); at >= 0 {
		return escaping(raw, at)
	}
	_, problem := splitURL(raw)
	return problem
}

// locJudge checks the URLs of one file.
type locJudge struct {
	// folder is where the file is, and all that it may list; known is false if nobody
	// can tell.
	folder place
	known  bool
	// vouched reports whether the robots.txt of an origin names the set.
	vouched func(origin string) bool
	// prefix is what URLs begin with that surely are in scope, or "".
	prefix string
	tell   func(code Code, message string)
}

func newLocJudge(folder place, known bool, vouched func(string) bool) *locJudge {
	j := &locJudge{folder: folder, known: known, vouched: vouched}
	if known {
		j.prefix = folder.String()
		if folder.path != "/" && vouched(folder.origin) {
			j.prefix = folder.origin + "/"
		}
	}
	return j
}

// check tells what is wrong with the URL of a page, and returns its parts, or none.
func (j *locJudge) check(loc string) urlParts {
	parts, ok := j.form(loc)
	if !ok {
		return urlParts{}
	}
	if j.prefix != "" && !strings.HasPrefix(loc, j.prefix) {
		j.checkScope(parts)
	}
	return parts
}

// checkScope tells whether the sitemap may not list a page.
func (j *locJudge) checkScope(parts urlParts) {
	at := place{parts.origin, parts.path}
	switch {
	case at.isBelow(j.folder), j.vouched(parts.origin):
	case parts.origin != j.folder.origin:
		j.tell(LocScope, fmt.Sprintf("is not of %s, where the sitemap is: scheme, host and port must agree", j.folder.origin))
	default:
		j.tell(LocScope, fmt.Sprintf("is outside %s, the sitemap's folder, and no line of robots.txt names the set", j.folder))
	}
}

// form tells what is wrong with a URL as such. It returns its parts and true, or
// false if it has none.
func (j *locJudge) form(loc string) (urlParts, bool) {
	if len(loc) >= maxLoc {
		if length := utf8.RuneCountInString(loc); length >= maxLoc {
			j.tell(LocTooLong, fmt.Sprintf("has %d characters, and must have less than %d", length, maxLoc))
			return urlParts{}, false
		}
	}
	if at := wrongByte(loc); at >= 0 {
		j.tell(LocEscaping, escaping(loc, at))
	}
	parts, problem := splitURL(loc)
	switch {
	case problem != "":
		j.tell(LocForm, problem)
		return parts, false
	case len(loc) < minLoc:
		j.tell(LocForm, fmt.Sprintf("has %d characters, and the schema wants %d at least", len(loc), minLoc))
	case hasDotSegment(parts.path):
		j.tell(LocForm, "has . or .. for a segment; write the path that it stands for")
	}
	if parts.fragment {
		j.tell(LocFragment, "has a fragment: what follows # is no page of its own (write %23 for a # in a name)")
	}
	if strings.ContainsAny(loc, ";?") && mapper.HasSession(loc) {
		j.tell(LocSession, "holds a session id, so that each visitor has another URL of the page")
	}
	return parts, true
}

// hash returns a hash that URLs have in common which are one but for spelling. What has
// no parts is taken as it is.
func (p *urlParts) hash(loc string) uint64 {
	if p.origin == "" {
		return xxhash.Sum64String(loc)
	}
	// The path begins with a slash and the rest does not, so that nothing need stand
	// between them.
	var digest xxhash.Digest
	digest.Reset()
	for _, part := range [...]string{p.origin, p.path, p.rest} {
		_, _ = digest.WriteString(part) // never fails
	}
	return digest.Sum64()
}

// hashOf returns the hash of a URL's parts.
func hashOf(loc string) uint64 {
	parts, _ := splitURL(loc)
	return parts.hash(loc)
}

// sameURL reports whether two URLs are one but for spelling.
func sameURL(a, b string) bool {
	if a == b {
		return true
	}
	one, wrong := splitURL(a)
	other, alsoWrong := splitURL(b)
	return wrong == "" && alsoWrong == "" && one == other
}

// trim returns text without the white space of XML around it.
func trim(text []byte) string { return string(bytes.Trim(text, whiteSpace)) }

// unescapedPath returns the path of a file whose URL path is given, or false if it can
// be none.
func unescapedPath(path string) (string, bool) {
	file, err := url.PathUnescape(path)
	return file, err == nil && !strings.ContainsRune(file, 0)
}
