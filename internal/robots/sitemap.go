package robots

import (
	"slices"
	"strings"
)

// Sitemap is a line that names a sitemap.
// https://www.sitemaps.org/protocol.html#submit_robots
type Sitemap struct {
	Line int    // counted from 1
	URL  string // as it is in the file, not checked; never empty
}

// sitemapLine is a Sitemap line and where it is.
type sitemapLine struct {
	url        string
	start, end int // offsets of the line with its ending
	ending     string
	plain      bool // every crawler understands it, not only Google
}

// UpdateSitemaps returns robots.txt with one Sitemap line for each of urls and
// none for other sitemaps of this site. A Sitemap line is this site's if ours
// says so of its URL, or if its URL is among urls.
//
// The new lines take the place of the first of this site's, or follow the last
// line of the file if it has none. They end as the first line of the file does,
// and the last of them as the line that it replaces, or not at all where the
// file did not end in a newline. Every other byte stays. A second update
// changes nothing.
//
// If this site's lines already name urls and no others, the result is content
// itself, whatever their order, places, case and comments. Otherwise it is a
// copy. Unlike Parse, UpdateSitemaps reads beyond MaxSize.
//
// urls are percent-encoded and distinct. One that no line can hold, because it
// has a "#", a line break or the like, is left out.
func UpdateSitemaps(content []byte, ours func(url string) bool, urls []string) []byte {
	text := string(content)
	var wanted []string
	isWanted := make(map[string]bool)
	for _, url := range urls {
		if fitsLine(url) {
			wanted = append(wanted, url)
			isWanted[url] = true
		}
	}
	old := findSitemaps(text, func(url string) bool { return isWanted[url] || ours(url) })
	if sayExactly(old, wanted) {
		return content
	}

	body := trimMark(text)
	_, newline, _ := cutLine(body)
	if newline == "" {
		newline = "\n"
	}
	replacement := joinLines(wanted, newline)
	if len(old) == 0 {
		if body == "" || strings.HasSuffix(body, "\n") || strings.HasSuffix(body, "\r") {
			return []byte(text + replacement + newline)
		}
		return []byte(text + newline + replacement) // ends without a newline, as it did
	}
	updated := []byte(text[:old[0].start])
	if replacement != "" {
		updated = append(updated, replacement...)
		updated = append(updated, old[0].ending...)
	}
	for i, line := range old {
		next := len(text)
		if i+1 < len(old) {
			next = old[i+1].start
		}
		updated = append(updated, text[line.end:next]...)
	}
	return updated
}

// findSitemaps returns the Sitemap lines whose URL is accepted.
func findSitemaps(text string, accepted func(url string) bool) []sitemapLine {
	var found []sitemapLine
	for rest := trimMark(text); rest != ""; {
		start := len(text) - len(rest)
		var line, ending string
		line, ending, rest = cutLine(rest)
		// Crawlers cannot read a line with a byte-order mark, which files have
		// inside when they were put together from others. It is no other
		// site's for that, and readable once the lines before it are removed.
		bare := trimMarkBytes(line)
		name, url := splitLine(bare)
		if directiveNamed(name) != sitemap || url == "" || !accepted(url) {
			continue
		}
		found = append(found, sitemapLine{
			url:    url,
			start:  start,
			end:    len(text) - len(rest),
			ending: ending,
			plain:  equalFold(name, "sitemap") && bare == line,
		})
	}
	return found
}

// trimMarkBytes returns line without the bytes of byte-order marks with which
// it begins, in whatever order they are.
func trimMarkBytes(line string) string {
	for line != "" && strings.IndexByte(byteOrderMark, line[0]) >= 0 {
		line = line[1:]
	}
	return line
}

// sayExactly reports whether lines name urls and no others, each once, in a
// way that everybody understands.
func sayExactly(lines []sitemapLine, urls []string) bool {
	named := make([]string, len(lines))
	for i, line := range lines {
		if !line.plain {
			return false
		}
		named[i] = line.url
	}
	slices.Sort(named)
	return slices.Equal(named, slices.Sorted(slices.Values(urls)))
}

// joinLines returns Sitemap lines for urls with newline between them.
func joinLines(urls []string, newline string) string {
	lines := make([]string, len(urls))
	for i, url := range urls {
		lines[i] = newLine(url)
	}
	return strings.Join(lines, newline)
}

func newLine(url string) string {
	return "Sitemap: " + url
}

// fitsLine reports whether a Sitemap line with url says that and nothing else.
func fitsLine(url string) bool {
	_, value := splitLine(newLine(url))
	return url != "" && value == url && !strings.ContainsAny(url, "\r\n")
}
