package previous

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

const (
	// space is XML's white space.
	space = " \t\r\n"
	// maxMarkup is the length in bytes of the longest tag, comment or CDATA
	// section, and of the longest text that is kept.
	maxMarkup = 1 << 20
	// maxDepth is how many elements may stand in each other. Sitemaps with
	// extensions have about six.
	maxDepth = 100
)

// kind is what a piece of markup is.
type kind int

const (
	startTag kind = iota
	endTag
	comment
	endOfFile
)

// markup takes XML apart, as far as sitemaps need it: tags must match, and
// attributes are passed over. An element without content begins and ends.
//
// Package encoding/xml would do, but takes several times as long.
type markup struct {
	input *bufio.Reader

	name    []byte // of the element that begins or ends, as it is written
	content []byte // of the comment
	kept    bool   // text is kept
	text    []byte // what was kept, with references resolved

	line, column       int    // of what comes next, from 1; columns are bytes
	tagLine, tagColumn int    // of the markup that was read last
	tag                []byte // what it holds between < and >

	open    []byte // names of the open elements, one after the other
	ends    []int  // of these names
	closing bool   // the element that began has no content
	leaving bool   // the element that ended is still counted
	rooted  bool   // the root element has begun
}

// newMarkup passes over a byte order mark.
func newMarkup(input *bufio.Reader) *markup {
	const mark = "\ufeff"
	if start, _ := input.Peek(len(mark)); string(start) == mark {
		input.Discard(len(mark))
	}
	return &markup{input: input, line: 1, column: 1}
}

// syntaxError says what is wrong at a place of a file.
type syntaxError struct {
	line, column int // from 1; columns are bytes
	problem      string
}

func (e *syntaxError) Error() string { return e.problem }

// fail returns an error at the markup that was read last.
func (m *markup) fail(format string, arguments ...any) error {
	return &syntaxError{m.tagLine, m.tagColumn, fmt.Sprintf(format, arguments...)}
}

// depth returns the number of elements that are open, counting the one that
// begins or ends.
func (m *markup) depth() int { return len(m.ends) }

// keepText has text kept from here on.
func (m *markup) keepText() { m.kept, m.text = true, m.text[:0] }

// keptText returns what was kept, without the white space around it, and has no
// more kept.
func (m *markup) keptText() []byte {
	m.kept = false
	return bytes.Trim(m.text, space)
}

// next reads up to the end of the next markup that is of interest. What it says
// is valid until the next call.
func (m *markup) next() (kind, error) {
	if m.leaving {
		m.leaving = false
		m.ends = m.ends[:len(m.ends)-1]
		m.open = m.open[:m.nameStart(len(m.ends))]
	}
	if m.closing {
		m.closing, m.leaving = false, true
		return endTag, nil
	}
	for {
		if more, err := m.passText(); !more || err != nil {
			return endOfFile, err
		}
		if err := m.readTag(); err != nil {
			return endOfFile, err
		}
		switch tag := m.tag; {
		case bytes.HasPrefix(tag, []byte(commentStart)):
			m.content = tag[len(commentStart) : len(tag)-len(commentEnd)]
			return comment, nil
		case bytes.HasPrefix(tag, []byte(sectionStart)):
			if err := m.addText(tag[len(sectionStart) : len(tag)-len(sectionEnd)]); err != nil {
				return endOfFile, err
			}
		case tag[0] == '?': // what is there for others
		case tag[0] == '!':
			if bytes.IndexByte(tag, '[') >= 0 {
				return endOfFile, m.fail("declares entities or elements, which is not taken")
			}
		case tag[0] == '/':
			return endTag, m.end(bytes.TrimRight(tag[1:], space))
		default:
			return startTag, m.begin(tag)
		}
	}
}

// The markup that is not a tag, between < and >.
const (
	commentStart, commentEnd         = "!--", "--"
	sectionStart, sectionEnd         = "![CDATA[", "]]"
	instructionStart, instructionEnd = "?", "?"
)

// begin takes the tag by which an element begins.
func (m *markup) begin(tag []byte) error {
	tag, m.closing = bytes.CutSuffix(tag, []byte("/"))
	name := tag
	if end := bytes.IndexAny(tag, space); end >= 0 {
		name = tag[:end]
	}
	switch {
	case len(name) == 0 || bytes.IndexAny(name[:1], "-.0123456789") == 0 || bytes.ContainsAny(name, "&;=\"'/!?") || bytes.IndexByte(tag, '<') >= 0:
		return m.fail("malformed XML: <%.40q is not a tag", m.tag)
	case m.depth() == 0 && m.rooted:
		return m.fail("malformed XML: <%.40s> begins a second root element", name)
	case m.depth() == maxDepth:
		return m.fail("more than %d elements stand in each other", maxDepth)
	}
	m.name, m.rooted = name, true
	m.open = append(m.open, name...)
	m.ends = append(m.ends, len(m.open))
	return nil
}

