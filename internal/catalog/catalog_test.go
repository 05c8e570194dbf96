package catalog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"sitewalk/scanner"
)

func listed(name string, section int) File { return File{Name: name, Section: section} }

func left(name string, verdict scanner.Verdict) File { return File{Name: name, Verdict: verdict} }

// setFiles makes files the only ones of the folder at dir.
func setFiles(t *Tree, dir string, files []File) {
	var remove []string
	for _, f := range allFiles(t, dir) {
		remove = append(remove, f.Name)
	}
	t.AddFolder(dir)
	t.Patch(dir, remove, files)
}

func allFiles(t *Tree, dir string) []File { return t.AppendFilesBetween(nil, dir, "", "") }

// example returns a small tree, and its paths in the order of the walk.
func example() (*Tree, []string) {
	t := New()
	setFiles(t, "", []File{listed("a", 0), left("b", scanner.Unreadable), listed("b-c", 1), listed("z.html", 70)})
	setFiles(t, "a", []File{listed("a", 2), listed("a\x01", 0)})
	setFiles(t, "a/a", []File{listed("\xff", 63)})
	setFiles(t, "a-b", []File{listed("x", 64)})
	setFiles(t, "b", []File{listed("index.html", 1), left("y", scanner.NoIndex)})
	t.AddFolder("c/d")
	return t, []string{
		"a", "a/a", "a/a/\xff", "a/a\x01", "a-b/x", "b", "b/index.html", "b/y", "b-c", "z.html",
	}
}

func visitedPaths(t *Tree, from string, wanted Sections) []string {
	var paths []string
	for _, v := range walk(t, from, wanted) {
		paths = append(paths, strings.Join(segments(v.dir, v.file.Name), "/"))
	}
	return paths
}

func TestWalkBeginsAnywhere(t *testing.T) {
	tree, all := example()
	for i, from := range all {
		if got := visitedPaths(tree, from, 0); !slices.Equal(got, all[i:]) {
			t.Errorf("from %q: %q, want %q", from, got, all[i:])
		}
	}
	tests := []struct{ from, first string }{
		{"", "a"}, {"/", "a"}, {"//x", "a"}, {"\x00", "a"}, {"a/", "a/a"}, {"a//", "a/a"}, {"a/a/", "a/a/\xff"},
		{"a/a/\xff/x", "a/a\x01"}, {"a\x00", "a-b/x"}, {"a/zz", "a-b/x"}, {"a-b/y/z", "b"}, {"c", "z.html"},
		{"c/d/e", "z.html"}, {"b/y\x00", "b-c"}, {"z.html", "z.html"}, {"z.html/", ""}, {"zz", ""}, {"\xff/\xff", ""},
	}
	for _, test := range tests {
		want := []string(nil)
		if test.first != "" {
			want = all[slices.Index(all, test.first):]
		}
		if got := visitedPaths(tree, test.from, 0); !slices.Equal(got, want) {
			t.Errorf("from %q: %q, want %q", test.from, got, want)
		}
	}
}

func TestWalkVisitsWantedSections(t *testing.T) {
	tree, _ := example()
	tests := []struct {
		wanted Sections
		want   []string
	}{
		{1, []string{"a", "a/a\x01"}},
		{2, []string{"b/index.html", "b-c"}},
		{4, []string{"a/a"}},
		{8, nil},
		{1 << 63, []string{"a/a/\xff", "a-b/x", "z.html"}},
		{2 | 1<<63, []string{"a/a/\xff", "a-b/x", "b/index.html", "b-c", "z.html"}},
		{^Sections(0), []string{"a", "a/a", "a/a/\xff", "a/a\x01", "a-b/x", "b/index.html", "b-c", "z.html"}},
	}
	for _, test := range tests {
		if got := visitedPaths(tree, "", test.wanted); !slices.Equal(got, test.want) {
			t.Errorf("%x: %q, want %q", test.wanted, got, test.want)
		}
	}
}

func TestWalkPassesOverWhatIsNotWanted(t *testing.T) {
	tree := (&site{folders: 100, each: 10}).tree()
	// A leaf that cannot be unpacked shows that it was.
	f := tree.find((&site{}).dir(50))
	f.leaves[0].packed = ""
	if got := walk(tree, "", SectionsOf(1)); got != nil {
		t.Error(got)
	}
}

func TestWalkEndsWhenToldTo(t *testing.T) {
	tree, all := example()
	for n := 1; n <= len(all); n++ {
		calls := 0
		tree.Walk("", 0, func(string, *File) bool {
			calls++
			return calls < n
		})
		if calls != n {
			t.Errorf("%d calls, want %d", calls, n)
		}
	}
}

