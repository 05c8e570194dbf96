package gitlog

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// search is a search for the last commit of each file.
type search struct {
	prefix   string          // path of the docroot in the work tree
	modified []uint64        // paths, as in wanted, of files that are not as in HEAD
	files    []wanted        // sorted by path once the search has begun
	pending  int             // files whose date is still sought
	boundary map[string]bool // ids of the commits that date nothing
}

// wanted is a file whose last commit is sought.
type wanted struct {
	path    uint64 // hash of the path relative to the docroot
	content uint64 // beginning of the object id that the file has in HEAD
	seconds int64  // the commit's time, 0 while it is sought
}

// readStatus reads the output of git status --porcelain=v1 -z --no-renames:
// "XY PATH" for each file of the work tree that differs from HEAD or the index.
func (s *search) readStatus(output io.Reader) error {
	records := newRecords(output)
	for records.Scan() {
		record := records.Bytes()
		if len(record) < 4 || record[2] != ' ' {
			return errUnknownOutput
		}
		if path, inside := bytes.CutPrefix(record[3:], []byte(s.prefix)); inside {
			if len(s.modified) == maxFiles {
				return fmt.Errorf("more than %d files are not as they were committed", maxFiles)
			}
			s.modified = append(s.modified, xxhash.Sum64(path))
		}
	}
	slices.Sort(s.modified)
	return records.Err()
}

// readTree reads the output of git ls-tree -r -z: "MODE TYPE ID\tPATH" for each
// file, relative to the docroot.
func (s *search) readTree(output io.Reader) error {
	records := newRecords(output)
	for records.Scan() {
		header, path, found := bytes.Cut(records.Bytes(), []byte("\t"))
		space := bytes.LastIndexByte(header, ' ')
		if !found || space < 0 {
			return errUnknownOutput
		}
		// 100644 and 100755 are files; a link's content is not the page's.
		if !bytes.HasPrefix(header, []byte("100")) {
			continue
		}
		file := wanted{path: xxhash.Sum64(path), content: contentOf(header[space+1:])}
		if len(s.files) == maxFiles {
			return fmt.Errorf("more than %d files are tracked", maxFiles)
		}
		if _, isModified := slices.BinarySearch(s.modified, file.path); !isModified {
			s.files = append(s.files, file)
		}
	}
	return records.Err()
}

// maxFiles is how many files of a docroot are remembered, each with 24 bytes: a tree
// that holds itself ten times over, ten levels deep, is small and has more.
const maxFiles = 5_000_000

// begin sorts the files, all of which are sought from now on.
func (s *search) begin() {
	slices.SortFunc(s.files, func(a, b wanted) int { return cmp.Compare(a.path, b.path) })
	s.files = slices.CompactFunc(s.files, func(a, b wanted) bool { return a.path == b.path })
	s.modified, s.pending = nil, len(s.files)
}

// sought returns the file at a path in the work tree if its date is sought, and
// nil otherwise.
func (s *search) sought(path []byte) *wanted {
	path, inside := bytes.CutPrefix(path, []byte(s.prefix))
	if !inside {
		return nil
	}
	i, found := slices.BinarySearchFunc(s.files, xxhash.Sum64(path), func(file wanted, hash uint64) int { return cmp.Compare(file.path, hash) })
	if !found || s.files[i].seconds != 0 {
		return nil
	}
	return &s.files[i]
}

// readLog reads the output of git log -z --raw -c --format="%H %ct", newest
// commits first, until every file has its date. A commit is "ID SECONDS", and
// after it stand the files that it changed, each with a header and a path:
//
//	:OLDMODE MODE OLDID ID STATUS
//	::OLDMODE OLDMODE MODE OLDID OLDID ID STATUS
//
// The second form is that of a merge with two parents. A merge with more of
// them has more colons.
func (s *search) readLog(output io.Reader) error {
	records := newRecords(output)
	var seconds int64
	dates := false // whether the commit dates its files
	for s.pending > 0 && records.Scan() {
		record := bytes.TrimPrefix(records.Bytes(), []byte("\n"))
		if len(record) == 0 {
			continue // between a merge and its files
		}
		if record[0] != ':' {
			id, date, found := bytes.Cut(record, []byte(" "))
			if !found {
				return errUnknownOutput
			}
			var err error
			seconds, err = strconv.ParseInt(string(date), 10, 64)
			// A commit at or before the epoch has a date that nobody believes.
			dates = err == nil && seconds > 0 && !s.boundary[string(id)]
			continue
		}
		content, ok := newContent(record)
		if !ok || !records.Scan() {
			return cmp.Or(records.Err(), errUnknownOutput)
		}
		if !dates {
			continue
		}
		if file := s.sought(records.Bytes()); file != nil && file.content == content {
			file.seconds = seconds
			s.pending--
		}
	}
	if s.pending == 0 {
		return errEnough
	}
	return records.Err()
}

// newContent returns the content that a file has after a change, from the
// change's header.
func newContent(header []byte) (uint64, bool) {
	status := bytes.LastIndexByte(header, ' ')
	if status < 0 {
		return 0, false
	}
	id := bytes.LastIndexByte(header[:status], ' ')
	return contentOf(header[id+1 : status]), id >= 0
}

// contentOf returns the beginning of an object id as a number: 64 bits of it
// are enough to tell the few contents apart that one file has had.
func contentOf(id []byte) uint64 {
	var content uint64
	for _, digit := range id[:min(len(id), 16)] {
		value := digit - '0'
		if digit >= 'a' {
			value = digit - 'a' + 10
		}
		content = content<<4 | uint64(value)
	}
	return content
}

// found returns the files that have a date.
func (s *search) found() []dated {
	files := make([]dated, 0, len(s.files)-s.pending)
	for _, file := range s.files {
		if file.seconds != 0 {
			files = append(files, dated{file.path, file.seconds})
		}
	}
	return files
}

// errUnknownOutput says that git's output does not look as documented.
var errUnknownOutput = errors.New("the output has an unknown form")

// maxRecord bounds the length of a path, in bytes. Systems allow 4,096, trees
// of git any.
const maxRecord = 1 << 20

// newRecords returns a scanner of records that end in NUL.
func newRecords(output io.Reader) *bufio.Scanner {
	records := bufio.NewScanner(output)
	records.Buffer(make([]byte, 64<<10), maxRecord)
	records.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		if end := bytes.IndexByte(data, 0); end >= 0 {
			return end + 1, data[:end], nil
		}
		if atEOF && len(data) > 0 {
			return 0, nil, io.ErrUnexpectedEOF
		}
		return 0, nil, nil
	})
	return records
}
