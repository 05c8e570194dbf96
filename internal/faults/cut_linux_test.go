package faults

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// These tests prove invariant 3 of a set against power cuts: a file system on a disk that
// remembers its writes is mounted again as the disk would be after a cut at any moment,
// with and without what it had not yet been told to flush.

// cutCount is the number of moments at which the power is cut.
func cutCount() int {
	return [...]int{briefly: 8, endToEnd: 25, exhaustively: 300}[effort]
}

// wantWhole cuts the power at some moments, after each of which the set must be whole,
// and become what it should be by the next run.
func (s *cutSite) wantWhole(t *testing.T) {
	t.Helper()
	s.switchOff(t)
	random, end := seeded(t), s.moment(t)
	moments := s.moments(t, random, cutCount())
	left := counts{}
	for _, m := range moments {
		set, err := s.cut(t, random, m, true)
		if err == nil {
			left[fmt.Sprintf("of set %d", set)]++
		} else {
			t.Errorf("cut at %d of %d, %s; sets were told of at %v: %v", m.at, end, cutLosses[m.loss].name, s.sinces(), err)
		}
	}
	t.Logf("%d cuts in %d writes and flushes: %v", len(moments), end, left)
	if len(left) < len(s.generations) && !t.Failed() {
		t.Error("not every set was seen")
	}
}

func (s *cutSite) sinces() (sinces []int) {
	for _, g := range s.generations {
		sinces = append(sinces, g.since)
	}
	return sinces
}

func TestAfterAPowerCutTheSetIsWholeAndNoOlderThanTold(t *testing.T) {
	if !inNamespace(t, ofRoot) {
		return
	}
	disks := newCutDisks(t)
	for _, test := range []struct {
		name      string
		kind      fileSystem
		config    string
		publishes func(t *testing.T, s *cutSite)
		time      int
	}{
		{"build on ext4", ext4, cutNamed + "output: {max_urls: 20}\n", cutBuild, endToEnd},
		{"build that removes on ext4 with a neighbour", ext4, cutNamed + "output: {max_urls: 20, stale_grace: 0s, text: true}\n", besideNeighbour(cutBuild), briefly},
		{"watch on ext4 with a neighbour", ext4, cutNamed + "output: {max_urls: 20}\nwatch: {settle: 5ms}\n", besideNeighbour(cutWatch), endToEnd},
		{"build on ext4 that orders nothing", ext4Unordered, cutNamed + "output: {max_urls: 20, stale_grace: 0s}\n", besideNeighbour(cutBuild), endToEnd},
		{"watch on ext4 that orders nothing", ext4Unordered, cutNamed + "output: {max_urls: 20, stale_grace: 0s}\nwatch: {settle: 5ms}\n", besideNeighbour(cutWatch), exhaustively},
		{"build on ext4 with all in its journal", ext4Journaled, cutNamed + "output: {max_urls: 20}\n", besideNeighbour(cutBuild), exhaustively},
		{"first build on ext4 with a neighbour", ext4, cutNamed + "output: {max_urls: 20}\n", besideNeighbour(cutFirstBuild), endToEnd},
		{"first build on ext4 that orders nothing", ext4Unordered, cutNamed + "output: {max_urls: 20}\n", cutFirstBuild, exhaustively},
		{"build on xfs", xfs, cutNamed + "output: {max_urls: 20, stale_grace: 0s}\n", cutBuild, exhaustively},
		{"watch on xfs with a neighbour", xfs, cutNamed + "output: {max_urls: 20}\nwatch: {settle: 5ms}\n", besideNeighbour(cutWatch), exhaustively},
		{"first build on xfs", xfs, cutNamed + "output: {max_urls: 20}\n", cutFirstBuild, exhaustively},
		{"build on btrfs", btrfs, cutNamed + "output: {max_urls: 20, stale_grace: 0s}\n", cutBuild, exhaustively},
		{"watch on btrfs with a neighbour", btrfs, cutNamed + "output: {max_urls: 20}\nwatch: {settle: 5ms}\n", besideNeighbour(cutWatch), exhaustively},
		{"first build on btrfs", btrfs, cutNamed + "output: {max_urls: 20}\n", cutFirstBuild, exhaustively},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.time > effort {
				t.Skip("takes its time: SITEWALK_E2E=1 has more of these, and SITEWALK_FAULTS=all has all of them")
			}
			if _, err := exec.LookPath(test.kind.mkfs[0]); err != nil && test.kind.name != "ext4" {
				t.Skipf("%s is not installed; ext4 is looked at anyway", test.kind.mkfs[0])
			}
			s := newCutSite(t, disks, test.kind, test.config)
			test.publishes(t, s)
			s.wantWhole(t)
		})
	}
}

