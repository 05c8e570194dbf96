package state

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// An UnusableError says that there is something in the state's place, but that
// it is not a whole state of this version. Nothing of it can be used;
// [SetAside] keeps it for somebody to look at, and a new state replaces it.
type UnusableError struct {
	Path string
	// Reason says why, such as "is damaged".
	Reason string
}

func (e *UnusableError) Error() string { return "state " + e.Path + " " + e.Reason }

// IsPassing reports whether an error of [Open], of [Reader.Err], or of reading any file,
// is one of the system's that says nothing of the file: to read it once more may succeed.
func IsPassing(err error) bool {
	for _, passing := range [...]error{syscall.EIO, syscall.ESTALE, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM} {
		if errors.Is(err, passing) {
			return true
		}
	}
	return false
}

// SetAside renames an unusable state to path + ".unusable" and replaces what
// was set aside before. That there is nothing at path is no error; that there is,
// or that a link leads to, anything but a regular file is: nobody means that
// /dev/null be moved out of the way.
func SetAside(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return &fs.PathError{Op: "set aside", Path: path, Err: errors.New("is no regular file")}
	}
	err = os.Rename(path, path+".unusable")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
