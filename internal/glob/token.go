package glob

import (
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
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

// wildcard is a segment that is no literal: the text that every name which it
// matches begins and ends with, and the glob for what is between.
type wildcard struct {
	glob           string
	prefix, suffix string
	// between says that any text between prefix and suffix matches.
	between bool
}

// newWildcard takes a segment without braces apart. The glob that doublestar is
// asked about may have an ending that the segment has not.
func newWildcard(segment, ending string) wildcard {
	var tokens []string
	for i := 0; i < len(segment); {
		token := segment[i : i+tokenLength(segment[i:])]
		tokens = append(tokens, token)
		i += len(token)
	}
	w := wildcard{glob: segment + ending}
	first, end := 0, len(tokens)
	for ; first < end; first++ {
		literal, ok := literalText(tokens[first])
		if !ok {
			break
		}
		w.prefix += literal
	}
	for ; end > first; end-- {
		literal, ok := literalText(tokens[end-1])
		if !ok {
			break
		}
		w.suffix = literal + w.suffix
	}
	w.between = ending == "" && end-first == 1 && tokens[first] == "*"
	return w
}

// match reports whether the segment matches a name. Most names fail by prefix
// or suffix, at a tenth of what doublestar takes to say so.
func (w *wildcard) match(name string) bool {
	if len(name) < len(w.prefix)+len(w.suffix) || !strings.HasPrefix(name, w.prefix) || !strings.HasSuffix(name, w.suffix) {
		return false
	}
	return w.between || doublestar.MatchUnvalidated(w.glob, name)
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
