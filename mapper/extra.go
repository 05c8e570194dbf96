package mapper

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// maxExtraLine is the longest line of a file of extra URLs, in bytes.
const maxExtraLine = 64 << 10

// An Extra is a page that is not on disk.
type Extra struct {
	Page
	Line int // of the file that lists it, from 1
	// Unbelievable says that the date was left out because it is at or before
	// the epoch, or in the future.
	Unbelievable bool
}

// An ExtraError says why a line of a file of extra URLs is not listed.
type ExtraError struct {
	Line    int
	Problem string
}

func (e *ExtraError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Problem) }

// ReadExtra reads a file of extra URLs: "URL [lastmod [changefreq [priority]]]"
// a line, empty lines and lines that begin with # aside. It calls add for each
// page, with a warning where something was cut off its URL, and refuse for each
// line that cannot be listed. What a line says overrides the rules, which see
// the URL's path below the base URL. The error is the reader's own.
func (m *Mapper) ReadExtra(r io.Reader, add func(extra Extra, warning string), refuse func(*ExtraError)) error {
	w := m.NewWorker()
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4096), maxExtraLine)
	number := 0
	for lines.Scan() {
		number++
		fields := strings.Fields(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		page, warning, err := w.extra(fields)
		if err != nil {
			refuse(&ExtraError{number, err.Error()})
			continue
		}
		extra := Extra{Page: page, Line: number}
		if dated := len(fields) > 1; dated && !w.IsBelievable(page.LastMod) {
			extra.LastMod, extra.Unbelievable = 0, true
		}
		add(extra, warning)
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line %d is longer than %d bytes", number+1, maxExtraLine)
	}
	return lines.Err()
}

// extra maps the fields of one line. Errors say what is wrong with it.
func (w *Worker) extra(fields []string) (page Page, warning string, err error) {
	if len(fields) > 4 {
		return page, "", errors.New("has more than four fields: URL, lastmod, changefreq, priority; a space in a URL is written %20")
	}
	loc, rest, warning, err := w.m.checkURL(fields[0])
	if err != nil {
		return page, "", err
	}
	result := w.m.decide(w.m.rules.AppendPathMatches(w.matches[:0], rest))
	if !result.list {
		return page, "", errors.New("a rule says list: false")
	}
	page = result.page()
	page.Loc = []byte(loc)
	if len(fields) > 1 {
		modified, err := parseLastMod(fields[1])
		if err != nil {
			return page, "", err
		}
		page.DateOnly = len(fields[1]) == len(time.DateOnly)
		page.LastMod = modified
	}
	if len(fields) > 2 {
		if !isChangeFreq(fields[2]) {
			return page, "", fmt.Errorf("changefreq %q is none of %s", fields[2], strings.Join(changeFreqs, ", "))
		}
		page.ChangeFreq = fields[2]
	}
	if len(fields) > 3 {
		value, err := strconv.ParseFloat(fields[3], 64)
		if err != nil || !(value >= 0 && value <= 1) || strings.Trim(fields[3], "0123456789.") != "" {
			return page, "", fmt.Errorf("priority %q is not from 0.0 to 1.0", fields[3])
		}
		page.Priority = Priority(value).String()
	}
	return page, warning, nil
}

// parseLastMod reads a date by https://www.w3.org/TR/NOTE-datetime, as far as
// it names a day.
func parseLastMod(s string) (int64, error) {
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04Z07:00", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Unix(), nil
		}
	}
	return 0, fmt.Errorf("lastmod %q is not a date such as 2004-10-26 or 2004-10-26T08:56:39+00:00", s)
}

