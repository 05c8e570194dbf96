package check

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestDuplicatesAreFoundWhereverTheyAreKept compares with a map, with so little memory
// that most is in files.
func TestDuplicatesAreFoundWhereverTheyAreKept(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	rapid.Check(t, func(t *rapid.T) {
		hashes := rapid.SliceOf(rapid.Uint64Range(0, 40)).Draw(t, "hashes")
		d := newDuplicates(rapid.IntRange(1, 20).Draw(t, "limit"))
		defer d.close()
		first := map[uint64]reference{}
		var want []pair
		for i := 0; i < len(hashes); {
			n := rapid.IntRange(1, len(hashes)-i).Draw(t, "n")
			var records []record
			for _, hash := range hashes[i : i+n] {
				ref := reference{uint32(i), uint32(len(records))}
				records = append(records, record{hash, ref})
				if earlier, found := first[hash]; found {
					want = append(want, pair{earlier, ref})
				} else {
					first[hash] = ref
				}
			}
			if err := d.add(records); err != nil {
				t.Fatal(err)
			}
			i += n
		}
		count, pairs, err := d.find()
		if err != nil || count != int64(len(want)) || !slices.Equal(pairs, want) {
			t.Fatalf("found %d, %v, %v, and not %v", count, pairs, err, want)
		}
	})
}

func TestDuplicatesAreToldWithBothPlaces(t *testing.T) {
	set := writeSet(t, map[string]string{
		"sitemap.xml": index("a.xml", "b.txt"),
		"a.xml":       urlset("x", "y", "x"),
		"b.txt":       "https://www.example.com/z\nhttps://www.example.com/y\n",
	})
	for name, records := range map[string]int{"in memory": 0, "in a file": 1} {
		t.Run(name, func(t *testing.T) {
			_, found := findingsOf(t, Options{Target: set, records: records})
			var got []string
			for _, f := range found {
				if f.Code == Duplicate {
					got = append(got, fmt.Sprintf("%s:%d:%d %s %s", f.File[len(set)+1:], f.Line, f.Column, f.Loc, f.Message))
				}
			}
			want := []string{
				fmt.Sprintf("a.xml:3:1 https://www.example.com/x is listed already, in %q, line 1", set+"/a.xml"),
				fmt.Sprintf("b.txt:2:1 https://www.example.com/y is listed already, in %q, line 2", set+"/a.xml"),
			}
			if !slices.Equal(got, want) {
				t.Errorf("found %q", got)
			}
		})
	}
}

// TestManyDuplicatesAreCounted has more than are looked up again.
func TestManyDuplicatesAreCounted(t *testing.T) {
	pages := numbers(3000)
	set := writeSet(t, map[string]string{"sitemap.xml": urlset(append(pages, pages...)...)})
	result, found := findingsOf(t, Options{Target: set, records: 100})
	told := 0
	for _, f := range found {
		if f.Code == Duplicate {
			told++
		}
	}
	if told != maxPairs || result.MoreDuplicates != 3000-maxPairs {
		t.Errorf("%d were told, and %d counted", told, result.MoreDuplicates)
	}
}

// TestACollisionIsNoDuplicate has two URLs that are told apart only when they are read
// again.
func TestACollisionIsNoDuplicate(t *testing.T) {
	set := writeSet(t, map[string]string{"sitemap.xml": urlset("a", "b")})
	from, roots, err := openFolder(t.Context(), &Options{Target: set})
	if err != nil {
		t.Fatal(err)
	}
	defer from.close()
	defer closeAll(roots)
	r := &run{ctx: t.Context(), from: from, twice: newDuplicates(0), files: []string{"sitemap.xml"}, first: map[uint32]*file{0: roots[0]}}
	r.options.Found = func(f *Finding) { t.Errorf("%+v", f) }
	_ = r.twice.add([]record{{7, reference{0, 0}}, {7, reference{0, 1}}})
	if err := r.checkDuplicates(); err != nil {
		t.Error(err)
	}
}

func TestNoRoomForTemporaryFilesFailsTheCheck(t *testing.T) {
	set := writeSet(t, map[string]string{"sitemap.xml": urlset("a", "b")})
	t.Setenv("TMPDIR", set+"/none")
	if _, err := Run(t.Context(), Options{Target: set, records: 1}); !os.IsNotExist(unwrapped(err)) {
		t.Errorf("the error is %v", err)
	}
}

func unwrapped(err error) error {
	for err != nil {
		inner, ok := err.(interface{ Unwrap() error })
		if !ok || inner.Unwrap() == nil || os.IsNotExist(err) {
			break
		}
		err = inner.Unwrap()
	}
	return err
}
