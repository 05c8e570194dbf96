package previous

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// entities are those that need no declaration.
// https://www.w3.org/TR/xml/#sec-predefined-ent
var entities = map[string]byte{"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\''}

// resolve replaces references to characters and entities in a text by what they
// stand for, in place: that is never longer. It returns false if an & begins
// none.
func resolve(text []byte) ([]byte, bool) {
	reference := bytes.IndexByte(text, '&')
	if reference < 0 {
		return text, true
	}
	resolved, rest := text[:reference], text[reference:]
	for reference = 0; reference >= 0; reference = bytes.IndexByte(rest, '&') {
		resolved = append(resolved, rest[:reference]...)
		name, after, found := bytes.Cut(rest[reference+1:], []byte(";"))
		if !found {
			return nil, false
		}
		rest = after
		if number, isNumber := bytes.CutPrefix(name, []byte("#")); isNumber {
			character, ok := parseCharacter(string(number))
			if !ok {
				return nil, false
			}
			resolved = utf8.AppendRune(resolved, character)
			continue
		}
		character, known := entities[string(name)]
		if !known {
			return nil, false
		}
		resolved = append(resolved, character)
	}
	return append(resolved, rest...), true
}

// parseCharacter reads the number of a character, decimal or after an x
// hexadecimal.
func parseCharacter(number string) (rune, bool) {
	base := 10
	if digits, isHexadecimal := strings.CutPrefix(number, "x"); isHexadecimal {
		number, base = digits, 16
	}
	value, err := strconv.ParseUint(number, base, 31)
	character := rune(value)
	// https://www.w3.org/TR/xml/#charsets
	ok := err == nil && utf8.ValidRune(character) && (character >= ' ' || strings.ContainsRune(space, character))
	return character, ok
}
