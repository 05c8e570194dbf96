package output

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
)

// FuzzIndex puts anything in the place of the index on disk, whole or compressed. What
// is taken from it is names of shards and dates. The index that replaces it is valid,
// names what is there, and stays as it is from then on.
func FuzzIndex(f *testing.F) {
	s := newSiteInMemory(f)
	s.publish(f, twoShards())
	whole := files(f, s.dir)["sitemap.xml"]
	shard := "<sitemap><loc>" + testURL + "sitemap-pages.xml.gz</loc>"
	for _, seed := range []string{
		whole, strings.ReplaceAll(whole, "+00:00", ".5Z"), strings.ReplaceAll(whole, "lastmod>", "loc>"), strings.ReplaceAll(whole, indexEnd, continued),
		marker + shard + "<lastmod>2024-05-06</lastmod></sitemap>", marker + shard + "<lastmod>2024-05-06T07:08:09+00:00</lastmod></sitemap>",
		marker + shard + "<lastmod>0000-13-99</lastmod>", marker + shard + "<lastmod></urlset>&<", marker + "<sitemap><loc>..</loc><sitemap><loc>/</loc>",
		marker + "<urlset><url><loc>" + testURL + "</loc></url></urlset>", marker, "",
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, content []byte, compressed bool) {
		if compressed {
			content = compressWhole(content)
		}
		s := newSiteInMemory(t)
		if compressed {
			s.config.Files.Gzip = GzipAll
		}
		root := s.config.Files.rootFile()
		must(t, os.WriteFile(filepath.Join(s.dir, root), content, 0o644))
		folder, err := OpenFolder(s.dir, false)
		must(t, err)
		defer folder.Close()
		found, err := folder.readIndexes(&s.config.Files)
		must(t, err)
		for name, said := range found.shards {
			if !isShardName(name) || len(name) > 255 || said.lastMod != "" && !isW3C(said.lastMod) {
				t.Fatalf("%q has the lastmod %q", name, said.lastMod)
			}
		}
		if len(found.files) == 0 {
			return // it counts as not there
		}

		s.publish(t, twoShards()) // the shards first, for the index to know them
		must(t, os.WriteFile(filepath.Join(s.dir, root), content, 0o644))
		s.publish(t, twoShards())
		text := files(t, s.dir)[root]
		if compressed {
			text = gunzip(t, text)
		}
		var named []string
		for _, entry := range decode[sitemapindex](t, text).Sitemaps {
			named = append(named, strings.TrimPrefix(entry.Loc, testURL))
			if !isW3C(entry.LastMod) {
				t.Fatalf("the index says %q of %s", entry.LastMod, entry.Loc)
			}
		}
		wantNames(t, "named", named, shardFile("blog", "", true), shardFile("pages", "", true))
		if again := s.publish(t, twoShards()); len(again.Written) > 0 {
			t.Fatalf("written again: %q", again.Written)
		}
	})
}

// isW3C reports whether a text is a date in one of the forms that the protocol's
// schema takes and that are written here.
func isW3C(text string) bool {
	_, errDate := time.Parse(time.DateOnly, text)
	_, errTime := time.Parse(time.RFC3339, text)
	return errDate == nil || errTime == nil
}

// yearZero is the first second whose year has four digits, and yearTenThousand the first
// behind those.
const yearZero, yearTenThousand = -62_167_219_200, 253_402_300_800

// FuzzIndexEntries holds what is read from an index to what was written there.
func FuzzIndexEntries(f *testing.F) {
	f.Add("https://example.com/", "pages", int64(1_700_000_000), uint8(3), false)
	f.Add("https://example.com/a&b='c'/", "a-0-z", int64(yearZero+1000), uint8(9), true)
	f.Fuzz(func(t *testing.T, url, section string, seconds int64, count uint8, day bool) {
		if !isShardName(shardFile(section, "", true)) || len(section) > 200 || seconds < yearZero+1000 || seconds >= yearTenThousand || strings.Contains(url, "/loc") {
			return // what no configuration allows, or no date has
		}
		format := DateTime
		if day {
			format = Date
		}
		dates := newDateWriter(format)
		content := []byte((&Files{}).fileHead("sitemapindex", 0))
		want := map[string]string{}
		for i := range int(count) {
			name, lastMod := shardFile(section, shardID(uint64(i)*uint64(seconds), i%2 == 0), true), ""
			if i%3 > 0 {
				lastMod = string(dates.append(nil, seconds-int64(i)*int64(i)%1000))
			}
			if !isShardName(name) {
				return // such as that of another index
			}
			want[name] = lastMod
			content = appendIndexEntry(content, appendEntities(nil, url+"/"), name, lastMod)
		}
		content = append(content, indexEnd...)
		s := newSiteInMemory(t)
		must(t, os.WriteFile(filepath.Join(s.dir, "sitemap.xml"), content, 0o644))
		folder, err := OpenFolder(s.dir, false)
		must(t, err)
		defer folder.Close()
		found, err := folder.readIndexes(&s.config.Files)
		must(t, err)
		for name, lastMod := range want {
			if got, known := found.shards[name]; !known || got.lastMod != lastMod {
				t.Fatalf("%s: %q came back as %q", name, lastMod, got.lastMod)
			}
		}
		if len(found.shards) != len(want) {
			t.Fatalf("%d shards, want %d", len(found.shards), len(want))
		}
	})
}