// besideNeighbour has somebody else write to the disk while a set is published.
func besideNeighbour(publishes func(t *testing.T, s *cutSite)) func(t *testing.T, s *cutSite) {
	return func(t *testing.T, s *cutSite) {
		t.Helper()
		end := s.neighbour(t)
		defer end()
		publishes(t, s)
	}
}

// cutBuild has a build publish a set.
func cutBuild(t *testing.T, s *cutSite) {
	t.Helper()
	s.change(t)
	s.record(t)
	if report := s.build(t, s.arguments(s.mounted)...); report.Event != "published" || len(report.Written) < 5 {
		t.Fatalf("the build is %+v", report)
	}
	s.told(t)
	s.sync(t)
}

// cutFirstBuild has a build publish the first set, in a folder that is not there yet.
func cutFirstBuild(t *testing.T, s *cutSite) {
	t.Helper()
	s.out = "sets/example"
	if err := os.Remove(filepath.Join(s.mounted, "state")); err != nil {
		t.Fatal(err)
	}
	s.change(t)
	s.record(t)
	s.build(t, s.arguments(s.mounted)...)
	s.told(t)
	s.sync(t)
}

// cutWatch has a watch publish some sets, one after the other. Each change is one rename,
// so that it cannot be published in two parts.
func cutWatch(t *testing.T, s *cutSite) {
	t.Helper()
	for i := range 12 {
		s.write(t, fmt.Sprintf("../aside/more/page-%02d.html", i), "new")
		s.write(t, fmt.Sprintf("../aside/news/item-%02d.html", i), "new")
	}
	s.write(t, "../aside/page.html", "edited")
	// Two edits of one second would leave the set as it is.
	if err := os.Chtimes(filepath.Join(s.mounted, "aside/page.html"), time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	s.record(t)
	w := newWatching(t, s.command(t, append([]string{"watch", "--json"}, s.arguments(s.mounted)...)...))
	must(t, w.cmd.Start())
	w.await(t, "ready")
	for _, move := range [][2]string{
		{"aside/more", "public/more"}, {"aside/page.html", "public/pages/page-20.html"},
		{"public/blog", "aside/blog"}, {"aside/news", "public/news"},
	} {
		if err := os.Rename(filepath.Join(s.mounted, move[0]), filepath.Join(s.mounted, move[1])); err != nil {
			t.Fatal(err)
		}
		w.await(t, "published")
		s.told(t)
	}
	w.stop(t)
	s.sync(t)
}

// TestARunAfterAKilledOneMakesDurableWhatThatLeft has a run killed when it has given
// files their names and is about to make that durable. The next run finds only the index
// to write, or nothing at all; when it has ended well, the set must be there after a
// power cut.
func TestARunAfterAKilledOneMakesDurableWhatThatLeft(t *testing.T) {
	if !inNamespace(t, ofRoot) {
		return
	}
	disks := newCutDisks(t)
	for name, kind := range map[string]fileSystem{"ext4": ext4, "ext4 that orders nothing": ext4Unordered} {
		for sync, event := range map[int]string{1: "published", 2: "unchanged"} {
			t.Run(fmt.Sprintf("%s, killed before sync %d", name, sync), func(t *testing.T) {
				s := newKilledCutSite(t, disks, kind, sync)
				if report := s.build(t, s.arguments(s.mounted)...); report.Event != event {
					t.Fatalf("the next run is %+v", report)
				}
				s.told(t)
				random := seeded(t)
				for loss := range cutLosses {
					if _, err := s.cut(t, random, cutMoment{s.generations[1].since, loss}, false); err != nil {
						t.Errorf("%s: %v", cutLosses[loss].name, err)
					}
				}
			})
		}
	}
}

// newKilledCutSite returns a site whose last build was killed before it made its renames
// durable for the first time, the shards', or for the second, the index's.
func newKilledCutSite(t *testing.T, disks *cutDisks, kind fileSystem, sync int) *cutSite {
	t.Helper()
	strace := program(t, "strace")
	// strace counts the calls of each thread: it may be too late.
	for range 30 {
		s := newCutSite(t, disks, kind, "output: {max_urls: 20}\n")
		s.stateless = true // to save one would make all durable
		s.change(t)
		s.record(t)
		line := []string{
			strace, "-f", "-o", os.DevNull, "-P", s.docroot(), "-e", "trace=fsync",
			"-e", fmt.Sprintf("inject=fsync:signal=SIGKILL:when=%d", sync),
		}
		done := s.buildUnder(t, line)
		files, _, err := s.read(s.mounted)
		if err != nil {
			t.Fatal(err)
		}
		if there := files["sitemap.xml"] != s.generations[0].files["sitemap.xml"]; done.code != 0 && there == (sync == 2) {
			return s
		}
	}
	t.Fatal("no run could be killed at the right moment")
	return nil
}

// cutWithoutSync is what a build runs under that never makes anything durable: the
// calls are not made, and said to have been.
func cutWithoutSync(t *testing.T) []string {
	t.Helper()
	const calls = "fsync,fdatasync,sync_file_range,syncfs,sync"
	return []string{program(t, "strace"), "-f", "-o", os.DevNull, "-e", "trace=" + calls, "-e", "inject=" + calls + ":retval=0"}
}

// TestAPowerCutIsSeenToBreakWhatIsNotMadeDurable shows that the test above can fail.
func TestAPowerCutIsSeenToBreakWhatIsNotMadeDurable(t *testing.T) {
	if !inNamespace(t, ofRoot) {
		return
	}
	disks, line := newCutDisks(t), cutWithoutSync(t)
	for name, options := range map[string]string{"ext4": "", "ext4 that orders nothing": ext4Unordered.options + ","} {
		t.Run(name, func(t *testing.T) {
			kind := ext4
			kind.options = options + "commit=600" // nothing becomes durable because time passes
			random, broken := seeded(t), 0
			for _, beside := range []bool{false, true} {
				s := newCutSite(t, disks, kind, "output: {max_urls: 20, stale_grace: 0s}\n")
				s.change(t)
				s.record(t)
				end := func() {}
				if beside {
					end = s.neighbour(t)
				}
				done := s.buildUnder(t, line)
				s.told(t)
				end()
				if done.code != 0 {
					t.Fatalf("exit code %d: %s", done.code, done.stderr)
				}
				s.sync(t)
				counts := counts{}
				for _, m := range s.moments(t, random, cutCount()) {
					_, err := s.cut(t, random, m, false)
					if err != nil {
						broken++
					}
					counts[cutKindOf(err)]++
				}
				t.Logf("beside a neighbour: %t; cuts that left the set: %v", beside, counts)
			}
			if broken == 0 {
				t.Error("no cut has broken a set of which nothing was made durable: the test proves nothing")
			}
		})
	}
}

// cutKindOf returns in which way a set is broken.
func cutKindOf(err error) string {
	for _, kind := range []error{errCutTorn, errCutNamed, errCutOld, errCutMixed} {
		if errors.Is(err, kind) {
			return kind.Error()
		}
	}
	if err != nil {
		return err.Error()
	}
	return "whole"
}
