package gitlog

import (
	"cmp"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// Dates are the dates of a docroot's files. They do not change, so that any
// number of goroutines may ask.
type Dates struct {
	files    []dated // sorted by path
	shallow  bool
	withheld int64
}

// dated is a file and its date. The path is kept as a hash: of a million files
// two share one with a probability of 1 in 37 million.
type dated struct {
	path    uint64
	seconds int64
}

// Find returns when the last commit that touched a file was made, by its
// committer's clock, in seconds since 1970, UTC, and always positive. The file
// is called name and lies in the folder dir, whose path is relative to the
// docroot, slash-separated, and empty for the docroot itself.
func (d *Dates) Find(dir, name string) (seconds int64, ok bool) {
	var path xxhash.Digest
	path.Reset()
	if dir != "" {
		path.WriteString(dir)
		path.WriteString("/")
	}
	path.WriteString(name)
	i, found := slices.BinarySearchFunc(d.files, path.Sum64(), func(file dated, hash uint64) int { return cmp.Compare(file.path, hash) })
	if !found {
		return 0, false
	}
	return d.files[i].seconds, true
}

// Len returns the number of files that have a date.
func (d *Dates) Len() int { return len(d.files) }

// Shallow reports whether the repository is a shallow clone, which lacks the
// older part of the history.
func (d *Dates) Shallow() bool { return d.shallow }

// Withheld returns the number of files that have no date because their last
// commit lies before the history of a shallow clone begins, or is where it
// begins, which cannot be told apart.
func (d *Dates) Withheld() int64 { return d.withheld }
