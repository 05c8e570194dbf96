package head

import (
	"bytes"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

const (
	// firstRead holds the whole head of nearly every page, so that one read is
	// all that most pages cost.
	firstRead = 8 << 10
	// bodyRead is how much is read at once when the whole page is wanted.
	bodyRead = 64 << 10
	// maxKept is the size beyond which a buffer is not kept for the next page,
	// unless the limit asks for as much.
	maxKept = 1 << 20
	// maxEmptyReads is how often a reader may return nothing, and no error.
	maxEmptyReads = 100
)

// page is the part of a page that is in memory.
type page struct {
	source io.Reader
	data   []byte
	ended  bool // the source has no more
}

func (p *page) open(source io.Reader) {
	p.source, p.data, p.ended = source, p.data[:0], false
}

// close forgets the source, and a buffer that one page in a million needs.
func (p *page) close(keep int) {
	p.source = nil
	if cap(p.data) > max(keep, maxKept) {
		p.data = nil
	}
}

// fill reads until data holds at least the given number of bytes or the page
// ends, and no more than most bytes.
func (p *page) fill(least, most int) error {
	if cap(p.data) < most {
		grown := make([]byte, len(p.data), most)
		copy(grown, p.data)
		p.data = grown
	}
	empty := 0
	for len(p.data) < least && !p.ended {
		n, err := p.source.Read(p.data[len(p.data):most])
		p.data = p.data[:len(p.data)+n]
		switch {
		case err == io.EOF:
			p.ended = true
		case err != nil:
			return err
		case n > 0:
			empty = 0
		default:
			if empty++; empty == maxEmptyReads {
				return io.ErrNoProgress
			}
		}
	}
	return nil
}

// grow reads as much again as there is, so that looking once more at all of it
// costs no more than linear time, but no more than to the bound.
func (p *page) grow(step, bound int) error {
	most := min(max(2*len(p.data), step), bound)
	return p.fill(most, most)
}

// discard drops the first n bytes of data.
func (p *page) discard(n int) {
	p.data = p.data[:copy(p.data, p.data[n:])]
}

// transcode makes the page begin again as UTF-8. Not more than most bytes of
// what was not yet read are read, whatever the encoding makes of them.
func (p *page) transcode(from encoding.Encoding, most int) {
	raw := io.Reader(bytes.NewReader(bytes.Clone(p.data)))
	if !p.ended {
		raw = io.MultiReader(raw, io.LimitReader(p.source, int64(most)))
	}
	p.open(transform.NewReader(raw, from.NewDecoder()))
}
