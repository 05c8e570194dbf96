//go:build unix

package main

import (
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"sitewalk"
)

// These tests show what dates by content are for: a site is built again, copied,
// checked out or touched, and no date changes but that of a page that did.

// pageBytes returns the pages below a folder, by path.
func pageBytes(t *testing.T, folder string) map[string]string {
	t.Helper()
	pages := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".html") {
			pages[path[len(folder)+1:]] = readFile(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// datedSite is a site whose pages have dates by content.
type datedSite struct{ docroot, out, state, config string }

// newDatedSite deploys a docroot, gives each file a date of its own, long ago,
// and publishes its set, which has many shards.
func newDatedSite(t *testing.T, from, config string) *datedSite {
	t.Helper()
	dir := publicDir(t)
	s := &datedSite{filepath.Join(dir, "public"), filepath.Join(dir, "set"), filepath.Join(dir, "state"), filepath.Join(dir, "sitewalk.yaml")}
	writeFile(t, s.config, "lastmod: [content]\noutput: {max_urls: 10}\n"+config)
	if err := os.Mkdir(s.out, 0o755); err != nil {
		t.Fatal(err)
	}
	s.deploy(t, from)
	s.date(t, func(i int) time.Time { return firstDate.Add(time.Duration(i) * time.Hour) })
	report := s.publish(t)
	if report.Shards < 5 || report.Pages < 30 {
		t.Fatalf("%d pages in %d shards are too few to tell changes apart", report.Pages, report.Shards)
	}
	if dates := s.dates(t); !maps.Equal(dates, s.fileDates(t, dates)) {
		t.Fatal("the first dates are not those of the files")
	}
	return s
}

// deploy replaces the docroot with a copy that has new times and new inodes.
func (s *datedSite) deploy(t *testing.T, from string) {
	t.Helper()
	if err := os.RemoveAll(s.docroot); err != nil {
		t.Fatal(err)
	}
	copyFolder(t, from, s.docroot)
}

// copyFolder copies a folder as cp -r does: without times.
func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// date sets the modification times of all files in the docroot, each by its place
// in the order of names.
func (s *datedSite) date(t *testing.T, at func(i int) time.Time) {
	t.Helper()
	i := 0
	err := filepath.WalkDir(s.docroot, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		i++
		return os.Chtimes(path, at(i), at(i))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (s *datedSite) publish(t *testing.T, args ...string) sitewalk.Report {
	t.Helper()
	return buildReading(t, append([]string{"-c", s.config, "--docroot", s.docroot, "--base-url", hugoBase,
		"--out", s.out, "--state", s.state}, args...)...)
}

// dates returns the lastmod of each URL in the set.
func (s *datedSite) dates(t *testing.T) map[string]string {
	t.Helper()
	return ownPages(t, s.out, hugoBase).lastMod
}

// fileDates returns the modification times of the files that URLs lead to, as a
// set has them.
func (s *datedSite) fileDates(t *testing.T, urls map[string]string) map[string]string {
	t.Helper()
	dates := map[string]string{}
	for loc := range urls {
		dates[loc] = s.fileDate(t, loc)
	}
	return dates
}

func (s *datedSite) fileDate(t *testing.T, loc string) string {
	t.Helper()
	path, err := url.PathUnescape(strings.TrimPrefix(loc, hugoBase))
	if err != nil {
		t.Fatal(err)
	}
	if path == "" || strings.HasSuffix(path, "/") {
		path += "index.html"
	}
	info, err := os.Stat(filepath.Join(s.docroot, path))
	if err != nil {
		t.Fatal(err)
	}
	return writtenDate(info.ModTime())
}

// stamp is what shows that a file was written.
type stamp struct {
	inode    uint64
	modified time.Time
	content  string
}

// stamps returns those of the set's files, by name.
func (s *datedSite) stamps(t *testing.T) map[string]stamp {
	t.Helper()
	stamps := map[string]stamp{}
	for _, name := range glob(t, s.out, "sitemap*") {
		path := filepath.Join(s.out, name)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		stamps[name] = stamp{info.Sys().(*syscall.Stat_t).Ino, info.ModTime(), readFile(t, path)}
	}
	return stamps
}

// wantUnchanged publishes and fails the test unless nothing changes.
func (s *datedSite) wantUnchanged(t *testing.T, args ...string) {
	t.Helper()
	dates, stamps := s.dates(t), s.stamps(t)
	report := s.publish(t, args...)
	if report.Event != "unchanged" || len(report.Written) > 0 || len(report.Removed) > 0 || report.Unchanged != report.Shards {
		t.Errorf("%s: %q written, %q removed, %d of %d shards unchanged",
			report.Event, report.Written, report.Removed, report.Unchanged, report.Shards)
	}
	if len(report.Warnings) > 0 {
		t.Errorf("warned of %q", report.Warnings)
	}
	if !maps.Equal(s.stamps(t), stamps) {
		t.Error("files of the set were written")
	}
	if after := s.dates(t); !maps.Equal(after, dates) {
		t.Errorf("%d dates have changed", len(differences(after, dates)))
	}
}

// wantOneChange publishes and fails the test unless the date of the page at a
// path, its shard and the index change, and nothing else.
func (s *datedSite) wantOneChange(t *testing.T, path string, args ...string) {
	t.Helper()
	dates, stamps := s.dates(t), s.stamps(t)
	report := s.publish(t, args...)
	after := s.dates(t)
	loc := hugoBase + strings.TrimSuffix(path, "index.html")
	if changed := differences(after, dates); !slices.Equal(changed, []string{loc}) {
		t.Errorf("the dates of %d pages have changed, not only that of %s: %q", len(changed), loc, changed)
	}
	if want := s.fileDate(t, loc); after[loc] != want {
		t.Errorf("%s has the date %s, not its file's, %s", loc, after[loc], want)
	}
	written := differences(s.stamps(t), stamps)
	if len(written) != 2 || written[1] != "sitemap.xml" || !slices.Equal(report.Written, written) || len(report.Removed) > 0 {
		t.Errorf("%q were written, not one shard and the index; the report says %q, and %q removed", written, report.Written, report.Removed)
	}
}

// differences returns the keys whose values differ between two maps, or that only
// one of them has.
func differences[V comparable](a, b map[string]V) []string {
	keys := map[string]bool{}
	for key, value := range a {
		if other, found := b[key]; !found || value != other {
			keys[key] = true
		}
	}
	for key := range b {
		if _, found := a[key]; !found {
			keys[key] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

func TestRebuildChangesNothingButWhatChanged(t *testing.T) {
	first, again, edited := editedHugoSites(t)
	for name, upset := range map[string]func(t *testing.T, s *datedSite) []string{
		"rebuilt": func(t *testing.T, s *datedSite) []string {
			s.deploy(t, again)
			return nil
		},
		"touched": func(t *testing.T, s *datedSite) []string {
			now := time.Now()
			s.date(t, func(int) time.Time { return now })
			return nil
		},
		"travelled with the state": func(t *testing.T, s *datedSite) []string {
			elsewhere := publicDir(t)
			from, config := *s, readFile(t, s.config)
			s.docroot, s.out, s.state = filepath.Join(elsewhere, "checkout"), filepath.Join(elsewhere, "set"), filepath.Join(elsewhere, "cached")
			copyFolder(t, from.docroot, s.docroot)
			copyFolder(t, from.out, s.out)
			writeFile(t, s.state, readFile(t, from.state))
			if err := os.RemoveAll(filepath.Dir(from.docroot)); err != nil {
				t.Fatal(err)
			}
			s.config = filepath.Join(elsewhere, "sitewalk.yaml")
			writeFile(t, s.config, config)
			return nil
		},
		"rebuilt, and the state lost, but a sitemap kept": func(t *testing.T, s *datedSite) []string {
			s.deploy(t, again)
			if err := os.Remove(s.state); err != nil {
				t.Fatal(err)
			}
			return []string{"--previous", s.out}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newDatedSite(t, first, "")
			args := upset(t, s)
			s.wantUnchanged(t, args...)
			s.deploy(t, edited)
			s.wantOneChange(t, editedPage, args...)
			s.wantUnchanged(t, args...)
			s.deploy(t, edited)
			s.wantUnchanged(t, args...)
		})
	}
	t.Run("edited while the state was lost, but the old pages kept", func(t *testing.T) { testOldPagesKept(t, first, edited) })
	t.Run("only the set lost", func(t *testing.T) { testSetLost(t, first, again) })
	t.Run("Hugo's sitemap written over the index", func(t *testing.T) { testIndexOverwritten(t, first, again) })
	t.Run("state damaged", func(t *testing.T) { testDamagedState(t, first, again) })
}

// testOldPagesKept shows that a folder with the published set and its pages is as
// good as a state.
func testOldPagesKept(t *testing.T, first, edited string) {
	s := newDatedSite(t, first, "")
	published := filepath.Join(publicDir(t), "published")
	copyFolder(t, s.docroot, published)
	copyOver(t, s.out, published)
	if err := os.Remove(s.state); err != nil {
		t.Fatal(err)
	}
	s.deploy(t, edited)
	s.wantOneChange(t, editedPage, "--previous", published)
	s.wantUnchanged(t)
}

// testSetLost shows that a set that went with the old docroot is made again as it
// was, so that crawlers see no change.
func testSetLost(t *testing.T, first, again string) {
	s := newDatedSite(t, first, "")
	before := folderBytes(t, s.out)
	clearSet(t, s.out)
	s.deploy(t, again)
	s.publish(t)
	if !maps.Equal(folderBytes(t, s.out), before) {
		t.Error("the set is not the one that was lost")
	}
}

// testIndexOverwritten shows what becomes of a set in the docroot itself when Hugo
// is run over it and writes its own sitemap.xml.
func testIndexOverwritten(t *testing.T, first, again string) {
	s := newDatedSite(t, first, "")
	s.out = s.docroot
	s.publish(t)
	before := s.stamps(t)
	index := before["sitemap.xml"].content
	copyOver(t, again, s.docroot)
	if readFile(t, filepath.Join(s.out, "sitemap.xml")) == index {
		t.Fatal("the index is still there")
	}
	report := s.publish(t)
	if !slices.Equal(report.Written, []string{"sitemap.xml"}) || report.Unchanged != report.Shards {
		t.Errorf("%q written, %d of %d shards unchanged", report.Written, report.Unchanged, report.Shards)
	}
	after := s.stamps(t)
	if changed := differences(after, before); !slices.Equal(changed, []string{"sitemap.xml"}) {
		t.Errorf("%q have changed", changed)
	}
	if after["sitemap.xml"].content != index {
		t.Error("the index does not say what it said before")
	}
}

// testDamagedState shows that a state that cannot be used costs the dates that it
// held, and nothing else.
func testDamagedState(t *testing.T, first, again string) {
	s := newDatedSite(t, first, "")
	state := []byte(readFile(t, s.state))
	damaged := map[string][]byte{
		"empty": {}, "text": []byte("not a state\n"), "one byte": state[:1],
		"cut in half": state[:len(state)/2], "cut at the end": state[:len(state)-1],
		"longer": append(slices.Clone(state), 0), "twice": append(slices.Clone(state), state...),
		"zeroed": make([]byte, len(state)),
	}
	for _, at := range []int{0, len(state) / 3, len(state) - 1} {
		flipped := slices.Clone(state)
		flipped[at] ^= 0x10
		damaged[fmt.Sprintf("bit of byte %d flipped", at)] = flipped
	}
	s.deploy(t, again)
	s.date(t, func(i int) time.Time { return firstDate.AddDate(1, 0, i) })
	for name, content := range damaged {
		t.Run(name, func(t *testing.T) {
			s.out, s.state = t.TempDir(), filepath.Join(t.TempDir(), "state")
			writeFile(t, s.state, string(content))
			warning := warningOf(s.publish(t), "state-unusable")
			if !slices.Equal(warning.Paths, []string{s.state}) {
				t.Errorf("the warning is %q", warning)
			}
			if dates := s.dates(t); !maps.Equal(dates, s.fileDates(t, dates)) {
				t.Error("dates are not the files'")
			}
			if readFile(t, s.state+".unusable") != string(content) {
				t.Error("the state is not kept for somebody to look at")
			}
			now := time.Now()
			s.date(t, func(int) time.Time { return now })
			s.wantUnchanged(t)
			s.date(t, func(i int) time.Time { return firstDate.AddDate(1, 0, i) })
		})
	}
}

// A build stamp in each page makes each page new, unless lastmod_ignore names it.
func TestBuildStampIsOverlookedIfAsked(t *testing.T) {
	built := t.TempDir()
	folder := func(clock string) string {
		docroot := filepath.Join(built, clock[:10])
		runHugo(t, hugoSource, docroot, []string{"HUGO_PARAMS_STAMP=true"}, "--clock", clock)
		return docroot
	}
	monday, tuesday := folder("2024-07-01T08:00:00Z"), folder("2024-07-02T09:30:00Z")
	if changed := differences(pageBytes(t, monday), pageBytes(t, tuesday)); len(changed) < 40 {
		t.Fatalf("only %d pages have a stamp", len(changed))
	}
	s := newDatedSite(t, monday, `lastmod_ignore: ['<meta name="?generator[^>]*>']`)
	s.deploy(t, tuesday)
	s.wantUnchanged(t)
	const about = "about/index.html"
	s.deploy(t, monday)
	writeFile(t, filepath.Join(s.docroot, about), readFile(t, filepath.Join(tuesday, about))+"<!-- edited -->\n")
	s.wantOneChange(t, about)
	s.deploy(t, tuesday)
	writeFile(t, filepath.Join(s.docroot, about), readFile(t, filepath.Join(monday, about))+"<!-- edited -->\n")
	s.wantUnchanged(t)

	s = newDatedSite(t, monday, "")
	s.deploy(t, tuesday)
	before := s.dates(t)
	s.publish(t)
	if changed := differences(s.dates(t), before); len(changed) != len(before) {
		t.Errorf("%d of %d dates have changed, and nothing said what to overlook", len(changed), len(before))
	}
}

// copyOver copies the files of a folder over those of another.
func copyOver(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			writeFile(t, filepath.Join(to, path[len(from):]), readFile(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
