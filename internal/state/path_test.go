package state

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPathsAreInTheOrderOfTheWalk(t *testing.T) {
	ordered := [][2]string{
		{"", "!"}, {"", "a"}, {"a", "b"}, {"a/b", "c"}, {"a/b/c", "d"}, {"a/b!", "a"}, {"a", "b.html"}, {"a/c", "a"},
		{"a!", "a"}, {"a-b", "x"}, {"", "a-b.html"}, {"", "a.html"}, {"a.html", "a"}, {"", "ab"}, {"b", "a"}, {"", "b!"}, {"\xff", "\xff"},
	}
	for i, a := range ordered {
		for j, b := range ordered {
			want := min(max(i-j, -1), 1)
			if got := comparePaths(a[0], a[1], b[0], b[1]); got != want {
				t.Errorf("%q to %q: got %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestPathsCompareAsListsOfSegments(t *testing.T) {
	name := rapid.StringOfN(rapid.SampledFrom([]rune{'a', 'b', '!', '\x01', 'ü'}), 1, 3, -1)
	dirs := rapid.SliceOfN(name, 0, 3)
	rapid.Check(t, func(t *rapid.T) {
		a, b := dirs.Draw(t, "a"), dirs.Draw(t, "b")
		nameA, nameB := name.Draw(t, "name of a"), name.Draw(t, "name of b")
		got := comparePaths(strings.Join(a, "/"), nameA, strings.Join(b, "/"), nameB)
		if want := slices.Compare(append(a, nameA), append(b, nameB)); got != want {
			t.Fatalf("got %d, want %d", got, want)
		}
	})
}

func TestSearchFindsFromEveryHint(t *testing.T) {
	for n := range 20 {
		for want := -1; want < n; want++ {
			for hint := -2; hint < n+2; hint++ {
				if got := search(n, hint, func(i int) bool { return i <= want }); got != want {
					t.Fatalf("search(%d, %d) is %d, want %d", n, hint, got, want)
				}
			}
		}
	}
}
