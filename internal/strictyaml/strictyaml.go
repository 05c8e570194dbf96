// Package strictyaml decodes one YAML document into Go structs, and reports
// the first mistake in it with its line, its column and, where one can be
// guessed, the way to mend it.
//
// Start at Decode. What it reads, beyond the struct's yaml tags: anchors,
// aliases and merge keys, types with an UnmarshalYAML method (see Errorf), and
// fields of type yaml.Node, which are kept to be decoded later by DecodeNode.
//
// It is stricter than yaml.v3: unknown and duplicate keys, keys without a
// value, a second document, yes for true, 010 for 8 or 10, durations without a
// unit and tags that are not YAML's own are all mistakes. So an anchor must be
// set on the value of a known key; there are no keys to keep anchors in. It does
// not decode into maps, arrays or interfaces.
package strictyaml

import (
	"errors"
	"fmt"
	"reflect"

	"gopkg.in/yaml.v3"
)

// MaxSize is the largest file that Decode accepts, in bytes.
const MaxSize = 1 << 20

// Options says how mistakes are reported. The zero value names no file and
// quotes nothing.
type Options struct {
	// File is the name that errors carry.
	File string

	// Quote allows messages to quote the file's text. It must be false when
	// the file is a link, which may lead to somebody else's file: messages
	// then consist of the program's own words and of names of struct fields.
	Quote bool
}

// A KeyNoter is a struct that wants to know which of its keys the file sets, be it to
// the value that they have already. Once all of them are decoded, it is told their
// names, merged ones among them, each once.
type KeyNoter interface {
	NoteKeys(keys []string)
}

// Decode decodes a file's only document into a pointer to a struct that holds
// the defaults. Keys that are present override field by field at any depth;
// lists replace the default list whole, and [] gives an empty one that is not
// nil. A default behind a pointer or in a slice is never written through, so
// copies of a struct may share them. An empty file changes nothing.
//
// A mistake in the file is an *Error, and leaves the struct half filled.
// Without one, the Positions find the place of any value, for mistakes that
// only a later validation can see.
func Decode(data []byte, into any, opts Options) (*Positions, error) {
	target, err := targetOf(into)
	if err != nil {
		return nil, err
	}
	file, bad := open(data, opts.Quote)
	var root *yaml.Node
	if bad == nil {
		root, bad = file.next()
	}
	if bad == nil && root != nil {
		bad = newDecoder(target.Type(), opts).document(root, target)
	}
	if bad == nil {
		bad = file.end()
	}
	if bad != nil {
		bad.File = opts.File
		return nil, bad
	}
	return &Positions{file: opts.File, redact: !opts.Quote, root: root}, nil
}

// DecodeNode is Decode for a node that a field of type yaml.Node has kept.
// Positions are those in the file that the node came from. The target may
// point to anything that a struct's field may hold, so that an UnmarshalYAML
// method can hand it, say, a slice; a nil or zero node changes nothing.
func DecodeNode(node *yaml.Node, into any, opts Options) (*Positions, error) {
	target, err := targetOf(into)
	if err != nil {
		return nil, err
	}
	positions := &Positions{file: opts.File, redact: !opts.Quote}
	if node == nil || node.Kind == 0 {
		return positions, nil
	}
	if bad := newDecoder(target.Type(), opts).document(node, target); bad != nil {
		bad.File = opts.File
		return nil, bad
	}
	positions.root, positions.inner = node, true
	return positions, nil
}

func targetOf(into any) (reflect.Value, error) {
	pointer := reflect.ValueOf(into)
	if pointer.Kind() != reflect.Pointer || pointer.IsNil() {
		return reflect.Value{}, fmt.Errorf("strictyaml: %T is not a pointer to decode into", into)
	}
	return pointer.Elem(), nil
}

// errPanic stands for a panic of yaml.v3, which has some left on odd input, or
// of an UnmarshalYAML method.
var errPanic = errors.New("the YAML parser cannot read this")

// guarded runs f and turns its panic into errPanic.
func guarded(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errPanic
		}
	}()
	return f()
}
