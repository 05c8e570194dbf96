package strictyaml

import (
	"errors"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"
)

// A decoder fills Go values from nodes whose aliases have been checked.
//
// A path, as its methods take it, names the value for messages: keys joined by
// dots, with [] for an entry of a list.
type decoder struct {
	quote  bool
	root   reflect.Type
	fields map[reflect.Type][]field
}

func newDecoder(root reflect.Type, opts Options) *decoder {
	return &decoder{opts.Quote, root, make(map[reflect.Type][]field)}
}

// document decodes a whole document or a node kept from one.
func (d *decoder) document(node *yaml.Node, v reflect.Value) *Error {
	if bad := checkAliases(node, d.quote); bad != nil {
		return bad
	}
	if node = content(node); isNull(node) {
		return nil
	}
	return d.value(node, v, "")
}

// content gives the node in a document's shell, or the node itself.
func content(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.DocumentNode && len(node.Content) == 1 {
		return node.Content[0]
	}
	return node
}

// value decodes a node that is not null.
func (d *decoder) value(node *yaml.Node, v reflect.Value, path string) *Error {
	if v.Type() == nodeType {
		v.Set(reflect.ValueOf(*node))
		return nil
	}
	node = followed(node)
	if u, ok := v.Addr().Interface().(yaml.Unmarshaler); ok {
		return d.custom(node, u, path)
	}
	switch v.Kind() {
	case reflect.Pointer:
		// A fresh one, since the default's may be shared.
		fresh := reflect.New(v.Type().Elem())
		if !v.IsNil() {
			fresh.Elem().Set(v.Elem())
		}
		if bad := d.value(node, fresh.Elem(), path); bad != nil {
			return bad
		}
		v.Set(fresh)
		return nil
	case reflect.Struct:
		return d.structure(node, v, path)
	case reflect.Slice:
		return d.list(node, v, path)
	default:
		return d.scalar(node, v, path)
	}
}

func (d *decoder) structure(node *yaml.Node, v reflect.Value, path string) *Error {
	if node.Kind != yaml.MappingNode {
		if path == "" {
			return Errorf(node, "write key: value", "keys with values are expected here")
		}
		return Errorf(node, "write its keys indented on the lines below it", "%s must have keys of its own", label(path))
	}
	if node.ShortTag() != "!!map" {
		return unknownTag(node)
	}
	fields, listed := d.fields[v.Type()]
	if !listed {
		fields = fieldsOf(v.Type())
		d.fields[v.Type()] = fields
	}
	var keys []string
	bad := eachEntry(node, func(key, value *yaml.Node) *Error {
		for _, f := range fields {
			if f.name != key.Value {
				continue
			}
			keys = append(keys, f.name)
			if isNull(value) {
				return needsValue(key, f.typ, joined(path, f.name))
			}
			return d.value(value, v.FieldByIndex(f.index), joined(path, f.name))
		}
		if !d.quote {
			return Errorf(key, "", "unknown key")
		}
		return Errorf(key, suggestion(key.Value, fields, d.root), "unknown key %s", quoted(key.Value))
	})
	if noter, ok := v.Addr().Interface().(KeyNoter); ok && bad == nil {
		noter.NoteKeys(keys)
	}
	return bad
}

func (d *decoder) list(node *yaml.Node, v reflect.Value, path string) *Error {
	if node.Kind != yaml.SequenceNode {
		return Errorf(node, "put entries in brackets, or on lines that begin with a dash", "%s must be a list", label(path))
	}
	if node.ShortTag() != "!!seq" {
		return unknownTag(node)
	}
	path += "[]"
	entries := reflect.MakeSlice(v.Type(), len(node.Content), len(node.Content))
	for i, entry := range node.Content {
		if isNull(entry) {
			return needsValue(entry, entries.Index(i).Type(), path)
		}
		if bad := d.value(entry, entries.Index(i), path); bad != nil {
			return bad
		}
	}
	v.Set(entries)
	return nil
}

// custom lets a type decode itself, and sees to it that its error has a place
// and says no more than it may.
func (d *decoder) custom(node *yaml.Node, u yaml.Unmarshaler, path string) *Error {
	err := guarded(func() error { return u.UnmarshalYAML(node) })
	if err == nil {
		return nil
	}
	bad := *Errorf(node, "", "%s is not valid", label(path))
	var own *Error
	var mistyped *yaml.TypeError
	switch {
	case errors.As(err, &own):
		if own == nil {
			return nil
		}
		bad.Message, bad.Hint = own.Message, own.Hint
		if strings.HasPrefix(own.Message, "must ") {
			bad.Message = label(path) + " " + own.Message
		}
		if own.Line > 0 {
			bad.Line, bad.Column = own.Line, own.Column
		}
	case errors.As(err, &mistyped), errors.Is(err, errPanic):
		// Their words are about Go and YAML, not about the file.
	default:
		bad.Message += ": " + strings.TrimPrefix(err.Error(), "yaml: ")
	}
	if !d.quote {
		bad.Message, bad.Hint = label(path)+" is not valid", ""
	}
	return &bad
}

func isNull(node *yaml.Node) bool {
	node = followed(node)
	return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null"
}

// needsValue reports a null at the key that has it, or at the entry.
func needsValue(node *yaml.Node, t reflect.Type, path string) *Error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	hint := "remove it to keep the default"
	switch {
	case strings.HasSuffix(path, "[]"):
		hint = "remove the entry"
	case t.Kind() == reflect.Slice:
		hint = "write [] for an empty list"
	case t.Kind() == reflect.String && !opaque(t):
		hint = `write "" for empty text`
	}
	return Errorf(node, hint, "%s needs a value", label(path))
}

func unknownTag(node *yaml.Node) *Error {
	return Errorf(node, "remove it, or put text that begins with ! in quotes", "the tag is not understood")
}

// label names the value at a path for people.
func label(path string) string {
	list, entry := strings.CutSuffix(path, "[]")
	list = strings.ReplaceAll(list, "[]", "")
	switch {
	case entry && list == "":
		return "an entry"
	case entry:
		return "an entry of " + list
	case list == "":
		return "this value"
	}
	return strings.TrimPrefix(list, ".")
}
