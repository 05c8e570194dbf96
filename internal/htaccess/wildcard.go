package htaccess

import "strings"

// wildcard is the pattern of <Files "*.inc">, as apr_fnmatch reads it. It works
// on bytes, whatever the encoding of names is.
type wildcard []token

// token matches one byte of a set, or any bytes if it is a star.
type token struct {
	star bool
	set  byteSet
}

// byteSet has the bits of its bytes set.
type byteSet [4]uint64

func (s *byteSet) add(low, high byte) {
	for b := int(low); b <= int(high); b++ {
		s[b/64] |= 1 << (b % 64)
	}
}

func (s *byteSet) invert() {
	for i := range s {
		s[i] = ^s[i]
	}
}

func (s *byteSet) has(b byte) bool {
	return s[b/64]&(1<<(b%64)) != 0
}

// isWildcard reports whether a pattern means other names than itself, as
// apr_fnmatch_test does. If it does not, a backslash is a byte like others.
func isWildcard(pattern string) bool {
	bracket := false
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '*', '?':
			return true
		case '\\':
			i++
		case '[':
			bracket = true
		case ']':
			if bracket {
				return true
			}
		}
	}
	return false
}

// newWildcard returns a wildcard and the number of its tokens.
func newWildcard(pattern string) (matcher, int) {
	var w wildcard
	for pattern != "" {
		var t token
		length := 1
		switch pattern[0] {
		case '*':
			t.star = true
		case '?':
			t.set.invert()
		case '[':
			t.set, length = newClass(pattern)
		case '\\':
			if len(pattern) > 1 {
				length = 2
			}
			t.set.add(pattern[length-1], pattern[length-1])
		default:
			t.set.add(pattern[0], pattern[0])
		}
		pattern = pattern[length:]
		if !t.star || len(w) == 0 || !w[len(w)-1].star {
			w = append(w, t)
		}
	}
	return w, len(w)
}

// newClass returns the set of the class that the pattern begins with, and its
// length. A bracket that is not closed stands for itself.
func newClass(pattern string) (set byteSet, length int) {
	i := 1
	negative := strings.HasPrefix(pattern[i:], "!") || strings.HasPrefix(pattern[i:], "^")
	if negative {
		i++
	}
	for first := i; i < len(pattern); i++ {
		if pattern[i] == ']' && i > first {
			if negative {
				set.invert()
			}
			return set, i + 1
		}
		i = skipBackslash(pattern, i)
		if i == len(pattern) {
			break
		}
		low, high := pattern[i], pattern[i]
		if i+2 < len(pattern) && pattern[i+1] == '-' && pattern[i+2] != ']' {
			i = skipBackslash(pattern, i+2)
			if i == len(pattern) {
				break
			}
			high = pattern[i]
		}
		set.add(low, high)
	}
	set = byteSet{}
	set.add('[', '[')
	return set, 1
}

// skipBackslash returns the position of what stands at i, which is one further
// if that is escaped.
func skipBackslash(pattern string, i int) int {
	if pattern[i] == '\\' {
		i++
	}
	return i
}

// match goes back to no star but the last, so it takes at most as many steps as
// there are tokens for each byte of the name.
func (w wildcard) match(name string) bool {
	next, afterStar, tried := 0, -1, 0
	for i := 0; i < len(name); {
		switch {
		case next < len(w) && w[next].star:
			next++
			afterStar, tried = next, i
		case next < len(w) && w[next].set.has(name[i]):
			next++
			i++
		case afterStar >= 0:
			tried++
			next, i = afterStar, tried
		default:
			return false
		}
	}
	for next < len(w) && w[next].star {
		next++
	}
	return next == len(w)
}
