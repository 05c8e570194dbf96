package scanner

import (
	"errors"
	"io/fs"
	"syscall"

	"sitewalk/internal/htaccess"
)

// folder is a folder that has been read. It does not keep its path: the paths of
// all the folders above a deep one grow with the square of the depth.
type folder struct {
	name   string // last segment of the path, empty for the docroot
	parent *folder
	target string // real path that the folder is a link to; empty if it is none
	links  int    // links among the folders on the way, this one included
	scope  scope
	handle node
	policy *htaccess.Policy // who may see what is in it
	// selection is what of the folder is to be walked.
	selection *Selection

	listing
	rare map[int]*rareEntry // what few entries have, by their indexes
}

// entry is one name in a folder.
type entry struct {
	name string
	kind kind
	left Verdict // why the name is left out, when its kind decides that
	rare *rareEntry
}

// rareEntry is what only an entry that is a followed link, or could not be
// asked what it is, has.
type rareEntry struct {
	target     string // the real path that the link leads to
	targetKind kind
	err        error
}

// leaveUnknown leaves out an entry that could not be asked what it is, or leads to. What
// forbids files and folders alike needs no answer.
func (f *folder) leaveUnknown(e *entry, err error) {
	if e.left, _ = f.scope.judge(f.name, e.name); e.left == Listed || e.left > Excluded {
		e.left, e.rare = Unreadable, &rareEntry{err: err}
	}
}

// path returns the folder's path as the walk came to it.
func (f *folder) path() string {
	var room [256]byte // enough for nearly every path, so that only the string is allocated
	return string(f.appendPath(room[:0], nil))
}

// real returns the folder's path without links.
func (f *folder) real() string {
	top := f.lastLink()
	return string(f.appendPath([]byte(top.target), top))
}

// appendPath appends the names of the folders below above, from the top down to
// f, to the path of above. If above is nil the path begins at the docroot.
func (f *folder) appendPath(path []byte, above *folder) []byte {
	if f == above || f.parent == nil {
		return path
	}
	if path = f.parent.appendPath(path, above); len(path) > 0 {
		path = append(path, '/')
	}
	return append(path, f.name...)
}

// lastLink returns the folder that is the last link on the way, or the docroot.
func (f *folder) lastLink() *folder {
	for f.target == "" && f.parent != nil {
		f = f.parent
	}
	return f
}

// list reads the folder's entries, or asks for those that are selected.
func (f *folder) list() error {
	names, some := f.selection.Names("")
	if !some {
		return f.handle.list(&f.listing)
	}
	f.open = make([]byte, 0, 1024)
	defer func() {
		f.seal()
		f.open = nil
	}()
	for _, name := range names {
		k, err := f.handle.kind(name)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENAMETOOLONG):
			continue
		case err != nil && fatal(err):
			return err
		case err != nil:
			k = kindUnknown // the walk asks again, and says what is wrong
		}
		if err := f.add([]byte(name), k); err != nil {
			return err
		}
	}
	return nil
}

// count returns the number of entries.
func (f *folder) count() int { return len(f.entries) }

// entry returns an entry by its index.
func (f *folder) entry(i int) entry {
	p := &f.entries[i]
	return entry{f.nameOf(p), p.kind, p.left, f.rare[i]}
}

// set stores what has been found out about an entry.
func (f *folder) set(i int, e *entry) {
	f.entries[i].kind, f.entries[i].left = e.kind, e.left
	if e.rare != nil {
		if f.rare == nil {
			f.rare = map[int]*rareEntry{}
		}
		f.rare[i] = e.rare
	}
}

// descends reports whether an entry is a folder to walk.
func (f *folder) descends(i int) bool {
	p := &f.entries[i]
	if p.left != Listed {
		return false
	}
	return p.kind == kindFolder || p.kind == kindLink && f.rare[i].targetKind == kindFolder
}

// run returns the end of the run of entries from one on that make one batch.
func (f *folder) run(from int) int {
	to := from
	for to < f.count() && to-from < BatchFiles && !f.descends(to) {
		to++
	}
	return to
}
