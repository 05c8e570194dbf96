package glob

import "slices"

// State is what a Set has still to match in one folder. It is got from
// [Set.Root] and [Set.Enter], is immutable and safe for concurrent use.
type State struct {
	live       []int32 // ascending positions in the Set's links
	tests      []test  // of the files in this folder, ascending by id
	everything []int   // ascending ids
	always     bool    // some test passes for every name
}

// test says that a file that the matcher matches has the id.
type test struct {
	id int
	*matcher
}

// everyName is the matcher of ids that match all that a folder holds.
var everyName = &matcher{everyName: true}

// dead is shared, as walks come by it often.
var dead = &State{}

// newState returns the State at the given ascending positions. It takes over
// the slice.
func (s *Set) newState(live []int32) *State {
	if len(live) == 0 {
		return dead
	}
	st := &State{live: live[:0]}
	for start := 0; start < len(live); {
		id := s.links[live[start]].id
		end := start + 1
		for end < len(live) && s.links[live[end]].id == id {
			end++
		}
		st.addID(s, id, live[start:end])
		start = end
	}
	return st
}

// addID adds what the positions of one id mean. If one of them matches
// everything, the others can add nothing, here or below.
func (st *State) addID(s *Set, id int, live []int32) {
	for _, position := range live {
		if s.links[position].everything {
			st.live = append(st.live, position)
			st.everything = append(st.everything, id)
			st.tests = append(st.tests, test{id, everyName})
			st.always = true
			return
		}
	}
	kept, first := len(st.live), len(st.tests)
	st.live = append(st.live, live...) // the same memory, so live is no more
	for _, position := range st.live[kept:] {
		end := s.links[position].end
		if end == nil {
			continue
		}
		if end.everyName {
			st.tests = append(st.tests[:first], test{id, everyName})
			st.always = true
			return
		}
		st.tests = append(st.tests, test{id, end})
	}
}

// Dead reports that no pattern can match anything in this folder, at any
// depth. A State that is not dead promises no match.
func (st *State) Dead() bool {
	return len(st.live) == 0
}

// Everything reports that the id matches every path below this folder, at any
// depth, as "blog/**" does inside blog. It may miss that several patterns do
// so only together.
func (st *State) Everything(id int) bool {
	_, found := slices.BinarySearch(st.everything, id)
	return found
}

// Uniform reports that the patterns say the same of every file name in this
// folder, so that one call of [State.AppendMatches] with any name serves all.
func (st *State) Uniform() bool {
	for i := range st.tests {
		if !st.tests[i].everyName {
			return false
		}
	}
	return true
}

// Any reports whether any pattern matches the file name in this folder. It
// allocates nothing.
func (st *State) Any(name string) bool {
	if st.always {
		return true
	}
	for i := range st.tests {
		if st.tests[i].match(name) {
			return true
		}
	}
	return false
}

// AppendMatches appends to ids, in ascending order and once each, the ids that
// match the file name in this folder. It allocates nothing if ids has room.
func (st *State) AppendMatches(ids []int, name string) []int {
	for i := 0; i < len(st.tests); {
		id := st.tests[i].id
		matched := false
		for ; i < len(st.tests) && st.tests[i].id == id; i++ {
			matched = matched || st.tests[i].match(name)
		}
		if matched {
			ids = append(ids, id)
		}
	}
	return ids
}
