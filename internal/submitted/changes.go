package submitted

import (
	"bufio"
	"bytes"
	"io"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/gzip"
)

// compressionLevel is klauspost/compress's: the quickest that is worth it, as for the
// state.
const compressionLevel = 2

// Changes are what is to be submitted, in an order. They are kept compressed, since
// of a site that is submitted for the first time all pages are among them.
type Changes struct {
	// Added, Changed and Deleted are their numbers.
	Added, Changed, Deleted int

	order  map[uint64]uint32 // the number of each, from 0, by the hash of its URL
	text   bytes.Buffer
	gzip   *gzip.Writer
	buffer []byte
}

// NewChanges returns no changes.
func NewChanges() *Changes {
	c := &Changes{order: map[uint64]uint32{}}
	var err error
	if c.gzip, err = gzip.NewWriterLevel(&c.text, compressionLevel); err != nil {
		panic(err) // the level is a constant
	}
	return c
}

// Len returns the number of changes.
func (c *Changes) Len() int { return c.Added + c.Changed + c.Deleted }

// Add adds a change of a URL that is storable, and reports whether it was not there
// already. None may be added once they are read.
func (c *Changes) Add(change Change, loc, lastmod []byte) bool {
	hash := xxhash.Sum64(loc)
	if _, twice := c.order[hash]; twice {
		return false
	}
	c.order[hash] = uint32(c.Len())
	switch change {
	case Added:
		c.Added++
	case Changed:
		c.Changed++
	case Deleted:
		c.Deleted++
	}
	c.buffer = append(c.buffer[:0], byte(change))
	c.buffer = appendURL(c.buffer, loc, plain(lastmod))
	_, _ = c.gzip.Write(c.buffer) // a bytes.Buffer does not fail
	return true
}

// isAmong reports whether a URL is one of the first n.
func (c *Changes) isAmong(n int, loc []byte) bool {
	number, found := c.order[xxhash.Sum64(loc)]
	return found && int(number) < n
}

// Read returns a reader of the changes, from the first on.
func (c *Changes) Read() *ChangeReader {
	_ = c.gzip.Close()
	compressed, err := gzip.NewReader(bytes.NewReader(c.text.Bytes()))
	if err != nil {
		panic(err) // it was written above
	}
	return &ChangeReader{bufio.NewReaderSize(compressed, maxLine)}
}

// A ChangeReader reads changes one by one.
type ChangeReader struct{ text *bufio.Reader }

// Next returns the next change, and None at the end. The slices are valid until the
// next call.
func (r *ChangeReader) Next() (change Change, loc, lastmod []byte) {
	line, err := readLine(r.text)
	if err == io.EOF {
		return None, nil, nil
	}
	if err == nil {
		loc, lastmod, err = parseURL(line[1:])
	}
	if err != nil {
		panic(err) // memory does not fail
	}
	return Change(line[0]), loc, lastmod
}
