package submitted

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzCompare holds what differs between two sets of URLs, of which the first was saved,
// to a comparison of maps.
func FuzzCompare(f *testing.F) {
	f.Add("a 1\nb 2\nc", "c\na 2\nd", uint8(2))
	f.Add("a ?\nb #0123456789abcdef", "a ?\nb x\ty", uint8(0))
	f.Add("a \xff\nend 1\nbase x", "a \xfe\nend 1", uint8(9))
	path := filepath.Join(f.TempDir(), "r")
	f.Fuzz(func(t *testing.T, first, second string, accepted uint8) {
		before, was := setOf(first)
		now, is := setOf(second)
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		save(t, path, before...)
		r := open(t, path)
		changes := compare(t, r, now...)
		want := map[string]Change{}
		for loc, lastmod := range is {
			if old, known := was[loc]; !known {
				want[loc] = Added
			} else if old != lastmod {
				want[loc] = Changed
			}
		}
		for loc := range was {
			if _, still := is[loc]; !still {
				want[loc] = Deleted
			}
		}
		if changes.Len() != len(want) {
			t.Fatalf("%d changes, want %d: %s", changes.Len(), len(want), told(changes))
		}
		left := changes.Len() - min(changes.Len(), int(accepted))
		for reader := changes.Read(); ; {
			change, loc, _ := reader.Next()
			if change == None {
				break
			}
			if want[string(loc)] != change {
				t.Fatalf("%q is %c, want %c", loc, change, want[string(loc)])
			}
		}
		// What was accepted is no longer to be told, and the rest is.
		if err := r.Save(changes, changes.Len()-left, 0); err != nil {
			t.Fatal(err)
		}
		if again := compare(t, open(t, path), now...); again.Len() != left {
			t.Fatalf("%d changes are left, want %d: %s", again.Len(), left, told(again))
		}
	})
}

// setOf returns the lines of a text that are URL and lastmod of a set, each URL once,
// and the same as a map.
func setOf(text string) (lines []string, lastmods map[string]string) {
	lastmods = map[string]string{}
	for line := range strings.SplitSeq(text, "\n") {
		loc, lastmod, _ := strings.Cut(line, " ")
		if _, twice := lastmods[loc]; !twice && IsStorable([]byte(loc)) {
			lastmods[loc] = lastmod
			lines = append(lines, line)
		}
	}
	return lines, lastmods
}
