package robots

import "strings"

// maxLine is the number of bytes that count in a line. Google's buffer holds
// eight URLs of the longest sort that browsers take, less one byte.
const maxLine = 8*2083 - 1

// space is what Google trims, which is ASCII only.
const space = " \t\n\v\f\r"

func trimSpace(s string) string {
	return strings.Trim(s, space)
}

// byteOrderMark is UTF-8's. Editors put it at the beginning of files, where
// Google takes a part of it as well.
const byteOrderMark = "\xEF\xBB\xBF"

// trimMark returns text without the byte-order mark, or the part of one, with
// which it begins.
func trimMark(text string) string {
	n := 0
	for n < len(byteOrderMark) && n < len(text) && text[n] == byteOrderMark[n] {
		n++
	}
	return text[n:]
}

// cutLine cuts the first line off text. Its ending is LF, CR, CRLF, or nothing
// at the end of the text.
func cutLine(text string) (line, ending, rest string) {
	end := strings.IndexAny(text, "\r\n")
	if end < 0 {
		return text, "", ""
	}
	next := end + 1
	if strings.HasPrefix(text[end:], "\r\n") {
		next++
	}
	return text[:end], text[end:next], text[next:]
}

// splitLine returns the name and the value of the directive in a line, both
// trimmed and without the comment. The name is empty if there is none.
func splitLine(line string) (name, value string) {
	line = line[:min(len(line), maxLine)]
	// Google reads a line as a C string: it ends at a NUL.
	if end := strings.IndexAny(line, "#\x00"); end >= 0 {
		line = line[:end]
	}
	line = trimSpace(line)
	separator := strings.IndexByte(line, ':')
	if separator < 0 {
		// Google lets a space stand for a forgotten colon if there are exactly
		// two words.
		const blank = " \t"
		separator = strings.IndexAny(line, blank)
		if separator < 0 || strings.ContainsAny(strings.TrimLeft(line[separator:], blank), blank) {
			return "", ""
		}
	}
	return trimSpace(line[:separator]), trimSpace(line[separator+1:])
}

// directive is what a line is about.
type directive int

const (
	unknown directive = iota
	userAgent
	allow
	disallow
	sitemap
)

// directiveNames are the beginnings of names, in lower case, by which Google
// knows a directive: its own name, and the misspellings that are frequent.
var directiveNames = []struct {
	prefix    string
	directive directive
}{
	{"user-agent", userAgent},
	{"useragent", userAgent},
	{"user agent", userAgent},
	{"allow", allow},
	{"disallow", disallow},
	{"dissallow", disallow},
	{"dissalow", disallow},
	{"disalow", disallow},
	{"diasllow", disallow},
	{"disallaw", disallow},
	{"sitemap", sitemap},
	{"site-map", sitemap},
}

func directiveNamed(name string) directive {
	for _, known := range directiveNames {
		if len(name) >= len(known.prefix) && equalFold(name[:len(known.prefix)], known.prefix) {
			return known.directive
		}
	}
	return unknown
}

// equalFold reports whether s equals an ASCII text but for the case of its
// letters. The lengths are compared because Unicode has letters outside ASCII
// that fold into it, such as the Kelvin sign.
func equalFold(s, ascii string) bool {
	return len(s) == len(ascii) && strings.EqualFold(s, ascii)
}
