package catalog

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitewalk/internal/state"
	"sitewalk/scanner"
)

var (
	testDirs = []string{
		"", "a", "a/b", "a/b/a", "a-b", "a-b/a", "a.html", "a.html/\xff", "b", "b/a\x01", "b/a\x01/c", "\xff/a/\xff\xff",
	}
	testNames = []string{
		"a", "a\x01", "a-b", "a.html", "a.html~", "ab", "b", "b.html", "b.htm", "index.html", "\xff", "\xff\xff.html", ".",
	}
)

// model is the plainest tree: what is known at each path.
type model struct {
	files   map[path]File
	folders map[string]bool
}

type path struct{ dir, name string }

// visited is a call of a visitor.
type visited struct {
	dir  string
	file File
}

func newModel() *model { return &model{files: map[path]File{}, folders: map[string]bool{}} }

func (m *model) addFolder(dir string) {
	for m.folders[dir] = true; dir != ""; m.folders[dir] = true {
		dir = parent(dir)
	}
}

func parent(dir string) string { return dir[:max(strings.LastIndexByte(dir, '/'), 0)] }

// isBelow reports whether dir is the folder top or in it.
func isBelow(dir, top string) bool {
	return top == "" || dir == top || strings.HasPrefix(dir, top+"/")
}

func (m *model) filesIn(dir string) []File {
	var files []File
	for p, f := range m.files {
		if p.dir == dir {
			files = append(files, f)
		}
	}
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	return files
}

func (m *model) foldersIn(dir string) []string {
	var names []string
	for folder := range m.folders {
		if folder != "" && parent(folder) == dir {
			names = append(names, folder[strings.LastIndexByte(folder, '/')+1:])
		}
	}
	slices.Sort(names)
	return names
}

func (m *model) setFiles(dir string, files []File) {
	m.addFolder(dir)
	maps.DeleteFunc(m.files, func(p path, _ File) bool { return p.dir == dir })
	for _, f := range files {
		m.files[path{dir, f.Name}] = f
	}
}

// segments is what paths are compared by.
func segments(dir, name string) []string {
	return strings.Split(strings.TrimPrefix(dir+"/"+name, "/"), "/")
}

// walk returns what is visited in the folder top and below.
func (m *model) walk(top, from string, wanted Sections) []visited {
	var all []visited
	for p, f := range m.files {
		if isBelow(p.dir, top) && slices.Compare(segments(p.dir, p.name), strings.Split(from, "/")) >= 0 &&
			(wanted == 0 || f.Verdict == scanner.Listed && wanted&(1<<min(f.Section, 63)) != 0) {
			all = append(all, visited{p.dir, f})
		}
	}
	slices.SortFunc(all, func(a, b visited) int {
		return slices.Compare(segments(a.dir, a.file.Name), segments(b.dir, b.file.Name))
	})
	return all
}

func (m *model) verdicts() (verdicts scanner.Verdicts) {
	for _, f := range m.files {
		verdicts[f.Verdict]++
	}
	return verdicts
}

func drawFile(t *rapid.T, name string) File {
	f := File{
		Name:    name,
		Verdict: rapid.SampledFrom([]scanner.Verdict{scanner.Listed, scanner.Listed, scanner.Duplicate, scanner.Unreadable}).Draw(t, "verdict"),
		Folder:  rapid.IntRange(0, 9).Draw(t, "folder") == 0,
		Section: rapid.SampledFrom([]int{0, 0, 0, 1, 62, 63, 64, 65535}).Draw(t, "section"),
		LastMod: rapid.SampledFrom([]int64{0, 0, -1, 1732196343, 1732196344}).Draw(t, "lastmod"),
		Known:   rapid.Bool().Draw(t, "known"),
	}
	if f.Known {
		f.Page = state.Page{
			Identity: state.Identity{
				Size:       rapid.Int64Range(0, 1<<40).Draw(t, "size"),
				ModTime:    rapid.SampledFrom([]int64{0, -1, 1732196343_000000000, 1732196343_123456789}).Draw(t, "modified"),
				ChangeTime: rapid.SampledFrom([]int64{0, 1732196343_123456789, 1832196343_123456789}).Draw(t, "changed"),
				Inode:      rapid.Uint64().Draw(t, "inode"),
			},
			Racy:   rapid.Bool().Draw(t, "racy"),
			Digest: rapid.SampledFrom([]uint64{0, 1 << 63}).Draw(t, "digest"),
			Masked: rapid.SampledFrom([]uint64{0, 7}).Draw(t, "masked"),
			Date:   rapid.SampledFrom([]int64{0, 1732196343, 1732196344}).Draw(t, "date"),
			Facts:  rapid.SampledFrom([]string{"", "", "", "n", "x\xff\n\x00", strings.Repeat("fact ", 300)}).Draw(t, "facts"),
		}
	}
	return f
}

func drawNames(t *rapid.T, label string) []string {
	names := rapid.SliceOfNDistinct(rapid.SampledFrom(testNames), 0, len(testNames), rapid.ID).Draw(t, label)
	slices.Sort(names)
	return names
}

