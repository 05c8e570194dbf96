package catalog

import (
	"slices"
	"strings"

	"sitewalk/scanner"
)

// trail returns the folders that lead from the docroot to the folder at dir,
// both included; nil if it is not known.
func (t *Tree) trail(dir string) []*folder {
	f := t.root
	if f == nil {
		return nil
	}
	trail := []*folder{f}
	for more := dir != ""; more; {
		var name string
		name, dir, more = strings.Cut(dir, "/")
		if f = f.subfolder(name); f == nil {
			return nil
		}
		trail = append(trail, f)
	}
	return trail
}

// add is trail that adds the folders that are not known.
func (t *Tree) add(dir string) []*folder {
	if t.root == nil {
		t.root = &folder{}
		t.folders++
	}
	f := t.root
	trail := []*folder{f}
	for more := dir != ""; more; {
		var name string
		name, dir, more = strings.Cut(dir, "/")
		sub := f.subfolder(name)
		if sub == nil {
			sub = f.add(name)
			t.folders++
		}
		f = sub
		trail = append(trail, f)
	}
	return trail
}

// AddFolder adds the folder at dir, and those above it, as far as they are not
// known.
func (t *Tree) AddFolder(dir string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.add(dir)
}

// SetFiles makes files, in the order of their names and each name once, the
// files of the folder at dir, and adds the folder if it is not known. Known
// folders in it stay.
func (t *Tree) SetFiles(dir string, files []File) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	trail := t.add(dir)
	f := trail[len(trail)-1]
	var before scanner.Verdicts
	f.countFiles(&before)
	for i, n := range before {
		t.verdicts[i] -= n
	}
	for i := range files {
		t.verdicts[files[i].Verdict]++
	}
	f.leaves = t.packer.pack(nil, files, t.maxWeight)
	settle(trail)
}

// Patch removes files from the folder at dir, by their names, and puts others in
// it, in place of those that have the same names. Both are in order, with each
// name once; a name that is in both is put. What is to be removed may not be
// there. The folder is added if it is not known and there is something to put.
func (t *Tree) Patch(dir string, remove []string, put []File) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	var trail []*folder
	if len(put) > 0 {
		trail = t.add(dir)
	} else if trail = t.trail(dir); trail == nil {
		return
	}
	f := trail[len(trail)-1]
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
	settle(trail)
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
	trail := t.trail(dir)
	if trail == nil {
		return nil
	}
	top, above := trail[len(trail)-1], trail[:len(trail)-1]
	if len(above) == 0 {
		t.root = nil
	} else {
		above[len(above)-1].remove(top.name)
		settle(above)
	}
	var gone scanner.Verdicts
	t.folders -= top.countAll(&gone)
	for i, n := range gone {
		t.verdicts[i] -= n
	}
	return top
}

// countFiles adds the folder's own files to the counts.
func (f *folder) countFiles(verdicts *scanner.Verdicts) {
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	for i := range f.leaves {
		d.open(&f.leaves[i])
		for d.next() {
			verdicts[d.file.Verdict]++
		}
	}
}

// countAll adds the files in the folder and below to the counts, and returns the
// number of folders.
func (f *folder) countAll(verdicts *scanner.Verdicts) int {
	f.countFiles(verdicts)
	folders := 1
	for _, group := range f.groups {
		for _, sub := range group.folders {
			folders += sub.countAll(verdicts)
		}
	}
	return folders
}
