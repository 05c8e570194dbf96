package check

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// markup takes XML apart. Package encoding/xml does the work, but lets pass much that
// XML forbids; what it does is looked at again here, until libxml2 and this package
// refuse the same files (see agree_test.go).
type markup struct {
	input   *input
	decoder *xml.Decoder

	// What next has found.
	kind       kind
	space      string // namespace of the element
	local      string // and its name therein
	attributes []attribute
	text       []byte // of text or a comment, until the next call

	// line and column are where it begins, from 1; columns are bytes.
	line, column int

	begin    int64 // offset of what next found, or 0
	open     []openElement
	declared []binding // the prefixes in force, the innermost last
	rooted   bool      // the root element has begun
}

// kind is what a piece of markup is.
type kind int

const (
	startElement kind = iota
	endElement
	text
	comment
	endOfFile
)

// attribute is an attribute that declares no namespace.
type attribute struct {
	space, local, value string
}

// openElement is an element that has begun.
type openElement struct {
	name        xml.Name // the prefix and the name as they are written
	space       string   // the namespace
	bindingsEnd int      // number of prefixes in force outside
}

// binding is what a prefix stands for.
type binding struct{ prefix, namespace string }

func newMarkup(from io.Reader) *markup {
	m := &markup{input: newInput(from)}
	m.decoder = xml.NewDecoder(m.input)
	m.decoder.CharsetReader = func(name string, _ io.Reader) (io.Reader, error) {
		return nil, &charsetError{name}
	}
	return m
}

// The namespaces that need no declaration.
const (
	namespaceXML   = "http://www.w3.org/XML/1998/namespace"
	namespaceXMLNS = "http://www.w3.org/2000/xmlns/"
)

// charsetError says that a file declares another encoding than UTF-8.
type charsetError struct{ name string }

func (e *charsetError) Error() string {
	return fmt.Sprintf("declares the encoding %.40q, and must be UTF-8", e.name)
}

// malformedError says why a file is not well-formed XML.
type malformedError struct{ problem string }

func (e *malformedError) Error() string { return "is not well-formed XML: " + e.problem }

func malformed(format string, arguments ...any) error {
	return &malformedError{fmt.Sprintf(format, arguments...)}
}

// errDoctype is the error of a file with a document type declaration. What it
// declares is not expanded.
var errDoctype = errors.New("has a document type declaration (<!DOCTYPE), which no sitemap needs: it could declare entities, " +
	"which are not expanded here; remove it")

// depth returns the number of elements that are open, counting one that begins but
// not one that has ended.
func (m *markup) depth() int { return len(m.open) }

// offset returns where in the file the decoder is.
func (m *markup) offset() int64 { return m.decoder.InputOffset() }

// next reads the next piece of markup of interest. An error ends the file; line and
// column are where it was found.
func (m *markup) next() error {
	for {
		m.begin = m.offset()
		m.input.release(m.begin)
		m.line, m.column = m.decoder.InputPos()
		token, err := m.decoder.RawToken()
		if err != nil {
			if err == io.EOF {
				m.kind = endOfFile
				return m.atEnd()
			}
			m.line, m.column = m.decoder.InputPos()
			return m.failure(err)
		}
		found, err := m.take(token)
		if found || err != nil {
			return err
		}
	}
}

// failure returns what an error of the decoder's means.
func (m *markup) failure(err error) error {
	var syntax *xml.SyntaxError
	var charset *charsetError
	var read *readError
	var bound *boundError
	switch {
	case errors.As(err, &charset):
		return charset
	case errors.As(err, &syntax):
		return malformed("%s", syntax.Msg)
	case errors.Is(err, errNotUTF8), errors.Is(err, errCharacter), errors.As(err, &bound), errors.As(err, &read):
		return err
	}
	return malformed("%s", strings.TrimPrefix(err.Error(), "xml: "))
}

// atEnd checks that the file may end here.
func (m *markup) atEnd() error {
	switch depth := m.depth(); {
	case depth > 0:
		return malformed("the file ends before <%.40s> does", qualified(m.open[depth-1].name))
	case !m.rooted:
		return malformed("there is no root element")
	}
	return nil
}

