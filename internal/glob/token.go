package glob

import (
	"strings"
	"unicode/utf8"
)

// tokenLength returns the length in bytes of the first token of a valid,
// non-empty pattern: an escape with its rune, a whole class, or one rune. The
// first byte of a token tells its kind.
func tokenLength(pattern string) int {
	switch pattern[0] {
	case '\\':
		_, size := utf8.DecodeRuneInString(pattern[1:])
		return 1 + size
	case '[':
		// ValidatePattern has seen to it that the first byte of the content is
		// not the closing bracket and that there is a closing bracket.
		i := 1
		for pattern[i] != ']' {
			if pattern[i] == '\\' {
				i++
			}
			i++
		}
		return i + 1
	default:
		_, size := utf8.DecodeRuneInString(pattern)
		return size
	}
}

// literalText returns the only name that a segment without braces matches, or
// false if it may match others. Doublestar takes every malformed UTF-8 byte
// for U+FFFD, so a segment that holds either is no literal.
func literalText(segment string) (string, bool) {
	literal := make([]byte, 0, len(segment))
	for i := 0; i < len(segment); {
		token := segment[i : i+tokenLength(segment[i:])]
		i += len(token)
		switch token[0] {
		case '*', '?', '[':
			return "", false
		case '\\':
			token = token[1:]
		}
		if r, _ := utf8.DecodeRuneInString(token); r == utf8.RuneError {
			return "", false
		}
		literal = append(literal, token...)
	}
	return string(literal), true
}

// collapseStars writes every run of stars as one.
func collapseStars(segment string) string {
	var collapsed strings.Builder
	star := false
	for i := 0; i < len(segment); {
		token := segment[i : i+tokenLength(segment[i:])]
		i += len(token)
		if token != "*" || !star {
			collapsed.WriteString(token)
		}
		star = token == "*"
	}
	return collapsed.String()
}
