package output

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// cut returns the lengths, in pages, of the shards of a section over the limits.
func cut(maxURLs int, maxBytes int64, lengths []int, hashes []uint64) []int {
	c := newCutter(maxURLs, maxBytes)
	var shards []int
	pages := 0
	for i, length := range lengths {
		if !c.fits(length) {
			shards, pages = append(shards, pages), 0
			c.next()
		}
		pages++
		if c.add(length, hashes[i]) {
			shards, pages = append(shards, pages), 0
			c.next()
		}
	}
	if pages > 0 {
		shards = append(shards, pages)
	}
	return shards
}

func TestShardsAreAQuarterOfTheMaximumOnAverage(t *testing.T) {
	random := newRandom()
	const pages = 400_000
	lengths, hashes := make([]int, pages), make([]uint64, pages)
	for i := range lengths {
		lengths[i], hashes[i] = 80+random.IntN(80), random.Uint64()
	}
	for _, limit := range []struct {
		urls  int
		bytes int64
	}{{1000, MaxBytes}, {50_000, 120_000}, {160, MaxBytes}, {1000, 120_000}} {
		shards := cut(limit.urls, limit.bytes, lengths, hashes)
		average, maximum := float64(pages)/float64(len(shards)), min(float64(limit.urls), float64(limit.bytes)/120)
		if average < maximum*0.2 || average > maximum*0.3 {
			t.Errorf("%v: %.0f pages on average, the maximum is %.0f", limit, average, maximum)
		}
	}
}

// Whatever happened before, boundaries come back to the same places.
func TestBoundariesFindBackAfterAMovedCut(t *testing.T) {
	random := newRandom()
	const pages = 20_000
	lengths, hashes := make([]int, pages), make([]uint64, pages)
	for i := range lengths {
		lengths[i], hashes[i] = 100, random.Uint64()
	}
	boundaries := func(from int) []int {
		at, found := from, []int(nil)
		for _, shard := range cut(400, MaxBytes, lengths[from:], hashes[from:]) {
			at += shard
			found = append(found, at)
		}
		return found
	}
	whole := boundaries(0)
	for from := 1; from < 2000; from += 37 {
		moved := boundaries(from)
		differ := 0
		for !slices.Contains(whole, moved[differ]) {
			differ++
		}
		if differ > 12 {
			t.Fatalf("begun at page %d, %d boundaries are others", from, differ)
		}
		if tail := moved[differ:]; !slices.Equal(whole[len(whole)-len(tail):], tail) {
			t.Fatalf("begun at page %d, the boundaries part again", from)
		}
	}
}

// shardURLs returns the URLs of each shard of a published set.
func shardURLs(t testing.TB, dir string) map[string][]string {
	t.Helper()
	shards := map[string][]string{}
	for name, content := range files(t, dir) {
		if strings.HasSuffix(name, ".gz") {
			content = gunzip(t, content)
		}
		if !strings.Contains(content, "<urlset") {
			continue
		}
		for _, u := range decode[urlset](t, content).URLs {
			shards[name] = append(shards[name], u.Loc)
		}
	}
	return shards
}

func TestSectionWithinTheLimitsIsOneShard(t *testing.T) {
	t.Parallel()
	for _, pages := range []int{49_999, 50_000, 50_001} {
		s := newSite(t)
		result := s.publish(t, makePages(0, pages))
		if one := pages <= MaxURLs; one != (result.Shards == 1) {
			t.Errorf("%d pages are %d shards", pages, result.Shards)
		}
		total := 0
		for name, content := range files(t, s.dir) {
			if strings.HasSuffix(name, ".gz") {
				content = gunzip(t, content)
			}
			urls := strings.Count(content, "<url>")
			if urls > MaxURLs {
				t.Errorf("%s has %d URLs", name, urls)
			}
			total += urls
		}
		if total != pages {
			t.Errorf("%d of %d pages are listed", total, pages)
		}
	}
}

