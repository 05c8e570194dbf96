package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// A file is the text of a YAML file, read document by document.
type file struct {
	text    []byte
	quote   bool
	decoder *yaml.Decoder
}

// open checks that the text is text, and gets it ready for next.
func open(data []byte, quote bool) (*file, *Error) {
	if len(data) > MaxSize {
		return nil, &Error{Message: fmt.Sprintf("the file is larger than %d bytes", MaxSize)}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		bad := &Error{}
		switch {
		case r == utf8.RuneError && size == 1:
			bad.Message, bad.Hint = "the file is not UTF-8 text", "save it as UTF-8"
		case !allowed(r):
			bad.Message, bad.Hint = "control characters are not allowed", "remove it"
			if quote {
				bad.Message = fmt.Sprintf("the control character %U is not allowed", r)
			}
		default:
			i += size
			continue
		}
		bad.Line, bad.Column = place(data, i)
		return nil, bad
	}
	return &file{text: data, quote: quote, decoder: yaml.NewDecoder(bytes.NewReader(data))}, nil
}

// allowed tells the characters that YAML does, see
// https://yaml.org/spec/1.2.2/#51-character-set.
func allowed(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r', r == 0x85:
		return true
	case r < 0x20, r >= 0x7f && r < 0xa0, r == 0xfeff, r == 0xfffe, r == 0xffff:
		return false
	}
	return true
}

// next parses the next document, and gives nil after the last.
func (f *file) next() (*yaml.Node, *Error) {
	var document yaml.Node
	err := guarded(func() error { return f.decoder.Decode(&document) })
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, f.syntaxError(err)
	}
	return &document, nil
}

// end checks that no document follows the one that was read.
func (f *file) end() *Error {
	second, bad := f.next()
	if bad == nil && second != nil {
		bad = Errorf(second, "keep one, and remove the line of dashes", "a second document begins here")
	}
	return bad
}

// place gives the line and the column of a byte of the text, both from 1.
func place(text []byte, offset int) (line, column int) {
	line, column = 1, 1
	for i := 0; i < offset; {
		r, size := utf8.DecodeRune(text[i:])
		i += size
		switch {
		case r == '\r' && i < len(text) && text[i] == '\n':
			// The line feed ends the line.
		case r == '\n', r == '\r':
			line, column = line+1, 1
		default:
			column++
		}
	}
	return line, column
}
