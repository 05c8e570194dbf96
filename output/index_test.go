package output

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// lastMods returns what the index says of each shard.
func lastMods(t testing.TB, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, entry := range decode[sitemapindex](t, files(t, dir)["sitemap.xml"]).Sitemaps {
		found[path.Base(entry.Loc)] = entry.LastMod
	}
	return found
}

func w3c(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05+00:00") }

// twoShards returns pages of two sections, of one shard each.
func twoShards() []testPage {
	return append(makePages(0, 3), inSection(1, makePages(10, 12))...)
}

func TestFreshShardGetsTheNewestDateOfItsPages(t *testing.T) {
	s := newSite(t)
	pages := append(twoShards(), inSection(2, makePages(20, 22))...)
	pages[5].LastMod, pages[6].LastMod = 0, 0
	s.publish(t, pages)
	want := map[string]string{
		"sitemap-pages.xml.gz": w3c(time.Unix(1_600_000_002, 0)),
		"sitemap-blog.xml.gz":  w3c(time.Unix(1_600_000_011, 0)),
		"sitemap-docs.xml.gz":  "", // none of its pages has one
	}
	if got := lastMods(t, s.dir); !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestChangedShardGetsNowAndUnchangedKeepsItsDate(t *testing.T) {
	s := newSite(t)
	pages := twoShards()
	s.publish(t, pages)
	first := lastMods(t, s.dir)
	pages[0].LastMod--
	s.now = testNow.Add(time.Hour)
	s.publish(t, pages)
	second := lastMods(t, s.dir)
	if second["sitemap-pages.xml.gz"] != w3c(s.now) || second["sitemap-blog.xml.gz"] != first["sitemap-blog.xml.gz"] {
		t.Fatalf("got %q after %q", second, first)
	}
	s.now = testNow.Add(2 * time.Hour)
	s.publish(t, append(pages, inSection(2, makePages(20, 21))...))
	third := lastMods(t, s.dir)
	if third["sitemap-pages.xml.gz"] != second["sitemap-pages.xml.gz"] || third["sitemap-blog.xml.gz"] != second["sitemap-blog.xml.gz"] {
		t.Fatalf("got %q after %q", third, second)
	}
}

func TestShardNewerThanTheIndexCountsAsChanged(t *testing.T) {
	s := newSite(t)
	s.publish(t, twoShards())
	age(t, s.dir, "sitemap.xml", "sitemap-blog.xml.gz")
	s.now = testNow.Add(time.Hour)
	result := s.publish(t, twoShards())
	wantNames(t, "written", result.Written, "sitemap.xml")
	if got := lastMods(t, s.dir); got["sitemap-pages.xml.gz"] != w3c(s.now) || got["sitemap-blog.xml.gz"] == w3c(s.now) {
		t.Fatalf("got %q", got)
	}
	if again := s.publish(t, twoShards()); len(again.Written) > 0 {
		t.Fatalf("written again: %q", again.Written)
	}
}

// Two changes in one day leave the index's bytes as they are where dates have no
// time. The index must not look older than its shards then: the next day's run
// would take that for an interrupted one, and say that the shard changed.
func TestSecondChangeInADayIsNotTakenForAnInterruptedRun(t *testing.T) {
	s := newSite(t)
	s.config.LastModFormat = Date
	pages := twoShards()
	s.publish(t, pages)
	for i := range 2 {
		pages[0].LastMod -= 24 * 60 * 60
		age(t, s.dir, names(files(t, s.dir))...)
		if result := s.publish(t, pages); len(result.Written) != 2 {
			t.Fatalf("change %d: written %q", i, result.Written)
		}
	}
	s.now = testNow.Add(48 * time.Hour)
	if result := s.publish(t, pages); len(result.Written) != 0 {
		t.Fatalf("nothing changed, and written %q", result.Written)
	}
}

func TestEntriesAreSortedAndUnique(t *testing.T) {
	s := newSite(t)
	s.config.Files.MaxURLs = 20
	s.publish(t, append(inSection(1, makePages(0, 100)), makePages(100, 300)...))
	var sections, all []string
	for _, entry := range decode[sitemapindex](t, files(t, s.dir)["sitemap.xml"]).Sitemaps {
		if slices.Contains(all, entry.Loc) {
			t.Errorf("%s stands there twice", entry.Loc)
		}
		all = append(all, entry.Loc)
		sections = append(sections, strings.Split(path.Base(entry.Loc), "-")[1])
		if _, err := os.Stat(filepath.Join(s.dir, path.Base(entry.Loc))); err != nil {
			t.Error(err)
		}
	}
	if !slices.IsSorted(sections) || len(all) < 10 {
		t.Errorf("sections %q", sections)
	}
}

// indexEntries returns how many shards each index names.
func indexEntries(t testing.TB, dir string) map[string]int {
	t.Helper()
	found := map[string]int{}
	for name, content := range files(t, dir) {
		if strings.Contains(content, "<sitemapindex") {
			found[name] = len(decode[sitemapindex](t, content).Sitemaps)
		}
	}
	return found
}

func TestFullIndexIsContinuedInAnother(t *testing.T) {
	t.Parallel()
	s := newSiteInMemory(t)
	s.config.Files.Protocol, s.config.Files.MaxURLs, s.config.Files.Gzip = Protocol084, 1, GzipNone
	for _, step := range []struct {
		pages int
		want  map[string]int
	}{
		{1000, map[string]int{"sitemap.xml": 1000}},
		{1001, map[string]int{"sitemap.xml": 1000, "sitemap-index-2.xml": 1}},
	} {
		s.publish(t, makePages(0, step.pages))
		if got := indexEntries(t, s.dir); !maps.Equal(got, step.want) {
			t.Fatalf("%d shards: %v, want %v", step.pages, got, step.want)
		}
		if again := s.publish(t, makePages(0, step.pages)); len(again.Written) > 0 {
			t.Fatalf("%d shards: written again: %q", step.pages, again.Written)
		}
	}

	// Back to one index. The others stay for their grace, however often the root
	// is written meanwhile, and go no later than the shards that they name.
	first := s.publish(t, makePages(0, 900))
	if len(first.Removed) > 0 || len(indexEntries(t, s.dir)) != 2 {
		t.Fatalf("removed %d", len(first.Removed))
	}
	var others []string
	for name := range files(t, s.dir) {
		if name != "sitemap.xml" {
			others = append(others, name)
		}
	}
	age(t, s.dir, others...)
	age(t, s.dir, "sitemap.xml")
	second := s.publish(t, makePages(0, 899))
	if len(second.Removed) != 101+1 || len(indexEntries(t, s.dir)) != 1 {
		t.Fatalf("%d were removed, indexes are %v", len(second.Removed), indexEntries(t, s.dir))
	}
}

func TestIndexIsHeldToTheSizeLimit(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const limit = 4096
	s.maxIndex, s.config.Files.MaxURLs, s.config.Files.Gzip = limit, 1, GzipNone
	s.publish(t, makePages(0, 200))
	total := 0
	for name, entries := range indexEntries(t, s.dir) {
		total += entries
		if size := len(files(t, s.dir)[name]); size > limit {
			t.Errorf("%s has %d bytes", name, size)
		}
	}
	if total != 200 {
		t.Errorf("%d of 200 shards are named", total)
	}
}

func TestURLsInARootThatIsAShardAreNoShards(t *testing.T) {
	s := newSite(t)
	page := testPage{Page: Page{Loc: []byte(testURL + "sitemap-blog.xml.gz")}}
	s.publish(t, []testPage{page})
	folder, err := OpenFolder(s.dir, false)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if found, err := folder.readIndexes(&s.config.Files); err != nil || len(found.shards) != 0 {
		t.Errorf("read %v", found.shards)
	}
}

func TestTransitionsKeepLeftoversForTheirGrace(t *testing.T) {
	t.Parallel()
	one, several := makePages(0, 3), append(makePages(0, 3), inSection(1, makePages(5, 8))...)
	other := append(makePages(0, 3), inSection(2, makePages(5, 8))...)
	cut := makePages(0, 100)
	type state struct {
		name  string
		pages []testPage
		gzip  Gzip
	}
	var states []state
	for _, gzip := range []Gzip{GzipShards, GzipAll, GzipNone} {
		states = append(states, state{"one/" + string(gzip), one, gzip}, state{"several/" + string(gzip), several, gzip})
	}
	states = append(states, state{"other sections", other, GzipShards}, state{"cut", cut, GzipShards})
	for _, from := range states {
		for _, to := range states {
			s := newSiteInMemory(t)
			s.config.Files.MaxURLs = 40
			s.config.Files.Gzip = from.gzip
			s.publish(t, from.pages)
			old := files(t, s.dir)
			age(t, s.dir, names(old)...)

			s.config.Files.Gzip = to.gzip
			if result := s.publish(t, to.pages); len(result.Removed) > 0 {
				t.Errorf("%s to %s: %q are removed without grace", from.name, to.name, result.Removed)
			}
			fresh := s.with(newSiteInMemory(t).dir)
			fresh.publish(t, to.pages)
			want := names(files(t, fresh.dir))
			var left []string
			for name := range old {
				if !slices.Contains(want, name) {
					left = append(left, name)
				}
			}
			slices.Sort(left)
			if missing := slices.DeleteFunc(slices.Concat(want, left), func(name string) bool {
				_, there := files(t, s.dir)[name]
				return there
			}); len(missing) > 0 {
				t.Fatalf("%s to %s: %q are missing", from.name, to.name, missing)
			}

			// Within the grace nothing goes, and the grace does not begin anew.
			if result := s.publish(t, to.pages); len(result.Removed)+len(result.Written) > 0 {
				t.Errorf("%s to %s: again, %+v", from.name, to.name, result)
			}
			age(t, s.dir, left...)
			if result := s.publish(t, to.pages); !slices.Equal(result.Removed, left) || len(result.Written) > 0 {
				t.Errorf("%s to %s: removed %q of %q, wrote %q", from.name, to.name, result.Removed, left, result.Written)
			}
			wantNames(t, from.name+" to "+to.name, names(files(t, s.dir)), want...)
		}
	}
}

func TestGraceDoesNotBeginAnewWithEveryRun(t *testing.T) {
	s := newSite(t)
	s.config.Files.Gzip = GzipAll
	s.publish(t, twoShards())
	s.config.Files.Gzip = GzipShards
	pages := twoShards()
	s.publish(t, pages)
	for range 3 {
		pages[0].LastMod--
		s.now = s.now.Add(time.Minute)
		age(t, s.dir, "sitemap.xml.gz")
		result := s.publish(t, pages)
		if slices.Contains(result.Removed, "sitemap.xml.gz") {
			return
		}
	}
	t.Fatal("the old root stays for as long as the new one is written")
}

func TestGzipAllToShardsKeepsTheDates(t *testing.T) {
	s := newSite(t)
	pages := twoShards()
	s.publish(t, pages)
	pages[0].LastMod--
	s.publish(t, pages)
	want := lastMods(t, s.dir)
	s.config.Files.Gzip = GzipAll
	s.now = testNow.Add(time.Hour)
	s.publish(t, pages)
	os.Remove(filepath.Join(s.dir, "sitemap.xml"))
	s.config.Files.Gzip = GzipShards
	s.now = testNow.Add(2 * time.Hour)
	s.publish(t, pages)
	if got := lastMods(t, s.dir); !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNoGraceRemovesAtOnce(t *testing.T) {
	s := newSite(t)
	s.config.Files.StaleGrace = 0
	s.publish(t, twoShards())
	result := s.publish(t, makePages(0, 3))
	wantNames(t, "removed", result.Removed, "sitemap-blog.xml.gz", "sitemap-pages.xml.gz")
	wantNames(t, "left", names(files(t, s.dir)), "sitemap.xml")
}