func TestSizeIsCountedToTheClosingTag(t *testing.T) {
	t.Parallel()
	for _, limit := range []struct {
		protocol Protocol
		bytes    int
	}{{Protocol09, MaxBytes}, {Protocol084, MaxBytes084}} {
		if raceDetector && limit.protocol == Protocol09 {
			continue // 150 MiB take it half a minute, and it learns nothing from them
		}
		for _, off := range []int{-1, 0, 1} {
			s := newSite(t)
			s.config.Files.Protocol, s.config.Files.Gzip = limit.protocol, GzipNone
			size := limit.bytes + off - len(s.config.Files.fileHead("urlset", 0)) - len(urlsetEnd)
			pages := fill(size, 100_000)
			result := s.publish(t, pages)
			if off <= 0 {
				if got := len(files(t, s.dir)["sitemap.xml"]); result.Shards != 1 || got != limit.bytes+off {
					t.Errorf("%s: %d shards, %d bytes; want one of %d", limit.protocol, result.Shards, got, limit.bytes+off)
				}
				continue
			}
			if result.Shards == 1 {
				t.Errorf("%s: one shard of more than the limit", limit.protocol)
			}
			for name, content := range files(t, s.dir) {
				if len(content) > limit.bytes {
					t.Errorf("%s has %d bytes", name, len(content))
				}
			}
		}
	}
}

// fill returns pages whose XML has a total length.
func fill(size, each int) []testPage {
	empty := Page{}
	frame := len(NewRenderer(DateTime).Append(nil, &empty))
	var pages []testPage
	for i := 0; size > 0; i++ {
		length := each
		if size < 2*each {
			length = size
		}
		loc := fmt.Appendf(nil, "%s%07d-", testURL, i)
		loc = append(loc, strings.Repeat("x", length-frame-len(loc))...)
		pages = append(pages, testPage{Page: Page{Loc: loc}})
		size -= length
	}
	return pages
}

func TestEverySmallLimitIsKept(t *testing.T) {
	t.Parallel()
	for _, maxURLs := range []int{1, 2, 3, 10} {
		for _, pages := range []int{1, 2, 3, 4, 10, 11, 57} {
			s := newSite(t)
			s.config.Files.MaxURLs = maxURLs
			result := s.publish(t, makePages(0, pages))
			if (pages <= maxURLs) != (result.Shards == 1) {
				t.Errorf("max_urls %d: %d pages are %d shards", maxURLs, pages, result.Shards)
			}
			total := 0
			for name, urls := range shardURLs(t, s.dir) {
				if total += len(urls); len(urls) > maxURLs || len(urls) == 0 {
					t.Errorf("max_urls %d: %s has %d", maxURLs, name, len(urls))
				}
			}
			if total != pages {
				t.Errorf("max_urls %d: %d of %d pages are listed", maxURLs, total, pages)
			}
		}
	}
}

func TestHugePagesFitOrAreRefused(t *testing.T) {
	s := newSite(t)
	s.config.Files.MaxBytes, s.config.Files.Gzip = minBytes, GzipNone
	s.publish(t, fill(40_000, 2500))
	for name, content := range files(t, s.dir) {
		if len(content) > minBytes {
			t.Errorf("%s has %d bytes", name, len(content))
		}
	}
	before := files(t, s.dir)
	if _, err := s.build(fill(5000, 5000)); err == nil {
		t.Fatal("a page that fits no shard was published")
	}
	if !maps.Equal(before, files(t, s.dir)) {
		t.Fatal("the set is no longer what it was")
	}
}

// The model is a fresh build: after any edits the files must be the same.
func TestHistoryOfEditsLeavesNoTrace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		s := newSiteInMemory(t)
		s.config.Files.StaleGrace = 0
		s.config.Files.MaxURLs = rapid.IntRange(1, 40).Draw(r, "max_urls")
		s.config.Files.Gzip = rapid.SampledFrom([]Gzip{GzipShards, GzipAll, GzipNone}).Draw(r, "gzip")
		s.config.Files.MaxBytes = rapid.SampledFrom([]int64{minBytes, MaxBytes}).Draw(r, "max_bytes")
		sets := rapid.SliceOfN(rapid.SliceOfNDistinct(rapid.IntRange(0, 60), 1, 50, rapid.ID[int]), 2, 3).Draw(r, "sets")
		var pages []testPage
		for _, numbers := range sets {
			slices.Sort(numbers)
			pages = nil
			for _, n := range numbers {
				page := onePage(n)
				page.section = n % 7 / 5
				pages = append(pages, page)
			}
			if _, err := s.build(pages); err != nil {
				r.Fatal(err)
			}
		}
		// The sections' pages come mixed here, and one section after the other there.
		slices.SortStableFunc(pages, func(a, b testPage) int { return b.section - a.section })
		fresh := s.with(newSiteInMemory(t).dir)
		if _, err := fresh.build(pages); err != nil {
			r.Fatal(err)
		}
		got, want := files(t, s.dir), files(t, fresh.dir)
		if !slices.Equal(names(got), names(want)) {
			r.Fatalf("got %q, want %q", names(got), names(want))
		}
		for name := range want {
			isIndex := name == s.config.Files.rootFile() && len(want) > 1
			if !isIndex && got[name] != want[name] {
				r.Fatalf("%s is not what a fresh build writes", name)
			}
		}
	})
}

