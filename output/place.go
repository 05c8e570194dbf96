package output

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"sitewalk/internal/durable"
)

// folderMode is the mode of a folder that is made. As with files, the web server that
// reads what is in it is another user, whatever the umask.
const folderMode fs.FileMode = 0o755

// makeFolder makes a folder that is not there, and those above it.
func makeFolder(path string) error {
	path = filepath.Clean(path)
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return &fs.PathError{Op: "mkdir", Path: path, Err: syscall.ENOTDIR}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dir, name := filepath.Dir(path), filepath.Base(path)
	if dir == path {
		return err
	}
	if err := makeFolder(dir); err != nil {
		return err
	}
	above, err := os.OpenRoot(dir)
	if err == nil {
		err = makeIn(above, name)
		above.Close()
	} else { // this user may not list it, but perhaps make something in it
		err = os.Mkdir(path, folderMode)
	}
	if errors.Is(err, fs.ErrExist) { // by another run; or it is a link that leads nowhere
		if _, gone := os.Stat(path); gone == nil {
			return nil
		}
	}
	return err
}

// makeIn makes a folder in another, with the permissions that the umask would take.
// Where a file system knows none, it is as it is.
func makeIn(above *os.Root, name string) error {
	if err := above.Mkdir(name, folderMode); err != nil {
		return err
	}
	info, err := above.Lstat(name)
	if err == nil && info.IsDir() && info.Mode().Perm()&folderMode != folderMode {
		_ = above.Chmod(name, info.Mode()&(fs.ModePerm|fs.ModeSetgid|fs.ModeSticky)|folderMode)
	}
	return err
}

// sync makes renames and removals durable.
func (f *Folder) sync() error { return durable.Folder(f.root) }

// syncAbove makes durable that the folder is where it was opened, and those above it
// are: it, or a run that was killed, may have made them.
func (f *Folder) syncAbove() error {
	if f.docroot != nil {
		for dir := f.Dir; dir != "" && dir != "."; {
			dir = path.Dir(dir)
			if err := syncOpened(f.docroot.OpenRoot(dir)); err != nil {
				return err
			}
		}
		return nil
	}
	dir, err := filepath.Abs(f.place)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return syncOpened(nil, err)
	}
	for filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
		if err := syncOpened(os.OpenRoot(dir)); err != nil {
			return err
		}
	}
	return nil
}

// syncOpened makes durable what was done in a folder that has been opened, or could not
// be, and closes it. One that cannot be opened is none that a run has made: this user
// may not list it, or somebody has moved it away.
func syncOpened(folder *os.Root, err error) error {
	if isPassing(err) {
		return err
	}
	if err != nil {
		return nil
	}
	defer folder.Close()
	return durable.Folder(folder)
}
