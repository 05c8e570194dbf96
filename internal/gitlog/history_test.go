package gitlog

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestRandomHistories has git import histories in which every content occurs
// once, so that the commit that wrote what a file has now is known: branches,
// merges of two or three, merges that change files or throw a parent away,
// deleted files, and clocks that run backwards.
func TestRandomHistories(t *testing.T) {
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 1))
		stream, expected := randomHistory(random, 5+random.IntN(40))
		r := newRepository(t)
		if output, err := r.tryGit(0, stream, "fast-import", "--quiet"); err != nil {
			t.Fatal(output)
		}
		r.git(0, "reset", "-q", "--hard", "main")
		for _, folder := range []string{"", "docs"} {
			if folder != "" && !slices.ContainsFunc(slices.Collect(maps.Keys(expected)), func(path string) bool { return strings.HasPrefix(path, folder+"/") }) {
				continue
			}
			dates := r.read(folder)
			known := 0
			for path, seconds := range expected {
				below, inside := strings.CutPrefix(path, folder)
				if below = strings.TrimPrefix(below, "/"); !inside {
					continue
				}
				known++
				slash := max(strings.LastIndexByte(below, '/'), 0)
				if got, _ := dates.Find(below[:slash], strings.TrimPrefix(below[slash:], "/")); got != seconds {
					t.Errorf("seed %d: %s has the date %d in %q, want %d\n%s", seed, path, got, folder, seconds, r.git(0, "log", "--graph", "--oneline", "--name-status", "-c"))
				}
			}
			if dates.Len() != known {
				t.Errorf("seed %d: %d dates in %q, want %d", seed, dates.Len(), folder, known)
			}
		}
	}
}

// randomHistory returns a history for git fast-import, and the date of each
// file that is there in the end.
func randomHistory(random *rand.Rand, commits int) (stream string, dates map[string]int64) {
	type version struct {
		content int // 0 if the file is not there
		seconds int64
	}
	paths := []string{"a", "b c", "docs/a", "docs/b", "docs/en/a", "docs/en/ü", "z"}
	type state map[string]version
	var text strings.Builder
	var states []state
	tips := []int{} // commits without children
	content := 0
	for n := range commits {
		seconds := 1_000_000_000 + int64(n)*100 - int64(random.IntN(3)/2*random.IntN(2000))
		last := n == commits-1
		var parents []int
		if len(tips) > 0 {
			random.Shuffle(len(tips), func(i, j int) { tips[i], tips[j] = tips[j], tips[i] })
			count := min(len(tips), 1+random.IntN(4)/2+random.IntN(8)/7)
			if last {
				count = len(tips)
			}
			parents, tips = slices.Clone(tips[:count]), slices.Delete(tips, 0, count)
			if !last && len(parents) == 1 && random.IntN(3) == 0 && len(tips) < 4 {
				tips = append(tips, parents[0]) // a branch begins
			}
		}
		slices.Sort(parents)
		parents = slices.Compact(parents)
		next := state{}
		discard := random.IntN(4) == 0 // all but one parent
		for _, path := range paths {
			if len(parents) > 0 {
				from := parents[0]
				if !discard {
					from = parents[random.IntN(len(parents))]
				}
				next[path] = states[from][path]
			}
			switch change := random.IntN(8); {
			case change == 0 || change == 1 && len(parents) < 2:
				content++
				next[path] = version{content, seconds}
			case change == 2 && len(parents) == 1:
				delete(next, path)
			}
		}
		states = append(states, next)
		tips = append(tips, n)
		fmt.Fprintf(&text, "commit refs/heads/b%d\nmark :%d\ncommitter C <c@site.test> %d +0100\ndata 1\nm\n", n, n+1, seconds)
		for i, parent := range parents {
			fmt.Fprintf(&text, "%s :%d\n", [...]string{"from", "merge"}[min(i, 1)], parent+1)
		}
		text.WriteString("deleteall\n")
		for path, v := range next {
			if v.content > 0 {
				body := strconv.Itoa(v.content)
				fmt.Fprintf(&text, "M 100644 inline %s\ndata %d\n%s\n", path, len(body), body)
			}
		}
	}
	fmt.Fprintf(&text, "reset refs/heads/main\nfrom :%d\n", commits)
	dates = map[string]int64{}
	for path, v := range states[commits-1] {
		if v.content > 0 {
			dates[path] = v.seconds
		}
	}
	return text.String(), dates
}

// benchmarkFiles is the number of files of the repository in benchmarks.
const benchmarkFiles = 50_000

// largeRepository makes a repository of 50,000 files and 2,000 commits, each of
// which changed 50 files. The files are not checked out, and the index is told
// not to look for them, so that it is git log that is measured.
func largeRepository(b *testing.B) *repository {
	r := newRepository(b)
	var text strings.Builder
	for n := range 2000 {
		fmt.Fprintf(&text, "commit refs/heads/main\ncommitter C <c@site.test> %d +0000\ndata 1\nm\n", 1_000_000_000+n*1000)
		first, count := n*25%benchmarkFiles, 50
		if n == 0 {
			count = benchmarkFiles
		}
		for i := first; i < first+count; i++ {
			name := i % benchmarkFiles
			body := fmt.Sprintf("%d in %d", name, n)
			fmt.Fprintf(&text, "M 100644 inline docs/%d/page-%d.html\ndata %d\n%s\n", name/500, name, len(body), body)
		}
	}
	if output, err := r.tryGit(0, text.String(), "fast-import", "--quiet"); err != nil {
		b.Fatal(output)
	}
	r.git(0, "sparse-checkout", "set", "--cone", "nothing")
	r.git(0, "reset", "-q", "--hard", "main")
	return r
}

func BenchmarkRead(b *testing.B) {
	r := largeRepository(b)
	b.ReportAllocs()
	for b.Loop() {
		dates, err := Read(context.Background(), r.top)
		if err != nil || dates.Len() != benchmarkFiles {
			b.Fatal(dates.Len(), err)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	var s search
	var tree strings.Builder
	for i := range benchmarkFiles {
		fmt.Fprintf(&tree, "100644 blob %s\tdocs/%d/page-%d.html\x00", one, i/500, i)
	}
	if err := s.readTree(strings.NewReader(tree.String())); err != nil {
		b.Fatal(err)
	}
	s.begin()
	for i := range s.files {
		s.files[i].seconds, s.pending = 1, 0
	}
	dates := Dates{files: s.found()}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, ok := dates.Find("docs/77", names[i%len(names)]); !ok {
			b.Fatal("a file has no date")
		}
	}
}

// names are names of files in docs/77.
var names = []string{"page-38500.html", "page-38999.html", "page-38600.html", "page-38700.html", "page-38888.html"}
