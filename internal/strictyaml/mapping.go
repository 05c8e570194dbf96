package strictyaml

import "gopkg.in/yaml.v3"

// eachEntry calls visit for the keys of a mapping and of those merged into it,
// in the order of the file: each key once, a mapping's own before merged ones,
// and among merged ones the first. It stops at the first error. Keys come with
// aliases followed, values as they are written.
func eachEntry(mapping *yaml.Node, visit func(key, value *yaml.Node) *Error) *Error {
	taken := make(map[string]bool) // what a merge may not set
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if key := followed(mapping.Content[i]); key.Kind == yaml.ScalarNode && !isMerge(key) {
			taken[key.Value] = true
		}
	}
	first := make(map[string]*yaml.Node)
	merged := false
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		written, value := mapping.Content[i], mapping.Content[i+1]
		key := followed(written)
		switch {
		case isMerge(key):
			if merged {
				return Errorf(written, "give one merge key a list", "a second merge key")
			}
			merged = true
			if bad := eachMerged(value, taken, visit); bad != nil {
				return bad
			}
			continue
		case key.Kind != yaml.ScalarNode:
			return Errorf(written, "", "a key must be text")
		case first[key.Value] != nil:
			// Without the key: it may be one that nobody knows.
			return Errorf(written, "remove one of the two", "this key is set twice, first in line %d", first[key.Value].Line)
		}
		first[key.Value] = written
		if bad := visit(key, value); bad != nil {
			return bad
		}
	}
	return nil
}

// eachMerged does eachEntry's work for the value of a merge key, and adds the
// keys that it has visited to taken.
func eachMerged(value *yaml.Node, taken map[string]bool, visit func(key, value *yaml.Node) *Error) *Error {
	sources := []*yaml.Node{value}
	if list := followed(value); list.Kind == yaml.SequenceNode {
		sources = list.Content
	}
	for _, source := range sources {
		mapping := followed(source)
		if mapping.Kind != yaml.MappingNode {
			return Errorf(source, "", "only keys with values can be merged")
		}
		bad := eachEntry(mapping, func(key, value *yaml.Node) *Error {
			if taken[key.Value] {
				return nil
			}
			taken[key.Value] = true
			return visit(key, value)
		})
		if bad != nil {
			return bad
		}
	}
	return nil
}

func isMerge(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.Value == "<<" && key.ShortTag() == "!!merge"
}

// followed gives the node that an alias stands for, or the node itself.
func followed(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode && node.Alias != nil {
		return node.Alias
	}
	return node
}
