package glob

import (
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"
)

// model is a pattern as doublestar sees it: the brace-free patterns that it
// stands for, found the plain way.
type model struct {
	whole    string
	expanded []string
	fold     bool
}

// newModel takes classes only as drawPattern writes them. A negated class gets
// a '/' more, as here no class matches one.
func newModel(pattern string, fold bool) model {
	if fold {
		pattern = strings.ToLower(pattern)
	}
	pattern = strings.NewReplacer("[!", "[!/", "[^", "[^/").Replace(pattern)
	return model{whole: pattern, expanded: expandPlainly(pattern), fold: fold}
}

func (m model) match(path string) bool {
	if m.fold {
		path = strings.ToLower(path)
	}
	for _, pattern := range m.expanded {
		if doublestar.MatchUnvalidated(pattern, path) {
			return true
		}
	}
	return false
}

// expandPlainly replaces the first brace by each of its alternatives and goes
// on with the results.
func expandPlainly(pattern string) []string {
	open, depth := -1, 0
	var cuts []int
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '[':
			for i++; pattern[i] != ']'; i++ {
				if pattern[i] == '\\' {
					i++
				}
			}
		case c == '{':
			if depth == 0 {
				open = i
			}
			depth++
		case c == ',' && depth == 1:
			cuts = append(cuts, i)
		case c == '}':
			if depth--; depth > 0 {
				continue
			}
			var all []string
			from := open + 1
			for _, cut := range append(cuts, i) {
				all = append(all, expandPlainly(pattern[:open]+pattern[from:cut]+pattern[i+1:])...)
				from = cut + 1
			}
			return all
		}
	}
	return []string{pattern}
}

var segmentTokens = []string{
	"a", "a", "b", "B", "*", "*", "**", "***", "?", "[ab]", "[!a]", "[^b]", "[a-b]", "[,*}]", `\a`, `\*`, "é", "\xff",
}

// drawPattern draws a pattern that is mostly valid.
func drawPattern(t *rapid.T, depth int) string {
	segments := make([]string, rapid.IntRange(1, 4-depth).Draw(t, "segments"))
	for i := range segments {
		if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
			segments[i] = "**"
			continue
		}
		for range rapid.IntRange(1, 3).Draw(t, "tokens") {
			if depth < 2 && rapid.IntRange(0, 4).Draw(t, "brace") == 0 {
				segments[i] += drawBrace(t, depth+1)
			} else {
				segments[i] += rapid.SampledFrom(segmentTokens).Draw(t, "token")
			}
		}
	}
	return strings.Join(segments, "/")
}

func drawBrace(t *rapid.T, depth int) string {
	alternatives := make([]string, rapid.IntRange(1, 3).Draw(t, "alternatives"))
	for i := range alternatives {
		switch rapid.IntRange(0, 5).Draw(t, "alternative") {
		case 0: // empty
		case 1:
			alternatives[i] = "/" + drawPattern(t, depth)
		case 2:
			alternatives[i] = drawPattern(t, depth) + "/"
		default:
			alternatives[i] = drawPattern(t, depth)
		}
	}
	return "{" + strings.Join(alternatives, ",") + "}"
}

// The tree in which patterns are tried: every folder holds these.
var (
	treeFiles   = []string{"a", "b", "ab", "bA", "aab", "*", ",", "éa", "\xfeb"}
	treeFolders = []string{"a", "bb", "*"}
)

const treeDepth = 3

// walkTree calls visit for every folder of the tree, docroot included, with a
// path that is "" or ends with a slash.
func walkTree(folder string, depth int, st *State, enter func(*State, string) *State, visit func(folder string, st *State)) {
	visit(folder, st)
	if depth == treeDepth {
		return
	}
	for _, name := range treeFolders {
		walkTree(folder+name+"/", depth+1, enter(st, name), enter, visit)
	}
}

