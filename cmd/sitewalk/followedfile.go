package main

import (
	"io/fs"
	"os"
	"time"
)

// lookInterval is the time between two looks at the configuration file.
const lookInterval = time.Second

// A followedFile tells when the configuration file was changed. It looks at the file
// itself, and not for events of its folder: these tell nothing on network file
// systems, nor where a link on the way is made to lead elsewhere.
type followedFile struct {
	path    string    // empty if there is none, which never changes
	handled fileState // that was read last, or could not be
	seen    fileState // at the last look
}

// followFile returns a followedFile that counts the file as it is now as read.
func followFile(path string) *followedFile {
	f := &followedFile{path: path}
	f.read()
	return f
}

// read says that the file is read now.
func (f *followedFile) read() {
	if f.path != "" {
		f.handled = lookAt(f.path)
		f.seen = f.handled
	}
}

// changed looks at the file, and reports whether it is to be read again: when it
// is another than was read last, and the same as at the last look, lest an editor
// is in the middle of writing it. The file then counts as read.
func (f *followedFile) changed() bool {
	if f.path == "" {
		return false
	}
	now := lookAt(f.path)
	quiet := now.equals(f.seen)
	f.seen = now
	if !quiet || now.equals(f.handled) {
		return false
	}
	f.handled = now
	return true
}

// A fileState is what differs when a file was changed, replaced or taken away, or
// when it may be read now and could not before.
type fileState struct {
	info    fs.FileInfo // nil if there is none
	problem string      // why
}

func lookAt(path string) fileState {
	info, err := os.Stat(path)
	if err != nil {
		return fileState{problem: err.Error()}
	}
	return fileState{info: info}
}

func (s fileState) equals(other fileState) bool {
	if s.info == nil || other.info == nil {
		return s.info == nil && other.info == nil && s.problem == other.problem
	}
	return os.SameFile(s.info, other.info) && s.info.ModTime().Equal(other.info.ModTime()) &&
		s.info.Size() == other.info.Size() && s.info.Mode() == other.info.Mode()
}
