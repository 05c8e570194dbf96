package scanner

import (
	"io"
	"math"
)

// A File is what the walk found under one name: a file, or a folder that is
// not descended into and counts once.
type File struct {
	// Name is the last segment of the path: any bytes but '/' and NUL.
	Name string
	// Verdict is Listed while nothing speaks against the file; package mapper
	// has the next word.
	Verdict Verdict
	// Folder says that Name is a folder.
	Folder bool
	// Allowed says that allow lifted the verdict sensitive or hidden.
	Allowed bool
	// Detail is the evidence for the verdict, if [Options] ask for it: the glob, or
	// the line of a .htaccess.
	Detail string
	// Err is why the file is Unreadable, or why a .htaccess could not be read.
	Err error

	// The following are of candidates only, once [Batch.Stat] or [Batch.Open] has
	// been called.

	// Size is the length in bytes.
	Size int64
	// ModTime and ChangeTime are when content, and content or inode, last changed,
	// in nanoseconds since 1970. ChangeTime is 0 where the system does not say.
	ModTime, ChangeTime int64
	// Inode is the file's number, 0 where the system does not say.
	Inode uint64
}

// ModSeconds returns the modification time in whole seconds since 1970, rounded
// down.
func (f *File) ModSeconds() int64 { return floorSeconds(f.ModTime) }

const nanosPerSecond = 1_000_000_000

func floorSeconds(nanos int64) int64 {
	seconds := nanos / nanosPerSecond
	if nanos%nanosPerSecond < 0 {
		seconds--
	}
	return seconds
}

// nanos returns a time in nanoseconds since 1970. Times that cannot be so
// written, before 1678 and after 2262, come out as the first or last that can.
func nanos(seconds, rest int64) int64 {
	switch {
	case seconds >= math.MaxInt64/nanosPerSecond:
		return math.MaxInt64
	case seconds <= math.MinInt64/nanosPerSecond:
		return math.MinInt64
	}
	return seconds*nanosPerSecond + rest
}

// A Batch is a run of files in one folder, in order. It belongs to the function
// that was given it until that returns.
type Batch struct {
	// Dir is the folder's path relative to the docroot, slash-separated, and
	// empty for the docroot itself.
	Dir string
	// Files are valid only until the function that was given the batch returns.
	Files []File

	files  tree
	folder *folder // nil if there is no candidate
	from   int     // the folder's entry that Files[0] is
	held   bool
	err    error // what ends the walk
}

// Stat asks what is to be known of the candidate at an index. It reports false
// if the file is not to be had: that is its verdict then.
func (b *Batch) Stat(i int) bool {
	handle, name, done, err := b.reach(i)
	if err == nil {
		err = handle.stat(name, &b.Files[i])
		done()
	}
	return b.settle(i, err)
}

// Open opens the candidate at an index for reading, and fills in what is to be
// known of what was opened. A link is not followed, and nothing is waited for.
// It reports false if the file is not to be had: that is its verdict then.
func (b *Batch) Open(i int) (io.ReadCloser, bool) {
	handle, name, done, err := b.reach(i)
	var content io.ReadCloser
	if err == nil {
		content, err = handle.open(name, &b.Files[i])
		done()
	}
	return content, b.settle(i, err)
}

// reach returns the folder and the name by which a file is to be had until done
// is called.
func (b *Batch) reach(i int) (handle node, name string, done func(), err error) {
	e := b.folder.entry(b.from + i)
	if e.kind == kindLink {
		return reachTarget(b.files, e.rare.target)
	}
	if !b.held {
		if err := b.folder.handle.hold(); err != nil {
			return nil, "", nil, err
		}
		b.held = true
	}
	return b.folder.handle, e.name, func() {}, nil
}

// Fail makes the candidate at an index unreadable: it was opened, but not read.
func (b *Batch) Fail(i int, err error) { b.settle(i, cause(err)) }

func (b *Batch) settle(i int, err error) bool {
	if err == nil {
		return true
	}
	if fatal(err) && b.err == nil {
		b.err = err
	}
	b.Files[i].Verdict, b.Files[i].Err = Unreadable, err
	return false
}

// end gives up what the batch holds, and returns what ends the walk.
func (b *Batch) end() error {
	if b.held {
		b.folder.handle.letGo()
		b.held = false
	}
	b.folder = nil
	return b.err
}
