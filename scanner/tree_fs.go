package scanner

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// fsTree walks any file system by the methods of package io/fs. A real folder
// comes to it as the file system of an os.Root, which stays inside the folder.
type fsTree struct{ fsys fs.FS }

func (t *fsTree) root() (node, error) { return t.lookup("") }

func (t *fsTree) lookup(real string) (node, error) { return &fsNode{tree: t, path: real}, nil }

func (t *fsTree) inspect(real string) (kind, string, error) {
	info, err := fs.Lstat(t.fsys, fsPath(real))
	if err != nil {
		return kindUnknown, "", cause(err)
	}
	k := kindOf(info.Mode())
	if k != kindLink {
		return k, "", nil
	}
	target, err := fs.ReadLink(t.fsys, fsPath(real))
	return k, target, cause(err)
}

func (t *fsTree) intact() error {
	folder, isReal := t.fsys.(rootFS)
	if !isReal {
		return nil
	}
	top, err := folder.open(".")
	if err != nil {
		return err
	}
	defer top.Close()
	if _, err := top.ReadDir(1); errors.Is(err, fs.ErrNotExist) {
		return errGone
	}
	return nil
}

func (t *fsTree) close() {}

// rootFS is the file system of a real folder for names of any bytes: that of
// [os.Root.FS] refuses those that are not UTF-8.
type rootFS struct{ *os.Root }

func (r rootFS) Open(name string) (fs.File, error)    { return r.Root.Open(name) }
func (r rootFS) ReadLink(name string) (string, error) { return r.Root.Readlink(name) }

func (r rootFS) ReadDir(name string) ([]fs.DirEntry, error) {
	folder, err := r.open(name)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return folder.ReadDir(-1)
}

// open opens a file or folder for reading.
func (r rootFS) open(name string) (*os.File, error) {
	flags := os.O_RDONLY
	if runtime.GOOS != "windows" {
		// What has become a FIFO meanwhile would be waited for.
		flags |= syscall.O_NONBLOCK
	}
	return r.OpenFile(name, flags, 0)
}

// fsNode is a folder by its path; it holds nothing open.
type fsNode struct {
	tree *fsTree
	path string
}

func (n *fsNode) list(l *listing) error {
	found, err := fs.ReadDir(n.tree.fsys, fsPath(n.path))
	for _, f := range found {
		k := kindOf(f.Type())
		if f.Type()&fs.ModeIrregular != 0 {
			k = kindUnknown
		}
		if addErr := l.add([]byte(f.Name()), k); err == nil {
			err = addErr
		}
	}
	l.seal()
	return cause(err)
}

func (n *fsNode) id() (FolderID, error) {
	info, err := fs.Stat(n.tree.fsys, fsPath(n.path))
	if err != nil {
		return FolderID{}, cause(err)
	}
	return FolderIDOf(info), nil
}

func (n *fsNode) child(name string) node {
	return &fsNode{tree: n.tree, path: Join(n.path, name)}
}

func (n *fsNode) kind(name string) (kind, error) {
	k, _, err := n.tree.inspect(Join(n.path, name))
	return k, err
}

func (n *fsNode) stat(name string, file *File) error {
	info, err := fs.Lstat(n.tree.fsys, fsPath(Join(n.path, name)))
	if err != nil {
		return cause(err)
	}
	return fillFrom(file, info)
}

// fillFrom fills in what info says of a file.
func fillFrom(file *File, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return ErrNotRegular
	}
	modified := info.ModTime()
	file.Size, file.ModTime = info.Size(), nanos(modified.Unix(), int64(modified.Nanosecond()))
	file.ChangeTime, file.Inode = identity(info)
	return nil
}

func (n *fsNode) open(name string, file *File) (io.ReadCloser, error) {
	path := fsPath(Join(n.path, name))
	// Not every file system can open without following or waiting: what is no
	// regular file is not opened.
	if err := n.stat(name, file); err != nil {
		return nil, err
	}
	before := *file
	var opened fs.File
	var err error
	if folder, isReal := n.tree.fsys.(rootFS); isReal {
		opened, err = folder.open(path)
	} else {
		opened, err = n.tree.fsys.Open(path)
	}
	if err != nil {
		return nil, cause(err)
	}
	info, err := opened.Stat()
	if err == nil {
		err = fillFrom(file, info)
	}
	if err == nil && file.Inode != before.Inode {
		err = ErrNotRegular // replaced meanwhile, perhaps by a link
	}
	if err != nil {
		opened.Close()
		return nil, cause(err)
	}
	return opened, nil
}

func (n *fsNode) hold() error { return nil }
func (n *fsNode) letGo()      {}
func (n *fsNode) retain()     {}
func (n *fsNode) release()    {}

func fsPath(path string) string {
	if path == "" {
		return "."
	}
	return path
}

// cause strips an error of the path that the walk itself knows.
func cause(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
