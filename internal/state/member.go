package state

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
)

const (
	// maxMember is the length of the longest member in plain text. The longest
	// chapter is one that was nearly full when a batch was added.
	maxMember = 2*chapterWeight*textPerPage + 2*maxBatch
	// smallestMember is the length of a member of nothing; maxRatio is how much
	// longer than a member its plain text can be, see
	// https://zlib.net/zlib_tech.html.
	smallestMember = 20
	maxRatio       = 1032
)

// member is the length of a gzip member, and of its plain text.
type member struct {
	compressed, text int64
}

// isPlausible reports whether a member could have these lengths, so that
// nothing larger than a forged file allows for is allocated.
func (m member) isPlausible() bool {
	return m.compressed >= smallestMember && m.text >= 0 && m.text <= maxMember && m.text <= maxRatio*m.compressed &&
		m.compressed <= 2*m.text+1024
}

// inflater reads members.
type inflater struct {
	compressed, text []byte
	source           bytes.Reader
	gzip             gzip.Reader
}

var errMember = errors.New("a member is not as long as the index says")

// inflate returns the text of the member at offset.
func (r *Reader) inflate(offset int64, m member) (string, error) {
	i := r.inflaters.Get().(*inflater)
	defer r.inflaters.Put(i)
	i.compressed = grown(i.compressed, m.compressed)
	if _, err := r.file.ReadAt(i.compressed, offset); err != nil {
		return "", err
	}
	i.source.Reset(i.compressed)
	if err := i.gzip.Reset(&i.source); err != nil {
		return "", err
	}
	// One byte more, so that the end is seen and the checksum compared.
	i.text = grown(i.text, m.text+1)
	n, err := io.ReadFull(&i.gzip, i.text)
	switch {
	case err == nil || err == io.ErrUnexpectedEOF && int64(n) != m.text || err == io.EOF && m.text > 0:
		return "", errMember
	case err != io.ErrUnexpectedEOF && err != io.EOF:
		return "", err
	}
	return string(i.text[:n]), nil
}

// grown returns a buffer of the given length, if possible the same.
func grown(buffer []byte, length int64) []byte {
	if int64(cap(buffer)) < length {
		return make([]byte, length)
	}
	return buffer[:length]
}

// inflateIndex returns the text of the index.
func inflateIndex(section io.Reader) (string, error) {
	compressed, err := gzip.NewReader(section)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	n, err := io.Copy(&text, io.LimitReader(compressed, maxIndex+1))
	if n > maxIndex {
		err = errIndex
	}
	return text.String(), err
}
