package head

import (
	"bytes"

	"golang.org/x/net/html"
)

// contents tells what a text holds.
type contents uint8

const (
	special contents = 1 << iota // a byte that does not always stand for itself
	high                         // a byte that is not ASCII
)

// contentClass tells it of every byte. NUL and CR are special because a
// tokenizer replaces them.
var contentClass = func() (class [256]contents) {
	for b := range class {
		if b >= 0x80 {
			class[b] = high
		}
	}
	class['&'], class[0], class['\r'] = special, special, special
	return class
}()

func content(text []byte) (found contents) {
	for _, b := range text {
		found |= contentClass[b]
	}
	return found
}

// trim removes HTML's white space around text.
func trim(text []byte) []byte {
	for len(text) > 0 && isSpace(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && isSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

// unescape returns the value that an attribute has if text stands between its
// quotes. It costs more than all the rest of a head, but few values need it,
// and character references have too many rules to know them twice.
func unescape(text []byte) []byte {
	tag := append(make([]byte, 0, len(text)+16), `<a b="`...)
	tag = append(tag, bytes.ReplaceAll(text, []byte(`"`), []byte("&quot;"))...)
	tag = append(tag, `">`...)
	tokenizer := html.NewTokenizer(bytes.NewReader(tag))
	tokenizer.Next()
	_, value, _ := tokenizer.TagAttr()
	return value
}

// memo remembers a text, as most pages of a site say the same.
type memo string

// of returns text as a string, the one that it returned before if it is the same.
func (m *memo) of(text []byte) string {
	if string(text) != string(*m) {
		*m = memo(text)
	}
	return string(*m)
}
