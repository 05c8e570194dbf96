package faults

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// These tests prove invariant 3 for those who read a set while it is published, and
// invariant 8 for what does not change meanwhile.

// A changingSite is a site whose pages come, go and change, in a docroot that syncing a
// file costs nothing in if that can be had: durability is no concern of its readers.
type changingSite struct {
	docroot string
	attic   string // where folders of the docroot are put away
	config  string
	random  *rand.Rand
	edits   int
}

const changingSections = 8

func newChangingSite(t *testing.T, config string) *changingSite {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "sitewalk-readers-")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &changingSite{
		docroot: filepath.Join(dir, "public"), attic: filepath.Join(dir, "attic"),
		config: filepath.Join(t.TempDir(), "sitewalk.yaml"), random: seeded(t),
	}
	if err := os.Mkdir(s.attic, 0o755); err != nil {
		t.Fatal(err)
	}
	rules := "rules:\n"
	for i := range changingSections {
		rules += fmt.Sprintf("  - {match: 'section-%d/**', section: section-%d}\n", i, i)
		for n := range 12 {
			s.write(t, s.page(i, n))
		}
	}
	s.write(t, "index.html")
	writeFile(t, s.config, rules+config)
	return s
}

func (s *changingSite) page(section, number int) string {
	return fmt.Sprintf("section-%d/page-%02d.html", section, number)
}

func (s *changingSite) write(t *testing.T, name string) {
	t.Helper()
	s.edits++
	path, draft := filepath.Join(s.docroot, name), filepath.Join(s.attic, "draft")
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	writeFile(t, draft, fmt.Sprintf("<!doctype html><title>%s</title><p>%d\n", name, s.edits))
	// Two edits of one second would leave the set as it is.
	date := time.Unix(1_600_000_000+int64(s.edits), 0)
	if err := os.Chtimes(draft, date, date); err != nil {
		t.Fatal(err)
	}
	s.move(t, draft, path)
}

// change does one thing that changes the set: mostly it adds or removes shards.
func (s *changingSite) change(t *testing.T) {
	t.Helper()
	section := s.random.IntN(changingSections)
	folder := fmt.Sprintf("section-%d", section)
	name := s.page(section, s.random.IntN(30))
	here, there := filepath.Join(s.docroot, folder), filepath.Join(s.attic, folder)
	switch _, away := os.Stat(here); {
	case away != nil:
		s.move(t, there, here)
	case section > 0 && s.random.IntN(3) == 0: // the first stays: a set of one shard has no index
		s.move(t, here, there)
	case s.random.IntN(2) == 0 || os.Remove(filepath.Join(s.docroot, name)) != nil:
		s.write(t, name)
	}
}

func (s *changingSite) move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func (s *changingSite) arguments(more ...string) []string {
	return append([]string{"-c", s.config, "--docroot", s.docroot, "--base-url", baseURL, "--no-state"}, more...)
}

// wantFresh fails the test unless the set is, or becomes, what a fresh build writes, and
// nothing that was only passing is left.
func (s *changingSite) wantFresh(t *testing.T) {
	t.Helper()
	out := t.TempDir()
	buildReport(t, command(t, append([]string{"build", "--json"}, s.arguments("--out", out)...)...))
	fresh, _, err := readFolder(out)
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		set, temps, err := readFolder(s.docroot)
		if err == nil {
			err = sameSet(set, fresh)
		}
		if err == nil && len(temps) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%v; temporary files %q", err, temps)
		}
	}
}

// publications is the number of publications during which a set is read.
func publications() int {
	return [...]int{briefly: 40, endToEnd: 1000, exhaustively: 5000}[effort]
}

