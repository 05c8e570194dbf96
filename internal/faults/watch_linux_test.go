//go:build amd64 || arm64

package faults

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// watchedSite is edited while a watch runs.
var watchedSite = scenario{
	name: "watched", config: "output: {max_urls: 16, stale_grace: 0s}\nwatch: {settle: 20ms}\nrobots: {update: true}\n",
	old: company, new: company.with(site{"blog/page-007.html": 2, "shop/page-001.html": 2}), state: true,
	robots: "User-agent: *\n",
}

// strike returns what fails one call with a fault, the one of the given number from
// now on, and notes it.
func strike(number, choice int, hit *struck) func(*call) fault {
	return func(c *call) fault {
		hit.calls = append(hit.calls, *c)
		if len(hit.calls)-1 != number {
			return fault{}
		}
		all := c.faults()
		hit.call, hit.fault = c, all[choice%len(all)]
		return hit.fault
	}
}

// edit makes one site of another and waits until the watch has published it. It
// returns the errors that were told meanwhile.
func (w *world) edit(t testing.TB, p *watched, before, after site) (errors []string) {
	t.Helper()
	p.paused(t, func() { w.write(t, before, after) })
	for {
		e := p.next(t)
		seen, err := w.look()
		if err != nil {
			t.Fatalf("after %v: %v", e, err)
		}
		switch e.Event {
		case "published", "unchanged": // the latter if only the end of the try before failed
			if seen == isNew { // and not of some of the pages
				return errors
			}
		case "error":
			errors = append(errors, e.Message)
		default:
			t.Fatalf("the watch tells %v; the set is %s", e, seen)
		}
	}
}

// TestWatchOutlivesEachFault has each call of a watch that follows an edit fail once.
// It must tell of each fault, or overcome it, and publish in the end.
func TestWatchOutlivesEachFault(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), &watchedSite)
	p := w.watch(t, stage{})
	now, version := watchedSite.new, 2
	w.newSet = firstSet(t, now)
	// follow edits the site while calls fail, and returns the errors that are told.
	follow := func(decide func(*call) fault) []string {
		version++
		after := now.with(site{"blog/page-007.html": version, "shop/page-001.html": version})
		w.oldSet, w.newSet = w.newSet, firstSet(t, after)
		p.arm(decide)
		defer p.arm(nil)
		told := w.edit(t, p, now, after)
		now = after
		return told
	}
	var clean struck
	if told := follow(strike(-1, 0, &clean)); len(told) > 0 {
		t.Fatalf("without a fault the watch tells %q", told)
	}
	var seen tally
	for number, planned := range clean.calls {
		if passesOver(number) {
			continue
		}
		for choice := range planned.faults() {
			if !everything && choice != number%len(planned.faults()) {
				continue
			}
			var hit struck
			one := strike(number, choice, &hit)
			told := follow(func(c *call) fault {
				f := one(c)
				if f.kill { // which nothing outlives
					f, hit.fault = c.faults()[0], c.faults()[0]
				}
				return f
			})
			if hit.call == nil {
				continue
			}
			kind := hit.call.name + " of " + w.object(hit.call) + ": " + hit.fault.String()
			if left := temps(t, w.out); len(left) > 0 && hit.call.name != "unlinkat" {
				t.Errorf("%s: %q is left", kind, left)
			}
			switch {
			case len(told) == 0:
				seen.add(kind, "overcome")
			case len(told) == 1 && strings.Contains(told[0], hit.fault.err.Error()):
				seen.add(kind, "told, then published")
			default:
				t.Errorf("%s: the watch tells %q", kind, told)
			}
		}
	}
	p.stop(t)
	if left := temps(t, w.out, filepath.Dir(w.state)); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
	if done := w.build(t); !done.foundNothingToDo() || done.stderr != "" {
		t.Errorf("a build after the watch: %s%s", done.stdout, done.stderr)
	}
	seen.log(t)
}

// firstSet returns the set that a first build of a site publishes.
func firstSet(t testing.TB, s site) *set {
	t.Helper()
	first := watchedSite
	first.old, first.new, first.state = nil, s, false
	w := newWorld(t, t.TempDir(), &first)
	w.build(t)
	published, err := readSet(w.out)
	must(t, err)
	return published
}

// TestKilledWatchLeavesAWholeSet kills a watch before each call that changes something
// while it follows an edit.
func TestKilledWatchLeavesAWholeSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), &watchedSite)
	w.prepare(t, &watchedSite)
	var seen tally
	for number := 0; ; number++ {
		w.place(t)
		w.write(t, watchedSite.new, watchedSite.old)
		p := w.watch(t, stage{})
		var hit struck
		changes := 0
		p.arm(func(c *call) fault {
			if !c.changes() {
				return fault{}
			}
			if changes++; changes-1 != number {
				return fault{}
			}
			hit.call, hit.fault = c, kill
			return kill
		})
		p.paused(t, func() { w.write(t, watchedSite.old, watchedSite.new) })
		ended := false
		for !ended {
			e, more := p.receive(t)
			seen, err := w.look()
			must(t, err)
			ended = !more || e.Event != "error" && seen == isNew
		}
		p.arm(nil)
		if hit.call == nil {
			p.stop(t)
			break
		}
		done := p.ended(t)
		left, err := w.judge(t, done, hit, true)
		if err != nil {
			t.Errorf("killed before %s of %s: %v", hit.call.name, filepath.Base(hit.call.path), err)
		}
		seen.add(hit.call.name+" of "+w.object(hit.call)+": SIGKILL", left)
	}
	seen.log(t)
}

// TestStoppedWatchWhoseStateIsNotWritten has each call fail by which a watch that is
// stopped keeps its state: what it has published stays, and a build finds it right.
func TestStoppedWatchWhoseStateIsNotWritten(t *testing.T) {
	t.Parallel()
	s := watchedSite
	s.config, s.ownDates = "lastmod: [content]\nwatch: {settle: 20ms}\n", true
	s.new = s.new.with(site{"blog/page-004.html": 1 + touched})
	w := newWorld(t, t.TempDir(), &s)
	w.prepare(t, &s)
	var seen tally
	for number := 0; ; number++ {
		w.place(t)
		w.write(t, s.new, s.old)
		p := w.watch(t, stage{})
		w.edit(t, p, s.old, s.new)
		var hit struck
		p.arm(strike(number, number, &hit))
		must(t, p.cmd.Process.Signal(syscall.SIGTERM))
		done := p.ended(t)
		if hit.call == nil {
			break
		}
		kind := hit.call.name + " of " + w.object(hit.call) + ": " + hit.fault.String()
		if want := map[bool]int{true: -1, false: 128 + int(syscall.SIGTERM)}[hit.fault.kill]; done.code != want {
			t.Errorf("%s: exit code %d: %s", kind, done.code, done.stderr)
		}
		set, err := w.look()
		if err == nil && set == isNew {
			err = w.heals(t, false)
		}
		if err != nil {
			t.Errorf("%s: the set is %s: %v", kind, set, err)
		}
		seen.add(kind, set)
	}
	seen.log(t)
}