// take takes a token of the decoder's, and reports whether it is of interest.
func (m *markup) take(token xml.Token) (found bool, err error) {
	switch token := token.(type) {
	case xml.StartElement:
		m.kind = startElement
		return true, m.start(token)
	case xml.EndElement:
		m.kind = endElement
		return true, m.end(token.Name)
	case xml.CharData:
		m.kind, m.text = text, token
		return m.depth() > 0, m.checkText(token)
	case xml.Comment:
		m.kind, m.text = comment, token
		return true, nil
	case xml.ProcInst:
		return false, m.checkInstruction(token)
	}
	if bytes.HasPrefix(m.spelled(), []byte("<!DOCTYPE")) {
		return false, errDoctype
	}
	return false, malformed("a declaration stands where none may")
}

// spelled returns the bytes of what was read last.
func (m *markup) spelled() []byte { return m.input.piece(m.begin, m.offset()) }

const whiteSpace = " \t\r\n"

// surrogate matches a reference to half a character, which the decoder takes for
// U+FFFD.
var surrogate = regexp.MustCompile(`&#(?:x0*[dD][89a-fA-F][0-9a-fA-F]{2}|0*5[5-7][0-9]{3});`)

// checkText holds text to what the decoder does not.
func (m *markup) checkText(content []byte) error {
	if m.depth() == 0 && len(bytes.Trim(m.spelled(), whiteSpace)) > 0 {
		return malformed("text stands outside of the root element")
	}
	return m.checkReferences(string(content))
}

// checkReferences refuses references to what is no character, which have become
// U+FFFD in the content.
func (m *markup) checkReferences(content string) error {
	if !strings.ContainsRune(content, '\uFFFD') {
		return nil
	}
	for _, reference := range surrogate.FindAll(m.spelled(), -1) {
		number, base := string(reference[2:len(reference)-1]), 10
		if number[0] == 'x' {
			number, base = number[1:], 16
		}
		if value, err := strconv.ParseUint(number, base, 32); err == nil && 0xD800 <= value && value <= 0xDFFF {
			return malformed("%s is no character", reference)
		}
	}
	return nil
}

// declaration is what may stand in <?xml … ?>.
// https://www.w3.org/TR/xml/#sec-prolog-dtd
var declaration = regexp.MustCompile(`^version\s*=\s*("1\.[0-9]+"|'1\.[0-9]+')` +
	`(\s+encoding\s*=\s*("[A-Za-z][A-Za-z0-9._-]*"|'[A-Za-z][A-Za-z0-9._-]*'))?` +
	`(\s+standalone\s*=\s*("(yes|no)"|'(yes|no)'))?\s*$`)

// checkInstruction holds a processing instruction, or the XML declaration, to what the
// decoder does not.
func (m *markup) checkInstruction(instruction xml.ProcInst) error {
	spelled := m.spelled()
	after := spelled[len("<?")+len(instruction.Target):]
	switch {
	case strings.IndexByte(whiteSpace, after[0]) < 0 && string(after) != "?>":
		return malformed("<?%.40s is followed by something other than white space", instruction.Target)
	case strings.Contains(instruction.Target, ":"):
		return malformed("the name of the instruction <?%.40s has a colon", instruction.Target)
	case instruction.Target == "xml" && m.begin == 0:
		if !declaration.Match(instruction.Inst) {
			return malformed("the XML declaration is not of the form <?xml version=\"1.0\" encoding=\"UTF-8\"?>")
		}
	case strings.EqualFold(instruction.Target, "xml"):
		return malformed("an XML declaration stands elsewhere than at the very beginning")
	}
	return nil
}

// start takes the beginning of an element.
func (m *markup) start(tag xml.StartElement) error {
	switch {
	case m.depth() == 0 && m.rooted:
		return malformed("<%.40s> begins a second root element", qualified(tag.Name))
	case m.depth() == maxDepth:
		return &boundError{fmt.Sprintf("has more than %d elements in each other", maxDepth)}
	}
	m.rooted = true
	element := openElement{name: tag.Name, bindingsEnd: len(m.declared)}
	m.attributes = m.attributes[:0]
	if len(tag.Attr) > 0 {
		if err := m.takeAttributes(tag.Attr); err != nil {
			return err
		}
	}
	var err error
	if element.space, err = m.namespace(tag.Name); err != nil {
		return err
	}
	m.open = append(m.open, element)
	m.space, m.local = element.space, tag.Name.Local
	return nil
}

