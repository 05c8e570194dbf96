package output

import (
	"slices"
	"testing"
)

// Of what tries before a publication did only that counts which it has not undone.
func TestResultIncludesWhatTriesBeforeItLeft(t *testing.T) {
	l := newLiving(t, 300)
	l.mustUpdate(t, l.edit(100))
	var others []string // shards that the update did not write
	for _, name := range names(files(t, l.dir)) {
		if isShardName(name) && name != l.result.Written[0] {
			others = append(others, name)
		}
	}
	shards, written := len(others)+1, l.result.Written
	if len(others) < 2 || len(written) != 2 || l.result.Unchanged != len(others) {
		t.Fatalf("of %d shards %q were written", shards, written)
	}
	for _, test := range []struct {
		tries            Result
		written, removed []string
		unchanged        int
	}{
		{Result{}, written, nil, shards - 1},
		{Result{Written: written}, written, nil, shards - 1},
		{Result{Written: others[:1]}, append([]string{others[0]}, written...), nil, shards - 2},
		{Result{Written: []string{"sitemap-gone.xml.gz"}}, written, nil, shards - 1},
		{Result{Removed: []string{"sitemap-gone.xml.gz", others[1], "sitemap-gone.xml.gz"}}, written, []string{"sitemap-gone.xml.gz"}, shards - 1},
	} {
		got := l.result
		got.Include(&test.tries, l.published)
		wantNames(t, "written", got.Written, slices.Sorted(slices.Values(test.written))...)
		wantNames(t, "removed", got.Removed, test.removed...)
		if got.Unchanged != test.unchanged {
			t.Errorf("%+v: %d shards are unchanged, want %d", test.tries, got.Unchanged, test.unchanged)
		}
	}
}
