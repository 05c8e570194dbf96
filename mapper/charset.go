package mapper

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
)

// lookupCharset returns the encoding of a name, nil for "bytes". The IANA's
// register comes first: to HTML, iso-8859-1 means windows-1252, but to a server
// that maps names to files it means itself.
func lookupCharset(name string) (encoding.Encoding, error) {
	if name == CharsetBytes {
		return nil, nil
	}
	found, err := ianaindex.IANA.Encoding(name)
	if err != nil || found == nil {
		found, err = htmlindex.Get(name)
	}
	problem := fmt.Sprintf("%q is not an encoding that can be used", name)
	const hint = "write bytes, utf-8, iso-8859-1, windows-1251 or another that the server decodes names by"
	if err != nil || found == encoding.Replacement { // which stands for charsets that are not safe to decode
		return nil, &ConfigError{"urls.charset", problem, hint}
	}
	// An encoding that does not keep ASCII as it is would break the slashes.
	if ascii, err := found.NewEncoder().String("az/.~-"); err != nil || ascii != "az/.~-" {
		return nil, &ConfigError{"urls.charset", problem, hint}
	}
	return found, nil
}

// DecodePath returns a path that is written in a charset, called as in
// [URLs.Charset], as it is on disk.
func DecodePath(path, charset string) (string, error) {
	found, err := lookupCharset(charset)
	if err != nil || found == nil {
		return path, err
	}
	return found.NewDecoder().String(path)
}

// transcoder turns names from UTF-8 into the server's charset.
type transcoder struct {
	encoder *encoding.Encoder
	decoder *encoding.Decoder
	isUTF8  bool
}

func newTranscoder(charset encoding.Encoding) *transcoder {
	if charset == nil {
		return nil
	}
	name, _ := ianaindex.IANA.Name(charset)
	return &transcoder{charset.NewEncoder(), charset.NewDecoder(), strings.EqualFold(name, "utf-8")}
}

// encode returns name in the charset, and false if it cannot be written in it:
// if it is not UTF-8, has characters that are not in the charset, or would not
// come back the same, so that two names might meet in one URL. A nil transcoder
// returns every name as it is.
func (t *transcoder) encode(name string) (string, bool) {
	if t == nil {
		return name, true
	}
	// Plain ASCII is the same in every charset that is taken; but for escape and
	// shift characters, which switch alphabets in some.
	plain := true
	for i := 0; i < len(name) && plain; i++ {
		plain = name[i] < utf8.RuneSelf && name[i] != 0x1B && name[i] != 0x0E && name[i] != 0x0F
	}
	if plain {
		return name, true
	}
	if !utf8.ValidString(name) {
		return "", false
	}
	if t.isUTF8 {
		return name, true
	}
	encoded, err := t.encoder.String(name)
	if err != nil {
		return "", false
	}
	decoded, err := t.decoder.String(encoded)
	return encoded, err == nil && decoded == name
}
