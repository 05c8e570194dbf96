//go:build amd64 || arm64

package faults

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// faults returns what can become of a call, other than that it succeeds.
func (c *call) faults() []fault {
	var errs []unix.Errno
	switch c.name {
	case "openat":
		errs = []unix.Errno{unix.EIO, unix.EACCES, unix.EMFILE}
		if c.creates() {
			errs = append(errs, unix.ENOSPC, unix.EDQUOT, unix.EROFS)
		}
	case "newfstatat":
		errs = []unix.Errno{unix.EIO, unix.EACCES}
	case "read", "pread64", "getdents64", "flock", "fstat":
		errs = []unix.Errno{unix.EIO}
	case "close", "write", "pwrite64", "writev", "ftruncate", "fallocate", "copy_file_range", "fsync", "fdatasync":
		errs = []unix.Errno{unix.EIO, unix.ENOSPC, unix.EDQUOT}
	case "fchmod", "fchmodat", "fchown", "fchownat", "utimensat":
		errs = []unix.Errno{unix.EIO, unix.EPERM, unix.EROFS}
	case "unlinkat":
		errs = []unix.Errno{unix.EIO, unix.EACCES, unix.EROFS}
	case "mkdirat":
		errs = []unix.Errno{unix.EIO, unix.ENOSPC, unix.EDQUOT, unix.EACCES, unix.EROFS}
	default: // renames and links
		errs = []unix.Errno{unix.EIO, unix.ENOSPC, unix.EDQUOT, unix.EXDEV, unix.EACCES, unix.EROFS}
	}
	var all []fault
	for _, err := range errs {
		all = append(all, fault{err: err})
	}
	if c.changes() {
		all = append(all, kill)
	}
	return all
}

// concerns reports whether a call is about what the command writes, or is to replace,
// or the folder that it is in.
func (w *world) concerns(c *call) bool {
	base, folder := filepath.Base(c.path), filepath.Dir(c.path)
	switch {
	case c.name == "readlinkat": // os.Root looks for links where there are none
		return false
	case c.name == "close":
		// One of a folder would give up a lock, or not, and can only be made by the
		// kernel: a close that fails has closed all the same.
		return strings.HasSuffix(base, ".tmp")
	case c.path == w.robots():
		return true
	case c.path == w.out || c.path == filepath.Dir(w.state) || folder == filepath.Dir(w.state):
		return true
	case folder == w.out:
		return strings.HasPrefix(base, "sitemap") || strings.HasPrefix(base, ".sitewalk-")
	}
	return folder == w.docroot && strings.HasPrefix(base, ".sitewalk-")
}

// object returns what a call is about, for people.
func (w *world) object(c *call) string {
	base := filepath.Base(c.path)
	switch {
	case c.path == w.out || c.path == w.docroot || c.path == filepath.Dir(w.state):
		return "a folder"
	case filepath.Dir(c.path) == filepath.Dir(w.state):
		return "the state"
	case base == "robots.txt":
		return base
	case strings.HasPrefix(base, ".sitewalk-"):
		return "a temporary file"
	}
	return "a file of the set"
}

// struck is a fault that came about.
type struck struct {
	call  *call
	fault fault
	calls []call // that concerned the outputs, up to the end
}

// run builds, and has the calls that concern the outputs fail as decide says, which is
// given each with its number, from 0.
func (w *world) run(t testing.TB, decide func(int, *call) fault) (outcome, struck) {
	t.Helper()
	return w.runConcerning(t, w.concerns, decide)
}

// runConcerning is run for other calls, with other arguments.
func (w *world) runConcerning(t testing.TB, concerns func(*call) bool, decide func(int, *call) fault, more ...string) (outcome, struck) {
	t.Helper()
	var s struck
	done := runSupervised(t, stage{}, func(c *call) fault {
		if !concerns(c) {
			return fault{}
		}
		f := decide(len(s.calls), c)
		s.calls = append(s.calls, *c)
		if f != (fault{}) && s.call == nil {
			s.call, s.fault = c, f
		}
		return f
	}, append(append([]string{"build"}, w.args...), more...)...)
	return done, s
}

