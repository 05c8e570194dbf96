//go:build unix

package privilege

import (
	"io/fs"
	"os"
	"path/filepath"
)

// A named is a place known by its path, for systems without O_PATH. What is
// looked at can be exchanged before the next look; compiled on Linux too, to
// be tested beside handle.
type named struct {
	path string // free of links, as the walk resolves them: its parent is Dir
	fi   fs.FileInfo
}

func namedTop() (place, error) { return lstat("/") }

func lstat(path string) (place, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	return named{path, fi}, nil
}

func (n named) look(name string) (place, error) {
	if name == ".." && n.fi.IsDir() {
		return lstat(filepath.Dir(n.path))
	}
	// Not Join, which would clean "file/.." to a folder that is there.
	return lstat(n.path + "/" + name)
}

func (n named) info() fs.FileInfo { return n.fi }

func (n named) readlink() (string, error) { return os.Readlink(n.path) }

func (n named) close() {}
