package head

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// charset is the encoding of a page.
//
// In all encodings but UTF-16 and ISO-2022-JP markup is ASCII, and an ASCII byte
// that is part of another character is never one that markup is made of. Pages
// in those are scanned as they are, and only values are decoded.
type charset struct {
	encoding   encoding.Encoding // nil if the page does not say
	decoder    *encoding.Decoder // of encoding, if not nil
	transcoded bool              // the page in memory is UTF-8, whatever it says

	// What the last label meant: most pages of a site say the same.
	lastLabel    string
	lastEncoding encoding.Encoding
	lastDecoder  *encoding.Decoder
}

func (c *charset) reset() {
	c.encoding, c.decoder, c.transcoded = nil, nil, false
}

// longestMark is the length of the longest beginning that tells an encoding.
const longestMark = len(utf8Mark)

const utf8Mark = "\xEF\xBB\xBF"

// sniff returns the encoding that the page has to be transcoded from, as its
// first bytes tell, or nil. A byte order mark settles the encoding, whatever the
// page says.
func (c *charset) sniff(data []byte) encoding.Encoding {
	switch {
	case bytes.HasPrefix(data, []byte(utf8Mark)):
		c.setTranscoded()
	case bytes.HasPrefix(data, []byte("\xFE\xFF")), bytes.HasPrefix(data, []byte("\x00<")):
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case bytes.HasPrefix(data, []byte("\xFF\xFE")), bytes.HasPrefix(data, []byte("<\x00")):
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	}
	return nil
}

// setTranscoded says that the page in memory is UTF-8.
func (c *charset) setTranscoded() {
	c.transcoded = true
	c.encoding, c.decoder = unicode.UTF8, unicode.UTF8.NewDecoder()
}

// markLength returns the length of the byte order mark that the page in memory
// begins with.
func (c *charset) markLength(data []byte) int {
	if bytes.HasPrefix(data, []byte(utf8Mark)) {
		return len(utf8Mark)
	}
	return 0
}

// find looks for the encoding in what the head says: in the first meta that
// names one that there is, or in the XML declaration, which in XHTML comes first.
func (c *charset) find(data []byte, claims []claim, xml bool) {
	if c.transcoded || xml && c.set(xmlLabel(data)) {
		return
	}
	for _, claim := range claims {
		if claim.kind != charsetClaim && claim.kind != contentTypeClaim {
			continue
		}
		label := data[claim.value.start:claim.value.end]
		if content(label)&special != 0 {
			label = unescape(label)
		}
		if claim.kind == contentTypeClaim {
			label = contentTypeLabel(trim(label))
		}
		if c.set(trim(label)) {
			return
		}
	}
	c.set(xmlLabel(data))
}

// set takes the encoding that a label means, and reports whether there is one.
func (c *charset) set(label []byte) bool {
	if len(label) == 0 {
		return false
	}
	if string(label) != c.lastLabel {
		c.lastLabel = string(label)
		c.lastEncoding, c.lastDecoder = lookupEncoding(c.lastLabel), nil
		if c.lastEncoding != nil {
			c.lastDecoder = c.lastEncoding.NewDecoder()
		}
	}
	c.encoding, c.decoder = c.lastEncoding, c.lastDecoder
	return c.encoding != nil
}

// lookupEncoding returns the encoding that a label in a page means, or nil. A
// page that can be read as far as its label is not UTF-16, no page is in an
// encoding that users make up, and the encodings that browsers refuse to decode
// count as unknown.
// https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding
func lookupEncoding(label string) encoding.Encoding {
	found, err := htmlindex.Get(label)
	if err != nil {
		return nil
	}
	switch name, _ := htmlindex.Name(found); name {
	case "utf-16le", "utf-16be":
		return unicode.UTF8
	case "x-user-defined":
		return charmap.Windows1252
	case "replacement":
		return nil
	}
	return found
}

// contentTypeLabel returns what stands behind charset= in a media type without
// white space around.
// https://html.spec.whatwg.org/multipage/urls-and-fetching.html#extracting-character-encodings-from-meta-elements
func contentTypeLabel(text []byte) []byte {
	const charsetWord = "charset"
	for i := 0; i+len(charsetWord) < len(text); i++ {
		if !equalFold(text[i:i+len(charsetWord)], charsetWord) {
			continue
		}
		rest := trim(text[i+len(charsetWord):])
		if len(rest) == 0 || rest[0] != '=' {
			continue
		}
		rest = trim(rest[1:])
		if len(rest) > 0 && (rest[0] == '"' || rest[0] == '\'') {
			end := bytes.IndexByte(rest[1:], rest[0])
			if end < 0 {
				return nil
			}
			return rest[1 : 1+end]
		}
		end := 0
		for end < len(rest) && rest[end] != ';' && !isSpace(rest[end]) {
			end++
		}
		return rest[:end]
	}
	return nil
}

// xmlLabel returns the encoding in the XML declaration that the page begins with.
// https://html.spec.whatwg.org/multipage/parsing.html#concept-get-xml-encoding-when-sniffing
func xmlLabel(data []byte) []byte {
	if !bytes.HasPrefix(data, []byte("<?xml")) {
		return nil
	}
	declaration, _, _ := bytes.Cut(data, closeAngle)
	_, rest, _ := bytes.Cut(declaration, []byte("encoding"))
	rest = trim(rest)
	if len(rest) == 0 || rest[0] != '=' {
		return nil
	}
	rest = trim(rest[1:])
	if len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
		return nil
	}
	end := bytes.IndexByte(rest[1:], rest[0])
	if end < 0 {
		return nil
	}
	return rest[1 : 1+end]
}

// text returns what a value in the page says: decoded, without character
// references, and without white space around. It is valid as long as raw is.
func (c *charset) text(raw []byte) []byte {
	found := content(raw)
	if found&high != 0 {
		raw = c.decode(raw)
	}
	if found&special != 0 {
		raw = unescape(raw)
	}
	return trim(raw)
}

// decode returns text as UTF-8. Where the page does not say its encoding, it is
// that if it can be, and windows-1252 if not.
func (c *charset) decode(raw []byte) []byte {
	if c.encoding == nil || c.encoding == unicode.UTF8 {
		if utf8.Valid(raw) {
			return raw
		}
	}
	decoder := c.decoder
	if decoder == nil {
		decoder = charmap.Windows1252.NewDecoder()
	}
	decoded, err := decoder.Bytes(raw)
	if err != nil { // which no decoder of these returns
		return bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	}
	return decoded
}
