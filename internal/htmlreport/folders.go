package htmlreport

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"

	"sitewalk/internal/display"
	"sitewalk/scanner"
)

const (
	// maxFolders is how many folders the page shows in all, maxBreadth how many of one
	// folder, and maxDepth how deep they may lie.
	maxFolders = 1000
	maxBreadth = 100
	maxDepth   = 8
)

// folder is what is counted of a folder of the docroot.
type folder struct {
	path              string          // ends in a slash; empty for the docroot
	depth             int             // 0 for the docroot
	pages, left       int64           // listed, and left out, in it and below
	ownPages, ownLeft int64           // of these, the files that are directly in it
	folders           int64           // directly in it
	verdict           scanner.Verdict // of one that was left out as a whole
}

func (f *folder) files() int64 { return f.pages + f.left }

// weight is what decides which folders are shown. That of a folder is more than that
// of any folder in it, so that those of the greatest weight are a tree. It falls with
// depth, or the folders of one large branch would take the place of all others.
func (f *folder) weight() float64 { return float64(f.files()) / float64(int64(1)<<(2*f.depth)) }

// folderTree counts files by folder. Of the folders that the walk has left it keeps
// only those of the greatest weight.
type folderTree struct {
	open []*folder // from the docroot to the folder of the last file
	kept folderHeap
}

func newFolderTree() folderTree { return folderTree{open: []*folder{{}}} }

func (t *folderTree) add(f *File) {
	name := strings.TrimSuffix(f.Path, "/")
	t.enter(f.Path[:strings.LastIndexByte(name, '/')+1])
	if len(name) < len(f.Path) {
		t.enter(f.Path)
		last := t.last()
		last.left, last.verdict = 1, f.Verdict
		t.leave()
		return
	}
	last := t.last()
	if f.Verdict == scanner.Listed {
		last.pages++
		last.ownPages++
	} else {
		last.left++
		last.ownLeft++
	}
}

func (t *folderTree) last() *folder { return t.open[len(t.open)-1] }

// enter makes a folder, whose path is empty or ends in a slash, the last one.
func (t *folderTree) enter(path string) {
	for !strings.HasPrefix(path, t.last().path) {
		t.leave()
	}
	for t.last().path != path {
		last := t.last()
		end := len(last.path) + strings.IndexByte(path[len(last.path):], '/') + 1
		t.open = append(t.open, &folder{path: path[:end], depth: last.depth + 1})
	}
}

// leave ends the last folder, which is not the docroot.
func (t *folderTree) leave() {
	left := t.last()
	t.open = t.open[:len(t.open)-1]
	above := t.last()
	above.pages += left.pages
	above.left += left.left
	above.folders++
	if left.depth > maxDepth {
		return
	}
	heap.Push(&t.kept, left)
	if len(t.kept) > maxFolders {
		heap.Pop(&t.kept)
	}
}

// folderHeap has the folder of the least weight first.
type folderHeap []*folder

func (h folderHeap) Len() int { return len(h) }

func (h folderHeap) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[i].weight(), h[j].weight()), strings.Compare(h[j].path, h[i].path)) < 0
}

func (h folderHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *folderHeap) Push(f any)   { *h = append(*h, f.(*folder)) }

func (h *folderHeap) Pop() any {
	last := len(*h) - 1
	popped := (*h)[last]
	*h = (*h)[:last]
	return popped
}

// branch is a folder as the page shows it.
type branch struct {
	Name              string
	Pages, Left       int64
	OwnPages, OwnLeft int64
	Verdict           string // of a folder that was left out as a whole
	Branches          []*branch
	// More is the number of folders that are not shown, with the files in them.
	More, MorePages, MoreLeft int64
}

// tree returns what is shown of the docroot. No more files may be added.
func (t *folderTree) tree() *branch {
	for len(t.open) > 1 {
		t.leave()
	}
	below := map[string][]*folder{}
	for _, f := range t.kept {
		above := f.path[:strings.LastIndexByte(f.path[:len(f.path)-1], '/')+1]
		below[above] = append(below[above], f)
	}
	return branchOf(t.open[0], below)
}

// branchOf returns a folder with those below it, by their parents, the largest first.
func branchOf(f *folder, below map[string][]*folder) *branch {
	b := &branch{
		Name:  display.Name(f.path[strings.LastIndexByte(strings.TrimSuffix(f.path, "/"), '/')+1:]),
		Pages: f.pages, Left: f.left, OwnPages: f.ownPages, OwnLeft: f.ownLeft,
	}
	if f.verdict != scanner.Listed {
		b.Verdict = f.verdict.String()
		return b
	}
	shown := below[f.path]
	slices.SortFunc(shown, func(a, b *folder) int {
		return cmp.Or(cmp.Compare(b.files(), a.files()), strings.Compare(a.path, b.path))
	})
	shown = shown[:min(len(shown), maxBreadth)]
	b.More = f.folders - int64(len(shown))
	b.MorePages, b.MoreLeft = f.pages-f.ownPages, f.left-f.ownLeft
	for _, child := range shown {
		b.Branches = append(b.Branches, branchOf(child, below))
		b.MorePages -= child.pages
		b.MoreLeft -= child.left
	}
	return b
}
