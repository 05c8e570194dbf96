package htmlreport

import (
	"fmt"
	"sitewalk/internal/display"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printableNames returns names as printable text from which they can be had back.
func printableNames(names []string) []string {
	var printable []string
	for _, name := range names {
		printable = append(printable, display.Name(name))
	}
	return printable
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