// end takes the tag by which an element ends.
func (m *markup) end(name []byte) error {
	depth := m.depth()
	if depth == 0 {
		return m.fail("malformed XML: </%.40q> ends no element", name)
	}
	if begun := m.open[m.nameStart(depth-1):]; !bytes.Equal(begun, name) {
		return m.fail("malformed XML: %.40q ends where %.40q should", name, begun)
	}
	m.name, m.leaving = name, true
	return nil
}

// nameStart returns where the name of the element at a depth, from 0, begins.
func (m *markup) nameStart(depth int) int {
	if depth == 0 {
		return 0
	}
	return m.ends[depth-1]
}

// passText reads up to the next <, and returns false at the end of the file.
func (m *markup) passText() (more bool, err error) {
	start := len(m.text)
	for {
		m.tagLine, m.tagColumn = m.line, m.column
		chunk, err := m.input.ReadSlice('<')
		m.advance(chunk)
		if err := m.addText(bytes.TrimSuffix(chunk, []byte("<"))); err != nil {
			return false, err
		}
		switch err {
		case nil:
			m.tagLine, m.tagColumn = m.line, m.column-1
			if m.kept {
				resolved, ok := resolve(m.text[start:])
				if !ok {
					return false, m.fail("malformed XML: the text before holds an & that is no reference")
				}
				m.text = m.text[:start+len(resolved)]
			}
			return true, nil
		case bufio.ErrBufferFull:
		case io.EOF:
			m.tagLine, m.tagColumn = m.line, m.column
			if depth := m.depth(); depth > 0 {
				return false, m.fail("malformed XML: the file ends before %.40q does", m.open[m.nameStart(depth-1):])
			}
			if !m.rooted {
				return false, m.fail("is not a sitemap: there is no root element")
			}
			return false, nil
		default:
			return false, err
		}
	}
}

// addText takes text as it is.
func (m *markup) addText(text []byte) error {
	if m.depth() == 0 && len(bytes.Trim(text, space)) > 0 {
		return m.fail("malformed XML: text outside of the root element")
	}
	if m.kept {
		if len(m.text)+len(text) > maxMarkup {
			return m.fail("a text is longer than %d bytes", maxMarkup)
		}
		m.text = append(m.text, text...)
	}
	return nil
}

// readTag reads what stands between a < and its >.
func (m *markup) readTag() error {
	m.tag = m.tag[:0]
	quote := byte(0) // that is open, or 0
	for {
		chunk, err := m.input.ReadSlice('>')
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			return err
		}
		m.advance(chunk)
		for _, b := range chunk {
			switch {
			case quote == 0 && (b == '"' || b == '\''):
				quote = b
			case quote == b:
				quote = 0
			}
		}
		m.tag = append(m.tag, chunk...)
		switch {
		case len(m.tag) > maxMarkup:
			return m.fail("markup is longer than %d bytes", maxMarkup)
		case err == io.EOF:
			return m.fail("malformed XML: the markup has no end")
		case err == nil && m.isWhole(quote):
			if m.tag = m.tag[:len(m.tag)-1]; len(m.tag) == 0 {
				return m.fail("malformed XML: <> is not a tag")
			}
			return nil
		}
	}
}

// isWhole reports whether the > that was read last ends the markup.
func (m *markup) isWhole(quote byte) bool {
	tag := m.tag[:len(m.tag)-1]
	for _, bounds := range [...]struct{ start, end string }{
		{commentStart, commentEnd}, {sectionStart, sectionEnd}, {instructionStart, instructionEnd},
	} {
		if bytes.HasPrefix(tag, []byte(bounds.start)) {
			return bytes.HasSuffix(tag[len(bounds.start):], []byte(bounds.end))
		}
	}
	return quote == 0
}

// advance counts lines and columns.
func (m *markup) advance(read []byte) {
	if last := bytes.LastIndexByte(read, '\n'); last >= 0 {
		m.line += bytes.Count(read, []byte("\n"))
		m.column = len(read) - last
		return
	}
	m.column += len(read)
}
