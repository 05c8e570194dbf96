package check

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// input hands a file to the XML decoder byte by byte, and holds it to what the decoder
// does not: every byte, in comments too, is UTF-8 of characters that XML allows, and
// no piece of markup is longer than maxMarkup. It keeps the bytes of the piece that is
// being read, because the decoder does not tell how it was spelled.
type input struct {
	from   io.Reader
	buffer []byte
	start  int   // of the piece, in buffer
	next   int   // byte to hand out
	valid  int   // end of what may be handed out
	end    int   // of what was read
	offset int64 // of buffer[0] in the file
	err    error // what follows valid
	ended  error // what follows end
}

// The errors of an input, beside the file's own, which is a *readError.
var (
	errNotUTF8   = errors.New("is not UTF-8, which a sitemap must be")
	errCharacter = errors.New("holds a character that XML does not allow")
	errMarkup    = &boundError{fmt.Sprintf("has a tag, text or comment of more than %d bytes", maxMarkup)}
)

// boundError says that a file goes beyond what this package reads.
type boundError struct{ problem string }

func (e *boundError) Error() string { return e.problem + "; what follows was not read" }

// readError says that a file could not be read on.
type readError struct{ err error }

func (e *readError) Error() string { return e.err.Error() }
func (e *readError) Unwrap() error { return e.err }

const (
	chunk         = 64 << 10 // bytes asked for at a time
	byteOrderMark = "\ufeff"
)

// newInput passes over a byte-order mark.
func newInput(from io.Reader) *input {
	in := &input{from: from, buffer: make([]byte, chunk)}
	for in.valid < len(byteOrderMark) && in.err == nil {
		in.fill()
	}
	if in.valid >= len(byteOrderMark) && string(in.buffer[:len(byteOrderMark)]) == byteOrderMark {
		in.start, in.next = len(byteOrderMark), len(byteOrderMark)
		in.offset = -int64(len(byteOrderMark))
	}
	return in
}

// ReadByte implements io.ByteReader, which is all that the decoder uses.
func (in *input) ReadByte() (byte, error) {
	for in.next == in.valid {
		if in.err != nil {
			return 0, in.err
		}
		in.fill()
	}
	b := in.buffer[in.next]
	in.next++
	return b, nil
}

// Read implements io.Reader, which the decoder asks for.
func (in *input) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b, err := in.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = b
	return 1, nil
}

// piece returns the bytes from one offset to another, which must be within what was
// handed out since the last release.
func (in *input) piece(from, to int64) []byte {
	return in.buffer[from-in.offset : to-in.offset]
}

// release gives up what is before an offset.
func (in *input) release(offset int64) { in.start = int(offset - in.offset) }

// fill reads on and checks what it has read.
func (in *input) fill() {
	if in.start > 0 {
		copy(in.buffer, in.buffer[in.start:in.end])
		in.offset += int64(in.start)
		in.next, in.valid, in.end, in.start = in.next-in.start, in.valid-in.start, in.end-in.start, 0
	}
	if in.next > maxMarkup {
		in.err = errMarkup
		return
	}
	if in.end == len(in.buffer) {
		in.buffer = append(in.buffer, make([]byte, len(in.buffer))...)
	}
	var n int
	n, in.ended = in.from.Read(in.buffer[in.end:min(len(in.buffer), in.end+chunk)])
	in.end += n
	length, err := validate(in.buffer[in.valid:in.end])
	in.valid += length
	switch {
	case err != nil:
		in.err = err
	case in.ended == io.EOF && in.valid < in.end:
		in.err = errNotUTF8 // a character is cut in two
	case in.ended == io.EOF:
		in.err = io.EOF
	case in.ended != nil:
		in.err = &readError{in.ended}
	}
}

// validate returns how many bytes of text are whole characters that XML allows, and
// what is wrong with the next; a character whose end is missing is not wrong.
// https://www.w3.org/TR/xml/#charsets
func validate(text []byte) (int, error) {
	for i := 0; i < len(text); {
		b := text[i]
		if b >= ' ' && b < utf8.RuneSelf || b == '\n' || b == '\r' || b == '\t' {
			i++
			continue
		}
		if b < utf8.RuneSelf {
			return i, errCharacter
		}
		character, size := utf8.DecodeRune(text[i:])
		switch {
		case character == utf8.RuneError && size == 1 && !utf8.FullRune(text[i:]):
			return i, nil
		case character == utf8.RuneError && size == 1:
			return i, errNotUTF8
		case character == 0xFFFE || character == 0xFFFF:
			return i, errCharacter
		}
		i += size
	}
	return len(text), nil
}
