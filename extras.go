package sitewalk

import (
	"bytes"
	"slices"

	"sitewalk/mapper"
)

// extras are the pages that are not on disk. They are kept in memory; a file
// with the same URL goes before.
type extras struct {
	pages  []mapper.Extra
	byLoc  map[string]int // index in pages
	taken  []bool         // by a file
	places []string       // file and line of each
}

// add adds a page, and reports false if its URL is there already.
func (e *extras) add(page mapper.Extra, place string) bool {
	if _, found := e.byLoc[string(page.Loc)]; found {
		return false
	}
	if e.byLoc == nil {
		e.byLoc = map[string]int{}
	}
	e.byLoc[string(page.Loc)] = len(e.pages)
	e.pages = append(e.pages, page)
	e.taken = append(e.taken, false)
	e.places = append(e.places, place)
	return true
}

// find returns the index of the page with a URL, or -1. It is safe for
// concurrent use once all pages are added.
func (e *extras) find(loc []byte) int {
	if len(e.byLoc) == 0 {
		return -1
	}
	if i, found := e.byLoc[string(loc)]; found {
		return i
	}
	return -1
}

// take marks a page as one that a file has the URL of.
func (e *extras) take(i int) { e.taken[i] = true }

// divide returns the pages that no file has taken, by URL, and the places of
// those that one has.
func (e *extras) divide() (left []mapper.Extra, taken []string) {
	for i, page := range e.pages {
		if e.taken[i] {
			taken = append(taken, e.places[i])
		} else {
			left = append(left, page)
		}
	}
	slices.SortFunc(left, func(a, b mapper.Extra) int { return bytes.Compare(a.Loc, b.Loc) })
	return left, taken
}
