package glob

import (
	"strings"
	"unicode/utf8"
)

// lowerByte returns the lower case of an ASCII letter and any other byte as
// it is.
func lowerByte(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// lowerASCII lowers the ASCII letters of a literal.
func lowerASCII(literal string) string {
	lowered := []byte(literal)
	for i, b := range lowered {
		lowered[i] = lowerByte(b)
	}
	return string(lowered)
}

// equalFold reports whether name, with its ASCII letters lowered, is lowered.
func equalFold(name, lowered string) bool {
	if len(name) != len(lowered) {
		return false
	}
	for i := len(name) - 1; i >= 0; i-- {
		if lowerByte(name[i]) != lowered[i] {
			return false
		}
	}
	return true
}

// foldSegment rewrites a segment without braces so that a case-sensitive
// match takes ASCII letters in either case: names are then matched as they
// are, without a lowered copy.
func foldSegment(segment string) string {
	var folded strings.Builder
	for i := 0; i < len(segment); {
		token := segment[i : i+tokenLength(segment[i:])]
		i += len(token)
		letter := token
		if token[0] == '\\' {
			letter = token[1:]
		}
		lower := lowerByte(letter[0])
		switch {
		case 'a' <= lower && lower <= 'z':
			folded.Write([]byte{'[', lower, lower - 'a' + 'A', ']'})
		case token[0] == '[':
			folded.WriteString(foldClass(token))
		default:
			folded.WriteString(token)
		}
	}
	return folded.String()
}

// foldClass adds to a class the other case of each ASCII letter in it.
func foldClass(class string) string {
	start := 1
	if class[1] == '!' || class[1] == '^' {
		start = 2
	}
	// The additions go first and are all ranges: at the end, or after a single
	// letter, a '-' of the class's own would make a range with them.
	var folded strings.Builder
	folded.WriteString(class[:start])
	for content := class[start : len(class)-1]; content != ""; {
		var low, high rune
		low, content = classRune(content)
		high = low
		// As in doublestar, nothing follows from utf8.MaxRune: it begins no range.
		if len(content) > 1 && content[0] == '-' && low < utf8.MaxRune {
			high, content = classRune(content[1:])
		}
		writeShifted(&folded, max(low, 'a'), min(high, 'z'), 'A'-'a')
		writeShifted(&folded, max(low, 'A'), min(high, 'Z'), 'a'-'A')
	}
	folded.WriteString(class[start:])
	return folded.String()
}

// writeShifted writes the range from low to high, if there is any, moved by
// shift.
func writeShifted(class *strings.Builder, low, high, shift rune) {
	if low <= high {
		class.WriteRune(low + shift)
		class.WriteByte('-')
		class.WriteRune(high + shift)
	}
}

// classRune returns the first rune of a class's content, unescaped, and what
// follows it.
func classRune(content string) (rune, string) {
	if content[0] == '\\' {
		content = content[1:]
	}
	r, size := utf8.DecodeRuneInString(content)
	return r, content[size:]
}
