package strictyaml

import (
	"reflect"
	"strings"
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
		if d := distance(plain, plainKey(f.name)); d < least && d < len(plain) {
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

// distance counts the letters to insert, remove, change or swap with the next
// to get from a to b (optimal string alignment).
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	rows := make([][]int, len(from)+1)
	for i := range rows {
		rows[i] = make([]int, len(to)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(from); i++ {
		for j := 1; j <= len(to); j++ {
			change := rows[i-1][j-1]
			if from[i-1] != to[j-1] {
				change++
			}
			rows[i][j] = min(change, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(from)][len(to)]
}
