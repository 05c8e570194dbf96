package gitlog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestShallowCloneClaimsNoDateThatItDoesNotKnow(t *testing.T) {
	r := newRepository(t)
	r.commit(1, "oldest.html", "1")
	r.commit(1, "returned.html", "1")
	r.commit(2, "third.html", "1")
	r.git(0, "checkout", "-q", "-b", "branch")
	r.commit(3, "branch.html", "1")
	r.commit(5, "branch2.html", "1")
	r.git(0, "checkout", "-q", "main")
	r.commit(4, "old.html", "1")
	r.git(6, "merge", "-q", "-m", "merge", "branch")
	r.commit(7, "new.html", "1")
	for _, c := range []struct {
		depth    string
		days     map[string]int
		withheld int64
	}{
		{"1", map[string]int{"oldest.html": 0, "new.html": 0}, 7},
		// The commits at the boundary are those of days 4 and 5.
		{"3", map[string]int{"new.html": 7, "old.html": 0, "branch.html": 0, "branch2.html": 0, "oldest.html": 0}, 6},
		{"4", map[string]int{"new.html": 7, "old.html": 4, "branch2.html": 5, "branch.html": 0, "third.html": 0}, 4},
	} {
		t.Run("depth "+c.depth, func(t *testing.T) {
			clone := &repository{t, filepath.Join(t.TempDir(), "clone")}
			r.git(0, "clone", "-q", "--depth", c.depth, "file://"+filepath.ToSlash(r.top), clone.top)
			clone.write("untracked.html", "")
			dates := clone.read("")
			c.days["untracked.html"] = 0
			want(t, dates, c.days)
			if !dates.Shallow() || dates.Withheld() != c.withheld {
				t.Errorf("shallow %v, withheld %d, want %d", dates.Shallow(), dates.Withheld(), c.withheld)
			}
		})
	}
}

func TestPartialCloneIsNotCompleted(t *testing.T) {
	r := newRepository(t)
	r.git(0, "config", "uploadpack.allowFilter", "true")
	r.commit(1, "old.html", "1")
	r.commit(2, "new.html", "2")
	r.commit(3, "new.html", "3")
	clone := &repository{t, filepath.Join(t.TempDir(), "clone")}
	r.git(0, "clone", "-q", "--filter=blob:none", "file://"+filepath.ToSlash(r.top), clone.top)
	missing := func() int {
		return strings.Count(clone.git(0, "rev-list", "--objects", "--missing=print", "HEAD"), "?")
	}
	if missing() != 1 {
		t.Fatalf("%d objects are missing", missing())
	}
	if err := os.Chtimes(filepath.Join(clone.top, "old.html"), time.Time{}, time.Unix(day(9), 0)); err != nil {
		t.Fatal(err)
	}
	want(t, clone.read(""), map[string]int{"old.html": 1, "new.html": 3})
	if missing() != 1 {
		t.Errorf("%d objects are missing afterwards", missing())
	}
}