// takeAttributes takes the attributes of an element that begins: first those that
// declare namespaces, which all others may need.
func (m *markup) takeAttributes(given []xml.Attr) error {
	if err := checkGaps(m.spelled()); err != nil {
		return err
	}
	written := make(map[xml.Name]bool, len(given))
	for _, a := range given {
		if written[a.Name] {
			return malformed("the attribute %.40s is there twice", qualified(a.Name))
		}
		written[a.Name] = true
		if err := m.checkReferences(a.Value); err != nil {
			return err
		}
		switch {
		case a.Name.Space == "xmlns":
			if err := m.declare(a.Name.Local, a.Value); err != nil {
				return err
			}
		case a.Name.Space == "" && a.Name.Local == "xmlns":
			if a.Value == namespaceXML || a.Value == namespaceXMLNS {
				return malformed("%s cannot be the default namespace", a.Value)
			}
			m.declared = append(m.declared, binding{"", a.Value})
		}
	}
	clear(written)
	for _, a := range given {
		if a.Name.Space == "xmlns" || a.Name.Space == "" && a.Name.Local == "xmlns" {
			continue
		}
		taken := attribute{"", a.Name.Local, a.Value}
		if a.Name.Space != "" || strings.Contains(a.Name.Local, ":") {
			space, err := m.namespace(a.Name)
			if err != nil {
				return err
			}
			taken.space = space
		}
		// Two prefixes may stand for one namespace.
		if name := (xml.Name{Space: taken.space, Local: taken.local}); written[name] {
			return malformed("the attribute %.40s is there twice", qualified(a.Name))
		} else {
			written[name] = true
		}
		m.attributes = append(m.attributes, taken)
	}
	return nil
}

// declare takes the declaration of a prefix.
// https://www.w3.org/TR/xml-names/#ns-decl
func (m *markup) declare(prefix, namespace string) error {
	switch {
	case prefix == "xml" && namespace == namespaceXML:
		return nil
	case prefix == "xml" || prefix == "xmlns" || namespace == namespaceXML || namespace == namespaceXMLNS:
		return malformed("xmlns:%.40s declares what XML keeps for itself", prefix)
	case namespace == "":
		return malformed("xmlns:%.40s is empty", prefix)
	}
	m.declared = append(m.declared, binding{prefix, namespace})
	return nil
}

// namespace returns the namespace of a name as it is written.
func (m *markup) namespace(name xml.Name) (string, error) {
	if strings.Contains(name.Local, ":") {
		return "", malformed("%.40q has a colon too many", qualified(name))
	}
	for i := len(m.declared) - 1; i >= 0; i-- {
		if m.declared[i].prefix == name.Space {
			return m.declared[i].namespace, nil
		}
	}
	switch name.Space {
	case "":
		return "", nil
	case "xml":
		return namespaceXML, nil
	}
	return "", malformed("the prefix of %.60s is not declared", qualified(name))
}

// checkGaps checks that white space parts the attributes of a tag, which the decoder
// does not.
func checkGaps(tag []byte) error {
	for {
		open := bytes.IndexAny(tag, `"'`)
		if open < 0 {
			return nil
		}
		length := bytes.IndexByte(tag[open+1:], tag[open])
		if length < 0 {
			return nil
		}
		tag = tag[open+1+length+1:]
		if len(tag) > 0 && strings.IndexByte(whiteSpace+"/>?", tag[0]) < 0 {
			return malformed("no space stands before the attribute that begins with %.20q", tag)
		}
	}
}

// end takes the end of an element.
func (m *markup) end(name xml.Name) error {
	depth := m.depth()
	if depth == 0 {
		return malformed("</%.40s> ends no element", qualified(name))
	}
	element := m.open[depth-1]
	if element.name != name {
		return malformed("</%.40s> stands where </%.40s> should", qualified(name), qualified(element.name))
	}
	m.open = m.open[:depth-1]
	m.declared = m.declared[:element.bindingsEnd]
	m.space, m.local = element.space, name.Local
	return nil
}

// qualified returns a name as it is written.
func qualified(name xml.Name) string {
	if name.Space == "" {
		return name.Local
	}
	return name.Space + ":" + name.Local
}
