package head

import "bytes"

// attribute is an attribute of which the value is wanted.
type attribute uint8

const (
	charsetAttribute attribute = iota
	contentAttribute
	hrefAttribute
	hreflangAttribute
	httpEquivAttribute
	itempropAttribute
	langAttribute
	mediaAttribute
	nameAttribute
	propertyAttribute
	relAttribute
	srcAttribute
	typeAttribute
	xmlLangAttribute
	attributeCount
)

// longestAttribute is the length of the longest name that lookupAttribute knows.
const longestAttribute = len("http-equiv")

// lookupAttribute returns the attribute of a name in lower case.
func lookupAttribute(name []byte) (attribute, bool) {
	switch string(name) {
	case "charset":
		return charsetAttribute, true
	case "content":
		return contentAttribute, true
	case "href":
		return hrefAttribute, true
	case "hreflang":
		return hreflangAttribute, true
	case "http-equiv":
		return httpEquivAttribute, true
	case "itemprop":
		return itempropAttribute, true
	case "lang":
		return langAttribute, true
	case "media":
		return mediaAttribute, true
	case "name":
		return nameAttribute, true
	case "property":
		return propertyAttribute, true
	case "rel":
		return relAttribute, true
	case "src":
		return srcAttribute, true
	case "type":
		return typeAttribute, true
	case "xml:lang":
		return xmlLangAttribute, true
	}
	return 0, false
}

// span is a run of bytes of the page, from start up to but not including end.
type span struct{ start, end int }

// tag is what a start tag says.
type tag struct {
	span
	present     uint32 // a bit for each attribute
	values      [attributeCount]span
	selfClosing bool
}

func (t *tag) has(a attribute) bool { return t.present&(1<<a) != 0 }

// add remembers the value of an attribute that is wanted. Of several of one
// name the first counts.
func (t *tag) add(name []byte, value span) {
	if len(name) > longestAttribute {
		return
	}
	var lower [longestAttribute]byte
	a, known := lookupAttribute(appendLower(lower[:0], name))
	if known && !t.has(a) {
		t.present |= 1 << a
		t.values[a] = value
	}
}

// class tells what a byte can end in a tag.
var class = func() (class [256]byte) {
	for _, b := range []byte(" \t\n\f\r") {
		class[b] = space | endsName | endsUnquoted
	}
	class['>'] = endsName | endsUnquoted
	class['/'] = endsName
	class['='] = endsName
	class[0] = blank
	for _, b := range []byte(" \t\n\f\r") {
		class[b] |= blank
	}
	return class
}()

const (
	space        = 1 << iota // HTML's ASCII white space
	blank                    // what may stand between the tags of a head
	endsName                 // of an attribute
	endsUnquoted             // the end of a value without quotes
)

func isSpace(b byte) bool { return class[b]&space != 0 }

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

// appendLower appends text with its ASCII letters in lower case.
func appendLower(dst, text []byte) []byte {
	for _, b := range text {
		if 'A' <= b && b <= 'Z' {
			b |= 0x20
		}
		dst = append(dst, b)
	}
	return dst
}

// readName reads the name of a tag that begins at i, and returns where it ends.
// That is -1 if the name is not whole: a longer page might go on with it.
func readName(data []byte, i int) (element, int) {
	start := i
	for i < len(data) && (class[data[i]]&endsName == 0 || data[i] == '=') {
		i++
	}
	if i == len(data) {
		return otherElement, -1
	}
	if i-start > longestElement {
		return otherElement, i
	}
	var lower [longestElement]byte
	return lookupElement(appendLower(lower[:0], data[start:i])), i
}

// readAttributes reads the rest of a tag from the end of its name, and returns
// where the tag ends, or -1 if it is not whole. The attributes are added to
// into, unless it is nil. It follows the states from "before attribute name" on.
// https://html.spec.whatwg.org/multipage/parsing.html#before-attribute-name-state
func readAttributes(data []byte, i int, into *tag) int {
	slash := -1
	for {
		for i < len(data) && isSpace(data[i]) {
			i++
		}
		if i == len(data) {
			return -1
		}
		if data[i] == '>' {
			if into != nil {
				into.selfClosing = slash >= 0 && slash == i-1
			}
			return i + 1
		}
		if data[i] == '/' {
			slash = i
			i++
			continue
		}
		start := i
		i++ // whatever it is: a name may begin with '='
		for i < len(data) && class[data[i]]&endsName == 0 {
			i++
		}
		name := data[start:i]
		for i < len(data) && isSpace(data[i]) {
			i++
		}
		if i == len(data) {
			return -1
		}
		var value span
		if data[i] == '=' {
			if value, i = readValue(data, i+1); i < 0 {
				return -1
			}
		}
		if into != nil {
			into.add(name, value)
		}
	}
}

// readValue reads the value of an attribute after its '=', and returns where
// what follows begins, or -1 if the value is not whole.
func readValue(data []byte, i int) (span, int) {
	for i < len(data) && isSpace(data[i]) {
		i++
	}
	if i == len(data) {
		return span{}, -1
	}
	start := i
	switch quote := data[i]; quote {
	case '>':
		return span{}, i
	case '"', '\'':
		start++
		length := bytes.IndexByte(data[start:], quote)
		if length < 0 {
			return span{}, -1
		}
		return span{start, start + length}, start + length + 1
	}
	for i < len(data) && class[data[i]]&endsUnquoted == 0 {
		i++
	}
	if i == len(data) {
		return span{}, -1
	}
	return span{start, i}, i
}
