package output

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// Published is what is known of a set on disk, as it was published: enough to
// follow it with one in which only some pages changed, see [Set.Update]. It does
// not change, and may be used by several goroutines.
type Published struct {
	sections [][]*publishedShard // by the index of the section, in order
	indexes  []publishedFile     // the root, even if it is the only shard, and then the other indexes
	texts    []publishedFile     // lists of URLs
	waiting  []waiting           // files that left the set
	places   uint64              // sum of all pages' places, if the set has lists

	once  sync.Once
	files map[string]identity // of all files of the set, when somebody asked
}

// publishedShard is a shard on disk.
type publishedShard struct {
	pageRun
	publishedFile
	lastMod string // as it stands in the index, or empty
	sum     uint64 // of the file's content
}

// publishedFile is a file of a set on disk.
type publishedFile struct {
	name     string
	identity identity // as it was written
}

// waiting is a file that left the set and waits for its grace to end.
type waiting struct {
	name  string
	until time.Time
}

// Published returns what is known of the set after Publish, and nil before, after
// a failure, or if it was dry.
func (s *Set) Published() *Published { return s.published }

// Has reports whether a file of the folder is one of the set: a shard, an index, the
// root or a list of URLs. A file that left the set is none.
func (p *Published) Has(name string) bool {
	_, has := p.all()[name]
	return has
}

// Names returns the names of the files of the set, in no order.
func (p *Published) Names() []string { return slices.Collect(maps.Keys(p.all())) }

// Result returns what a publication that changes nothing would say of the set.
func (p *Published) Result() Result {
	r := Result{Root: p.indexes[0].name}
	for _, file := range p.indexes {
		r.Indexes = append(r.Indexes, file.name)
	}
	for _, shards := range p.sections {
		r.Shards += len(shards)
		for _, shard := range shards {
			r.Pages += shard.pages
		}
	}
	r.Unchanged = r.Shards
	return r
}

// Include adds to the result of a publication, after which the set is now, what tries
// before it wrote and removed that failed at the end: see [Set.Publish].
func (r *Result) Include(tries *Result, now *Published) {
	r.Written = append(r.Written, slices.DeleteFunc(slices.Clone(tries.Written), func(name string) bool { return !now.Has(name) })...)
	r.Removed = append(r.Removed, slices.DeleteFunc(slices.Clone(tries.Removed), now.Has)...)
	for _, names := range [...]*[]string{&r.Written, &r.Removed} {
		slices.Sort(*names)
		*names = slices.Compact(*names)
	}
	r.Unchanged = 0
	for _, shards := range now.sections {
		for _, shard := range shards {
			if _, written := slices.BinarySearch(r.Written, shard.name); !written {
				r.Unchanged++
			}
		}
	}
}

// Changed returns those of the named files that are of the set and no longer as
// they were written, because somebody removed or changed them. It looks at
// each named file, and does not open it.
func (p *Published) Changed(folder *Folder, names []string) []string {
	var changed []string
	for _, name := range names {
		if written, has := p.all()[name]; has && !folder.is(name, written) {
			changed = append(changed, name)
		}
	}
	return changed
}

// NextRemoval returns when the grace of a file that left the set is over, and false
// if none waits for that. The first update from then on removes it.
func (p *Published) NextRemoval() (time.Time, bool) {
	if len(p.waiting) == 0 {
		return time.Time{}, false
	}
	return slices.MinFunc(p.waiting, func(a, b waiting) int { return a.until.Compare(b.until) }).until, true
}

// all returns the identities of all files by name. They are put together when they
// are first asked for: a publication that nobody looks at does not need them.
func (p *Published) all() map[string]identity {
	p.once.Do(func() {
		p.files = map[string]identity{}
		for _, shards := range p.sections {
			for _, shard := range shards {
				p.files[shard.name] = shard.identity
			}
		}
		for _, file := range slices.Concat(p.indexes, p.texts) {
			p.files[file.name] = file.identity
		}
	})
	return p.files
}

// newPublished returns what is known of the set, which is in place now. waiting are
// the files that it left behind.
func (s *Set) newPublished(waiting []waiting) *Published {
	p := &Published{sections: make([][]*publishedShard, len(s.sections)), waiting: waiting}
	for i, section := range s.sections {
		p.places += section.places
		p.sections[i] = section.published()
	}
	root := s.files.rootFile()
	for _, r := range s.staged {
		file := publishedFile{r.name, r.identity}
		switch {
		case r.name == root:
			p.indexes = slices.Insert(p.indexes, 0, file)
		case isIndexName(r.name):
			p.indexes = append(p.indexes, file)
		case isTextName(r.name):
			p.texts = append(p.texts, file)
		}
	}
	if s.keepText {
		p.texts = s.before.texts
	}
	if len(p.indexes) == 0 { // the root is a shard that was kept
		p.indexes = s.before.indexes
	}
	return p
}

// published returns what is known of the section's shards.
func (s *section) published() []*publishedShard {
	shards := make([]*publishedShard, 0, len(s.members))
	for _, m := range s.members {
		shard := m.kept
		if r := m.staged; r != nil {
			shard = &publishedShard{*r.run, publishedFile{r.name, r.identity}, r.lastMod, r.sum}
		}
		shards = append(shards, shard)
	}
	return shards
}
