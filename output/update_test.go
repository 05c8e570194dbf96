//go:build unix

package output

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"pgregory.net/rapid"
)

var lastModElement = regexp.MustCompile(`</loc><lastmod>[^<]*</lastmod></sitemap>`)

// timeless returns files without the lastmods of shards in indexes.
func timeless(t testing.TB, files map[string]string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for name, content := range files {
		plain := content
		if strings.HasSuffix(name, ".gz") {
			plain = gunzip(t, content)
		}
		if strings.Contains(plain, "<sitemapindex") {
			content = lastModElement.ReplaceAllString(plain, "</loc></sitemap>")
		}
		found[name] = content
	}
	return found
}

// indexLastMods returns what the indexes in a folder say.
func indexLastMods(t testing.TB, files map[string]string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for name, content := range files {
		if strings.HasSuffix(name, ".gz") {
			content = gunzip(t, content)
		}
		if !strings.Contains(content, "<sitemapindex") {
			continue
		}
		for _, entry := range decode[sitemapindex](t, content).Sitemaps {
			found[filepath.Base(entry.Loc)] = entry.LastMod
		}
	}
	return found
}

// The model is a new set in an empty folder. Whatever happens to pages, an update
// leaves the same bytes, and touches nothing else.
func TestUpdatesLeaveWhatAFreshBuildWrites(t *testing.T) {
	t.Parallel()
	steps, divisions := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
		narrow := rapid.IntRange(0, 2).Draw(r, "narrow")
		l := &living{site: newSiteInMemory(t)}
		l.namespaces = XHTML | Image
		files := &l.config.Files
		files.MaxURLs = rapid.SampledFrom([]int{5, 20, 20, 30, 40, 40, 64}).Draw(r, "max_urls")
		files.MaxBytes = rapid.SampledFrom([]int64{minBytes, minBytes, 6000, MaxBytes}).Draw(r, "max_bytes")
		l.heavy = files.MaxBytes == minBytes && rapid.Bool().Draw(r, "heavy")
		files.Gzip = rapid.SampledFrom([]Gzip{GzipNone, GzipNone, GzipNone, GzipShards, GzipAll}).Draw(r, "gzip")
		files.StaleGrace = time.Duration(rapid.IntRange(0, 1).Draw(r, "grace")) * time.Hour
		files.Text = rapid.IntRange(0, 3).Draw(r, "text") == 0
		if rapid.IntRange(0, 4).Draw(r, "small index") == 0 {
			l.maxIndex = 1000
			l.dated = true // how long the index is must not depend on what happened
		}
		l.now = time.Now()
		for range rapid.IntRange(1, 200).Draw(r, "pages") {
			l.put(l.aPage(random, narrow))
		}
		var err error
		if l.result, l.published, err = l.build(); err != nil {
			r.Fatal(err)
		}
		for range rapid.IntRange(2, 14).Draw(r, "steps") {
			l.step(t, r, random, narrow)
			steps++
			for _, shards := range l.published.sections {
				if len(shards) > 1 {
					divisions++
				}
			}
		}
	})
	t.Logf("%d steps, %d divided sections", steps, divisions)
}

