//go:build amd64 || arm64

package faults

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// roomy is published on a disk of its own.
var roomy = scenario{
	name: "no room", config: "output: {gzip: none, max_urls: 16, stale_grace: 0s, text: true}\nwatch: {settle: 20ms}\n",
	old: company, new: company.with(site{"blog/page-007.html": 2, "shop/page-001.html": 2, "about.html": 1}), elsewhere: true,
}

// newRoomyWorld returns a world that publishes on a disk of its own.
func newRoomyWorld(t testing.TB) (*world, *disk) {
	t.Helper()
	dir := t.TempDir()
	disk := newDisk(t, filepath.Join(dir, "out"))
	disk.allow(t, -1)
	w := newWorld(t, dir, &roomy)
	w.prepare(t, &roomy)
	return w, disk
}

// suffers builds without room, as cause says, and again with room. It returns what was
// left in between.
func (w *world) suffers(t testing.TB, cause unix.Errno, relieve func()) string {
	t.Helper()
	done := execute(t, append([]string{"build"}, w.args...)...)
	left, err := w.afterwards(t, done, cause, relieve)
	if err != nil {
		t.Errorf("%v: %v\nexit code %d: %s", cause, err, done.code, done.stderr)
	}
	return left
}

// afterwards judges what a run without room has left, and what the next one, with room,
// makes of it.
func (w *world) afterwards(t testing.TB, done outcome, cause unix.Errno, relieve func()) (string, error) {
	t.Helper()
	seen, err := w.look()
	if relieve(); err != nil {
		return seen, err
	}
	if done.code == 1 && seen != isOld {
		return seen, errors.New("the old set is not intact")
	}
	return w.judge(t, done, struck{call: &call{name: "write"}, fault: fault{err: cause}}, false)
}

// TestFullDiskKeepsTheOldSet has the disk run full at each moment: no room for the
// first file, for the second, and so on, in bytes and in files.
func TestFullDiskKeepsTheOldSet(t *testing.T) {
	if !inNamespace(t, ofAnyUser) {
		return
	}
	w, disk := newRoomyWorld(t)
	var seen tally
	for _, kind := range []string{"bytes", "files"} {
		became := ""
		for room := 0; became != isNew; room++ {
			w.place(t)
			relieve := func() { disk.allow(t, -1) }
			if kind == "bytes" {
				disk.fill(t, room)
				relieve = func() { disk.empty(t) }
			} else {
				disk.allow(t, room)
			}
			became = w.suffers(t, unix.ENOSPC, relieve)
			seen.add("no room in "+kind, became)
			if room > 100 {
				t.Fatal("it never becomes the new one")
			}
		}
	}
	seen.log(t)
}

// TestFullDiskKeepsTheOldState has no room for the state alone: that is worth a warning.
func TestFullDiskKeepsTheOldState(t *testing.T) {
	if !inNamespace(t, ofAnyUser) {
		return
	}
	dir := t.TempDir()
	disk := newDisk(t, filepath.Join(dir, "cache"))
	s := scenarios[len(scenarios)-1]
	w := newWorld(t, dir, &s)
	w.prepare(t, &s)
	for room := range 2 {
		w.place(t)
		disk.fill(t, 0)
		if room > 0 {
			must(t, disk.protect(true))
		}
		done := w.build(t)
		if !strings.Contains(done.stderr, "state-not-kept") {
			t.Errorf("no warning, but %q", done.stderr)
		}
		must(t, disk.protect(false))
		disk.empty(t)
		content, err := os.ReadFile(w.state)
		if must(t, err); string(content) != w.old[w.state].content {
			t.Error("the state is not the old one")
		}
		if err := w.heals(t, false); err != nil {
			t.Error(err)
		}
	}
}

// TestDiskThatBecomesReadOnlyKeepsTheOldSet makes the disk read-only before each call
// that changes something, as far as the system does that: not while a file is open for
// writing.
func TestDiskThatBecomesReadOnlyKeepsTheOldSet(t *testing.T) {
	if !inNamespace(t, ofAnyUser) {
		return
	}
	w, disk := newRoomyWorld(t)
	var seen tally
	for number := 0; ; number++ {
		w.place(t)
		changes, reached := 0, false
		var busy error
		done, _ := w.run(t, func(_ int, c *call) fault {
			if c.changes() {
				if changes++; changes-1 == number {
					reached, busy = true, disk.protect(true)
				}
			}
			return fault{}
		})
		if !reached {
			break
		}
		if busy != nil {
			seen.add("made read-only", "refused by the system: "+busy.Error())
			continue
		}
		left, err := w.look()
		must(t, disk.protect(false))
		if err == nil {
			left, err = w.judge(t, done, struck{call: &call{name: "unlinkat"}, fault: fault{err: unix.EROFS}}, false)
		}
		if err != nil {
			t.Errorf("before change %d: %v\nexit code %d: %s", number, err, done.code, done.stderr)
		}
		seen.add("made read-only", left)
	}
	seen.log(t)
}

// TestWatchGetsOverADiskWithoutRoom has a watch find no room, or no right to write: it
// says so, goes on, and publishes when that is over.
func TestWatchGetsOverADiskWithoutRoom(t *testing.T) {
	if !inNamespace(t, ofAnyUser) {
		return
	}
	w, disk := newRoomyWorld(t)
	p := w.watch(t, stage{})
	now, version := roomy.new, 2
	for _, trouble := range []struct {
		name       string
		begin, end func()
		cause      unix.Errno
	}{
		{"no room in bytes", func() { disk.fill(t, 0) }, func() { disk.empty(t) }, unix.ENOSPC},
		{"no room in files", func() { disk.allow(t, 0) }, func() { disk.allow(t, -1) }, unix.ENOSPC},
		{"read-only", func() { must(t, disk.protect(true)) }, func() { must(t, disk.protect(false)) }, unix.EROFS},
	} {
		version++
		after := now.with(site{"blog/page-007.html": version, "shop/page-001.html": version})
		var err error
		w.oldSet, err = readSet(w.out)
		must(t, err)
		trouble.begin()
		p.paused(t, func() { w.write(t, now, after) })
		w.newSet = w.fresh(t)
		e := p.next(t)
		if e.Event != "error" || !strings.Contains(e.Message, trouble.cause.Error()) {
			t.Errorf("%s: the watch tells %v", trouble.name, e)
		}
		if seen, err := w.look(); err != nil || seen != isOld {
			t.Errorf("%s: the set is %s: %v", trouble.name, seen, err)
		}
		trouble.end()
		for e := p.next(t); e.Event == "error"; e = p.next(t) {
			t.Logf("%s: the watch also tells %v", trouble.name, e)
		}
		if seen, err := w.look(); err != nil || seen != isNew || len(temps(t, w.out)) > 0 {
			t.Errorf("%s is over: the set is %s, %v, and %q are left", trouble.name, seen, err, temps(t, w.out))
		}
		now = after
	}
	p.stop(t)
}

// fresh returns the set that a build which remembers nothing publishes now.
func (w *world) fresh(t testing.TB) *set {
	t.Helper()
	scratch := openFolder(t)
	w.give(t, scratch)
	if done := execute(t, "build", "-c", w.config, "--docroot", w.docroot, "--out", scratch, "--no-state", "-j", "1"); done.code != 0 {
		t.Fatal(done.stderr)
	}
	published, err := readSet(scratch)
	must(t, err)
	return published
}
