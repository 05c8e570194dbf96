package glob

import "testing"

var pageNames = []string{
	"index.html", "about-us.html", "2024-03-release-notes.html", "logo.png", "style.css", "page.xhtml", "old.htm", "feed.xml",
}

func mustCompile(t testing.TB, pattern string) *Pattern {
	t.Helper()
	p, err := Compile(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustCompileFold(t testing.TB, pattern string) *Pattern {
	t.Helper()
	p, err := CompileFold(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// tenRules are the rules of a site of some size, as ids 0 to 9.
func tenRules(t testing.TB) *Set {
	var entries []Entry
	for id, pattern := range []string{
		"**/*.{html,htm,xhtml}", "index.html", "blog/**", "blog/*/index.html", "**/drafts/**",
		"**/_*", "docs/v[0-9]*/**", "**/*.pdf", "{news,events}/**/*.html", "**/404.html",
	} {
		entries = append(entries, Entry{id, mustCompile(t, pattern)})
	}
	return NewSet(entries...)
}

// Each benchmark counts one file an operation.

func BenchmarkAnyDefaultInclude(b *testing.B) {
	st := NewSet(Entry{0, mustCompile(b, "**/*.{html,htm,xhtml}")}).Root()
	benchmarkAny(b, st)
}

func BenchmarkAnyDefaultIncludeFold(b *testing.B) {
	st := NewSet(Entry{0, mustCompileFold(b, "**/*.{html,htm,xhtml}")}).Root()
	benchmarkAny(b, st)
}

func benchmarkAny(b *testing.B, st *State) {
	b.ReportAllocs()
	matched := 0
	i := 0
	for b.Loop() {
		if st.Any(pageNames[i&7]) {
			matched++
		}
		i++
	}
}

func BenchmarkTenRules(b *testing.B) {
	s := tenRules(b)
	for _, folder := range []string{"docroot", "blog", "news", "docs"} {
		st := s.Root()
		if folder != "docroot" {
			st = s.Enter(st, folder)
		}
		b.Run(folder, func(b *testing.B) {
			b.ReportAllocs()
			ids := make([]int, 0, 10)
			i := 0
			for b.Loop() {
				ids = st.AppendMatches(ids[:0], pageNames[i&7])
				i++
			}
		})
	}
}

func BenchmarkEnter(b *testing.B) {
	s := tenRules(b)
	top := s.Enter(s.Root(), "about")
	b.Run("unchanged", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Enter(top, "team")
		}
	})
	b.Run("changed", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Enter(s.Root(), "blog")
		}
	})
}
