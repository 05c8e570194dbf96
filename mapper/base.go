package mapper

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// base is the URL of the docroot, ready to have paths appended.
type base struct {
	origin string // scheme, host and port, lower case, no slash
	path   string // percent-encoded, begins and ends in a slash
}

// sameOrigin reports whether scheme, host and port agree; a scheme's own port
// may be written or not.
func (b base) sameOrigin(other base) bool {
	return b.withoutDefaultPort() == other.withoutDefaultPort()
}

func (b base) withoutDefaultPort() string {
	if strings.HasPrefix(b.origin, "https:") {
		return strings.TrimSuffix(b.origin, ":443")
	}
	return strings.TrimSuffix(b.origin, ":80")
}

// parseBase reads base_url: http or https, a host, perhaps a port and a path.
func parseBase(raw string) (base, error) {
	fail := func(problem, hint string) (base, error) {
		return base{}, &ConfigError{"base_url", problem, hint}
	}
	const example = "write it as https://www.example.com/"
	if raw == "" {
		return fail("is missing", "say where the docroot is served: --base-url https://www.example.com/, or base_url: in the configuration file")
	}
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || u.Opaque != "" {
		return fail("is not a URL", example)
	}
	scheme := strings.ToLower(u.Scheme)
	switch {
	case scheme != "http" && scheme != "https":
		return fail("must begin with http:// or https://", example)
	case u.User != nil:
		return fail("must not hold a user name or password", "crawlers would publish them")
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(raw, "?"):
		return fail("must not hold a query", "end it before the ?")
	case strings.Contains(raw, "#"):
		return fail("must not hold a fragment", "end it before the #")
	case u.Hostname() == "":
		return fail("has no host", example)
	}
	host, err := asciiHost(u.Hostname())
	if err != nil {
		return fail("has no valid host name", example)
	}
	if port := u.Port(); port != "" {
		n, err := strconv.Atoi(port)
		if err != nil || n < 1 || n > 65535 {
			return fail("has a port outside 1 to 65535", example)
		}
		host += ":" + strconv.Itoa(n)
	} else if strings.HasSuffix(u.Host, ":") {
		return fail("has a colon but no port", example)
	}
	path := string(appendReescaped(nil, u.EscapedPath()))
	if hasDotSegment(path) {
		return fail("must not hold the segments . or ..", "write the path that they stand for")
	}
	if !strings.HasSuffix(path, "/") {
		path += "/"
	}
	return base{origin: scheme + "://" + host, path: path}, nil
}

// asciiHost returns a host name as it goes over the wire: lower case, and what
// is not ASCII by RFC 5891.
func asciiHost(host string) (string, error) {
	if strings.Contains(host, ":") { // an IPv6 address
		address, err := netip.ParseAddr(host)
		if err != nil || address.Zone() != "" {
			return "", strconv.ErrSyntax
		}
		return "[" + strings.ToLower(host) + "]", nil
	}
	ascii, err := idna.Lookup.ToASCII(host)
	if err != nil {
		// Names that exist in private networks, such as those with an
		// underscore, are good enough when they are plain ASCII.
		for _, b := range []byte(host) {
			if !isUnreserved(b) {
				return "", err
			}
		}
		ascii = strings.ToLower(host)
	}
	// Labels are never empty, and "xn--" stands for one that is.
	if ascii == "" || ascii[0] == '.' || strings.Contains(ascii, "..") {
		return "", strconv.ErrSyntax
	}
	return ascii, nil
}

// hasDotSegment reports whether a path has a segment that means another folder
// (RFC 3986, section 5.2.4), spelled out or percent-encoded.
func hasDotSegment(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		switch strings.ReplaceAll(strings.ToLower(segment), "%2e", ".") {
		case ".", "..":
			return true
		}
	}
	return false
}