// judge fails unless what a run left is what it may leave after a fault, says so, and
// the next run completes it. It returns which set was left.
func (w *world) judge(t testing.TB, done outcome, s struck, once bool) (string, error) {
	t.Helper()
	if s.fault.err == unix.EACCES && (strings.Contains(done.stderr, "open state: ") || strings.Contains(done.stderr, "robots-unreadable")) {
		// A state or a robots.txt that is another user's is done without, as README says:
		// dates begin anew, or pages are listed that are disallowed.
		if done.code != 0 {
			return "", fmt.Errorf("exit code %d", done.code)
		}
		return "new, warned of", w.heals(t, true)
	}
	seen, err := w.look()
	if err != nil {
		return "", err
	}
	othersNew, err := w.lookAtOthers(t)
	if err != nil {
		return seen, err
	}
	// A shard that may not be read cannot be compared, and is replaced.
	forbidden := !s.call.changes() && s.fault.err == unix.EACCES
	if err := w.untouched(t); err != nil && !forbidden {
		return seen, err
	}
	switch {
	case s.fault.kill:
		if done.code != -1 {
			return seen, fmt.Errorf("it ended with %d", done.code)
		}
	case done.code == 0:
		if seen != isNew {
			return seen, errors.New("exit code 0, and the set is not the new one")
		}
		if !othersNew && !strings.Contains(done.stderr, "robots-not-updated") {
			return seen, errors.New("exit code 0, and robots.txt or the list of URLs is not the new one")
		}
	case done.code != 1:
		return seen, fmt.Errorf("exit code %d", done.code)
	case !strings.Contains(done.stderr, s.fault.err.Error()):
		return seen, errors.New("the message does not name the cause")
	}
	if left := temps(t, w.out, filepath.Dir(w.state)); once && !s.fault.kill && s.call.name != "unlinkat" && len(left) > 0 {
		return seen, fmt.Errorf("%q is left", left)
	}
	return seen, w.heals(t, forbidden)
}

// prepare finds out what the new set is, and returns the calls on the way to it.
func (w *world) prepare(t testing.TB, s *scenario) []call {
	t.Helper()
	w.place(t)
	done, clean := w.run(t, func(int, *call) fault { return fault{} })
	if done.code != 0 {
		t.Fatalf("exit code %d: %s", done.code, done.stderr)
	}
	w.finishNew(t)
	if maps.Equal(w.oldSet.files, w.newSet.files) {
		t.Fatal("the new set is the old one")
	}
	if !s.ownDates {
		if !maps.Equal(w.fresh(t).undated(), w.newSet.undated()) {
			t.Fatal("an update does not leave what a fresh build writes")
		}
	}
	if err := w.heals(t, false); err != nil {
		t.Fatal(err)
	}
	return clean.calls
}

// TestEveryCallFailsOnce has each call that concerns what is published fail once, with
// each error that it can give, and kills the process before each that changes something.
// The calls of several threads come in another order each time: so what a number hits
// is found out when it does.
func TestEveryCallFailsOnce(t *testing.T) {
	var seen tally
	t.Run("scenarios", func(t *testing.T) {
		for _, s := range scenarios {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, t.TempDir(), &s)
				for number, planned := range w.prepare(t, &s) {
					if passesOver(number) {
						continue
					}
					count := len(planned.faults())
					for choice := range count {
						if !everything && (choice != number%count || !planned.changes() && number%4 > 0) {
							continue
						}
						w.place(t)
						done, hit := w.run(t, func(n int, c *call) fault {
							if n != number {
								return fault{}
							}
							all := c.faults()
							return all[choice%len(all)]
						})
						if hit.call == nil {
							continue // there were not so many calls this time
						}
						kind := hit.call.name + " of " + w.object(hit.call)
						left, err := w.judge(t, done, hit, true)
						if err != nil {
							t.Errorf("call %d, %s %s: %v: %v\nexit code %d: %s", number, kind, filepath.Base(hit.call.path), hit.fault, err, done.code, done.stderr)
						}
						seen.add(kind+": "+hit.fault.String(), left)
					}
				}
			})
		}
	})
	seen.log(t)
}

