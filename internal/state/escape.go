package state

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

const hexDigits = "0123456789ABCDEF"

// appendEscaped appends s with all that would break a line or a terminal, and
// with what is not UTF-8, percent-encoded.
func appendEscaped(line []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		length := 1
		if c := s[i]; c < utf8.RuneSelf {
			if c >= ' ' && c != '%' && c != 0x7f {
				i++
				continue
			}
		} else {
			var r rune
			r, length = utf8.DecodeRuneInString(s[i:])
			if length > 1 && !unicode.IsControl(r) {
				i += length
				continue
			}
		}
		line = append(line, s[start:i]...)
		for range length {
			line = append(line, '%', hexDigits[s[i]>>4], hexDigits[s[i]&15])
			i++
		}
		start = i
	}
	return append(line, s[start:]...)
}

var errEscape = errors.New("a percent sign is not followed by two hexadecimal digits")

// unescape undoes appendEscaped. It allocates only if there is something to undo.
func unescape(s string) (string, error) {
	at := strings.IndexByte(s, '%')
	if at < 0 {
		return s, nil
	}
	plain := append(make([]byte, 0, len(s)), s[:at]...)
	for i := at; i < len(s); i++ {
		if s[i] != '%' {
			plain = append(plain, s[i])
			continue
		}
		if len(s)-i < 3 {
			return "", errEscape
		}
		high, low := strings.IndexByte(hexDigits, s[i+1]), strings.IndexByte(hexDigits, s[i+2])
		if high < 0 || low < 0 {
			return "", errEscape
		}
		plain = append(plain, byte(high<<4|low))
		i += 2
	}
	return string(plain), nil
}
