package generator

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"

	"gopkg.in/yaml.v3"
)

// errTooComplex is why a file of more than maxValues values is not read.
var errTooComplex = errors.New("holds too much for a configuration")

// parse reads a configuration in the format that its name says.
func parse(name string, data []byte) (*value, error) {
	switch path.Ext(name) {
	case ".toml":
		return parseTOML(name, data)
	case ".yaml", ".yml":
		return parseYAML(name, data)
	case ".json":
		if !json.Valid(data) {
			return nil, errors.New("is no valid JSON")
		}
	}
	// JSON is what JavaScript's literals are, and .jsonc is that with comments.
	module, err := parseModule(name, data)
	if err != nil {
		return nil, err
	}
	literal, _ := module.expression(0, 0)
	return literal, nil
}

// parseYAML reads the first document of YAML, with whatever tags.
func parseYAML(name string, data []byte) (root *value, err error) {
	defer func() {
		if recover() != nil { // yaml.v3 has panicked on hostile documents before
			root, err = nil, errors.New("is no valid YAML")
		}
	}()
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("is no valid YAML: %w", err)
	}
	if len(document.Content) == 0 {
		return &value{kind: table, place: Place{name, 0}}, nil
	}
	left := maxValues
	root = fromYAML(name, document.Content[0], 0, &left)
	if left < 0 {
		return nil, errTooComplex
	}
	return root, nil
}

// fromYAML returns a node as a value. Aliases are followed as often as left, the
// number of values that are still allowed, lets them.
func fromYAML(name string, node *yaml.Node, depth int, left *int) *value {
	v := &value{kind: computed, place: Place{name, node.Line}}
	if *left--; *left < 0 || depth > maxDepth {
		return v
	}
	switch node.Kind {
	case yaml.AliasNode:
		return fromYAML(name, node.Alias, depth+1, left)
	case yaml.MappingNode:
		v.kind, v.fields = table, map[string]*value{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			key, field := node.Content[i], node.Content[i+1]
			if key.ShortTag() == "!!merge" {
				v.open = true
				continue
			}
			v.fields[key.Value] = fromYAML(name, field, depth+1, left)
			// What a key says begins in its own line, also if it is a long text.
			v.fields[key.Value].place = Place{name, key.Line}
		}
	case yaml.SequenceNode:
		v.kind = list
		for _, item := range node.Content {
			v.items = append(v.items, fromYAML(name, item, depth+1, left))
		}
		if node.Tag == "!ENV" && len(v.items) > 0 {
			// MkDocs: variables of the environment, and last what stands in for them.
			*v = *v.items[len(v.items)-1]
			v.unsure = true
		}
	case yaml.ScalarNode:
		scalarYAML(node, v)
	}
	return v
}

func scalarYAML(node *yaml.Node, v *value) {
	v.text = node.Value
	switch node.ShortTag() {
	case "!!str":
		v.kind = text
	case "!!bool":
		v.kind, v.text = truth, "false"
		var is bool
		if node.Decode(&is) == nil && is {
			v.text = "true"
		}
	case "!!int", "!!float", "!!timestamp":
		v.kind = number
	case "!!null":
		v.kind = nothing
	}
}
