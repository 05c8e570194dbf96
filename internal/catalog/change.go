package catalog

import (
	"slices"
	"strings"

	"sitewalk/scanner"
)

// add is find that adds the folders that are not known.
func (t *Tree) add(dir string) *folder {
	if t.root == nil {
		t.root = &folder{}
	}
	f, rest, more := t.nearest(dir)
	for more {
		var name string
		name, rest, more = strings.Cut(rest, "/")
		sub := f.subfolder(name)
		if sub == nil {
			sub = f.add(name)
		}
		f = sub
	}
	return f
}

// AddFolder adds the folder at dir, and those above it, as far as they are not
// known.
func (t *Tree) AddFolder(dir string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.last = place{dir, t.add(dir)}
}

// Patch removes files from the folder at dir, by their names, and puts others in
// it, in place of those that have the same names. Both are in order, with each
// name once; a name that is in both is put. What is to be removed may not be
// there. The folder is added if it is not known and there is something to put.
func (t *Tree) Patch(dir string, remove []string, put []File) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	var f *folder
	if len(put) > 0 {
		f = t.add(dir)
	} else if f = t.find(dir); f == nil {
		return
	}
	t.last = place{dir, f}
	for len(remove) > 0 || len(put) > 0 {
		first := ""
		if len(remove) > 0 && (len(put) == 0 || remove[0] < put[0].Name) {
			first = remove[0]
		} else {
			first = put[0].Name
		}
		// What belongs before the first name of the next leaf belongs here.
		at, removed, added := f.leafOf(first), len(remove), len(put)
		if at+1 < len(f.leaves) {
			next := f.leaves[at+1].first()
			for removed = 0; removed < len(remove) && remove[removed] < next; removed++ {
			}
			for added = 0; added < len(put) && put[added].Name < next; added++ {
			}
		}
		t.patchLeaf(f, at, remove[:removed], put[:added])
		remove, put = remove[removed:], put[added:]
	}
	f.settle()
}

// patchLeaf is Patch for what belongs into one leaf of f, or makes its first one.
func (t *Tree) patchLeaf(f *folder, at int, remove []string, put []File) {
	from, to := at, at
	var before []File
	if at < len(f.leaves) {
		to++
		before = f.leaves[at].appendFiles(nil)
	}
	files, changed := t.merge(before, remove, put)
	if !changed {
		return
	}
	if len(files) > 0 && weigh(files) < t.maxWeight/4 {
		// What is left of the leaf is so little that a neighbour takes it in.
		if to < len(f.leaves) {
			files = f.leaves[to].appendFiles(files)
			to++
		} else if from > 0 {
			from--
			files = append(f.leaves[from].appendFiles(nil), files...)
		}
	}
	f.leaves = slices.Replace(f.leaves, from, to, t.packer.pack(nil, files, t.maxWeight)...)
}

// merge returns the files as they are after a change, and keeps count of it.
func (t *Tree) merge(before []File, remove []string, put []File) (after []File, changed bool) {
	changed = len(put) > 0
	after = make([]File, 0, len(before)+len(put))
	for i := range before {
		name := before[i].Name
		for len(put) > 0 && put[0].Name < name {
			after, put = append(after, put[0]), put[1:]
		}
		for len(remove) > 0 && remove[0] < name {
			remove = remove[1:]
		}
		switch {
		case len(put) > 0 && put[0].Name == name:
			after, put = append(after, put[0]), put[1:]
		case len(remove) > 0 && remove[0] == name:
			changed = true
		default:
			after = append(after, before[i])
		}
	}
	after = append(after, put...)
	for i := range before {
		t.verdicts[before[i].Verdict]--
	}
	for i := range after {
		t.verdicts[after[i].Verdict]++
	}
	return after, changed
}

// RemoveFolder removes the folder at dir with all below, and then calls removed,
// if it is not nil, for every file that was there, in the order of the walk. The
// *File is valid until removed returns. A file of the same name as the folder
// stays.
func (t *Tree) RemoveFolder(dir string, removed func(dir string, f *File)) {
	t.mutex.Lock()
	top := t.detach(dir)
	t.mutex.Unlock()
	if top == nil || removed == nil {
		return
	}
	w := walkers.Get().(*walker)
	defer walkers.Put(w)
	w.reset(dir, 0, func(dir string, f *File) bool {
		removed(dir, f)
		return true
	})
	w.walk(top, 0, "")
}

// detach takes the folder at dir out of the tree and returns it; nil if it is
// not known.
func (t *Tree) detach(dir string) *folder {
	top := t.find(dir)
	if top == nil {
		return nil
	}
	// The last change may have been in what is taken out.
	if above := top.parent; above == nil {
		t.root, t.last = nil, place{}
	} else {
		above.remove(top.name)
		above.settle()
		t.last = place{dir[:max(strings.LastIndexByte(dir, '/'), 0)], above}
	}
	var gone scanner.Verdicts
	top.count(&gone)
	for i, n := range gone {
		t.verdicts[i] -= n
	}
	return top
}

// count adds the files in the folder and below to the counts.
func (f *folder) count(verdicts *scanner.Verdicts) {
	d := decoders.Get().(*decoder)
	for i := range f.leaves {
		d.open(&f.leaves[i])
		for d.next() {
			verdicts[d.file.Verdict]++
		}
	}
	decoders.Put(d)
	for _, group := range f.groups {
		for _, sub := range group.folders {
			sub.count(verdicts)
		}
	}
}
