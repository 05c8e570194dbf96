//go:build amd64 || arm64

package faults

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLimitedFileSizeKeepsTheOldSet limits the size of a file (RLIMIT_FSIZE), which is
// told by a signal as well as by an error.
func TestLimitedFileSizeKeepsTheOldSet(t *testing.T) {
	t.Parallel()
	s := roomy
	s.state = true
	w := newWorld(t, t.TempDir(), &s)
	w.prepare(t, &s)
	var seen tally
	for limit := uint64(1); limit < 1<<20; limit *= 2 {
		w.place(t)
		done := finish(t, stage{fileSize: limit}.prepare(t, append([]string{"build"}, w.args...)...))
		left, err := w.afterwards(t, done, unix.EFBIG, func() {})
		if err != nil {
			t.Errorf("at most %d bytes: %v\nexit code %d: %s", limit, err, done.code, done.stderr)
		}
		seen.add("a file may not be longer", left)
	}
	seen.log(t)
	if len(seen.kinds["a file may not be longer"]) < 2 {
		t.Error("the limits are all too low, or none is low enough")
	}
}

// folders returns sites that need descriptors: wide ones, deep ones, and both.
func folders() map[string]site {
	wide, deep, both, path := site{}, site{}, site{}, ""
	for i := range 300 {
		wide[fmt.Sprintf("folder-%03d/index.html", i)] = 1
		both[fmt.Sprintf("%03d/a/b/c/d/e/f/g/h/i/j/k/l/page.html", i%60)] = 1
		both[fmt.Sprintf("%03d/%03d/index.html", i%60, i)] = 1
	}
	for i := range 200 {
		path += fmt.Sprintf("d%d/", i%10)
		deep[path+"index.html"] = 1
	}
	return map[string]site{"wide": wide, "deep": deep, "both": both}
}

// descriptors suffice for any build.
const descriptors = 32

// TestFewDescriptorsSuffice builds docroots of many folders side by side, and one in
// the other, with few descriptors. With still fewer a build may fail, saying so, but not
// leave out what is there.
func TestFewDescriptorsSuffice(t *testing.T) {
	var seen tally
	t.Run("docroots", func(t *testing.T) {
		for name, pages := range folders() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := scenario{config: "output: {max_urls: 16, stale_grace: 0s, gzip: none}\nlastmod: [meta, content]\n", old: site{"index.html": 1}, new: pages, state: true}
				w := newWorld(t, t.TempDir(), &s)
				w.prepare(t, &s)
				limits := []uint64{descriptors}
				for fewer := uint64(descriptors - 1); fewer >= 8; fewer-- {
					if everything || fewer%8 == 0 {
						limits = append(limits, fewer)
					}
				}
				for _, jobs := range []int{1, 2, 8, 64} {
					for _, limit := range limits {
						if !everything && limit < descriptors && jobs > 1 {
							continue
						}
						w.place(t)
						done := finish(t, stage{files: limit}.prepare(t, append(append([]string{"build"}, w.args...), "-j", fmt.Sprint(jobs))...))
						kind := fmt.Sprintf("%d descriptors", limit)
						if limit < descriptors {
							kind = "fewer descriptors"
						}
						if limit == descriptors && (done.code != 0 || done.stderr != "") {
							t.Errorf("%d descriptors, -j %d: exit code %d: %s", limit, jobs, done.code, done.stderr)
						}
						left, err := w.afterwards(t, done, unix.EMFILE, func() {})
						if err != nil {
							t.Errorf("%d descriptors, -j %d: %v\nexit code %d: %s", limit, jobs, err, done.code, done.stderr)
						}
						seen.add(kind, left)
					}
				}
			})
		}
	})
	seen.log(t)
}

// TestFewDescriptorsSufficeAtTheWorst holds every call that has a file or folder open
// until no other thread goes on, so that as many as can be are open at a time.
func TestFewDescriptorsSufficeAtTheWorst(t *testing.T) {
	for name, pages := range folders() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, page := range sortedKeys(pages)[min(100, len(pages)):] { // fewer do
				delete(pages, page)
			}
			s := scenario{config: "output: {max_urls: 8, gzip: none, text: true}\nlastmod: [content]\n", new: pages, state: true}
			w := newWorld(t, t.TempDir(), &s)
			most := 0
			done := runSupervised(t, stage{files: descriptors}, func(c *call) fault {
				if !strings.HasPrefix(c.path, w.docroot) || !slices.Contains([]string{"fsync", "read"}, c.name) {
					return fault{}
				}
				if open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", c.process)); err == nil {
					most = max(most, len(open))
				}
				return hold
			}, append(append([]string{"build"}, w.args...), "-j", "64")...)
			if t.Logf("%d of %d descriptors were in use", most, descriptors); done.code != 0 {
				t.Error(done)
			}
		})
	}
}

// TestFewDescriptorsSufficeForAWatch watches a deep docroot with few descriptors.
func TestFewDescriptorsSufficeForAWatch(t *testing.T) {
	t.Parallel()
	for name, pages := range folders() {
		s := scenario{config: "watch: {settle: 20ms}\n", old: site{"index.html": 1}, new: pages}
		w := newWorld(t, t.TempDir(), &s)
		p := w.watch(t, stage{files: descriptors})
		one := sortedKeys(pages)[len(pages)/2]
		p.paused(t, func() { w.write(t, pages, pages.with(site{one: 2})) })
		if e := p.next(t); e.Event != "published" {
			t.Errorf("%s: the watch tells %v", name, e)
		}
		if got, err := readSet(w.out); err != nil || !maps.Equal(got.undated(), w.fresh(t).undated()) {
			t.Errorf("%s: not what a fresh build writes: %v", name, err)
		}
		p.stop(t)
	}
}

// TestCommandWithoutDescriptorsSaysSo starts the command with hardly any descriptor: it
// must not end without a word.
func TestCommandWithoutDescriptorsSaysSo(t *testing.T) {
	t.Parallel()
	s := roomy
	w := newWorld(t, t.TempDir(), &s)
	for limit := uint64(4); limit < 8; limit++ {
		done := finish(t, stage{files: limit}.prepare(t, append([]string{"build"}, w.args...)...))
		if done.code == 0 || strings.TrimSpace(done.stderr) == "" {
			t.Errorf("%d descriptors: exit code %d: %q", limit, done.code, done.stderr)
		}
	}
}
