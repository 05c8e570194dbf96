package generator

import (
	"bytes"
	"fmt"

	"github.com/pelletier/go-toml/v2/unstable"
)

// A tomlReader reads TOML with the library's parser rather than with its decoder, which
// does not say in which lines values stand.
type tomlReader struct {
	name   string
	parser unstable.Parser
	left   int // values that are still allowed
	// offset and line are of the key that was seen last. Keys come in the order of the
	// file, so that each line is counted once.
	offset, line int
}

// parseTOML reads TOML. Of lists of tables ([[table]]) nothing is kept: no generator's
// settings that matter here stand in them.
func parseTOML(name string, data []byte) (*value, error) {
	r := &tomlReader{name: name, left: maxValues, line: 1}
	r.parser.Reset(data)
	root := r.newTable()
	at := root
	for r.parser.NextExpression() {
		expression := r.parser.Expression()
		switch expression.Kind {
		case unstable.Table:
			at = root
			for key := expression.Key(); key.Next(); {
				at = r.inner(at, string(key.Node().Data))
			}
		case unstable.ArrayTable:
			at = r.newTable()
		case unstable.KeyValue:
			r.keyValue(at, expression, 0)
		}
		if r.left < 0 {
			return nil, errTooComplex
		}
	}
	if err := r.parser.Error(); err != nil {
		return nil, fmt.Errorf("is no valid TOML: %w", err)
	}
	return root, nil
}

func (r *tomlReader) newTable() *value {
	r.left--
	return &value{kind: table, fields: map[string]*value{}, place: Place{r.name, r.line}}
}

// inner returns the table that a key of another names, and makes it if there is none.
func (r *tomlReader) inner(at *value, key string) *value {
	if r.left < 0 {
		return at
	}
	if next := at.fields[key]; next.is(table) {
		return next
	}
	next := r.newTable()
	at.fields[key] = next
	return next
}

// keyValue adds to a table what one KEY = VALUE says, with a key that may be dotted.
func (r *tomlReader) keyValue(at *value, node *unstable.Node, depth int) {
	key := node.Key()
	key.Next()
	r.count(int(key.Node().Raw.Offset))
	last := string(key.Node().Data)
	for key.Next() {
		at = r.inner(at, last)
		last = string(key.Node().Data)
	}
	at.fields[last] = r.value(node.Value(), depth+1)
}

// count moves line on to where an offset is.
func (r *tomlReader) count(offset int) {
	if offset > r.offset {
		r.line += bytes.Count(r.parser.Data()[r.offset:offset], []byte("\n"))
		r.offset = offset
	}
}

// value returns a node as a value, at the place of its key.
func (r *tomlReader) value(node *unstable.Node, depth int) *value {
	v := &value{kind: computed, place: Place{r.name, r.line}}
	if r.left--; r.left < 0 || depth > maxDepth {
		return v
	}
	switch node.Kind {
	case unstable.String:
		v.kind, v.text = text, string(node.Data)
	case unstable.Bool:
		v.kind, v.text = truth, string(node.Data)
	case unstable.Array:
		v.kind = list
		for item := node.Children(); item.Next(); {
			v.items = append(v.items, r.value(item.Node(), depth+1))
		}
	case unstable.InlineTable:
		v.kind, v.fields = table, map[string]*value{}
		for field := node.Children(); field.Next(); {
			r.keyValue(v, field.Node(), depth+1)
		}
	default: // numbers and times
		v.kind, v.text = number, string(node.Data)
	}
	return v
}
