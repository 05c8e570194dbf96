// Package state keeps what one run remembers for the next: for every page that
// may be listed its identity on disk, and what was found when it was read.
//
// Start at [Open], which opens what the last run left, and [NewWriter], which
// merges it with the walk of the docroot in one pass. A worker describes the
// files of a folder in a [Batch] and asks [Reader.Run] whether the batch is as
// it was; if not, a [Cursor] answers for single pages. What the worker finds
// goes into the batch, and the batch, or the run that it equals, to the
// [Writer] in the order of the walk.
//
// # The file
//
// The file is text in gzip members, so that zcat shows it: a header, chapters,
// and an index of the chapters. A chapter holds whole runs, a run being what
// was a batch, and has two members: one line for each run, then one line for
// each page. As long as nothing changed only the lines of the runs are looked
// at, and nothing is written. The last member is empty and of fixed size; its
// header holds the place of the index and a hash of all bytes before. What
// the columns are stands in the file itself.
//
// Paths are in the scanner's order: compared segment by segment, byte by byte.
// Package state reads no docroot, knows nothing of what facts mean, and leaves
// it to the caller that no two runs use one file at a time.
package state

import "time"

// An Identity is what tells without opening a file that it is as it was.
type Identity struct {
	Size       int64  // in bytes
	ModTime    int64  // in nanoseconds since 1970
	ChangeTime int64  // in nanoseconds since 1970; 0 where the system has none
	Inode      uint64 // 0 where the system has none
}

// A Page is what is remembered of a file.
type Page struct {
	Identity
	// Racy says that the page may have changed since it was read without a
	// trace in its identity, or that it was read under other settings: it must
	// be read again, and only its digests and date are of use.
	Racy bool
	// Digest is a hash of the page's bytes, and Masked one of the bytes with
	// the volatile ones masked; 0 if not known.
	Digest, Masked uint64
	// Date is when the bytes last changed, in seconds since 1970; 0 if not known.
	Date int64
	// DateOnly says that of Date only the day is known.
	DateOnly bool
	// Facts is what the page's head said, in the caller's form; any bytes.
	Facts string
}

// isPlain reports whether there is nothing to remember but the identity.
func (p *Page) isPlain() bool {
	return p.Digest == 0 && p.Masked == 0 && p.Date == 0 && !p.DateOnly && p.Facts == ""
}

// isDatedByFile reports whether the page bears the date of its file, and nothing
// else is to be remembered but digests.
func (p *Page) isDatedByFile() bool {
	return p.Date == p.modSeconds() && !p.DateOnly && p.Facts == ""
}

// modSeconds returns the modification time in seconds since 1970, rounded down.
func (p *Page) modSeconds() int64 { return time.Unix(0, p.ModTime).Unix() }
