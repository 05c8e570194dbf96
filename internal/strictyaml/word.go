package strictyaml

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// OneOf is for UnmarshalYAML methods of types that are one of several words: it
// sets value to the node's text if that is one of them, and reports a mistake
// that lists them otherwise. There must be at least two.
func OneOf(node *yaml.Node, value *string, words ...string) error {
	if node.Kind != yaml.ScalarNode || !slices.Contains(words, node.Value) {
		last := len(words) - 1
		return Errorf(node, "", "must be %s or %s", strings.Join(words[:last], ", "), words[last])
	}
	*value = node.Value
	return nil
}