// step changes some pages, and updates.
func (l *living) step(t testing.TB, r *rapid.T, random *rand.Rand, narrow int) {
	old := l.pages
	l.now = l.now.Add(time.Duration(1+random.IntN(40)) * time.Minute)
	if random.IntN(10) > 0 {
		l.mutate(random, narrow)
	}
	before := files(t, l.dir)
	indexes := maps.Clone(before)
	maps.DeleteFunc(indexes, func(name, _ string) bool { return !l.published.Has(name) })
	said := indexLastMods(t, indexes)
	stamped := stamps(t, l.dir)
	changed := changedSince(old, l.pages)

	_, err := l.update(changed, nil)
	if len(l.pages) == 0 {
		if !errors.Is(err, ErrNoPages) || !maps.Equal(before, files(t, l.dir)) {
			r.Fatalf("no page: %v", err)
		}
		l.pages = old
		return
	}
	if err != nil {
		r.Fatal(err)
	}
	got := files(t, l.dir)
	result, wanted := l.fresh(t)
	wantSame(t, r, l.published, wanted)
	want := wanted.all()
	left := map[string]bool{}
	for _, w := range l.published.waiting {
		if _, current := want[w.name]; current || !w.until.After(l.now) || got[w.name] == "" {
			r.Fatalf("%s waits until %v, at %v", w.name, w.until, l.now)
		}
		left[w.name] = true
	}
	if at, waits := l.published.NextRemoval(); waits != (len(left) > 0) || waits && !at.After(l.now) {
		r.Fatalf("the next removal is at %v", at)
	}
	current := map[string]string{}
	for name, content := range got {
		_, wanted := want[name]
		if !wanted && !left[name] && !isTextName(name) { // a list has no mark
			r.Fatalf("%s is there", name)
		}
		if wanted {
			current[name] = content
		}
	}
	for _, shards := range wanted.sections {
		for _, shard := range shards {
			if xxhash.Sum64String(got[shard.name]) != shard.sum {
				r.Fatalf("%s is not what a fresh build writes", shard.name)
			}
		}
	}
	if random.IntN(4) == 0 {
		a, b := timeless(t, current), timeless(t, l.freshFiles(t))
		for _, name := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(names(a), names(b))))) {
			if a[name] != b[name] {
				r.Fatalf("%s has %d bytes, want %d", name, len(a[name]), len(b[name]))
			}
		}
	}

	// What was done, and what is said of it.
	var written, removed []string
	now, unchanged := stamps(t, l.dir), 0
	for name := range want {
		if wasStamped := stamped[name] == now[name]; !wasStamped {
			written = append(written, name)
		} else if before[name] != got[name] {
			r.Fatalf("%s changed in place", name)
		}
		isIndex := said != nil && (name == l.result.Root && result.Shards > 1 || isIndexName(name))
		if before[name] == got[name] && stamped[name] != now[name] && !isIndex {
			r.Fatalf("%s was the same, and was written", name)
		}
		if before[name] == got[name] && !isIndex && !isTextName(name) {
			unchanged++
		}
	}
	for name := range before {
		if _, there := got[name]; !there {
			removed = append(removed, name)
		}
	}
	slices.Sort(written)
	slices.Sort(removed)
	if !slices.Equal(written, l.result.Written) || !slices.Equal(removed, l.result.Removed) || l.result.Unchanged != unchanged ||
		l.result.Pages != result.Pages || l.result.Shards != result.Shards || !slices.Equal(l.result.Indexes, result.Indexes) {
		r.Fatalf("%+v, but %q were written, %q removed, %d unchanged; fresh: %+v", l.result, written, removed, unchanged, result)
	}
	newest := map[string]string{}
	for _, shards := range wanted.sections {
		for _, shard := range shards {
			newest[shard.name] = shard.lastMod
		}
	}
	for name, lastMod := range indexLastMods(t, current) {
		was, known := said[name]
		wantLastMod := newest[name]
		switch {
		case known && before[name] == got[name]:
			wantLastMod = was
		case before[name] != "" && before[name] != got[name]:
			wantLastMod = w3c(l.now)
		}
		// Of a shard in its grace nothing is known.
		if lastMod != wantLastMod {
			r.Fatalf("the index says %q of %s, want %q", lastMod, name, wantLastMod)
		}
	}
	for _, name := range names(current) {
		if !l.published.Has(name) {
			r.Fatalf("%s is not of the set", name)
		}
	}
	folder, err := OpenFolder(l.dir, false)
	must(t, err)
	defer folder.Close()
	if damaged := l.published.Changed(folder, names(got)); len(damaged) > 0 {
		r.Fatalf("%q changed", damaged)
	}
}

// wantSame fails unless the same is known of two sets, but for what differs by time.
func wantSame(t testing.TB, r *rapid.T, got, want *Published) {
	t.Helper()
	describe := func(p *Published) string {
		var text strings.Builder
		for i, shards := range p.sections {
			for _, shard := range shards {
				fmt.Fprintf(&text, "%d %s %+v %x\n", i, shard.name, shard.pageRun, shard.sum)
			}
		}
		for _, file := range slices.Concat(p.indexes, p.texts) {
			fmt.Fprintln(&text, file.name)
		}
		fmt.Fprintln(&text, p.places)
		return text.String()
	}
	if a, b := describe(got), describe(want); a != b {
		r.Fatalf("known is\n%s, want\n%s", a, b)
	}
}

func TestPositionsLeadBackToPaths(t *testing.T) {
	for _, path := range []string{"a.html", "a/b/c.html", "a\x01/\xff.html"} {
		slash := strings.LastIndexByte(path, '/')
		if got, isFile := PathAt(Position(path[:max(slash, 0)], path[slash+1:], false)); got != path || !isFile {
			t.Errorf("%q: %q, %v", path, got, isFile)
		}
	}
	if got, isFile := PathAt(""); got != "" || !isFile {
		t.Errorf("the start is %q, %v", got, isFile)
	}
	if _, isFile := PathAt(Position("", "https://h.test/", true)); isFile {
		t.Error("an extra page is a file")
	}
}
