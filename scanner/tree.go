package scanner

import (
	"fmt"
	"io"
	"io/fs"
)

// tree is a docroot as the walk needs it. Errors carry no path: the walk knows it.
type tree interface {
	// root returns the docroot's own folder.
	root() (node, error)
	// lookup returns the folder at a real path, following no link.
	lookup(real string) (node, error)
	// inspect returns what a real path is, following no link, and for a link
	// where it leads.
	inspect(real string) (k kind, target string, err error)
	// intact fails if the docroot's own folder has been removed.
	intact() error
	close()
}

// node is a folder of a tree. It begins with one holder, and gives up what it
// holds with the last release.
type node interface {
	// list adds the folder's entries in no particular order and seals the listing,
	// with an error also what was read before it.
	list(*listing) error
	// id returns what tells the folder from all others.
	id() (FolderID, error)
	// child returns a subfolder, which must not be a link; it is opened when it
	// is first used.
	child(name string) node
	// kind asks an entry what it is.
	kind(name string) (kind, error)
	// stat fills in a regular file's size, times and number. It may be called
	// between hold and letGo only, with a name that list returned or that is
	// followed by a NUL in memory in another way.
	stat(name string, file *File) error
	// open opens a regular file for reading, and fills in the same. It may be
	// called when stat may.
	open(name string, file *File) (io.ReadCloser, error)
	hold() error
	letGo()
	retain()
	release()
}

// ErrNotRegular says that a name is, or has become, no regular file: a link, or
// something else that is not to be opened.
var ErrNotRegular = fmt.Errorf("is no regular file: %w", fs.ErrInvalid)

// kind is what a folder says that an entry is.
type kind uint8

const (
	kindUnknown kind = iota // the file system does not say; ask the entry itself
	kindFile
	kindFolder
	kindLink
	kindOther
)

func kindOf(mode fs.FileMode) kind {
	switch mode.Type() {
	case 0:
		return kindFile
	case fs.ModeDir:
		return kindFolder
	case fs.ModeSymlink:
		return kindLink
	}
	return kindOther
}