func TestReadersNeverSeeABrokenSetWhileShardsComeAndGo(t *testing.T) {
	for _, test := range []struct {
		name   string
		config string
		grace  time.Duration
		count  int
	}{
		{"by default", "", time.Hour, publications()},
		{"with a short grace", ", stale_grace: 100ms", 100 * time.Millisecond, publications()},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.grace < time.Hour && effort == briefly {
				t.Skip("waits until shards are removed: SITEWALK_E2E=1 has this")
			}
			s := newChangingSite(t, "output: {max_urls: 40"+test.config+"}\nwatch: {settle: 1ms}\n")
			w := startWatch(t, s.arguments()...)
			w.await(t, "ready")
			crawlers := []*crawler{
				crawl(t, "the file system", test.grace, fromFolder(s.docroot)),
				crawl(t, "nginx", test.grace, fromServer(serveSet(t, s.docroot))),
			}
			var written, removed int
			for range test.count {
				before := setStamps(t, s.docroot)
				s.change(t)
				published := w.await(t, "published")
				written, removed = written+len(published.Written), removed+len(published.Removed)
				after := setStamps(t, s.docroot)
				for name, stamp := range before {
					if now, there := after[name]; there && now.inode != stamp.inode && !slices.Contains(published.Written, name) {
						t.Errorf("%s was written, and the report does not say so", name)
					}
				}
			}
			for _, c := range crawlers {
				c.end(t)
			}
			s.wantFresh(t)
			w.stop(t)
			t.Logf("%d publications: %d files written, %d removed", test.count, written, removed)
			if (removed > 0) != (test.grace < time.Hour) {
				t.Errorf("%d shards were removed", removed)
			}
		})
	}
}

// setStamp shows whether a file was written.
type setStamp struct {
	inode uint64
	size  int64
}

func setStamps(t *testing.T, folder string) map[string]setStamp {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "sitemap*"))
	if err != nil {
		t.Fatal(err)
	}
	stamps := map[string]setStamp{}
	for _, name := range names {
		var stat unix.Stat_t
		if err := unix.Lstat(name, &stat); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		stamps[filepath.Base(name)] = setStamp{stat.Ino, stat.Size}
	}
	return stamps
}

// TestBuildsAndAWatchAtOnceEndWithTheRightSet has from two to ten builds and a watch work
// on one docroot while its pages change and its set is read.
func TestBuildsAndAWatchAtOnceEndWithTheRightSet(t *testing.T) {
	step := [...]int{briefly: 8, endToEnd: 1, exhaustively: 1}[effort]
	for count := 2; count <= 10; count += step {
		t.Run(fmt.Sprint(count, " builds"), func(t *testing.T) {
			s := newChangingSite(t, "output: {max_urls: 40}\nwatch: {settle: 1ms}\n")
			w := startWatch(t, s.arguments()...)
			w.await(t, "ready")
			reader := crawl(t, "the file system", time.Hour, fromFolder(s.docroot))
			codes := make([]counts, count)
			var builds sync.WaitGroup
			for i := range count {
				codes[i] = counts{}
				wait := []string{"0s", "30s"}[i%2]
				builds.Go(func() {
					for range 3 {
						codes[i][s.buildBeside(t, wait)]++
					}
				})
			}
			ended := make(chan struct{})
			go func() { builds.Wait(); close(ended) }()
			changes := 0
			for busy := true; busy; changes++ {
				s.change(t)
				select {
				case <-ended:
					busy = false
				case <-time.After(3 * time.Millisecond):
				}
			}
			s.wantFresh(t)
			reader.end(t)
			w.stop(t)
			s.wantFresh(t)
			all := counts{}
			for _, counts := range codes {
				for code, n := range counts {
					all[code] += n
				}
			}
			t.Logf("%d changes; builds ended: %v", changes, all)
		})
	}
}

// buildBeside runs a build beside others, and says how it ended.
func (s *changingSite) buildBeside(t *testing.T, wait string) string {
	done, err := run(command(t, append([]string{"build", "--json", "--lock-wait", wait}, s.arguments()...)...))
	switch {
	case err != nil:
		t.Error(err)
	case done.code == 1 && wait == "0s" && strings.Contains(done.stderr, "locked"):
		return "locked"
	case done.code == 3: // a page vanished while it was looked at
		return "with unreadable pages"
	case done.code != 0:
		t.Errorf("--lock-wait %s: exit code %d: %s", wait, done.code, done.stderr)
	}
	return "well"
}
