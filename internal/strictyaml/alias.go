package strictyaml

import "gopkg.in/yaml.v3"

// maxAliased is how many nodes the aliases of a document may add to it, each
// alias counted with all that it leads to. A few lines can otherwise make more
// than fits any memory; an honest file stays far below.
const maxAliased = 100_000

// An aliasMeter finds out how large a document is with every alias expanded,
// without expanding them.
type aliasMeter struct {
	quote bool
	sizes map[*yaml.Node]int // of nodes with an anchor; 0 while being measured
	added int                // by aliases so far
}

// checkAliases reports the first alias that leads back into itself or that
// makes the document too large. What passes can be followed without care.
func checkAliases(root *yaml.Node, quote bool) *Error {
	m := aliasMeter{quote: quote, sizes: make(map[*yaml.Node]int)}
	_, bad := m.size(root)
	return bad
}

func (m *aliasMeter) size(node *yaml.Node) (int, *Error) {
	if node.Kind == yaml.AliasNode {
		return m.aliasSize(node)
	}
	if node.Anchor != "" {
		m.sizes[node] = 0
	}
	total := 1
	for _, child := range node.Content {
		n, bad := m.size(child)
		if bad != nil {
			return 0, bad
		}
		total += n
	}
	if node.Anchor != "" {
		m.sizes[node] = total
	}
	return total, nil
}

func (m *aliasMeter) aliasSize(alias *yaml.Node) (int, *Error) {
	name := "the alias"
	if m.quote {
		name = "the alias " + quoted(alias.Value)
	}
	if alias.Alias == nil {
		return 0, Errorf(alias, "", "%s leads nowhere", name)
	}
	n, measured := m.sizes[alias.Alias]
	switch {
	case !measured:
		// The anchor lies outside the node that is being checked.
		m.sizes[alias.Alias] = 0
		var bad *Error
		if n, bad = m.size(alias.Alias); bad != nil {
			return 0, bad
		}
		m.sizes[alias.Alias] = n
	case n == 0:
		return 0, Errorf(alias, "", "%s stands inside the value that it stands for", name)
	}
	if m.added += n; m.added > maxAliased {
		return 0, Errorf(alias, "write values out instead", "aliases make the file too large")
	}
	return n + 1, nil
}
