// Package catalog keeps in memory what a watch knows of every file in the
// docroot, packed: some thirty bytes a page, so that a million pages fit beside
// the server that they are on.
//
// Start at [Tree]. A tree is folders, and a folder's files are packed into
// leaves of up to some hundred files each, which are read and replaced as a
// whole: a change costs what its leaf costs, however many files the folder
// holds. Leaves and folders know which sections their listed pages are in, so
// that [Tree.Walk] finds the pages of one section without unpacking the others.
//
// Paths are slash-separated, relative to the docroot, and in the scanner's
// order: compared segment by segment, byte by byte, so that a subfolder's
// content stands where its name does among the folder's names. A name is any
// bytes but a slash, and not empty. Package catalog never touches the disk and
// knows nothing of what facts mean.
package catalog

import (
	"slices"
	"strings"
	"sync"

	"sitewalk/internal/state"
	"sitewalk/scanner"
)

// A File is what is remembered of a name in a folder that the walk does not
// descend into.
type File struct {
	Name    string
	Verdict scanner.Verdict
	// Folder says that it is a folder that is not descended into, and counts
	// once.
	Folder bool
	// Section is the index of the section that the page is in, from 0 to 65,535,
	// if it is listed, or would be were its URL not taken.
	Section int
	// LastMod is the date that such a page bears, in seconds since 1970, or 0 for
	// none, and DateOnly says that of it only the day is known.
	LastMod  int64
	DateOnly bool
	// Known says that Page is what is known of the file's content. Of others Page
	// is not kept.
	Known bool
	Page  state.Page
}

// Sections is a set of sections, a bit for each. The last bit stands for
// section 63 and all above.
type Sections uint64

const sectionBits = 64

// SectionsOf returns the smallest set that the section is in.
func SectionsOf(section int) Sections {
	return 1 << min(uint(section), sectionBits-1)
}

// sections returns the set of the sections that the file is a listed page of.
func (f *File) sections() Sections {
	if f.Verdict != scanner.Listed {
		return 0
	}
	return SectionsOf(f.Section)
}

// A Tree is what is known of a docroot. It is made by [New], and safe for
// concurrent use. What its methods return stays as it is when the tree changes.
// The functions that they call may use the tree themselves.
//
// The path of the docroot itself is empty. It is a folder like others: an empty
// tree does not know it.
type Tree struct {
	mutex    sync.RWMutex
	root     *folder // nil if not known
	last     place   // where the last change was
	verdicts scanner.Verdicts
	packer   packer
	// maxWeight is that of a leaf. It is smaller in tests.
	maxWeight int
}

// New returns an empty tree.
func New() *Tree { return &Tree{maxWeight: maxWeight} }

// AppendFilesBetween appends files of the folder at dir in the order of their
// names: those whose names are behind after and not behind upto, where an empty
// upto is the end. There are none if the folder is not known. It unpacks only
// leaves that may hold some of them.
func (t *Tree) AppendFilesBetween(dst []File, dir, after, upto string) []File {
	t.mutex.RLock()
	defer t.mutex.RUnlock()
	f := t.find(dir)
	if f == nil || len(f.leaves) == 0 {
		return dst
	}
	start := len(dst)
	for i := f.leafOf(after); i < len(f.leaves) && (upto == "" || f.leaves[i].first() <= upto); i++ {
		dst = f.leaves[i].appendFiles(dst)
	}
	return append(dst[:start], slices.DeleteFunc(dst[start:], func(f File) bool {
		return after != "" && f.Name <= after || upto != "" && f.Name > upto
	})...)
}

// Lookup returns what is known of the file name in the folder at dir. It unpacks
// no more than one leaf.
func (t *Tree) Lookup(dir, name string) (File, bool) {
	t.mutex.RLock()
	f := t.find(dir)
	if f == nil || len(f.leaves) == 0 {
		t.mutex.RUnlock()
		return File{}, false
	}
	l := f.leaves[f.leafOf(name)] // which itself is never changed
	t.mutex.RUnlock()

	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	d.open(&l)
	for d.next() {
		if string(d.name) < name {
			continue
		}
		if string(d.name) > name {
			break
		}
		found := d.file
		found.Name = name
		// As a piece of the leaf they would keep all of it in memory.
		found.Page.Facts = strings.Clone(found.Page.Facts)
		return found, true
	}
	return File{}, false
}

// HasFolder reports whether the folder at dir is known.
func (t *Tree) HasFolder(dir string) bool {
	t.mutex.RLock()
	defer t.mutex.RUnlock()
	return t.find(dir) != nil
}

// Folders returns the names of the known folders in the folder at dir, in order.
func (t *Tree) Folders(dir string) []string {
	t.mutex.RLock()
	defer t.mutex.RUnlock()
	f := t.find(dir)
	if f == nil {
		return nil
	}
	var names []string
	for _, group := range f.groups {
		for _, sub := range group.folders {
			names = append(names, sub.name)
		}
	}
	return names
}

// Verdicts returns the number of files by verdict.
func (t *Tree) Verdicts() scanner.Verdicts {
	t.mutex.RLock()
	defer t.mutex.RUnlock()
	return t.verdicts
}
