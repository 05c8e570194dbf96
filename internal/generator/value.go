package generator

import (
	"strconv"
	"strings"
)

// maxDepth bounds how deep values are nested, and maxValues how many a file has:
// past them a value counts as computed, and a file as one that cannot be read.
const (
	maxDepth  = 100
	maxValues = 100_000
)

// A Place is where in a project something was found.
type Place struct {
	// File is slash-separated and relative to the project's folder; empty for what
	// stands in no file, such as a generator's default.
	File string
	// Line counts from 1; 0 means the file as such.
	Line int
}

// String returns the place as FILE:LINE, FILE, or an empty string.
func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

// kind says what a value is.
type kind uint8

const (
	absent   kind = iota
	computed      // code, of which nothing is known
	text
	number
	truth // text is true or false
	nothing
	list
	table
	reference // to what text names
	call      // of what text names, with items as arguments
	function
)

// A value is a setting as a configuration file has it. A nil *value is absent, so that
// find can be asked of what is not there.
type value struct {
	kind   kind
	text   string
	items  []*value
	fields map[string]*value
	place  Place
	// unsure says that code may put another value in its place: it is what stands
	// behind ||, or what a spread that follows it may override.
	unsure bool
	// open says of a table that code puts fields into it that cannot be seen.
	open bool
	at   int // of a function, the index of its first token
}

// find returns what a path of keys leads to. Where a table on the way may have the key
// from code, the answer is computed, at the table's place.
func (v *value) find(keys ...string) *value {
	for _, key := range keys {
		switch {
		case v == nil:
			return nil
		case v.kind == table && v.fields[key] != nil:
			v = v.fields[key]
		case v.kind == table && v.open, v.kind == computed, v.kind == reference, v.kind == call:
			return &value{kind: computed, place: v.place}
		default:
			return nil
		}
	}
	return v
}

// is reports whether a value is of a kind.
func (v *value) is(k kind) bool { return v != nil && v.kind == k }

// isCode reports whether a value can be known only by running the project's code,
// which this package never does.
func (v *value) isCode() bool {
	return v != nil && (v.kind == computed || v.kind == reference || v.kind == call || v.kind == function)
}

// string returns a text, and "" for everything else.
func (v *value) string() string {
	if v.is(text) {
		return v.text
	}
	return ""
}

// isTrue reports whether a value is true.
func (v *value) isTrue() bool { return v.is(truth) && v.text == "true" }

// isFalse reports whether a value is false; one that is absent is not.
func (v *value) isFalse() bool { return v.is(truth) && v.text == "false" }

// has reports whether a list has a text, or is that text.
func (v *value) has(wanted string) bool {
	if v.is(list) {
		for _, item := range v.items {
			if item.string() == wanted {
				return true
			}
		}
	}
	return v.string() == wanted
}

// folded returns a value with all keys in lower case, as Hugo takes them.
func (v *value) folded() *value {
	if v == nil || v.kind != table {
		return v
	}
	other := *v
	other.fields = make(map[string]*value, len(v.fields))
	for key, field := range v.fields {
		other.fields[strings.ToLower(key)] = field.folded()
	}
	return &other
}

// itemsOf returns the items of a list.
func (v *value) itemsOf() []*value {
	if v.is(list) {
		return v.items
	}
	return nil
}

// placeOr returns where a value stands, or another place for one that is absent.
func (v *value) placeOr(other Place) Place {
	if v == nil {
		return other
	}
	return v.place
}
