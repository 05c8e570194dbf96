package mapper

// pathBytes are the bytes that stand for themselves in a segment of a path:
// RFC 3986's pchar, which is unreserved, sub-delims, ':' and '@'. All others
// are percent-encoded. https://www.rfc-editor.org/rfc/rfc3986#section-3.3
var pathBytes = byteSet("!$&'()*+,;=:@")

// queryBytes are the bytes that stand for themselves in a query.
var queryBytes = byteSet("!$&'()*+,;=:@/?")

func byteSet(others string) (set [256]bool) {
	for b := range 256 {
		set[b] = isUnreserved(byte(b))
	}
	for _, b := range []byte(others) {
		set[b] = true
	}
	return set
}

// isUnreserved reports whether a byte never needs to be percent-encoded.
func isUnreserved(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' ||
		b == '-' || b == '.' || b == '_' || b == '~'
}

const upperHex = "0123456789ABCDEF"

// appendEscaped appends one segment of a path, percent-encoded byte by byte.
func appendEscaped(dst []byte, segment string) []byte {
	plain := 0
	for plain < len(segment) && pathBytes[segment[plain]] {
		plain++
	}
	dst = append(dst, segment[:plain]...)
	for i := plain; i < len(segment); i++ {
		if b := segment[i]; pathBytes[b] {
			dst = append(dst, b)
		} else {
			dst = append(dst, '%', upperHex[b>>4], upperHex[b&15])
		}
	}
	return dst
}

// appendReescaped appends a path that people wrote: what should be
// percent-encoded becomes so, and what is stays so, except for characters that
// never need it: they mean the same either way, and one page must not be listed
// in two spellings. https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2.2
func appendReescaped(dst []byte, path string) []byte {
	return reescape(dst, path, &pathBytes, '/')
}

// appendReescapedQuery is appendReescaped for a query.
func appendReescapedQuery(dst []byte, query string) []byte {
	return reescape(dst, query, &queryBytes, '?')
}

func reescape(dst []byte, s string, plain *[256]bool, also byte) []byte {
	for i := 0; i < len(s); i++ {
		b := s[i]
		switch {
		case plain[b] || b == also:
			dst = append(dst, b)
		case b == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			if decoded := unhex(s[i+1])<<4 | unhex(s[i+2]); isUnreserved(decoded) {
				dst = append(dst, decoded)
			} else {
				dst = append(dst, '%', upperHex[decoded>>4], upperHex[decoded&15])
			}
			i += 2
		default:
			dst = append(dst, '%', upperHex[b>>4], upperHex[b&15])
		}
	}
	return dst
}

func isHex(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'f'
}

func unhex(b byte) byte {
	if b <= '9' {
		return b - '0'
	}
	return b | 0x20 - 'a' + 10
}
