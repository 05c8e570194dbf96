package htmlreport

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitewalk/scanner"
)

func treeOf(files ...File) *branch {
	t := newFolderTree()
	for i := range files {
		t.add(&files[i])
	}
	return t.tree()
}

// describe returns a tree as a line a folder.
func describe(b *branch, indent string) string {
	text := fmt.Sprintf("%s%s %d+%d own %d+%d more %d: %d+%d %s\n", indent, b.Name, b.Pages, b.Left, b.OwnPages, b.OwnLeft, b.More, b.MorePages, b.MoreLeft, b.Verdict)
	for _, child := range b.Branches {
		text += describe(child, indent+" ")
	}
	return text
}

func TestFoldersCountWhatIsBelowThem(t *testing.T) {
	got := describe(treeOf(
		listed("a.html"), listed("b/c/d/x.html"), leftOut("b/c/y.css", scanner.NotIncluded, ""), leftOut("b/e/", scanner.Excluded, ""),
		listed("f/x.html"), listed("f/y.html"), listed("f/z.html"), leftOut("g.css", scanner.NotIncluded, ""),
	), "")
	want := ` 5+3 own 1+1 more 0: 0+0 
 b/ 1+2 own 0+0 more 0: 0+0 
  c/ 1+1 own 0+1 more 0: 0+0 
   d/ 1+0 own 1+0 more 0: 0+0 
  e/ 0+1 own 0+0 more 0: 0+0 excluded
 f/ 3+0 own 3+0 more 0: 0+0 
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestOnlyTheLargestFoldersAreShown(t *testing.T) {
	var files []File
	for i := range 3 * maxBreadth {
		for j := range i%5 + 1 {
			files = append(files, listed(fmt.Sprintf("f%03d/%d.html", i, j)))
		}
	}
	tree := treeOf(files...)
	if len(tree.Branches) != maxBreadth || tree.More != 2*maxBreadth {
		t.Fatalf("%d folders are shown and %d not", len(tree.Branches), tree.More)
	}
	if first, last := tree.Branches[0], tree.Branches[maxBreadth-1]; first.Name != "f004/" || first.Pages != 5 || last.Pages != 4 {
		t.Errorf("the first is %s of %d, the last of %d", first.Name, first.Pages, last.Pages)
	}
	deep := treeOf(listed(strings.Repeat("d/", 3*maxDepth) + "x.html"))
	depth := 0
	for ; len(deep.Branches) > 0; deep = deep.Branches[0] {
		depth++
	}
	if depth != maxDepth || deep.More != 1 || deep.MorePages != 1 {
		t.Errorf("the deepest of %d has %+v", depth, deep)
	}
}

// walkOf returns files in folders that are made up, in the order of a walk.
func walkOf(t *rapid.T, path string, depth int) []File {
	var files []File
	for i := range rapid.IntRange(0, 12).Draw(t, "names") {
		name := fmt.Sprintf("%s%02d", path, i)
		switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
		case kind == 0:
			files = append(files, leftOut(name+"/", scanner.Hidden, ""))
		case kind == 1:
			files = append(files, leftOut(name, scanner.NoIndex, ""))
		case kind < 4 && depth < 4:
			files = append(files, walkOf(t, name+"/", depth+1)...)
		default:
			files = append(files, listed(name))
		}
	}
	return files
}

func TestCountsOfFoldersSumUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := walkOf(t, "", 0)
		tree := treeOf(files...)
		if tree.Pages+tree.Left != int64(len(files)) {
			t.Fatalf("%d files are counted as %d and %d", len(files), tree.Pages, tree.Left)
		}
		shown := 0
		var check func(*branch)
		check = func(b *branch) {
			shown++
			pages, left := b.OwnPages+b.MorePages, b.OwnLeft+b.MoreLeft
			for i, child := range b.Branches {
				if i > 0 && child.Pages+child.Left > b.Branches[i-1].Pages+b.Branches[i-1].Left {
					t.Fatalf("%s is larger than the one before", child.Name)
				}
				pages, left = pages+child.Pages, left+child.Left
				check(child)
			}
			if b.Verdict == "" && (pages != b.Pages || left != b.Left) || b.More < 0 || b.MorePages < 0 || b.MoreLeft < 0 {
				t.Fatalf("%+v does not sum up", b)
			}
		}
		check(tree)
		if shown > maxFolders+1 {
			t.Fatalf("%d folders are shown", shown)
		}
	})
}
