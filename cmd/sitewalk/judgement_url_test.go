//go:build unix

package main

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/idna"
)

// escapePath percent-encodes what RFC 3986 does not let stand in a path, and
// writes what is encoded in one way.
func escapePath(text string) string {
	const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		encoded := i+2 < len(text) && validEscape.MatchString(text[i:i+3])
		b := text[i : i+1]
		if encoded {
			b, _ = url.PathUnescape(text[i : i+3])
			i += 2
		}
		if strings.Contains(unreserved, b) || !encoded && strings.Contains("/!$&'()*+,;=:@", b) {
			out.WriteString(b)
		} else {
			fmt.Fprintf(&out, "%%%02X", b)
		}
	}
	return out.String()
}

var validEscape = regexp.MustCompile(`^%[0-9A-Fa-f]{2}`)

var (
	otherScheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	ownContent  = regexp.MustCompile(`^(?i:https?|data|javascript):`)
	manySlashes = regexp.MustCompile(`^///+`)
	escapable   = regexp.MustCompile(`%[0-9A-Fa-f]{2}|%|[\x00- \x7f]`)
)

// resolveLink returns where a link leads, or nil if it is no web page. The fragment
// is of no account, and neither is a port that the scheme says anyway. An empty
// link leads to where it stands.
func resolveLink(from, link string) *url.URL {
	start, err := url.Parse(from)
	if err != nil {
		return nil
	}
	// What browsers take and package url does not.
	link = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(strings.Trim(link, "\t\n\f\r "))
	before, after := link, ""
	if at := strings.IndexAny(link, "?#"); at >= 0 {
		before, after = link[:at], link[at:]
	}
	link = manySlashes.ReplaceAllString(strings.ReplaceAll(before, `\`, "/"), "//") + after
	if link == "//" {
		return nil
	}
	link = escapable.ReplaceAllStringFunc(link, func(s string) string {
		if len(s) == 3 {
			return s
		}
		return fmt.Sprintf("%%%02X", s)
	})
	to, err := start.Parse(link)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Hostname() == "" {
		return nil
	}
	host, err := idna.Lookup.ToASCII(to.Hostname())
	if err != nil {
		host = strings.ToLower(to.Hostname())
	}
	if strings.Contains(host, ":") { // an IPv6 address
		host = "[" + host + "]"
	}
	if port := to.Port(); port != "" {
		host += ":" + port
	}
	to = &url.URL{Scheme: to.Scheme, Host: host, RawPath: escapePath(to.EscapedPath()), RawQuery: to.RawQuery}
	to.Host = hostOf(to)
	if to.RawPath == "" {
		to.RawPath = "/"
	}
	to.Path, err = url.PathUnescape(to.RawPath)
	if err != nil {
		return nil
	}
	return to
}

// hostOf returns host and port, without the port that the scheme says anyway.
func hostOf(u *url.URL) string {
	return strings.TrimSuffix(u.Host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
}

// asLoc returns a URL as the sitemap writes it.
func asLoc(u *url.URL) string {
	if u.RawQuery != "" {
		return u.Scheme + "://" + u.Host + u.RawPath + "?" + u.RawQuery
	}
	return u.Scheme + "://" + u.Host + u.RawPath
}