// Counted at the cutter: what of a section of 100 shards is written anew when a
// page comes or goes.
func TestSingleEditsRewriteOneShardAsARule(t *testing.T) {
	random := newRandom()
	const edits, length = 700, 100
	var hashes []uint64
	for range 10_000 {
		hashes = append(hashes, random.Uint64())
	}
	shards := func() map[uint64]bool {
		lengths := slices.Repeat([]int{length}, len(hashes))
		found, at := map[uint64]bool{}, 0
		var before uint64 // the name
		for _, pages := range cut(400, MaxBytes, lengths, hashes) {
			sum := before
			for _, hash := range hashes[at : at+pages] {
				sum = sum*31 + hash
			}
			at += pages
			before = hashes[at-1]
			found[sum] = true
		}
		return found
	}
	old := shards()
	if len(old) < 90 || len(old) > 115 {
		t.Fatalf("%d shards", len(old))
	}
	rewritten := 0
	for range edits {
		at := random.IntN(len(hashes))
		if random.IntN(2) == 0 {
			hashes = slices.Insert(hashes, at, random.Uint64())
		} else {
			hashes = slices.Delete(hashes, at, at+1)
		}
		fresh := shards()
		for shard := range fresh {
			if !old[shard] {
				rewritten++
			}
		}
		old = fresh
	}
	average := float64(rewritten) / edits
	t.Logf("%.3f shards rewritten on average, of %d", average, len(old))
	if average > 1.1 {
		t.Errorf("an addition or removal rewrites %.2f shards", average)
	}
}

// The same with files, down to their bytes.
func TestSingleEditsWriteWhatAFreshBuildWould(t *testing.T) {
	t.Parallel()
	random := newRandom()
	s := newSiteInMemory(t)
	s.config.Files.MaxURLs, s.config.Files.StaleGrace = 80, 0
	var pages []testPage
	for i := range 1000 {
		pages = append(pages, onePage(i*1000))
	}
	s.publish(t, pages)
	for range 60 {
		if random.IntN(2) == 0 {
			page := onePage(random.IntN(1000)*1000 + 1 + random.IntN(999))
			at, there := slices.BinarySearchFunc(pages, page, func(a, b testPage) int { return bytes.Compare(a.Loc, b.Loc) })
			if there {
				continue
			}
			pages = slices.Insert(pages, at, page)
		} else {
			at := random.IntN(len(pages))
			pages = slices.Delete(pages, at, at+1)
		}
		before := files(t, s.dir)
		s.now = s.now.Add(time.Second)
		result := s.publish(t, pages)
		var written []string
		for name, content := range files(t, s.dir) {
			if before[name] != content {
				written = append(written, name)
			}
		}
		slices.Sort(written)
		if wantNames(t, "written", result.Written, written...); len(written) > 10 {
			t.Errorf("one edit wrote %q", written)
		}
	}
	fresh := s.with(t.TempDir())
	fresh.publish(t, pages)
	got, want := files(t, s.dir), files(t, fresh.dir)
	delete(got, "sitemap.xml")
	delete(want, "sitemap.xml")
	if !maps.Equal(got, want) {
		t.Fatal("the set is not what a fresh build writes")
	}
}

func TestEditTouchesOneShard(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.config.Files.MaxURLs = 40
	pages := makePages(0, 500)
	s.publish(t, pages)
	random := newRandom()
	for range 20 {
		pages[random.IntN(len(pages))].LastMod += 7
		result := s.publish(t, pages)
		if len(result.Written) != 2 || result.Unchanged != result.Shards-1 || result.Written[1] != "sitemap.xml" || len(result.Removed) != 0 {
			t.Fatalf("%+v", result)
		}
	}
}

func TestInsertionRenamesNoOtherShard(t *testing.T) {
	s := newSite(t)
	s.config.Files.MaxURLs, s.config.Files.StaleGrace = 40, 0
	pages := makePages(1000, 1500)
	s.publish(t, pages)
	before := names(files(t, s.dir))
	s.publish(t, append(makePages(0, 200), pages...)) // before all others
	after := names(files(t, s.dir))
	lost := 0
	for _, name := range before {
		if !slices.Contains(after, name) {
			lost++
		}
	}
	if lost > 2 {
		t.Errorf("%d of %d names are gone", lost, len(before))
	}
}
