package catalog

import (
	"fmt"
	"testing"
)

func TestFilesBetweenAreThoseOfAll(t *testing.T) {
	tree := New()
	tree.maxWeight = 8
	var files []File
	for i := range 40 {
		files = append(files, File{Name: fmt.Sprintf("%02d", i)})
	}
	tree.Patch("a", nil, files)
	names := []string{"", "0", "00", "00x", "07", "08", "19", "19x", "39", "4"}
	for _, after := range names {
		for _, upto := range names {
			var want []string
			for _, f := range files {
				if f.Name > after && (upto == "" || f.Name <= upto) {
					want = append(want, f.Name)
				}
			}
			var got []string
			for _, f := range tree.AppendFilesBetween([]File{{Name: "before"}}, "a", after, upto)[1:] {
				got = append(got, f.Name)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("from %q to %q: %q, not %q", after, upto, got, want)
			}
		}
	}
	if got := tree.AppendFilesBetween(nil, "b", "", ""); len(got) > 0 {
		t.Errorf("an unknown folder has %v", got)
	}
}
