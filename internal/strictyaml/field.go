package strictyaml

import (
	"reflect"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// A field is a key that a struct knows, inlined structs' keys among them.
type field struct {
	name  string
	index []int // for reflect.Value.FieldByIndex
	typ   reflect.Type
}

var (
	nodeType        = reflect.TypeFor[yaml.Node]()
	durationType    = reflect.TypeFor[time.Duration]()
	unmarshalerType = reflect.TypeFor[yaml.Unmarshaler]()
)

// fieldsOf lists a struct's keys in the order of declaration, by the rules of
// yaml.v3's tags.
func fieldsOf(structure reflect.Type) []field {
	var fields []field
	for i := range structure.NumField() {
		f := structure.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		inline := false
		for option := range strings.SplitSeq(options, ",") {
			inline = inline || option == "inline"
		}
		switch {
		case !f.IsExported() && !(f.Anonymous && inline), name == "-":
		case inline && f.Type.Kind() == reflect.Struct:
			for _, inner := range fieldsOf(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				fields = append(fields, inner)
			}
		default:
			if name == "" {
				name = strings.ToLower(f.Name)
			}
			fields = append(fields, field{name, f.Index, f.Type})
		}
	}
	return fields
}

// bare strips pointers and lists off a type.
func bare(t reflect.Type) reflect.Type {
	for !opaque(t) && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) {
		t = t.Elem()
	}
	return t
}

// opaque tells the types whose keys, if any, cannot be known from fields.
func opaque(t reflect.Type) bool {
	return t == nodeType || t.Implements(unmarshalerType) || reflect.PointerTo(t).Implements(unmarshalerType)
}

// A keyPath is where a struct nested in another has a key.
type keyPath struct {
	parent string // dotted, empty for the outermost struct
	name   string
}

func (p keyPath) String() string { return joined(p.parent, p.name) }

// pathsOf lists all keys that can occur below a type, level by level.
func pathsOf(root reflect.Type) []keyPath {
	type level struct {
		parent string
		typ    reflect.Type
	}
	var paths []keyPath
	seen := make(map[reflect.Type]bool)
	for levels := []level{{"", root}}; len(levels) > 0; levels = levels[1:] {
		t := bare(levels[0].typ)
		if t.Kind() != reflect.Struct || opaque(t) || seen[t] {
			continue
		}
		seen[t] = true
		for _, f := range fieldsOf(t) {
			path := keyPath{levels[0].parent, f.name}
			paths = append(paths, path)
			levels = append(levels, level{path.String(), f.typ})
		}
	}
	return paths
}

func joined(parent, name string) string {
	if parent == "" {
		return name
	}
	return parent + "." + name
}
