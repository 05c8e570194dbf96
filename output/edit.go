package output

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Edit replaces a file of the folder by what edit makes of its content, which is
// nil for a file that is not there, and reports whether they differ. The file
// keeps its mode and, where this user may give it away, its owner and group; it is left
// as it is if somebody would no longer be allowed to read it. A dry run writes nothing.
//
// It fails with ErrForeign if the file is a link, has several names, is no regular
// file or is longer than limit bytes: its content may be somebody else's.
func (f *Folder) Edit(name string, limit int64, dry bool, edit func(content []byte) []byte) (written bool, err error) {
	before, info, err := f.read(name, limit)
	mode := fs.FileMode(0o644)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return false, err
	case before == nil:
		return false, fmt.Errorf("%w of at most %d bytes", ErrForeign, limit)
	default:
		mode = info.Mode().Perm()
	}
	after := edit(bytes.Clone(before))
	differs := !bytes.Equal(before, after)
	switch {
	case dry, !differs && info == nil:
		return differs, nil
	case !differs:
		return false, f.sync() // a run that was killed may have replaced it before
	case info == nil:
		if err := f.syncAbove(); err != nil {
			return false, err
		}
	}
	temp, _, err := f.stage(after)
	if err != nil {
		return false, err
	}
	if err := f.swap(temp, name, mode, info); err != nil {
		f.discard(temp)
		return false, err
	}
	return true, f.sync()
}

// swap gives a staged file its name, if that still is of the file that was read.
func (f *Folder) swap(temp, name string, mode fs.FileMode, read fs.FileInfo) error {
	now, err := f.root.Lstat(name)
	switch {
	case read == nil && errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case read == nil || !os.SameFile(now, read) || !now.ModTime().Equal(read.ModTime()):
		return errors.New("was changed meanwhile")
	}
	if read != nil {
		if err := f.giveTo(temp, read); err != nil && mode&0o004 == 0 {
			return fmt.Errorf("belongs to another user or group, and is not for everybody to read: %w", err)
		}
	}
	if err := f.root.Chmod(temp, mode); err != nil {
		return err
	}
	return f.root.Rename(temp, name)
}

// giveTo gives a file of ours the owner and the group of another, or the group at least.
func (f *Folder) giveTo(name string, other fs.FileInfo) error {
	ours, err := f.root.Lstat(name)
	if err != nil {
		return err
	}
	owner, group := ownerOf(other)
	if ourOwner, ourGroup := ownerOf(ours); owner == ourOwner && group == ourGroup {
		return nil
	}
	if err = f.root.Lchown(name, owner, group); err != nil {
		_ = f.root.Lchown(name, -1, group)
	}
	return err
}
