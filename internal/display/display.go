// Package display writes names, texts and numbers as people read them, on a terminal or
// on a page, whatever bytes they hold.
package display

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name returns a name as one printable line from which it can be had back.
func Name(name string) string { return Text(strings.ReplaceAll(name, `\`, `\\`)) }

// Text returns text as one printable line. What would not show, or would change the
// order in which its neighbours are read, is written as in Go.
func Text(text string) string {
	if isPlain(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[size:]
	}
	return b.String()
}

// Redacted returns what is or was to be a URL without its password. Of what cannot be
// parsed all is left out that may be one: what stands between :// and the last @.
func Redacted(raw string) string {
	parsed, err := url.Parse(raw)
	if err != nil {
		scheme, after, _ := strings.Cut(raw, "://")
		if at := strings.LastIndexByte(after, '@'); at >= 0 {
			return scheme + "://" + after[at+1:]
		}
		return raw
	}
	if _, hasPassword := parsed.User.Password(); hasPassword {
		return parsed.Redacted()
	}
	return raw
}

// isPlain reports whether text is printable ASCII, as nearly all of it is.
func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// Count returns a number and what it counts, whose plural has an s.
func Count(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return Number(n) + " " + what
}

// Number returns a number, not below 0, with commas between its thousands.
func Number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
