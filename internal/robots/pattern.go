package robots

import (
	"bytes"
	"cmp"
)

// pattern is a rule's path, taken apart. "*" stands for any bytes, and a final
// "$" for the end of the URL's path; without it the rest of that is free.
type pattern struct {
	rule   *Rule
	length int // of the path as it is written, escaped: the longest match wins

	literal []byte   // what a URL must begin with: all before the first "*"
	middle  [][]byte // what must follow in this order, anywhere
	tail    []byte   // what it must end with, after all that
	exact   bool     // literal is everything

	key       uint64 // in a crowd: bytes of the middle, the first ones uppermost
	keyLength int    // how many
}

// newPattern compiles text, which the pattern keeps, for rule.
func newPattern(rule *Rule, text []byte) pattern {
	p := pattern{rule: rule, length: len(text)}
	text, anchored := bytes.CutSuffix(text, []byte("$"))
	literal, rest, starred := bytes.Cut(text, []byte("*"))
	p.literal = literal
	p.exact = anchored && !starred
	for starred {
		var part []byte
		part, rest, starred = bytes.Cut(rest, []byte("*"))
		switch {
		case !starred && anchored:
			p.tail = part
		case len(part) > 0:
			p.middle = append(p.middle, part)
		}
	}
	return p
}

// matches reports whether the pattern matches a path that begins with its
// literal. To take each part at its first place is enough: what follows then
// has the most room. So the time is linear in the length of the path.
func (p *pattern) matches(path []byte) bool {
	rest := path[len(p.literal):]
	if p.exact {
		return len(rest) == 0
	}
	rest, found := bytes.CutSuffix(rest, p.tail)
	if !found {
		return false
	}
	for _, part := range p.middle {
		place := bytes.Index(rest, part)
		if place < 0 {
			return false
		}
		rest = rest[place+len(part):]
	}
	return true
}

// compareWeight orders patterns that match the same path, with the one that
// decides first: the longest, of equally long ones an Allow, and of those the
// one that comes first in the file.
func (p *pattern) compareWeight(other *pattern) int {
	if p.length != other.length {
		return cmp.Compare(other.length, p.length)
	}
	if p.rule.Allow != other.rule.Allow {
		if p.rule.Allow {
			return -1
		}
		return 1
	}
	return cmp.Compare(p.rule.Line, other.rule.Line)
}

const upperHex = "0123456789ABCDEF"

// escapePattern returns the path of a rule as it has to be to be compared with
// that of a URL: bytes that are not ASCII become escapes, and the hexadecimal
// digits of escapes upper case. All else stays as it is, as Google has it.
func escapePattern(path string) []byte {
	escaped := make([]byte, 0, len(path))
	for i := 0; i < len(path); i++ {
		switch b := path[i]; {
		case b == '%' && i+2 < len(path) && isHex(path[i+1]) && isHex(path[i+2]):
			escaped = append(escaped, '%', upper(path[i+1]), upper(path[i+2]))
			i += 2
		case b >= 0x80:
			escaped = append(escaped, '%', upperHex[b>>4], upperHex[b&15])
		default:
			escaped = append(escaped, b)
		}
	}
	return escaped
}

func isHex(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'f'
}

func upper(b byte) byte {
	if 'a' <= b && b <= 'z' {
		return b - 'a' + 'A'
	}
	return b
}
