package output

import (
	"strings"

	"github.com/cespare/xxhash/v2"
)

// The first byte of a position: extra pages are behind all files.
const (
	filePosition  = 1
	extraPosition = 2
)

// Position returns a text by which pages sort as they are added: files in the
// order of the walk, that is by paths compared segment by segment and byte by
// byte, then extra pages, whose name is their URL. dir is slash-separated and
// relative to the docroot, empty for the docroot itself.
func Position(dir, name string, extra bool) string {
	position := make([]byte, 0, len(dir)+len(name)+2)
	if extra {
		position = append(position, extraPosition)
		return string(append(position, name...))
	}
	position = append(position, filePosition)
	if dir != "" {
		// No name holds a NUL, so that nothing sorts between a folder and what
		// is in it.
		for i := range len(dir) {
			c := dir[i]
			if c == '/' {
				c = 0
			}
			position = append(position, c)
		}
		position = append(position, 0)
	}
	return string(append(position, name...))
}

// PathAt returns the path of the file whose [Position] a text is, or of the first file
// for an empty text. It reports false for the position of an extra page.
func PathAt(position string) (path string, isFile bool) {
	if position == "" {
		return "", true
	}
	return strings.ReplaceAll(position[1:], "\x00", "/"), position[0] == filePosition
}

// position returns the page's Position.
func (r *Rendered) position() string { return Position(r.Dir, r.Name, r.Extra) }

// place returns a number that depends on the page's position and its URL. The
// sum of all pages' tells whether two lists of URLs are the same.
func (r *Rendered) place() uint64 {
	place := xxhash.Sum64String(r.Dir)*31 + xxhash.Sum64String(r.Name)
	if r.Extra {
		place = ^place
	}
	place = (place ^ r.Hash) * 0x9E3779B97F4A7C15
	return place ^ place>>29
}
