package htaccess

import "strings"

// matcher says which names a <Files> section is about.
type matcher interface {
	// match reports whether the section is about a name. It allocates nothing.
	match(name string) bool
}

// literal matches itself.
type literal string

func (l literal) match(name string) bool {
	return name == string(l)
}

// newMatcher returns the matcher of a section's pattern, or nil if it matches
// nothing, and the number of steps that it takes for each byte of a name. A
// pattern that is too large has its length as cost, and no matcher.
func newMatcher(pattern string, expression bool) (matcher, int) {
	switch {
	case len(pattern) > maxCost:
		return nil, len(pattern)
	case expression:
		return newExpression(pattern)
	case strings.Contains(pattern, "/"):
		return nil, 0
	case isWildcard(pattern):
		return newWildcard(pattern)
	}
	return literal(strings.Clone(pattern)), 1
}
