package scanner

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Docroot is the folder that a web server serves, held open: a real one, or
// any file system of package io/fs.
type Docroot struct {
	folder *os.Root // nil for a file system
	fsys   fs.FS
	// names are the absolute paths under which the folder is known, so that an
	// absolute link can be seen to lead inside.
	names []string
}

// Open opens a real folder. The last part of the path may be a link: that the
// docroot is there is the caller's word.
func Open(path string) (*Docroot, error) {
	folder, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	d := &Docroot{folder: folder, fsys: rootFS{folder}}
	if absolute, err := filepath.Abs(path); err == nil {
		d.names = append(d.names, filepath.ToSlash(absolute))
		if real, err := filepath.EvalSymlinks(absolute); err == nil && real != absolute {
			d.names = append(d.names, filepath.ToSlash(real))
		}
	}
	return d, nil
}

// FromFS takes a file system for a docroot, such as an embedded or zipped site.
// Its files' modification times are used as they are. Package io/fs knows no
// names that are not UTF-8: what has one is Unreadable.
func FromFS(fsys fs.FS) *Docroot { return &Docroot{fsys: fsys} }

// Folder returns the handle on a real folder, nil for a file system. It is
// closed by Close.
func (d *Docroot) Folder() *os.Root { return d.folder }

// Has reports whether the docroot has a regular file at a path.
func (d *Docroot) Has(path string) bool {
	info, err := fs.Lstat(d.fsys, path)
	return err == nil && info.Mode().IsRegular()
}

// Lstat returns what is at a path, following no link at its end.
func (d *Docroot) Lstat(path string) (fs.FileInfo, error) { return fs.Lstat(d.fsys, path) }

// OpenFile opens the regular file at a path for reading. A link is not followed.
func (d *Docroot) OpenFile(path string) (io.ReadCloser, error) {
	const attempts = 10 // at a file that is being replaced by another, over and over
	for range attempts {
		info, err := fs.Lstat(d.fsys, path)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, ErrNotRegular
		}
		folder, isReal := d.fsys.(rootFS)
		if !isReal {
			return d.fsys.Open(path)
		}
		file, err := folder.open(path)
		if err != nil {
			return nil, err
		}
		// What was opened may have taken the file's place meanwhile, and be a link.
		opened, err := file.Stat()
		if err == nil && os.SameFile(info, opened) {
			return file, nil
		}
		file.Close()
		if err != nil {
			return nil, err
		}
	}
	return nil, ErrNotRegular
}

// Close gives the folder up.
func (d *Docroot) Close() error {
	if d.folder == nil {
		return nil
	}
	return d.folder.Close()
}

// inside returns the path relative to the docroot of an absolute path in it.
func (d *Docroot) inside(absolute string) (string, bool) {
	i := slices.IndexFunc(d.names, func(name string) bool {
		return absolute == name || strings.HasPrefix(absolute, strings.TrimSuffix(name, "/")+"/")
	})
	if i < 0 {
		return "", false
	}
	return strings.TrimPrefix(absolute[len(strings.TrimSuffix(d.names[i], "/")):], "/"), true
}

// tree returns the walk's way to the files: the system's own, or the portable one.
func (d *Docroot) tree(portable bool) (tree, error) {
	if d.folder != nil && !portable {
		if t, err := nativeTree(d.folder); t != nil || err != nil {
			return t, err
		}
	}
	return &fsTree{fsys: d.fsys}, nil
}
