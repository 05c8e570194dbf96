package catalog

import "strings"

// A place is a folder and the path that it is at. Its zero value is no folder.
type place struct {
	dir    string
	folder *folder
}

// find returns the folder at dir, or nil.
func (t *Tree) find(dir string) *folder {
	f, rest, more := t.nearest(dir)
	for more && f != nil {
		var name string
		name, rest, more = strings.Cut(rest, "/")
		f = f.subfolder(name)
	}
	return f
}

// nearest returns a folder on the way to dir, and the rest of the way from there,
// if there is more of it. A walk of the docroot goes from a folder to one beside
// it: the way begins where that to the last change turns off, and not at the
// docroot, from which some folders are thousands of levels away.
func (t *Tree) nearest(dir string) (f *folder, rest string, more bool) {
	last := t.last.dir
	shared := sharedFolder(dir, last)
	if shared == 0 {
		return t.root, dir, dir != ""
	}
	f = t.last.folder
	for range strings.Count(last[shared:], "/") {
		f = f.parent
	}
	if shared == len(dir) {
		return f, "", false
	}
	return f, dir[shared+1:], true
}

// sharedFolder returns the length of the path of the deepest folder that both
// paths lead to or through.
func sharedFolder(a, b string) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	shared := len(a)
	if !strings.HasPrefix(b, a) { // in most cases it is one, and quickly seen to be
		for shared = 0; a[shared] == b[shared]; shared++ {
		}
	}
	if shared == len(a) && (shared == len(b) || b[shared] == '/') {
		return shared
	}
	return max(strings.LastIndexByte(a[:shared], '/'), 0)
}
