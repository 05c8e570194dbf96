package catalog

import (
	"encoding/binary"
	"sync"

	"sitewalk/internal/state"
	"sitewalk/scanner"
)

// decoders keeps decoders, for their buffers.
var decoders = sync.Pool{New: func() any { return new(decoder) }}

// A decoder reads the files of a leaf one after another, as [packer.add] wrote
// them. It trusts the leaf, which was never outside of memory.
type decoder struct {
	file File   // the current one, but for its name
	name []byte // its name

	previous
	left   int // files
	files  string
	at     int // in files
	ending string
	facts  []string
}

// open begins a leaf. Until the first call of next, name is the first file's.
func (d *decoder) open(l *leaf) {
	at := 0
	count := number(l.packed, &at)
	d.left = int(count / 2)
	d.name = append(d.name[:0], piece(l.packed, &at)...)
	d.ending = piece(l.packed, &at)
	if count%2 != 0 {
		length := int(number(l.packed, &at))
		d.files, d.at = inflate(l.packed[at:], length), 0
	} else {
		d.files, d.at = l.packed, at
	}
	d.previous = previous{}
	d.facts = d.facts[:0]
	d.file = File{}
}

// next reads the next file. It returns false if there is none.
func (d *decoder) next() bool {
	if d.left == 0 {
		return false
	}
	d.left--
	head := d.byte()
	if head&headMarks != 0 {
		d.marks = marks(d.byte())
		d.marks |= marks(d.byte()) << 8
	}
	m := d.marks
	shared := int(d.number())
	length := int(d.number())
	d.name = append(d.name[:shared], d.files[d.at:d.at+length]...)
	d.at += length
	if head&headEnding != 0 {
		d.name = append(d.name, d.ending...)
	}

	if m&markSection != 0 {
		d.section = int(d.number())
	}
	f := &d.file
	f.Verdict = scanner.Verdict(head & verdictMask)
	f.Folder = head&headFolder != 0
	f.Section = d.section
	f.DateOnly = m&markDateOnly != 0
	f.Known = m&markKnown != 0
	if f.Known {
		d.page()
	} else {
		f.Page = state.Page{}
	}
	switch {
	case m&markLastModOfFile != 0:
		f.LastMod = seconds(f.Page.ModTime)
	case m&markLastModOfPage != 0:
		f.LastMod = f.Page.Date
	case m&markLastMod != 0:
		f.LastMod = d.lastDate()
	default:
		f.LastMod = 0
	}
	return true
}

// page reads what is known of a file's content. The facts are a piece of the
// leaf, or of what was inflated for it.
func (d *decoder) page() {
	m, page := d.marks, &d.file.Page
	page.Size = int64(d.number())
	if m&markSeconds != 0 {
		d.modTime = (seconds(d.modTime) + d.difference()) * 1e9
	} else {
		d.modTime += d.difference()
	}
	if m&markChangedBefore != 0 {
		d.changeTime += d.difference()
	} else {
		d.changeTime = d.modTime + d.difference()
	}
	d.inode += uint64(d.difference())
	page.ModTime, page.ChangeTime, page.Inode = d.modTime, d.changeTime, d.inode
	page.Racy = m&markRacy != 0
	page.DateOnly = m&markPageDateOnly != 0
	page.Digest, page.Masked, page.Date = 0, 0, 0
	if m&markDigest != 0 {
		page.Digest = d.hash()
	}
	if m&markMasked != 0 {
		page.Masked = d.hash()
	}
	switch {
	case m&markDateOfFile != 0:
		page.Date = seconds(d.modTime)
	case m&markDate != 0:
		page.Date = d.lastDate()
	}
	if m&markFacts != 0 {
		page.Facts = d.lastFacts()
	} else {
		page.Facts = ""
	}
}

func (d *decoder) byte() byte {
	b := d.files[d.at]
	d.at++
	return b
}

// number reads a varint. Most are of one byte.
func (d *decoder) number() uint64 {
	if b := d.files[d.at]; b < 0x80 {
		d.at++
		return uint64(b)
	}
	return number(d.files, &d.at)
}

// difference reads a varint that may be negative.
func (d *decoder) difference() int64 {
	n := d.number()
	return int64(n>>1) ^ -int64(n&1)
}

func (d *decoder) hash() uint64 {
	var b [8]byte
	d.at += copy(b[:], d.files[d.at:])
	return binary.LittleEndian.Uint64(b[:])
}

// lastDate reads a date that is told.
func (d *decoder) lastDate() int64 {
	d.date += d.difference()
	return d.date
}

// lastFacts reads facts, or their number among those of the leaf.
func (d *decoder) lastFacts() string {
	if n := d.number(); n > 0 {
		return d.facts[n-1]
	}
	facts := piece(d.files, &d.at)
	d.facts = append(d.facts, facts)
	return facts
}
