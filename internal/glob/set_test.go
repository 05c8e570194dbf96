package glob

import (
	"slices"
	"sync"
	"testing"
)

// stateOf walks to a folder, "" for the docroot.
func stateOf(s *Set, folders ...string) *State {
	st := s.Root()
	for _, name := range folders {
		st = s.Enter(st, name)
	}
	return st
}

func TestIDsAreReportedOnceInAscendingOrder(t *testing.T) {
	s := NewSet(
		Entry{9, mustCompile(t, "**/*.html")},
		Entry{2, mustCompile(t, "blog/**")},
		Entry{5, mustCompile(t, "blog/a.*")},
		Entry{9, mustCompile(t, "**/a*")},
		Entry{0, mustCompileFold(t, "BLOG/A.HTML")},
	)
	for path, want := range map[string][]int{
		"blog/a.html": {0, 2, 5, 9},
		"blog/b.html": {2, 9},
		"blog/b":      {2},
		"blog":        {2},
		"x/a":         {9},
		"x/b":         {},
	} {
		if got := s.AppendPathMatches([]int{-1}, path); !slices.Equal(got, append([]int{-1}, want...)) {
			t.Errorf("%s: got %v, want %v after -1", path, got, want)
		}
	}
}

func TestStateIsDeadWhereNothingCanMatch(t *testing.T) {
	tests := []struct {
		pattern string
		folders []string
		want    bool
	}{
		{"*.html", nil, false},
		{"*.html", []string{"a"}, true},
		{"blog/**", []string{"blog", "x", "y"}, false},
		{"blog/**", []string{"docs"}, true},
		{"blog/*/index.html", []string{"blog"}, false},
		{"blog/*/index.html", []string{"blog", "x"}, false},
		{"blog/*/index.html", []string{"blog", "x", "y"}, true},
		{"blog/index.html", []string{"blog", "index.html"}, true},
		{"**/x", []string{"a", "b", "c"}, false},
		{"{a,b/c}/d", []string{"b"}, false},
		{"{a,b/c}/d", []string{"b", "d"}, true},
	}
	for _, test := range tests {
		s := NewSet(Entry{0, mustCompile(t, test.pattern)})
		if got := stateOf(s, test.folders...).Dead(); got != test.want {
			t.Errorf("%s in %v: Dead is %v", test.pattern, test.folders, got)
		}
	}
}

func TestEverythingHoldsWhereAPatternMatchesAllBelow(t *testing.T) {
	tests := []struct {
		pattern string
		folders []string
		want    bool
	}{
		{"**", nil, true},
		{"**/*", nil, true},
		{"*/**", nil, true},
		{"{**,x}", nil, true},
		{"**", []string{"a", "b"}, true},
		{"*", nil, false},
		{"blog/**", nil, false},
		{"blog/**", []string{"blog"}, true},
		{"blog/**", []string{"blog", "x"}, true},
		{"blog/**/*", []string{"blog"}, true},
		{"blog/**/**", []string{"blog"}, true},
		{"blog/*/**", []string{"blog"}, true},
		{"blog/**/*/*", []string{"blog"}, false},
		{"blog/**/*/*", []string{"blog", "x"}, true},
		{"**/drafts/**", []string{"a"}, false},
		{"**/drafts/**", []string{"a", "drafts"}, true},
		{"**/drafts/**", []string{"a", "drafts", "b"}, true},
		{"**/*.html", []string{"a"}, false},
	}
	for _, test := range tests {
		s := NewSet(Entry{3, mustCompile(t, test.pattern)}, Entry{4, mustCompile(t, "**/never")})
		st := stateOf(s, test.folders...)
		if got := st.Everything(3); got != test.want {
			t.Errorf("%s in %v: Everything is %v", test.pattern, test.folders, got)
		}
		if st.Everything(4) || st.Everything(0) {
			t.Errorf("%s in %v: Everything holds for another id", test.pattern, test.folders)
		}
	}
}

