package catalog

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"
)

// maxWeight is the weight beyond which a leaf is split; below a quarter of it
// a leaf is merged with the next.
const maxWeight = 512

// textWeight is the number of bytes of name and facts that weigh as much as a
// file, so that a leaf of long ones is quick to unpack too.
const textWeight = 256

// weigh returns the weight of a leaf of the files.
func weigh(files []File) int {
	weight := 0
	for i := range files {
		weight += files[i].weight()
	}
	return weight
}

func (f *File) weight() int { return 1 + (len(f.Name)+len(f.Page.Facts))/textWeight }

// A leaf is some of a folder's files, packed, and immutable:
//
//	number of files * 2, + 1 if the files are deflated
//	length of the first name, the first name
//	length of the ending, the ending
//	if they are deflated: length of the files before
//	the files
//
// Numbers are varints. The ending is one that many of the names have. How files
// are packed is written at [packer.add].
type leaf struct {
	mask   Sections
	packed string
}

// first returns the name of the leaf's first file.
func (l *leaf) first() string {
	at := 0
	number(l.packed, &at)
	return piece(l.packed, &at)
}

// number reads a varint at at, and moves at behind it.
func number(s string, at *int) uint64 {
	var n uint64
	for shift := 0; ; shift += 7 {
		b := s[*at]
		*at++
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
}

// piece reads a string behind its length at at, and moves at behind it.
func piece(s string, at *int) string {
	length := int(number(s, at))
	start := *at
	*at += length
	return s[start:*at]
}

// appendFiles appends the leaf's files.
func (l *leaf) appendFiles(dst []File) []File {
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	d.open(l)
	var names text
	// The first name is a guess at the length of the others.
	names.reserve(d.left * (len(d.name) + 4))
	dst = slices.Grow(dst, d.left)
	for d.next() {
		d.file.Name = names.keep(d.name)
		dst = append(dst, d.file)
	}
	return dst
}

// Files are deflated if their facts have so many bytes, and if it saves an
// eighth.
const minDeflate = 1 << 10

// A deflater is expensive to make.
type deflater struct {
	writer *flate.Writer
	buffer bytes.Buffer
}

var deflaters = sync.Pool{New: func() any {
	d := new(deflater)
	var err error
	if d.writer, err = flate.NewWriter(&d.buffer, flate.BestSpeed); err != nil {
		panic(err) // the level is a constant
	}
	return d
}}

// appendLeaf appends the packed form of a leaf. The files are packed one by one
// already.
func appendLeaf(dst []byte, count int, first, ending string, files []byte, factsLength int) []byte {
	begin := func(deflated int) {
		dst = binary.AppendUvarint(dst, uint64(2*count+deflated))
		dst = binary.AppendUvarint(dst, uint64(len(first)))
		dst = append(dst, first...)
		dst = binary.AppendUvarint(dst, uint64(len(ending)))
		dst = append(dst, ending...)
	}
	if factsLength >= minDeflate {
		d := deflaters.Get().(*deflater)
		defer deflaters.Put(d)
		d.buffer.Reset()
		d.writer.Reset(&d.buffer)
		// A bytes.Buffer does not fail, and so neither do these.
		_, _ = d.writer.Write(files)
		_ = d.writer.Close()
		if d.buffer.Len() < len(files)/8*7 {
			begin(1)
			dst = binary.AppendUvarint(dst, uint64(len(files)))
			return append(dst, d.buffer.Bytes()...)
		}
	}
	begin(0)
	return append(dst, files...)
}

var inflaters = sync.Pool{New: func() any { return flate.NewReader(strings.NewReader("")) }}

// inflate undoes deflation.
func inflate(deflated string, length int) string {
	r := inflaters.Get().(io.Reader)
	defer inflaters.Put(r)
	var text strings.Builder
	text.Grow(length)
	err := r.(flate.Resetter).Reset(strings.NewReader(deflated), nil)
	if err == nil {
		_, err = io.Copy(&text, r)
	}
	if err != nil || text.Len() != length {
		panic("catalog: a leaf is not as it was packed") // no input leads to this
	}
	return text.String()
}