// checkURL holds a URL that people wrote to what is asked of those made from
// files: absolute, within the sitemap's scope, encoded, and short enough. It
// returns the URL as it is to be listed, and its path below the base URL for
// the rules.
func (m *Mapper) checkURL(raw string) (loc, rest, warning string, err error) {
	raw, _, fragment := strings.Cut(raw, "#")
	scheme, after, absolute := strings.Cut(raw, "://")
	if !absolute {
		return "", "", "", fmt.Errorf("is not an absolute URL such as %s", m.BaseURL())
	}
	end := strings.IndexAny(after, "/?")
	if end < 0 {
		end = len(after)
	}
	path, query, hasQuery := strings.Cut(after[end:], "?")
	if path == "" {
		path = "/"
	}
	if other, err := parseBase(scheme + "://" + after[:end]); err != nil || !other.sameOrigin(m.base) {
		return "", "", "", fmt.Errorf("is not of %s: scheme, host and port must agree", m.base.origin)
	}
	var cut []string
	if fragment {
		cut = append(cut, "the fragment")
	}
	if bare, ok := stripSessionPath(path); ok {
		path, cut = bare, append(cut, "a session id")
	}
	if bare, ok := stripSessionQuery(query); ok {
		query, hasQuery = bare, bare != ""
		cut = append(cut, "a session id")
	}
	if hasDotSegment(path) {
		return "", "", "", errors.New("has . or .. for a segment")
	}
	url := appendReescaped([]byte(m.base.origin), path)
	below := string(url[len(m.base.origin):])
	if hasQuery {
		url = appendReescapedQuery(append(url, '?'), query)
	}
	switch {
	case len(url) < len(m.scope) || string(url[:len(m.scope)]) != m.scope:
		return "", "", "", fmt.Errorf("is outside %s, which is all that the sitemap may list", m.scope)
	case len(url) >= MaxLoc:
		return "", "", "", fmt.Errorf("has %d characters or more when encoded", MaxLoc)
	}
	if len(cut) > 0 {
		warning = "lost " + strings.Join(cut, " and ")
	}
	return string(url), m.relativePath(below), warning, nil
}

// relativePath returns a URL's path as that of a file in the docroot: a folder
// is taken for its index file, so that the rules say the same of both.
func (m *Mapper) relativePath(path string) string {
	path = strings.TrimPrefix(path, m.base.path)
	if path == "" || strings.HasSuffix(path, "/") {
		index := "index.html"
		if len(m.index) > 0 {
			index = m.index[0]
		}
		path += index
	}
	if decoded, err := url.PathUnescape(path); err == nil {
		return decoded
	}
	return path
}

// sessionKeys are the names, in lower case, by which servers carry a session in
// a URL. A page must not be listed once for each session:
// https://www.sitemaps.org/faq.html#faq_sitemap_session_ids
var sessionKeys = []string{
	"phpsessid", "jsessionid", "aspsessionid", "sessionid", "session_id", "sid",
	"oscsid", "zenid", "cfid", "cftoken",
}

func isSessionKey(key string) bool {
	key = strings.ToLower(key)
	for _, known := range sessionKeys {
		if key == known || known == "aspsessionid" && strings.HasPrefix(key, known) {
			return true
		}
	}
	return false
}

// stripSessionPath cuts a session id out of a path's parameters, as servlets
// write it: /page;jsessionid=1F2E.
func stripSessionPath(path string) (string, bool) {
	return stripSession(path, ";")
}

// stripSessionQuery cuts session ids out of a query.
func stripSessionQuery(query string) (string, bool) {
	return stripSession(query, "&")
}

func stripSession(s, separator string) (string, bool) {
	parts := strings.Split(s, separator)
	kept := parts[:0]
	for i, part := range parts {
		key, value, assigned := strings.Cut(part, "=")
		// What a path has before its first parameter is the path itself.
		if assigned && isSessionKey(key) && (i > 0 || separator == "&") {
			if _, after, deeper := strings.Cut(value, "/"); deeper && separator == ";" {
				kept[len(kept)-1] += "/" + after
			}
			continue
		}
		kept = append(kept, part)
	}
	return strings.Join(kept, separator), len(kept) < len(parts)
}
