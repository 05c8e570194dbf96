package faults

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// bomb is a small input that would take a careless program no end of time or memory.
type bomb struct {
	name string
	// set makes the files, and returns the command line.
	set    func(b *bombFolder) []string
	code   int    // with which the command ends
	says   string // on either output
	memory int64  // bound in MiB, if not maxBombMemory
}

// The bounds of what any bomb may take. Processor time is what is held to a bound: how
// long that takes is up to what else the machine does.
const (
	maxBombMemory = 200 // MiB resident
	maxBombTime   = 20 * time.Second
	// gitMemory is what git may have besides, see package gitlog.
	gitMemory = 1200
)

// wantWithin fails the test if a run has taken more than a bomb may take.
func (o outcome) wantWithin(t *testing.T, memory int64) {
	t.Helper()
	if o.memory > memory<<20 || o.processor > maxBombTime {
		t.Errorf("takes more than %d MiB or %v: %v", memory, maxBombTime, o)
	}
}

// TestBombs sets each of them, and holds the run to its bounds.
func TestBombs(t *testing.T) {
	all := append([]bomb(nil), fileBombs...)
	for _, set := range setBombs {
		all = append(all,
			bomb{name: "check of " + set.name, set: func(b *bombFolder) []string { return []string{"check", set.set(b)} }, code: set.code},
			bomb{name: "dates from " + set.name, set: func(b *bombFolder) []string {
				return b.build("lastmod: [content]\n", "--previous", set.set(b))
			}, code: set.may},
			bomb{name: "submission of " + set.name, set: func(b *bombFolder) []string { return b.submit(set.set(b)) }, code: set.may})
	}
	all = append(all,
		bomb{name: "state, whole, with a terabyte behind it", set: func(b *bombFolder) []string {
			return b.forged(b.sparse("state", b.stateOf(), terabyte))
		}, says: "state-unusable"},
		bomb{name: "state, whole, with ten gigabytes behind it", set: func(b *bombFolder) []string {
			return b.forged(b.write("state", b.stateOf()+tenGigabytes("\n")))
		}, says: "state-unusable"},
		bomb{name: "folders, 3000 deep, each with a .htaccess", set: deepFolders},
		bomb{name: "git tree of ten thousand million files", set: gitTree, says: "git-unavailable", memory: gitMemory})
	if everything {
		all = append(all, bomb{name: "a million files in a folder", set: millionFiles})
	}
	var counting sync.Mutex
	var largest, longest outcome
	t.Cleanup(func() {
		t.Logf("| %d bombs | at most %d MiB | and %v |", len(all), largest.memory>>20, longest.processor)
	})
	for _, one := range all {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			b := &bombFolder{t: t, dir: openFolder(t)}
			b.docroot = filepath.Dir(b.write("site/index.html", "<!doctype html><title>page</title>\n"))
			done := measure(t, command(t, one.set(b)...))
			if done.code != one.code || !strings.Contains(done.stdout+done.stderr, one.says) {
				t.Errorf("ends not with %d, saying %q: %v", one.code, one.says, done)
			}
			t.Logf("%d MiB, %v", done.memory>>20, done.processor)
			counting.Lock()
			defer counting.Unlock()
			bound := int64(maxBombMemory)
			if one.memory > 0 {
				bound = one.memory
			} else if done.memory > largest.memory {
				largest = done
			}
			done.wantWithin(t, bound)
			if done.processor > longest.processor {
				longest = done
			}
		})
	}
}
