package state

import (
	"encoding/binary"
	"errors"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
)

const (
	// maxChapterPages is the largest number of pages in a chapter.
	maxChapterPages = 2*chapterWeight + maxBatchPages
	// maxIndex is the length of the longest index in plain text. Twenty million
	// pages take half a mebibyte.
	maxIndex = 64 << 20
)

// indexEntry is what the index says of a chapter.
type indexEntry struct {
	offset      int64  // in the file
	runs, pages member // the second follows the first
	count       int    // of pages
	dir, first  string // the path of the first page
}

// end returns the offset of what follows the chapter.
func (e *indexEntry) end() int64 { return e.offset + e.runs.compressed + e.pages.compressed }

func (e *indexEntry) weight() int { return weigh(e.count, int(e.runs.text+e.pages.text)) }

// Lines of the index begin with two slashes, which no other line does: offset,
// lengths of the members with the runs and the pages, of the text in each,
// number of pages, and the path of the first as folder and name.
const (
	indexMark   = "//"
	indexFields = 8
)

func appendIndexEntry(line []byte, e *indexEntry) []byte {
	line = append(line, indexMark...)
	for _, n := range [...]int64{e.offset, e.runs.compressed, e.pages.compressed, e.runs.text, e.pages.text, int64(e.count)} {
		line = strconv.AppendInt(line, n, 10)
		line = append(line, '\t')
	}
	line = appendEscaped(line, e.dir)
	line = append(line, '\t')
	line = appendEscaped(line, e.first)
	return append(line, '\n')
}

var errIndex = errors.New("a line of the index is none")

func parseIndexEntry(line string, e *indexEntry) error {
	var fields [indexFields]string
	line, marked := strings.CutPrefix(line, indexMark)
	if !marked || splitFields(line, fields[:]) != indexFields {
		return errIndex
	}
	var numbers [6]int64
	for i := range numbers {
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil || n < 0 {
			return errIndex
		}
		numbers[i] = n
	}
	e.offset = numbers[0]
	e.runs = member{numbers[1], numbers[3]}
	e.pages = member{numbers[2], numbers[4]}
	if !e.runs.isPlausible() || !e.pages.isPlausible() || numbers[5] > maxChapterPages {
		return errIndex
	}
	e.count = int(numbers[5])
	var err error
	if e.dir, err = unescape(fields[6]); err != nil {
		return err
	}
	e.first, err = unescape(fields[7])
	return err
}

// parseIndex returns the chapters of an index. They must fill the file from the
// end of its header, wherever that is, to the index. That they are in order is
// not checked: in a forged file that is not, something is not found.
func parseIndex(text string, indexOffset int64) ([]indexEntry, error) {
	var entries []indexEntry
	end := int64(-1)
	for text != "" {
		line, rest, whole := strings.Cut(text, "\n")
		if !whole {
			return nil, errIndex
		}
		text = rest
		var e indexEntry
		if err := parseIndexEntry(line, &e); err != nil {
			return nil, err
		}
		// The first comparison keeps the sum in the last one from overflowing.
		if e.offset > indexOffset || e.offset != end && end >= 0 || e.end() > indexOffset {
			return nil, errIndex
		}
		end = e.end()
		entries = append(entries, e)
	}
	if end >= 0 && end != indexOffset {
		return nil, errIndex
	}
	return entries, nil
}

// The trailer is a gzip member of nothing, with an extra field (RFC 1952,
// section 2.3.1.1) that holds the offset of the index and the hash of all bytes
// of the file before the hash, both little-endian.
const (
	trailerStart  = "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff" + "\x14\x00" + "sw\x10\x00"
	trailerEnd    = "\x03\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00"
	trailerHashed = int64(len(trailerStart) + 8)
	trailerSize   = trailerHashed + int64(8+len(trailerEnd))
)

// appendTrailer appends the trailer of a file whose bytes so far went into hash.
func appendTrailer(dst []byte, indexOffset int64, hash *xxhash.Digest) []byte {
	start := len(dst)
	dst = append(dst, trailerStart...)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(indexOffset))
	_, _ = hash.Write(dst[start:])
	dst = binary.LittleEndian.AppendUint64(dst, hash.Sum64())
	return append(dst, trailerEnd...)
}

// parseTrailer returns what a trailer holds, and false if it is none.
func parseTrailer(trailer string) (indexOffset int64, hash uint64, ok bool) {
	trailer, begins := strings.CutPrefix(trailer, trailerStart)
	trailer, ends := strings.CutSuffix(trailer, trailerEnd)
	if !begins || !ends || len(trailer) != 16 {
		return 0, 0, false
	}
	numbers := []byte(trailer)
	return int64(binary.LittleEndian.Uint64(numbers)), binary.LittleEndian.Uint64(numbers[8:]), true
}