// FuzzCutter holds shards of any pages, under any limits, to those limits; and, when a
// page comes, the boundaries before it to where they were, and those behind it to where
// they were from the first one on that is.
func FuzzCutter(f *testing.F) {
	f.Add(uint16(10), uint32(5000), []byte("some pages that are cut"), uint16(3), uint8(40))
	f.Add(uint16(1), uint32(1), []byte{0, 0, 0}, uint16(0), uint8(255))
	f.Add(uint16(3), uint32(100000), bytes.Repeat([]byte{255, 1}, 200), uint16(399), uint8(0))
	f.Add(uint16(63), uint32(1000), bytes.Repeat([]byte{200, 100, 255, 90, 5}, 100), uint16(250), uint8(200))
	f.Fuzz(func(t *testing.T, urls uint16, size uint32, data []byte, at uint16, page uint8) {
		maxURLs, maxBytes := int(urls)%MaxURLs+1, int64(size)%MaxBytes+2048
		var lengths []int
		var hashes []uint64
		add := func(at int, b byte, salt uint64) {
			lengths = slices.Insert(lengths, at, 1+int(b)*8)
			hashes = slices.Insert(hashes, at, uint64(b)*0x9E3779B97F4A7C15+salt<<40)
		}
		for i, b := range data {
			add(i, b, uint64(i))
		}
		if maxURLs <= 64 { // enough shards, of pages as sites have them, to find back in
			for i := range 4000 {
				hash := xxhash.Sum64String(strconv.Itoa(i))
				lengths, hashes = append(lengths, 50+int(hash%300)), append(hashes, hash)
			}
		}
		before := boundariesWithin(t, maxURLs, maxBytes, lengths, hashes)
		inserted := int(at) % (len(data) + 1)
		add(inserted, page, 1<<20)
		after := boundariesWithin(t, maxURLs, maxBytes, lengths, hashes)

		for len(before) > 0 && before[0] < inserted {
			if before[0] != after[0] {
				t.Fatalf("a page at %d moves the boundary %d to %d", inserted, before[0], after[0])
			}
			before, after = before[1:], after[1:]
		}
		for i := range before {
			before[i]++ // where it is now, if it did not move
		}
		met := slices.IndexFunc(after, func(boundary int) bool { return slices.Contains(before, boundary) })
		if len(before) > 0 && met < 0 {
			t.Fatal("the end is no boundary")
		}
		if tail := after[max(met, 0):]; len(before) > 0 && !slices.Equal(before[max(len(before)-len(tail), 0):], tail) {
			t.Fatalf("the boundaries meet at %d, and part again", tail[0])
		}
		if maxURLs <= 64 && after[met] > len(data)+3000 {
			t.Fatalf("the boundaries have not found back up to %d", after[met])
		}
	})
}

// boundariesWithin cuts pages, checks that the shards are within the limits and have
// all of them, and returns where each shard ends.
func boundariesWithin(t *testing.T, maxURLs int, maxBytes int64, lengths []int, hashes []uint64) []int {
	t.Helper()
	at := 0
	var ends []int
	for _, shard := range cut(maxURLs, maxBytes, lengths, hashes) {
		total := int64(0)
		for _, length := range lengths[at : at+shard] {
			total += int64(length)
		}
		at += shard
		ends = append(ends, at)
		if shard == 0 || shard > maxURLs || total > maxBytes {
			t.Fatalf("a shard of %d pages and %d bytes; limits %d and %d", shard, total, maxURLs, maxBytes)
		}
	}
	if at != len(lengths) {
		t.Fatalf("%d of %d pages", at, len(lengths))
	}
	return ends
}
