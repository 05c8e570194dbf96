package strictyaml

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Positions finds the places of a decoded document's values. A nil or zero
// Positions has no places, which suits a configuration without a file.
type Positions struct {
	file   string
	redact bool
	root   *yaml.Node // nil when the file is empty
	inner  bool       // the root is a part of its file, so its own place means something
}

// Error reports a mistake in the value at a path such as "output.max_urls",
// "include[1]" or "rules[2].priority": keys as the file writes them, and indexes
// from 0. The place is that of the value, or else of the nearest value that is
// present and surrounds it. For what a file does not set at all there is no
// place, but for a node of DecodeNode, which then is the place.
//
// Where Options forbid quoting, message and hint are replaced, as they may hold
// text of the file; see PlainError.
func (p *Positions) Error(path, message, hint string) *Error {
	if p != nil && p.redact {
		message, hint = path+" is not valid", ""
		if path == "" {
			message = "this value is not valid"
		}
	}
	return p.PlainError(path, message, hint)
}

// PlainError is Error for messages and hints that hold nothing from the file,
// such as "base_url is required". They are kept always.
func (p *Positions) PlainError(path, message, hint string) *Error {
	if p == nil {
		return &Error{Message: message, Hint: hint}
	}
	bad := Errorf(p.find(path), hint, "%s", message)
	bad.File = p.file
	return bad
}

// Sets reports whether the document has a value at a path.
func (p *Positions) Sets(path string) bool {
	if p == nil || p.root == nil {
		return false
	}
	node := content(p.root)
	for _, step := range steps(path) {
		if node = child(followed(node), step); node == nil {
			return false
		}
	}
	return true
}

// steps takes a path apart.
func steps(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' })
}

// find gives the innermost node on the path, or nil if it would be that of the
// whole file.
func (p *Positions) find(path string) *yaml.Node {
	var found *yaml.Node
	if p.root == nil {
		return nil
	}
	if p.inner {
		found = p.root
	}
	node := content(p.root)
	for _, step := range steps(path) {
		node = child(followed(node), step)
		if node == nil {
			break
		}
		found = node
	}
	return found
}

// child takes one step of a path: a key, or an index with its closing bracket.
func child(node *yaml.Node, step string) *yaml.Node {
	switch node.Kind {
	case yaml.SequenceNode:
		i, err := strconv.Atoi(strings.TrimSuffix(step, "]"))
		if err != nil || i < 0 || i >= len(node.Content) {
			return nil
		}
		return node.Content[i]
	case yaml.MappingNode:
		var found *yaml.Node
		eachEntry(node, func(key, value *yaml.Node) *Error {
			if key.Value == step {
				found = value
			}
			return nil
		})
		return found
	}
	return nil
}
