package indexnow

import (
	"bytes"
	"net/url"
	"strings"
)

// A Scope is what URLs a key file vouches for: those of its host that are in its
// folder or below, by http or https.
// https://www.indexnow.org/documentation
type Scope struct {
	host     string // as hostOf returns it
	folder   string // as it is escaped in the URL, ends in a slash
	prefixes [2][]byte
}

// NewScope returns the scope of the key file at a URL.
func NewScope(keyLocation *url.URL) Scope {
	path := keyLocation.EscapedPath()
	s := Scope{host: hostOf(keyLocation), folder: path[:strings.LastIndexByte(path, '/')+1]}
	if s.folder == "" {
		s.folder = "/"
	}
	for i, scheme := range [...]string{"https://", "http://"} {
		s.prefixes[i] = []byte(scheme + s.host + s.folder)
	}
	return s
}

// Host returns the host as a batch names it.
func (s *Scope) Host() string { return s.host }

// Contains reports whether the key file vouches for a URL.
func (s *Scope) Contains(loc []byte) bool {
	if !bytes.Contains(loc, []byte("/.")) { // no segment may lead out of the folder
		for _, prefix := range s.prefixes {
			if bytes.HasPrefix(loc, prefix) {
				return true
			}
		}
	}
	u, err := url.Parse(string(loc))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || hostOf(u) != s.host {
		return false
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	return strings.HasPrefix(u.JoinPath().EscapedPath(), s.folder) && strings.HasPrefix(path, s.folder)
}

// hostOf returns the host of a URL in lower case, and the port unless it is the
// scheme's own.
func hostOf(u *url.URL) string {
	host := strings.ToLower(u.Host)
	return strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
}
