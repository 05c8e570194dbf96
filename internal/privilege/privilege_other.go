//go:build !unix

package privilege

import (
	"io/fs"
	"os"
)

// IsRoot is false: there is no root here.
func IsRoot() bool { return false }

// Drop does nothing here.
func Drop(o Owner) error { return nil }

// OwnerOf answers the zero Owner for anything that is there.
func OwnerOf(path string) (Owner, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Owner{}, err
	}
	return Owner{info: info}, nil
}

// InspectFile answers the zero Owner, and of links knows only the last.
func InspectFile(path string) (FileTrust, error) {
	link, err := os.Lstat(path)
	if err != nil {
		return FileTrust{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return FileTrust{}, err
	}
	return FileTrust{
		Owner:   Owner{info: info},
		Linked:  link.Mode()&fs.ModeSymlink != 0,
		Regular: info.Mode().IsRegular(),
	}, nil
}

// FolderFor returns the folder itself.
func FolderFor(dir string, o Owner) (string, error) { return dir, nil }