// A lasting fault is one that every call gives from some moment on.
type lasting struct {
	name    string
	err     unix.Errno
	strikes func(*call) bool
}

var lastingFaults = []lasting{
	{"no room", unix.ENOSPC, func(c *call) bool {
		return c.creates() || slices.Contains([]string{"write", "mkdirat", "renameat", "fallocate", "ftruncate"}, c.name)
	}},
	{"quota", unix.EDQUOT, func(c *call) bool { return c.creates() || c.name == "write" || c.name == "mkdirat" }},
	{"read-only", unix.EROFS, func(c *call) bool { return c.changes() && c.name != "fsync" }},
	{"dead", unix.EIO, func(*call) bool { return true }},
}

// TestCallsFailFromSomeMomentOn has a disk run full, become read-only or die before each
// of the calls.
func TestCallsFailFromSomeMomentOn(t *testing.T) {
	var seen tally
	t.Run("scenarios", func(t *testing.T) {
		for _, s := range scenarios {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, t.TempDir(), &s)
				for number, planned := range w.prepare(t, &s) {
					if passesOver(number) {
						continue
					}
					for i, l := range lastingFaults {
						if !l.strikes(&planned) || !everything && i != number%len(lastingFaults) {
							continue // the same as before a later call
						}
						w.place(t)
						done, hit := w.run(t, func(n int, c *call) fault {
							if n < number || !l.strikes(c) {
								return fault{}
							}
							return fault{err: l.err}
						})
						if hit.call == nil {
							continue
						}
						left, err := w.judge(t, done, hit, false)
						if err != nil {
							t.Errorf("%s from call %d on, %s %s: %v\nexit code %d: %s", l.name, number, hit.call.name, filepath.Base(hit.call.path), err, done.code, done.stderr)
						}
						seen.add(l.name+" ("+hit.fault.String()+")", left)
					}
				}
			})
		}
	})
	seen.log(t)
}

// TestWhatAKilledRunRenamedIsDurableBeforeTheIndex kills a run when its shards are in
// place and not durable, and another when its index is: the next one has to make them
// durable before it renames an index or removes a file.
func TestWhatAKilledRunRenamedIsDurableBeforeTheIndex(t *testing.T) {
	t.Parallel()
	s := scenarios[slices.IndexFunc(scenarios, func(s scenario) bool { return s.name == "one section comes and one goes" })]
	w := newWorld(t, t.TempDir(), &s)
	w.prepare(t, &s)
	for syncs := range 2 {
		w.place(t)
		synced := 0
		_, hit := w.run(t, func(_ int, c *call) fault {
			if c.name == "fsync" && c.path == w.out {
				if synced++; synced > syncs {
					return kill
				}
			}
			return fault{}
		})
		if hit.call == nil {
			t.Fatalf("the folder is synced only %d times", synced)
		}
		_, next := w.run(t, func(int, *call) fault { return fault{} })
		durable, steps := false, 0
		for _, c := range next.calls {
			switch {
			case c.name == "fsync" && c.path == w.out:
				durable = true
			case c.name == "renameat" && filepath.Base(c.path) == "sitemap.xml", c.name == "unlinkat" && strings.HasSuffix(c.path, ".xml.gz"):
				if steps++; !durable {
					t.Errorf("killed before sync %d; the next run calls %s of %s before any", syncs+1, c.name, filepath.Base(c.path))
				}
			}
		}
		if steps == 0 {
			t.Errorf("killed before sync %d; the next run has nothing to do", syncs+1)
		}
	}
}