func TestEnterReturnsTheSameStateIfNothingDiffers(t *testing.T) {
	s := tenRules(t)
	about := stateOf(s, "about")
	if s.Enter(about, "team") != about {
		t.Error("about/team has a State of its own")
	}
	if blog := stateOf(s, "blog"); blog == about || blog == s.Root() {
		t.Error("blog shares a State with a folder that differs")
	}
	drafts := stateOf(s, "drafts")
	if s.Enter(drafts, "drafts") != drafts {
		t.Error("drafts/drafts has a State of its own")
	}
	only := NewSet(Entry{0, mustCompile(t, "**/*.{html,htm,xhtml}")})
	if stateOf(only, "a", "b", "c") != only.Root() {
		t.Error("the default include changes State")
	}
}

func TestSetWithoutEntriesMatchesNothing(t *testing.T) {
	s := NewSet()
	st := s.Root()
	if !st.Dead() || st.Any("a") || st.Everything(0) || s.MatchPath("a/b") || s.Enter(st, "a") != st {
		t.Error("it matches something")
	}
}

// Positions that move to the front, as a pattern that matches everything
// drops the others of its id, must not overwrite those still to be read.
func TestDroppedPositionsLeaveLaterIDsAlone(t *testing.T) {
	s := NewSet(
		Entry{0, mustCompile(t, "aa")}, Entry{0, mustCompile(t, "**")},
		Entry{2, mustCompile(t, "ab")}, Entry{2, mustCompile(t, "a")},
	)
	if got := s.Root().AppendMatches(nil, "ab"); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("got %v, want [0 2]", got)
	}
}

func TestMatchingDoesNotAllocate(t *testing.T) {
	// More positions than any small buffer holds, and every kind of matcher.
	entries := []Entry{
		{0, mustCompile(t, "**/*.{html,htm}")},
		{1, mustCompileFold(t, "**/*.{PDF,Doc}")},
		{2, mustCompile(t, "**/a-rather-long-name-[0-9]*-{a-rather-long-alternative,another}.t?t")},
		{3, mustCompileFold(t, "**/Read*Me")},
		{4, mustCompile(t, "**/{a,b}/**/c")},
	}
	for i := range 100 {
		entries = append(entries, Entry{5 + i, mustCompile(t, "**/"+numbered(3)+"/**/x*y")})
	}
	s := NewSet(entries...)
	st := stateOf(s, "a", "n1", "d")
	ids := make([]int, 0, len(entries))
	for _, name := range []string{"index.html", "a.doc", "README.md", "c", "xyy", "a-rather-long-name-7-of-9-another.txt"} {
		if n := testing.AllocsPerRun(10, func() { st.Any(name) }); n != 0 {
			t.Errorf("Any(%q) allocates %v times", name, n)
		}
		if n := testing.AllocsPerRun(10, func() { ids = st.AppendMatches(ids[:0], name) }); n != 0 {
			t.Errorf("AppendMatches(%q) allocates %v times", name, n)
		}
	}
	if len(ids) == 0 {
		t.Error("nothing matched")
	}
	if n := testing.AllocsPerRun(10, func() {
		if s.Enter(st, "elsewhere") != st {
			t.Error("the State changed")
		}
	}); n != 0 {
		t.Errorf("Enter allocates %v times", n)
	}
	if n := testing.AllocsPerRun(10, func() { s.MatchPath("index.html") }); n != 0 {
		t.Errorf("MatchPath allocates %v times", n)
	}
}

// The race detector is the judge.
func TestSetIsSharedBetweenGoroutines(t *testing.T) {
	s := tenRules(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 100 {
				walkTree("", 1, s.Root(), s.Enter, func(_ string, st *State) {
					st.AppendMatches(nil, "index.html")
					st.Any("a")
					st.Everything(2)
				})
			}
		})
	}
	group.Wait()
}
