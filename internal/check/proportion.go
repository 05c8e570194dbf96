package check

import (
	"fmt"
	"io"
	"sync/atomic"
)

// A set may be far larger than what was read for it, but not without measure: fifty
// thousand files of a few kilobytes can stand for terabytes.
const (
	// freePlain is how many bytes of a set are read whatever it was compressed to.
	freePlain = 1 << 30
	// maxRatio is how many times as large as it was compressed what is beyond that may
	// be. Sitemaps in which hardly anything but a number differs come to a hundred.
	maxRatio = 200
)

// proportion counts the bytes of all files of a set, before decompression and after.
type proportion struct{ packed, plain atomic.Int64 }

// packedBody counts what is read of a file as it is.
type packedBody struct {
	io.ReadCloser
	of *proportion
}

func (b *packedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.of.packed.Add(int64(n))
	return n, err
}

// plainContent counts what is read of a file without its compression, and ends where that
// is out of proportion.
type plainContent struct {
	from io.Reader
	of   *proportion
}

func (c *plainContent) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if c.of.plain.Add(int64(n)) > freePlain+maxRatio*c.of.packed.Load() {
		return 0, &boundError{fmt.Sprintf("expands, with the files before it, to more than %d times what they were compressed to", maxRatio)}
	}
	return n, err
}
