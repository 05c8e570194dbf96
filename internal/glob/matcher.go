package glob

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// matcher matches one name against alternative segments, cheapest first.
type matcher struct {
	everyName bool       // an alternative is "*"
	fold      bool       // literals and suffixes are lowered, globs rewritten
	literals  []string   // alternatives that match one name
	suffixes  []string   // what follows the star in alternatives such as "*.html"
	wildcards []wildcard // the others
	folded    []string   // the others when fold is set, for doublestar
}

// newMatcher compiles alternative segments without braces. What ending adds
// to the alternatives left to doublestar makes a difference to them only
// where a name ends in the middle of their stars: see link.end.
func newMatcher(segments []string, ending string, fold bool) *matcher {
	m := &matcher{fold: fold}
	for _, segment := range segments {
		unstarred := strings.TrimLeft(segment, "*")
		literal, ok := literalText(unstarred)
		if fold {
			literal = lowerASCII(literal)
		}
		switch {
		case unstarred == "":
			m.everyName = true
		case ok && len(unstarred) < len(segment):
			m.suffixes = append(m.suffixes, literal)
		case ok:
			m.literals = append(m.literals, literal)
		case fold:
			m.folded = append(m.folded, foldSegment(segment)+ending)
		default:
			m.wildcards = append(m.wildcards, newWildcard(segment, ending))
		}
	}
	return m
}

func (m *matcher) match(name string) bool {
	if m.everyName {
		return true
	}
	if m.fold {
		if m.matchFold(name) {
			return true
		}
	} else {
		for _, literal := range m.literals {
			if name == literal {
				return true
			}
		}
		for _, suffix := range m.suffixes {
			if strings.HasSuffix(name, suffix) {
				return true
			}
		}
	}
	for i := range m.wildcards {
		if m.wildcards[i].match(name) {
			return true
		}
	}
	for _, glob := range m.folded {
		if doublestar.MatchUnvalidated(glob, name) {
			return true
		}
	}
	return false
}

func (m *matcher) matchFold(name string) bool {
	for _, literal := range m.literals {
		if equalFold(name, literal) {
			return true
		}
	}
	for _, suffix := range m.suffixes {
		if len(name) >= len(suffix) && equalFold(name[len(name)-len(suffix):], suffix) {
			return true
		}
	}
	return false
}
