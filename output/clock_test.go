package output

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// twoSections are pages of two shards.
func twoSections() []testPage { return append(makePages(0, 3), inSection(1, makePages(3, 6))...) }

// What a clock wrote that was ahead is neither what a run was killed over, in each run
// from then on, nor a date that the index may say.
func TestClockThatWasAheadIsSetBack(t *testing.T) {
	for _, ahead := range []time.Duration{time.Hour, 80 * 365 * 24 * time.Hour} {
		s := newSite(t)
		now := time.Now()
		s.now = now.Add(-24 * time.Hour)
		s.publish(t, twoSections())
		s.now = now.Add(ahead)
		pages := twoSections()
		pages[0].LastMod++
		s.publish(t, pages)
		for name := range files(t, s.dir) {
			must(t, os.Chtimes(filepath.Join(s.dir, name), s.now, s.now))
		}
		said := lastMods(t, s.dir)

		s.now = now
		pages[4].LastMod++ // the clock is right again, and the other shard changes
		s.publish(t, pages)
		got := lastMods(t, s.dir)
		if ahead := w3c(now.Add(ahead)); said["sitemap-pages.xml.gz"] != ahead || got["sitemap-pages.xml.gz"] != w3c(now) || got["sitemap-blog.xml.gz"] != w3c(now) {
			t.Errorf("the index said %v and says %v; now it is %s", said, got, w3c(now))
		}
		s.now = now.Add(time.Second)
		if again := s.publish(t, pages); len(again.Written) > 0 {
			t.Errorf("%v ahead: the next run writes %q", ahead, again.Written)
		}
	}
}

// A shard of any date is as it was: none is taken for one that a run was killed over
// more than once.
func TestFilesOfAnyDateSettle(t *testing.T) {
	for _, date := range []time.Time{time.Unix(0, 0), time.Unix(-1, 0), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)} {
		for _, dated := range [][]string{{"sitemap.xml"}, {"sitemap-pages.xml.gz"}, {"sitemap.xml", "sitemap-pages.xml.gz"}} {
			s := newSite(t)
			s.publish(t, twoSections())
			for _, name := range dated {
				must(t, os.Chtimes(filepath.Join(s.dir, name), date, date))
			}
			s.publish(t, twoSections())
			if again := s.publish(t, twoSections()); len(again.Written) > 0 {
				t.Errorf("%q of %v: a third run writes %q", dated, date, again.Written)
			}
		}
	}
}

// Its grace would else be over when the clock is where it was.
func TestGraceThatBeganInTheFutureBeginsAnew(t *testing.T) {
	s := newSite(t)
	s.publish(t, twoSections())
	s.publish(t, makePages(0, 3))
	left := filepath.Join(s.dir, "sitemap-blog.xml.gz")
	future := time.Now().Add(10 * 365 * 24 * time.Hour)
	must(t, os.Chtimes(left, future, future))
	if again := s.publish(t, makePages(0, 3)); len(again.Removed) > 0 {
		t.Fatalf("removed without a grace: %q", again.Removed)
	}
	info, err := os.Stat(left)
	must(t, err)
	if info.ModTime().After(time.Now()) {
		t.Errorf("its grace begins at %v", info.ModTime())
	}
	age(t, s.dir, "sitemap-blog.xml.gz", "sitemap-pages.xml.gz")
	wantNames(t, "removed", s.publish(t, makePages(0, 3)).Removed, "sitemap-blog.xml.gz", "sitemap-pages.xml.gz")
}
