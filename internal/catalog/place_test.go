package catalog

import (
	"slices"
	"strings"
	"testing"
)

func TestSharedFolderIsThatOfWholeNames(t *testing.T) {
	tests := []struct{ a, b, want string }{
		{"", "", ""}, {"", "a", ""}, {"a", "a", "a"}, {"a", "b", ""}, {"a", "ab", ""}, {"a", "a/b", "a"},
		{"a/b", "a/b/c/d", "a/b"}, {"a/b", "a/bc", "a"}, {"a/b/c", "a/bc", "a"}, {"a/bc/d", "a/bd/d", "a"},
		{"a/b/c/d", "a/b/x/d", "a/b"}, {"ab/c", "ac/c", ""}, {"a-b/c", "a/c", ""}, {"a/b", "a-", ""}, {"", "/a", ""},
		{"a", "a/", "a"}, {"a/", "a//b", "a/"}, {"\xff/\xff", "\xff/\xfe", "\xff"},
	}
	for _, test := range tests {
		for _, pair := range [][2]string{{test.a, test.b}, {test.b, test.a}} {
			if got := pair[0][:sharedFolder(pair[0], pair[1])]; got != test.want {
				t.Errorf("of %q and %q: %q, want %q", pair[0], pair[1], got, test.want)
			}
		}
	}
}

func TestWayBeginsNearTheLastChange(t *testing.T) {
	tree := New()
	tree.AddFolder("x/y")
	tree.AddFolder("a/b/c/d")
	changes := []struct {
		name   string
		change func()
	}{
		{"AddFolder", func() { tree.AddFolder("a/b/c/d") }},
		{"Patch", func() { tree.Patch("a/b/c/d", []string{"none"}, nil) }},
		{"RemoveFolder", func() {
			tree.AddFolder("a/b/c/d/e")
			tree.AddFolder("x")
			tree.RemoveFolder("a/b/c/d/e", nil)
		}},
	}
	tests := []struct{ dir, from string }{
		{"a/b/c/d", "a/b/c/d"}, {"a/b/c/d/e/f", "a/b/c/d"}, {"a/b/c", "a/b/c"}, {"a/b/c/e", "a/b/c"}, {"a/b/cd", "a/b"},
		{"a", "a"}, {"a-b", ""}, {"", ""}, {"x/y", ""},
	}
	for _, c := range changes {
		for _, test := range tests {
			tree.AddFolder("x") // elsewhere
			c.change()
			f, rest, more := tree.nearest(test.dir)
			if want := descend(tree, test.from); f != want {
				t.Errorf("after %s the way to %q does not begin at %q", c.name, test.dir, test.from)
			}
			want := strings.TrimPrefix(test.dir[len(test.from):], "/")
			if rest != want || more != (want != "") {
				t.Errorf("after %s the rest of the way to %q is %q, %v, want %q", c.name, test.dir, rest, more, want)
			}
		}
	}
}

// descend returns the folder at dir, found from the docroot down.
func descend(tree *Tree, dir string) *folder {
	f := tree.root
	if dir == "" {
		return f
	}
	for name := range strings.SplitSeq(dir, "/") {
		f = f.subfolder(name)
	}
	return f
}

func TestRemovedFolderIsNotFoundAgain(t *testing.T) {
	for _, removed := range []string{"a/b/c", "a/b", "a", ""} {
		tree := New()
		tree.Patch("a/b/c", nil, []File{listed("old", 0)})
		tree.RemoveFolder(removed, nil)
		if tree.HasFolder("a/b/c") {
			t.Errorf("without %q there still is a/b/c", removed)
		}
		tree.Patch("a/b/c", nil, []File{listed("new", 0)})
		if got, want := visitedPaths(tree, "", 0), []string{"a/b/c/new"}; !slices.Equal(got, want) {
			t.Errorf("without %q, and anew: %q, want %q", removed, got, want)
		}
	}
}