func drawFiles(t *rapid.T) []File {
	var files []File
	for _, name := range drawNames(t, "put") {
		files = append(files, drawFile(t, name))
	}
	return files
}

func TestTreeIsItsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, tree := newModel(), New()
		tree.maxWeight = rapid.IntRange(2, 16).Draw(t, "weight")
		dirs := rapid.SampledFrom(testDirs)
		t.Repeat(map[string]func(*rapid.T){
			"AddFolder": func(t *rapid.T) {
				dir := dirs.Draw(t, "dir")
				m.addFolder(dir)
				tree.AddFolder(dir)
			},
			"Replace": func(t *rapid.T) {
				dir, files := dirs.Draw(t, "dir"), drawFiles(t)
				m.setFiles(dir, files)
				setFiles(tree, dir, files)
			},
			"Patch": func(t *rapid.T) {
				dir, remove, put := dirs.Draw(t, "dir"), drawNames(t, "remove"), drawFiles(t)
				if len(put) > 0 {
					m.addFolder(dir)
				}
				for _, name := range remove {
					delete(m.files, path{dir, name})
				}
				for _, f := range put {
					m.files[path{dir, f.Name}] = f
				}
				tree.Patch(dir, remove, put)
			},
			"RemoveFolder": func(t *rapid.T) {
				dir := dirs.Draw(t, "dir")
				var got []visited
				tree.RemoveFolder(dir, func(dir string, f *File) { got = append(got, visited{dir, *f}) })
				equal(t, got, m.walk(dir, "", 0))
				maps.DeleteFunc(m.files, func(p path, _ File) bool { return isBelow(p.dir, dir) })
				maps.DeleteFunc(m.folders, func(folder string, _ bool) bool { return isBelow(folder, dir) })
			},
			"": func(t *rapid.T) { m.check(t, tree) },
		})
	})
}

func equal[T any](t rapid.TB, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %#v\nwant %#v", got, want)
	}
}

func (m *model) check(t *rapid.T, tree *Tree) {
	for _, dir := range testDirs {
		files := m.filesIn(dir)
		equal(t, allFiles(tree, dir), files)
		equal(t, tree.HasFolder(dir), m.folders[dir])
		equal(t, tree.Folders(dir), m.foldersIn(dir))
		for _, name := range testNames {
			got, ok := tree.Lookup(dir, name)
			want, known := m.files[path{dir, name}]
			if ok != known || got != want {
				t.Fatalf("%q in %q: got %+v, %v\nwant %+v, %v", name, dir, got, ok, want, known)
			}
		}
	}
	equal(t, tree.Verdicts(), m.verdicts())
	equal(t, allFolders(tree), slices.Sorted(maps.Keys(m.folders)))
	dir, name := rapid.SampledFrom(testDirs).Draw(t, "from dir"), rapid.SampledFrom(testNames).Draw(t, "from name")
	from := strings.TrimPrefix(dir+"/"+name, "/")
	if rapid.Bool().Draw(t, "from anything") {
		from = rapid.StringOfN(rapid.SampledFrom([]rune("a/.-b\x01ÿ")), 0, 6, -1).Draw(t, "from")
	}
	for _, wanted := range []Sections{0, 1, 2, 1 << 62, 1 << 63, 3, 1<<5 | 1<<63} {
		equal(t, walk(tree, from, wanted), m.walk("", from, wanted))
	}
	if tree.root != nil {
		checkShape(t, tree, tree.root)
	}
}

// allFolders returns the paths of the known folders, sorted.
func allFolders(tree *Tree) []string {
	if !tree.HasFolder("") {
		return nil
	}
	dirs := []string{""}
	for i := 0; i < len(dirs); i++ {
		for _, name := range tree.Folders(dirs[i]) {
			dirs = append(dirs, strings.TrimPrefix(dirs[i]+"/"+name, "/"))
		}
	}
	slices.Sort(dirs)
	return dirs
}

func walk(tree *Tree, from string, wanted Sections) []visited {
	var got []visited
	tree.Walk(from, wanted, func(dir string, f *File) bool {
		got = append(got, visited{dir, *f})
		return true
	})
	return got
}

// checkShape checks what no method shows: that masks are exact, that leaves are no
// heavier than they may be, and that folders know their parents.
func checkShape(t rapid.TB, tree *Tree, f *folder) {
	var mask Sections
	for i := range f.leaves {
		files := f.leaves[i].appendFiles(nil)
		var inLeaf Sections
		for j := range files {
			inLeaf |= files[j].sections()
		}
		equal(t, f.leaves[i].mask, inLeaf)
		mask |= inLeaf
		if len(files) == 0 || len(files) > 1 && weigh(files) > 2*tree.maxWeight {
			t.Fatalf("a leaf has %d files and weighs %d", len(files), weigh(files))
		}
	}
	for _, group := range f.groups {
		var inGroup Sections
		for _, sub := range group.folders {
			if sub.parent != f {
				t.Fatalf("the folder %q has another parent", sub.name)
			}
			checkShape(t, tree, sub)
			inGroup |= sub.mask
		}
		equal(t, group.mask, inGroup)
		mask |= inGroup
	}
	equal(t, f.mask, mask)
}
