package mapper

import (
	"net/url"
	"strings"
)

// target is where a link on a page leads, resolved and normalised as locs are.
type target struct {
	base   // origin and path; the path may end without a slash
	query  string
	asText string
}

func (t *target) String() string { return t.asText }

// resolve returns where a link on a page leads. It reports false for what is no
// http or https URL. The fragment, which names a place within a page, falls away.
func resolve(page, baseHref, href string) (target, bool) {
	from, err := url.Parse(page)
	if err != nil {
		return target{}, false
	}
	if baseHref != "" {
		if to, ok := parseReference(from, baseHref); ok {
			from = to
		}
	}
	to, ok := parseReference(from, href)
	if !ok {
		return target{}, false
	}
	scheme := strings.ToLower(to.Scheme)
	if scheme != "http" && scheme != "https" || to.Hostname() == "" {
		return target{}, false
	}
	host, err := asciiHost(to.Hostname())
	if err != nil {
		return target{}, false
	}
	if port := to.Port(); port != "" && !(scheme == "http" && port == "80") && !(scheme == "https" && port == "443") {
		host += ":" + port
	}
	t := target{base: base{origin: scheme + "://" + host}}
	t.path = string(appendReescaped(nil, to.EscapedPath()))
	if t.path == "" {
		t.path = "/"
	}
	t.query = string(appendReescapedQuery(nil, to.RawQuery))
	t.asText = t.origin + t.path
	if t.query != "" {
		t.asText += "?" + t.query
	}
	return t, true
}

// parseReference resolves a reference as browsers do, who take more than RFC
// 3986 allows: https://url.spec.whatwg.org/#url-parsing.
func parseReference(from *url.URL, reference string) (*url.URL, bool) {
	var clean strings.Builder
	reference = strings.Trim(reference, "\t\n\f\r ")
	inPath := true
	for i := 0; i < len(reference); i++ {
		switch b := reference[i]; {
		case b == '\t' || b == '\n' || b == '\r':
		case b == '\\' && inPath:
			clean.WriteByte('/')
		case b == '%' && !(i+2 < len(reference) && isHex(reference[i+1]) && isHex(reference[i+2])):
			clean.WriteString("%25")
		case b <= ' ' || b == 0x7f:
			clean.Write([]byte{'%', upperHex[b>>4], upperHex[b&15]})
		default:
			inPath = inPath && b != '?' && b != '#'
			clean.WriteByte(b)
		}
	}
	to, err := from.Parse(clean.String())
	return to, err == nil
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
