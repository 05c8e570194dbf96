package head

import "bytes"

// refreshTarget returns the URL in the content of a refresh, which may be empty,
// and whether it has one: one without only reloads the page.
// https://html.spec.whatwg.org/multipage/document-lifecycle.html#shared-declarative-refresh-steps
func refreshTarget(text []byte) (target []byte, ok bool) {
	rest := trim(text)
	afterSeconds := skipWhile(rest, isDigit)
	if len(afterSeconds) == len(rest) && (len(rest) == 0 || rest[0] != '.') {
		return nil, false
	}
	rest = skipWhile(afterSeconds, func(b byte) bool { return isDigit(b) || b == '.' })
	if len(rest) == 0 {
		return nil, false
	}
	if rest[0] != ';' && rest[0] != ',' && !isSpace(rest[0]) {
		return nil, false
	}
	rest = trim(rest)
	if len(rest) > 0 && (rest[0] == ';' || rest[0] == ',') {
		rest = trim(rest[1:])
	}
	if len(rest) == 0 {
		return nil, false
	}
	if rest[0]|0x20 == 'u' {
		if len(rest) < len("url") || !equalFold(rest[:len("url")], "url") {
			return rest, true
		}
		value := trim(rest[len("url"):])
		if len(value) == 0 || value[0] != '=' {
			return rest, true // the URL is one that begins with these letters
		}
		rest = trim(value[1:])
	}
	if len(rest) > 0 && (rest[0] == '"' || rest[0] == '\'') {
		rest, _, _ = bytes.Cut(rest[1:], rest[:1])
	}
	return trim(rest), true
}

func skipWhile(text []byte, is func(byte) bool) []byte {
	for len(text) > 0 && is(text[0]) {
		text = text[1:]
	}
	return text
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
