package strictyaml

import (
	"reflect"
	"strings"

	"sitewalk/internal/spelling"
)

// maxSuggested is the longest key, in bytes, for which a likeness is sought.
const maxSuggested = 64

// suggestion gives the hint for an unknown key: a key of the same struct that
// differs by case or dashes only, else a key that belongs at another level, else
// the nearest of the same struct. It is empty when nothing is near.
func suggestion(key string, known []field, root reflect.Type) string {
	plain := plainKey(key)
	if plain == "" || len(key) > maxSuggested {
		return ""
	}
	for _, f := range known {
		if plainKey(f.name) == plain {
			return "did you mean " + f.name + "?"
		}
	}
	for _, path := range pathsOf(root) {
		switch {
		case key == path.String() && path.parent != "":
			return "write " + path.name + " under " + path.parent
		case plain != plainKey(path.name) && plain != plainKey(path.String()):
		case path.parent == "":
			return "did you mean " + path.name + " at the top level?"
		default:
			return "did you mean " + path.String() + "?"
		}
	}
	nearest, least := "", max(1, len(plain)/3)+1
	for _, f := range known {
		if d := spelling.Distance(plain, plainKey(f.name)); d < least && d < len(plain) {
			nearest, least = f.name, d
		}
	}
	if nearest == "" {
		return ""
	}
	return "did you mean " + nearest + "?"
}

// plainKey drops what people mix up in keys: case, and how words are joined.
func plainKey(key string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(strings.ToLower(key))
}
