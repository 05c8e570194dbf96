package output

import (
	"io/fs"
	"time"
)

// identity is what shows that a file is still the one that was written. Its zero
// value is no file's.
type identity struct {
	size    int64
	modTime int64 // in nanoseconds since 1970
	changed int64 // when the inode changed, likewise, where the system tells
	inode   uint64
}

// identityOf returns the identity of a plain file, and none of anything else.
func identityOf(info fs.FileInfo) identity {
	if !info.Mode().IsRegular() {
		return identity{}
	}
	changed, number := inode(info)
	return identity{info.Size(), info.ModTime().UnixNano(), changed, number}
}

// written returns when the file was.
func (i identity) written() time.Time { return time.Unix(0, i.modTime) }

// renamed returns the identity that a file has under its new name, by info, or
// none if somebody has put another in its place since.
func (i identity) renamed(info fs.FileInfo) identity {
	now := identityOf(info)
	if now.size != i.size || now.modTime != i.modTime || now.inode != i.inode {
		return identity{}
	}
	return now
}

// is reports whether a file of the folder is the one that was written.
func (f *Folder) is(name string, written identity) bool {
	if f.root == nil || written == (identity{}) {
		return false
	}
	info, err := f.root.Lstat(name)
	return err == nil && identityOf(info) == written
}
