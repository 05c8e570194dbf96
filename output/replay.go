package output

// replay cuts a section anew that was divided into shards, where its pages changed.
//
// What a cutter does depends on nothing but the pages since the last boundary. So it
// begins at the boundary before a change as at the start of a section, and once
// another boundary is where the set before had one, all others that follow are,
// up to the next change.
type replay struct {
	section *section
	before  []*publishedShard
	changed []string // positions of changes that are ahead
	source  Pages
}

func (r *replay) run() error {
	if err := r.section.divide(); err != nil { // with nothing in it
		return err
	}
	kept := 0 // shards before are kept, or have been cut anew
	for len(r.changed) > 0 {
		begin := r.beginning(r.changed[0])
		r.section.keep(r.before[kept:begin])
		var err error
		if kept, err = r.cut(begin); err != nil {
			return err
		}
	}
	r.section.keep(r.before[kept:])
	return nil
}

// beginning returns the index of the shard with which a change may make a
// difference first: the one that has, or would have, the page. But if that is its
// first page, and did not fit into the shard before, then what has become of it
// may.
func (r *replay) beginning(changed string) int {
	// The last shard that begins at the position or before it.
	low, high := 0, len(r.before)
	for low+1 < high {
		if middle := (low + high) / 2; r.before[middle].position <= changed {
			low = middle
		} else {
			high = middle
		}
	}
	if low > 0 && r.before[low].position == changed && r.before[low-1].overflowed {
		low--
	}
	return low
}

// cut cuts shards anew, beginning with one of those before, until it is at one
// behind which nothing changed, and returns the index of that. It takes the changes
// that it has passed off the list.
func (r *replay) cut(begin int) (end int, err error) {
	s, from := r.section, ""
	s.ids = shardIDs{}
	if begin > 0 {
		from, s.last = r.before[begin].position, r.before[begin].before
		// Whether the ids of all shards differ comes out when all are there.
		s.ids[firstShard] = true
	}
	end = begin
	resumed := false
	var failed error
	err = r.source(s.index, from, func(page *Rendered) bool {
		if failed = s.makeRoom(len(page.XML)); failed != nil {
			return false
		}
		if s.open == nil {
			position := page.position()
			for len(r.changed) > 0 && r.changed[0] < position {
				r.changed = r.changed[1:]
			}
			for end < len(r.before) && r.before[end].position < position {
				end++
			}
			if resumed = r.resumes(end, position); resumed {
				return false
			}
		}
		failed = s.add(page)
		return failed == nil
	})
	if failed != nil {
		err = failed
	}
	if err != nil {
		return 0, err
	}
	if resumed {
		return end, nil
	}
	r.changed = nil
	return len(r.before), s.endShard()
}

// resumes reports whether a shard of the set before follows, with its name, and
// nothing changed up to its end.
func (r *replay) resumes(at int, position string) bool {
	if at == len(r.before) || r.before[at].position != position || r.before[at].before != r.section.last {
		return false
	}
	if isFirst := len(r.section.members) == 0; isFirst != (at == 0) {
		return false
	}
	return len(r.changed) == 0 || r.beginning(r.changed[0]) > at
}
