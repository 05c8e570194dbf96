package head

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// privateByte plus a byte is a character that stands for a byte of which the
// meaning is not yet known.
const privateByte = 0x10FF00

// hideBytes replaces the bytes that are not ASCII.
func hideBytes(raw string) string {
	var hidden strings.Builder
	for _, b := range []byte(raw) {
		if b < utf8.RuneSelf {
			hidden.WriteByte(b)
		} else {
			hidden.WriteRune(privateByte + rune(b))
		}
	}
	return hidden.String()
}

// guess undoes hideBytes in a value: as UTF-8 if all of it is, else as
// windows-1252.
func guess(value string) string {
	asUTF8 := regexp.MustCompile(`[\x{10FF80}-\x{10FFFF}]+`).ReplaceAllStringFunc(value, func(run string) string {
		var raw []byte
		for _, r := range run {
			raw = append(raw, byte(r))
		}
		return string(raw)
	})
	if utf8.ValidString(asUTF8) {
		return asUTF8
	}
	return strings.Map(func(r rune) rune {
		if r >= privateByte {
			return charmap.Windows1252.DecodeByte(byte(r))
		}
		return r
	}, value)
}

func referenceLabel(data string) string {
	match := regexp.MustCompile(`^<\?xml[^>]*?encoding[ \t\n\f\r]*(?:=[ \t\n\f\r]*(?:"([^>"]*)"|'([^>']*)'))?`).FindStringSubmatch(data)
	if match == nil {
		return ""
	}
	return match[1] + match[2]
}

func referenceEncoding(label string) encoding.Encoding {
	found, err := htmlindex.Get(label)
	if err != nil {
		return nil
	}
	switch name, _ := htmlindex.Name(found); name {
	case "utf-16be", "utf-16le":
		return unicode.UTF8
	case "x-user-defined":
		return charmap.Windows1252
	case "replacement":
		return nil
	}
	return found
}

// referenceCharset returns the encoding that the page says it is in.
func referenceCharset(data string, head []referenceTag, xml bool) encoding.Encoding {
	fromXML := referenceEncoding(referenceLabel(data))
	if xml && fromXML != nil {
		return fromXML
	}
	inType := regexp.MustCompile(`(?i)charset[ \t\n\f\r]*=[ \t\n\f\r]*(?:"([^"]*)("?)|'([^']*)('?)|([^"'; \t\n\f\r][^; \t\n\f\r]*))`)
	for _, tag := range head {
		if tag.name != "meta" {
			continue
		}
		if found := referenceEncoding(strings.Trim(tag.values["charset"], htmlSpace)); found != nil {
			return found
		}
		if strings.EqualFold(strings.Trim(tag.values["http-equiv"], htmlSpace), "content-type") {
			match := inType.FindStringSubmatch(tag.values["content"])
			if match == nil || match[1] != "" && match[2] == "" || match[3] != "" && match[4] == "" {
				continue
			}
			if found := referenceEncoding(strings.Trim(match[1]+match[3]+match[5], htmlSpace)); found != nil {
				return found
			}
		}
	}
	return fromXML
}