func TestVisitorsMayUseAndChangeTheTree(t *testing.T) {
	s := site{folders: 25, each: 60}
	tree := s.tree()
	want := visitedPaths(tree, "", 0)
	var got []string
	tree.Walk("", 0, func(dir string, f *File) bool {
		found, ok := tree.Lookup(dir, f.Name)
		if !ok || found != *f {
			t.Fatalf("%s/%s: got %+v, %v, want %+v", dir, f.Name, found, ok, *f)
		}
		got = append(got, dir+"/"+f.Name)
		tree.Patch(dir, []string{f.Name}, nil)
		return true
	})
	if !slices.Equal(got, want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
	if total := tree.Verdicts(); total.Total() != 0 {
		t.Errorf("%d files are left", total.Total())
	}
	tree = s.tree()
	tree.RemoveFolder("blog", func(dir string, f *File) {
		if tree.HasFolder(dir) {
			t.Fatalf("%s is still there", dir)
		}
		tree.Patch("new", nil, []File{*f})
	})
	if got := len(allFiles(tree, "new")); got != s.each {
		t.Errorf("%d files in the new folder", got)
	}
}

func TestFileAndFolderOfOneName(t *testing.T) {
	tree := New()
	setFiles(tree, "a", []File{listed("x", 0)})
	tree.Patch("", nil, []File{{Name: "a", Folder: true, Verdict: scanner.Unreadable}})
	if got, want := visitedPaths(tree, "", 0), []string{"a", "a/x"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	tree.RemoveFolder("a", nil)
	if f, ok := tree.Lookup("", "a"); !ok || !f.Folder || tree.HasFolder("a") {
		t.Errorf("after the folder was removed: %+v, %v", f, ok)
	}
}

func TestEmptyTreeKnowsNothing(t *testing.T) {
	tree := New()
	tree.RemoveFolder("", func(string, *File) { t.Error("a file") })
	tree.RemoveFolder("a/b", nil)
	tree.Patch("a", []string{"b"}, nil)
	if tree.HasFolder("") || allFiles(tree, "") != nil || tree.Folders("") != nil || walk(tree, "", 0) != nil {
		t.Error("there is something")
	}
	tree.AddFolder("")
	if !tree.HasFolder("") || tree.Folders("") != nil || allFiles(tree, "") != nil {
		t.Error("no docroot")
	}
	tree.AddFolder("a/b")
	tree.RemoveFolder("", nil)
	if tree.HasFolder("") || tree.HasFolder("a") || tree.HasFolder("a/b") {
		t.Error("the docroot is still there")
	}
}

// Names come in any order, and so does what happens to them.
func TestManySubfolders(t *testing.T) {
	const count = 5 * maxGroup
	tree := New()
	random := rand.New(rand.NewPCG(1, 2))
	names := make([]string, count)
	for i := range names {
		names[i] = fmt.Sprintf("%05d", i)
	}
	shuffled := func() []string {
		names := slices.Clone(names)
		random.Shuffle(count, func(i, j int) { names[i], names[j] = names[j], names[i] })
		return names
	}
	for i, name := range shuffled() {
		setFiles(tree, "d/"+name, []File{listed("x", i%70)})
	}
	if got := tree.Folders("d"); !slices.Equal(got, names) {
		t.Fatalf("%d folders, want %d in order", len(got), count)
	}
	checkShape(t, tree, tree.root)
	if groups := len(tree.find("d").groups); groups < count/maxGroup || groups > 2*count/maxGroup+1 {
		t.Errorf("%d groups for %d folders", groups, count)
	}
	gone := shuffled()
	for i, name := range gone {
		tree.RemoveFolder("d/"+name, nil)
		if i == count-20 {
			want := slices.Sorted(slices.Values(gone[i+1:]))
			if got := tree.Folders("d"); !slices.Equal(got, want) {
				t.Fatalf("%q, want %q", got, want)
			}
			if groups := len(tree.find("d").groups); groups > 1 {
				t.Errorf("%d groups for %d folders", groups, len(want))
			}
			if got := walk(tree, "", 0); len(got) != len(want) {
				t.Errorf("visited %d", len(got))
			}
			checkShape(t, tree, tree.root)
		}
	}
	if mask := tree.root.mask; mask != 0 {
		t.Errorf("the mask of an empty tree is %x", mask)
	}
}

func TestLeavesKeepTheirSize(t *testing.T) {
	const names = 2000
	random := rand.New(rand.NewPCG(1, 2))
	tree := New()
	tree.maxWeight = 64
	present := map[string]bool{}
	// It grows, is as it is, and shrinks.
	for _, share := range []int{9, 5, 1} {
		for range 3000 {
			name := fmt.Sprintf("%04d", random.IntN(names))
			if present[name] = random.IntN(10) < share; present[name] {
				tree.Patch("", nil, []File{listed(name, 0)})
			} else {
				tree.Patch("", []string{name}, nil)
				delete(present, name)
			}
		}
		leaves := tree.root.leaves
		total := 0
		for i := range leaves {
			n := len(leaves[i].appendFiles(nil))
			if total += n; n > tree.maxWeight || n < tree.maxWeight/4 {
				t.Errorf("leaf %d of %d has %d files", i, len(leaves), n)
			}
		}
		if total != len(present) || len(leaves) < 2 {
			t.Errorf("%d files in %d leaves, want %d", total, len(leaves), len(present))
		}
	}
}

func TestLargePatch(t *testing.T) {
	s := site{folders: 1, each: 5000}
	all := s.files(nil, 0)
	tree := New()
	var odd []File
	var even []string
	for i, f := range all {
		if i%2 == 1 {
			odd = append(odd, f)
		} else {
			even = append(even, f.Name)
		}
	}
	tree.Patch("d", nil, all)
	if got := allFiles(tree, "d"); !slices.Equal(got, all) {
		t.Errorf("%d files", len(got))
	}
	tree.Patch("d", even, nil)
	if got := allFiles(tree, "d"); !slices.Equal(got, odd) {
		t.Errorf("%d files", len(got))
	}
	tree.Patch("d", even, all)
	if got := allFiles(tree, "d"); !slices.Equal(got, all) {
		t.Errorf("%d files", len(got))
	}
}

func TestFactsAreDeflated(t *testing.T) {
	s := site{folders: 1, each: 2000, links: true}
	files := s.files(nil, 0)
	tree := New()
	setFiles(tree, "", files)
	size := 0
	for _, l := range tree.root.leaves {
		size += len(l.packed)
	}
	if perPage := size / len(files); perPage > 40 {
		t.Errorf("%d bytes a page", perPage)
	}
	if got := allFiles(tree, ""); !slices.Equal(got, files) {
		t.Errorf("%d files, or others", len(got))
	}
	if got, ok := tree.Lookup("", files[1234].Name); !ok || got != files[1234] {
		t.Errorf("got %+v, %v", got, ok)
	}
}

func TestEqualFactsAreKeptOnce(t *testing.T) {
	files := (&site{folders: 1, each: 300}).files(nil, 0)
	for i := range files {
		files[i].Page.Facts = []string{"n\n", strings.Repeat("x", 200), strings.Repeat("y", 200)}[i%3]
	}
	tree := New()
	setFiles(tree, "", files)
	if size := len(tree.root.leaves[0].packed); size > 30*len(files) {
		t.Errorf("%d bytes a page", size/len(files))
	}
	if got := allFiles(tree, ""); !slices.Equal(got, files) {
		t.Errorf("%d files, or others", len(got))
	}
}

// What was read must not change with the tree, and a folder is read as it was at
// one moment.
func TestReadersBesideAWriter(t *testing.T) {
	const folders, each, rounds = 20, 30, 60
	tree := New()
	tree.maxWeight = 16
	dir := func(i int) string { return fmt.Sprintf("d%d/%d", i%3, i) }
	files := func(generation int) []File {
		files := (&site{folders: 1, each: each}).files(nil, 0)
		for i := range files {
			files[i].Section = generation % 5
			files[i].Page.Size = int64(generation)
		}
		return files
	}
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			var buffer []File
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				buffer = tree.AppendFilesBetween(buffer[:0], dir(i%folders), "", "")
				for _, f := range buffer {
					if f.Page.Size != buffer[0].Page.Size {
						t.Errorf("%d and %d in one folder", f.Page.Size, buffer[0].Page.Size)
					}
				}
				tree.Lookup(dir(i%folders), "page-0000003.html")
				tree.HasFolder(dir(i % folders))
				tree.Folders("d1")
				tree.Verdicts()
				before := ""
				tree.Walk("", Sections(i%4), func(dir string, f *File) bool {
					path := dir + "/" + f.Name
					if slices.Compare(strings.Split(before, "/"), strings.Split(path, "/")) >= 0 {
						t.Errorf("%q after %q", path, before)
					}
					before = path
					return true
				})
			}
		})
	}
	for round := range rounds {
		for i := range folders {
			switch (round + i) % 7 {
			case 0:
				tree.RemoveFolder(dir(i), func(string, *File) {})
			case 1:
				tree.Patch(dir(i), nil, files(round))
			default:
				setFiles(tree, dir(i), files(round))
			}
		}
	}
	close(stop)
	readers.Wait()
	if total := tree.Verdicts(); total.Total() != int64(len(walk(tree, "", 0))) {
		t.Errorf("%d files are counted", total.Total())
	}
}

func TestPlainPagesAreReadWithoutAllocation(t *testing.T) {
	const pages = 10_000
	tree := (&site{folders: 100, each: pages / 100}).tree()
	perWalk := testing.AllocsPerRun(5, func() {
		tree.Walk("", 0, func(string, *File) bool { return true })
	})
	if perWalk > pages/20 {
		t.Errorf("%.0f allocations for %d pages", perWalk, pages)
	}
}
