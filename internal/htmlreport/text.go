package htmlreport

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printableName returns a name as printable text from which it can be had back.
func printableName(name string) string { return printable(strings.ReplaceAll(name, `\`, `\\`)) }

func printableNames(names []string) []string {
	var printable []string
	for _, name := range names {
		printable = append(printable, printableName(name))
	}
	return printable
}

// printable returns text on one line, whatever bytes it holds. What would not show, or
// would change the order in which its neighbours are read, is written as in Go.
func printable(text string) string {
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

// isPlain reports whether text is printable ASCII, as nearly all of it is.
func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// cut returns text of at most limit bytes, whole characters of it.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	const dots = "…"
	end := limit - len(dots)
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + dots
}

// sentence returns text, which is printable, with a capital and a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

// number returns a number with commas between its thousands.
func number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// count returns a number and what it counts.
func count(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return number(n) + " " + what
}

// size returns a number of bytes as people read it.
func size(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}
