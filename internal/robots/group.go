package robots

import (
	"bytes"
	"cmp"
	"slices"
)

// Group is the rules for one crawler, ready to be asked about many URLs. It is
// immutable and safe for concurrent use. The zero value has no rules and
// allows everything.
type Group struct {
	stems []stem // in the order of their literals
	crowd *crowd // of the patterns with a middle, if there are many; else nil
}

// stem is all patterns with one literal.
type stem struct {
	literal  []byte
	parent   int       // the stem with the longest literal that this one's begins with, or -1
	patterns []pattern // never empty; the weightiest first
}

// newGroup compiles rules, whose order does not matter.
func newGroup(rules []*Rule) *Group {
	patterns := make([]pattern, 0, len(rules))
	for _, rule := range rules {
		patterns = append(patterns, newPattern(rule, rule.pattern))
		if folder, isIndex := indexFolder(rule.pattern); isIndex && rule.Allow {
			patterns = append(patterns, newPattern(rule, append(slices.Clip(folder), '$')))
		}
	}
	g := &Group{}
	var middles []pattern
	for _, p := range patterns {
		if len(p.middle) > 0 {
			middles = append(middles, p)
		}
	}
	if len(middles) >= crowdSize {
		g.crowd = newCrowd(middles)
		patterns = slices.DeleteFunc(patterns, func(p pattern) bool { return len(p.middle) > 0 })
	}
	slices.SortFunc(patterns, func(a, b pattern) int {
		return cmp.Or(bytes.Compare(a.literal, b.literal), a.compareWeight(&b))
	})

	parent := -1
	for start, end := 0, 0; start < len(patterns); start = end {
		literal := patterns[start].literal
		for end < len(patterns) && bytes.Equal(patterns[end].literal, literal) {
			end++
		}
		// In this order a literal comes right before those that begin with it,
		// so the parent is the stem before or one of that stem's parents.
		for parent >= 0 && !bytes.HasPrefix(literal, g.stems[parent].literal) {
			parent = g.stems[parent].parent
		}
		g.stems = append(g.stems, stem{literal, parent, patterns[start:end]})
		parent = len(g.stems) - 1
	}
	return g
}

// indexFolder returns the folder, with its slash, of a pattern for an index
// page. Google takes an Allow of the page for one of the folder's own URL too,
// and any last segment that begins with "index.htm" for such a page.
func indexFolder(pattern []byte) (folder []byte, isIndex bool) {
	slash := bytes.LastIndexByte(pattern, '/')
	if slash < 0 || !bytes.HasPrefix(pattern[slash:], []byte("/index.htm")) {
		return nil, false
	}
	return pattern[:slash+1], true
}

// Allowed reports whether a URL may be crawled, and the rule that says so, or
// nil if none matches. path is the URL's path and query: it begins with "/",
// is percent-encoded with upper-case digits, and has no fragment. Allowed does
// not allocate.
//
// The rule with the longest path decides, counted in bytes with its "*" and
// "$", and of equally long ones an Allow. Finding the rules that agree with
// path up to their first "*" takes time logarithmic in the number of all; each
// of these that has a "*" costs at most one pass over path. Where many have
// something between two of them, only those do that have rare bytes in common with
// path, which takes a few look-ups for each byte of it.
func (g *Group) Allowed(path []byte) (allowed bool, rule *Rule) {
	best := g.bestStem(path)
	if g.crowd != nil {
		best = g.crowd.best(path, best)
	}
	if best == nil {
		return true, nil
	}
	return best.rule.Allow, best.rule
}

// bestStem returns the weightiest pattern of the stems that matches a path, or nil.
func (g *Group) bestStem(path []byte) (best *pattern) {
	// What sorts between path and a literal that path begins with begins with
	// that literal too. So all such literals are found by going from the last
	// one that does not sort after path to its parents.
	i, found := slices.BinarySearchFunc(g.stems, path, func(s stem, path []byte) int {
		return bytes.Compare(s.literal, path)
	})
	if !found {
		i--
	}
	if i < 0 {
		return nil
	}
	agreed := commonLength(g.stems[i].literal, path)
	for ; i >= 0; i = g.stems[i].parent {
		s := &g.stems[i]
		if len(s.literal) > agreed {
			continue
		}
		for j := range s.patterns {
			p := &s.patterns[j]
			if best != nil && p.compareWeight(best) >= 0 {
				break
			}
			if p.matches(path) {
				best = p
				break
			}
		}
	}
	return best
}

// commonLength returns how many bytes a and b have in common from the start.
func commonLength(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
