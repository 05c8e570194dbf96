package glob

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Entry is a pattern and the id by which a Set reports it. Several entries may
// share an id, as do the globs of one rule; it is then reported once.
type Entry struct {
	ID      int
	Pattern *Pattern
}

// Set is a list of patterns that are matched together. It is immutable and
// safe for concurrent use. The zero value is not usable; [NewSet] without
// entries makes a Set that matches nothing.
type Set struct {
	// links holds the chains one after another, ordered by id. A position in a
	// chain is an index into it, so that positions in order are ids in order.
	links []placedLink
	root  *State
}

// Total is the length, in bytes, of all that the patterns of one list stand for: each
// may be within its own bounds, and all together may not.
type Total int64

// maxTotal bounds a Total. Matching takes some fifty times as much memory.
const maxTotal = 2 << 20

// Add adds a pattern. It returns an *Error if that is too much.
func (t *Total) Add(p *Pattern) error {
	if *t += Total(p.expanded); *t > maxTotal {
		return &Error{p.text, fmt.Sprintf("the patterns so far stand for more than %d bytes", maxTotal),
			"write fewer braces, or * in place of them"}
	}
	return nil
}

// placedLink is a link and its place in a Set.
type placedLink struct {
	link
	id   int
	last bool // of its chain
}

// NewSet returns the Set of the given entries, in any order.
func NewSet(entries ...Entry) *Set {
	ordered := slices.Clone(entries)
	slices.SortStableFunc(ordered, func(a, b Entry) int { return cmp.Compare(a.ID, b.ID) })
	s := &Set{}
	var starts []int32
	for _, entry := range ordered {
		for _, c := range entry.Pattern.chains {
			starts = append(starts, int32(len(s.links)))
			for i, l := range c {
				s.links = append(s.links, placedLink{link: l, id: entry.ID, last: i == len(c)-1})
			}
		}
	}
	var next positions
	for _, start := range starts {
		next.reach(s, start)
	}
	s.root = s.newState(next.list)
	return s
}

// Root returns the State of the docroot.
func (s *Set) Root() *State {
	return s.root
}

// Enter returns the State of the subfolder name of the folder whose State, got
// from the same Set, is st. It returns st itself, and allocates nothing, if
// the same patterns match the same names in both.
func (s *Set) Enter(st *State, name string) *State {
	next := positions{before: st.live}
	for _, position := range st.live {
		switch l := &s.links[position]; {
		case l.doublestar:
			next.reach(s, position)
		case !l.last && l.folder.match(name):
			next.reach(s, position+1)
		}
	}
	if next.unchanged() {
		return st
	}
	return s.newState(next.result())
}

// MatchPath reports whether any pattern matches the file at path. For many
// files use [State.Any], which does not walk the folders anew for each.
func (s *Set) MatchPath(path string) bool {
	st, name := s.locate(path)
	return name != "" && st.Any(name)
}

// AppendPathMatches appends to ids, in ascending order, the id of every
// pattern that matches the file at path.
func (s *Set) AppendPathMatches(ids []int, path string) []int {
	st, name := s.locate(path)
	if name == "" {
		return ids
	}
	return st.AppendMatches(ids, name)
}

// locate returns the State of the folder that holds path, or of a dead one
// above it, and the file's name.
func (s *Set) locate(path string) (st *State, name string) {
	st = s.root
	for !st.Dead() {
		folder, rest, found := strings.Cut(path, "/")
		if !found {
			break
		}
		st = s.Enter(st, folder)
		path = rest
	}
	return st, path
}

// positions collects the positions of a State in ascending order. It copies
// only from the first position on that differs from those before, so that a
// walk through folders that make no difference allocates nothing.
type positions struct {
	before []int32 // the positions of the folder above
	same   int     // how many of before are confirmed
	copied bool
	list   []int32 // valid once copied
	beyond int32   // one more than the greatest position so far
}

// reach adds a position and, as "**" may match no folder at all, the one after
// a "**".
func (p *positions) reach(s *Set, position int32) {
	p.add(position)
	if l := &s.links[position]; l.doublestar && !l.last {
		p.add(position + 1)
	}
}

// add adds a position unless it is there. Callers come in ascending order but
// for positions already there: a link leads to itself, the next, or the one
// after the next if that is not "**" too.
func (p *positions) add(position int32) {
	if position < p.beyond {
		return
	}
	p.beyond = position + 1
	if !p.copied && p.same < len(p.before) && p.before[p.same] == position {
		p.same++
		return
	}
	p.copy()
	p.list = append(p.list, position)
}

func (p *positions) copy() {
	if !p.copied {
		p.list = append(make([]int32, 0, len(p.before)), p.before[:p.same]...)
		p.copied = true
	}
}

func (p *positions) unchanged() bool {
	return !p.copied && p.same == len(p.before)
}

// result returns the positions in a slice of their own.
func (p *positions) result() []int32 {
	p.copy()
	return p.list
}
