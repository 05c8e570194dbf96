package generator

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
)

const (
	// maxFile bounds what is read of one file. The settings of a generator take some
	// KiB; a file that is larger counts as one that cannot be read.
	maxFile = 1 << 20
	// maxEntries bounds what is looked at in one folder, and maxFiles how many files of
	// it are read.
	maxEntries = 10_000
	maxFiles   = 50
)

// errTooLarge is why a file of more than maxFile bytes is not read.
var errTooLarge = errors.New("is larger than 1 MiB")

// A folder is the project's folder. Names are slash-separated and relative to it;
// nothing outside it is opened, wherever links lead.
type folder struct{ root *os.Root }

// read returns the content of a file. What is no regular file, such as a pipe, is an
// error; nothing blocks.
func (f folder) read(name string) ([]byte, error) {
	file, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("is no regular file")}
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = &fs.PathError{Op: "read", Path: name, Err: errTooLarge}
	}
	if err != nil {
		return nil, err
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), nil
}

// isFile reports whether there is a regular file of a name, in the folder or by links
// that stay in it.
func (f folder) isFile(name string) bool {
	info, err := f.root.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// isFolder is isFile for folders.
func (f folder) isFolder(name string) bool {
	info, err := f.root.Stat(name)
	return err == nil && info.IsDir()
}

// first returns the first of some names that a file has, or "".
func (f folder) first(names ...string) string {
	for _, name := range names {
		if f.isFile(name) {
			return name
		}
	}
	return ""
}

// list returns the names of the regular files in a folder, sorted, but for those that cannot be
// printed, and those beyond the first maxEntries.
func (f folder) list(name string) []string {
	opened, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer opened.Close()
	entries, _ := opened.ReadDir(maxEntries) // of a file it gives none
	var names []string
	for _, entry := range entries {
		if name := entry.Name(); entry.Type().IsRegular() && printable(name) == name {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// within returns a path of a configuration as a path below the folder, or "" if it
// leads elsewhere, where nothing is looked at.
func within(name string) string {
	name = path.Clean(name)
	if path.IsAbs(name) || name == ".." || strings.HasPrefix(name, "../") {
		return ""
	}
	return name
}