func TestSetAgreesWithDoublestar(t *testing.T) {
	compiled, refused := 0, 0
	// rapid tries 100 sets a call, from simple to complex.
	for range 15 {
		rapid.Check(t, func(t *rapid.T) {
			c, r := checkSet(t)
			compiled += c
			refused += r
		})
	}
	if compiled < 1000 || refused > 2*compiled {
		t.Errorf("%d patterns compiled, %d refused: most say nothing", compiled, refused)
	}
}

// checkSet draws a Set, tries it on the whole tree and returns how many
// patterns it took and refused.
func checkSet(t *rapid.T) (compiled, refused int) {
	var entries []Entry
	var models []model
	for range rapid.IntRange(1, 4).Draw(t, "patterns") {
		text := drawPattern(t, 0)
		fold := rapid.IntRange(0, 3).Draw(t, "fold") == 0
		pattern, err := compile(text, fold)
		if err != nil {
			refused++
			continue
		}
		compiled++
		entries = append(entries, Entry{rapid.IntRange(0, 3).Draw(t, "id"), pattern})
		models = append(models, newModel(text, fold))
	}
	s := NewSet(entries...)
	var ids, want []int
	certain := make(map[int][]string) // folders below which an id matches everything
	var barren []string               // dead folders
	enter := func(st *State, name string) *State {
		next := s.Enter(st, name)
		if next != st && slices.Equal(next.live, st.live) && !st.Dead() {
			t.Fatalf("entering %q made an equal State", name)
		}
		return next
	}
	walkTree("", 0, s.Root(), enter, func(folder string, st *State) {
		for i := 1; i < len(st.live); i++ {
			if st.live[i-1] >= st.live[i] {
				t.Fatalf("%q: positions %v do not ascend", folder, st.live)
			}
		}
		if st.Dead() {
			barren = append(barren, folder)
		}
		for id := range 4 {
			if st.Everything(id) {
				certain[id] = append(certain[id], folder)
			}
		}
		uniform := st.AppendMatches(nil, treeFiles[0])
		for _, name := range treeFiles {
			path := folder + name
			want = want[:0]
			for i, m := range models {
				if m.match(path) {
					want = append(want, entries[i].ID)
				} else if !m.fold && doublestar.MatchUnvalidated(m.whole, path) {
					t.Fatalf("doublestar matches %q with %q, but with none of %q", path, m.whole, m.expanded)
				}
			}
			slices.Sort(want)
			want = slices.Compact(want)
			ids = st.AppendMatches(ids[:0], name)
			if !slices.Equal(ids, want) {
				t.Fatalf("%q: matched by ids %v, doublestar says %v; entries %v", path, ids, want, entries)
			}
			if got := st.Any(name); got != (len(want) > 0) {
				t.Fatalf("%q: Any is %v, ids are %v", path, got, want)
			}
			if st.Uniform() && !slices.Equal(ids, uniform) {
				t.Fatalf("%q: matched by ids %v, %q by %v, in a uniform folder", path, ids, treeFiles[0], uniform)
			}
			for _, f := range barren {
				if len(want) > 0 && strings.HasPrefix(path, f) {
					t.Fatalf("%q matches, but %q is dead", path, f)
				}
			}
			for id, folders := range certain {
				for _, f := range folders {
					if strings.HasPrefix(path, f) && !slices.Contains(want, id) {
						t.Fatalf("%q does not match id %d, but %q says everything does", path, id, f)
					}
				}
			}
		}
	})
	return compiled, refused
}

// MatchPath walks by itself, so it is held to the walk.
func TestMatchPathAgreesWithWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern, err := Compile(drawPattern(t, 0))
		if err != nil {
			return
		}
		s := NewSet(Entry{7, pattern})
		walkTree("", 0, s.Root(), s.Enter, func(folder string, st *State) {
			for _, name := range treeFiles {
				want := st.AppendMatches(nil, name)
				if got := s.AppendPathMatches(nil, folder+name); !slices.Equal(got, want) {
					t.Fatalf("%q: path matched by %v, walk by %v", folder+name, got, want)
				}
				if got := s.MatchPath(folder + name); got != (len(want) > 0) {
					t.Fatalf("%q: MatchPath is %v, walk says %v", folder+name, got, want)
				}
			}
		})
	})
}
