//go:build amd64 || arm64

package faults

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// readings are sites with all that is read of a docroot besides robots.txt: pages, by
// their heads and to their end, folders, links and .htaccess.
var readings = []scenario{
	{name: "by heads", config: "output: {gzip: none, stale_grace: 0s}\n", old: readSite, new: readSite.with(readChange), elsewhere: true},
	{name: "not at all", config: "pages: {read: false}\noutput: {gzip: none, stale_grace: 0s}\n", old: readSite, new: readSite.with(readChange), elsewhere: true},
	{
		name: "to their end, behind links", config: "lastmod: [content]\nfollow_symlinks: inside\noutput: {gzip: none, stale_grace: 0s}\n",
		old: readSite, new: readSite.with(readChange), elsewhere: true, state: true, ownDates: true,
	},
}

var (
	readSite = site{
		"index.html": 1, "blog/a.html": 1, "blog/b.html": 1, "blog/deep/c.html": 1, "shop/d.html": 1,
		"open/e.html": 1, "open/secret.html": 1, "closed/f.html": 1, "closed/below/g.html": 1,
	}
	readChange = site{"blog/b.html": 2, "blog/deep/h.html": 1, "open/i.html": 1, "closed/j.html": 1, "new/k.html": 1}
)

// newReadWorld returns a world with what a site of readings has besides its pages.
func newReadWorld(t testing.TB, s *scenario) *world {
	t.Helper()
	w := newWorld(t, t.TempDir(), s)
	writeFile(t, filepath.Join(w.docroot, "closed", ".htaccess"), "Require all denied\n")
	writeFile(t, filepath.Join(w.docroot, "open", ".htaccess"), "<Files secret.html>\nRequire all denied\n</Files>\n")
	writeFile(t, filepath.Join(w.docroot, "shop", "long.html"), "<title>long</title>"+strings.Repeat("<p>text\n", 100_000))
	must(t, os.Symlink("../blog/a.html", filepath.Join(w.docroot, "shop", "link.html")))
	must(t, os.Symlink("blog/deep", filepath.Join(w.docroot, "linked")))
	return w
}

// reads reports whether a call is how the docroot is read, other than robots.txt.
func (w *world) reads(c *call) bool {
	if !slices.Contains([]string{"openat", "read", "getdents64", "newfstatat", "fstat", "readlinkat"}, c.name) {
		return false
	}
	within, err := filepath.Rel(w.docroot, c.path)
	return err == nil && !strings.HasPrefix(within, "..") && within != robotsName && !strings.HasPrefix(within, ".sitewalk")
}

// readFaults are the errors of what is read.
var readFaults = []unix.Errno{unix.EIO, unix.EACCES, unix.EMFILE, unix.ENOMEM, unix.ESTALE}

// TestEachReadFailsOnce has each call fail once that reads a docroot. What then cannot be
// judged is not listed, and counted, or the build fails; nothing else is left out, and
// nothing is listed that is not for everybody. The next run lists all.
func TestEachReadFailsOnce(t *testing.T) {
	var seen tally
	t.Run("sites", func(t *testing.T) {
		for _, s := range readings {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				w := newReadWorld(t, &s)
				w.prepare(t, &s)
				_, clean := w.runConcerning(t, w.reads, func(int, *call) fault { return fault{} })
				if len(clean.calls) < 30 {
					t.Fatalf("only %d calls read the docroot", len(clean.calls))
				}
				for number := range clean.calls {
					if passesOver(number) {
						continue
					}
					for choice, cause := range readFaults {
						if !everything && choice != number%len(readFaults) {
							continue
						}
						w.place(t)
						done, hit := w.runConcerning(t, w.reads, func(n int, _ *call) fault {
							if n != number {
								return fault{}
							}
							return fault{err: cause}
						}, "--json")
						if hit.call == nil {
							continue // there were not so many calls this time
						}
						left, err := w.judgeReading(t, done, hit)
						if err != nil {
							t.Errorf("call %d, %s of %s: %v: %v\n%v", number, hit.call.name, hit.call.path, hit.fault, err, done)
						}
						seen.add(hit.call.name+": "+hit.fault.String(), left)
					}
				}
			})
		}
	})
	seen.log(t)
}

// judgeReading fails unless what was published after a read has failed is what it may be,
// and the next run publishes all. It returns what became of the build.
func (w *world) judgeReading(t testing.TB, done outcome, s struck) (became string, err error) {
	t.Helper()
	found, err := readSet(w.out)
	if err != nil {
		return "", err
	}
	told := parseReport([]byte(done.stdout))
	lacking := 0
	for loc := range w.newSet.locs {
		if !found.locs[loc] {
			lacking++
			if done.code != 1 && !w.below(loc, s.call.path) {
				return "", fmt.Errorf("%s is left out, which has nothing to do with it", loc)
			}
		}
	}
	switch done.code {
	case 0, 3:
		became = fmt.Sprintf("exit code %d", done.code)
		for loc := range found.locs {
			if !w.newSet.locs[loc] {
				return became, fmt.Errorf("%s is listed, and should not be", loc)
			}
		}
		if told.Pages != len(found.locs) || told.Unreadable == 0 != (done.code == 0) {
			return became, fmt.Errorf("%d pages and %d unreadable are told of; %d are listed", told.Pages, told.Unreadable, len(found.locs))
		}
		// A .htaccess that is another user's is one that no later run can read either.
		forbidden := s.fault.err == unix.EACCES && told.warned("htaccess-unreadable")
		if done.code == 0 && lacking > 0 && !forbidden {
			return became, fmt.Errorf("%d pages are left out without a word", lacking)
		}
	case 1:
		became = "failed"
		if !maps.Equal(found.files, w.oldSet.files) {
			return became, errors.New("the old set is not intact")
		}
		if !strings.Contains(done.stderr, s.fault.err.Error()) {
			return became, errors.New("the message does not name the cause")
		}
	default:
		return "", errors.New("the exit code is none of 0, 1 and 3")
	}
	if left := temps(t, w.out, filepath.Dir(w.state)); len(left) > 0 {
		return became, fmt.Errorf("%q is left", left)
	}
	if next := w.build(t); next.stderr != "" {
		return became, fmt.Errorf("the next run says %s", next.stderr)
	}
	healed, err := readSet(w.out)
	if err == nil && !maps.Equal(healed.undated(), w.newSet.undated()) {
		err = errors.New("the next run does not publish the whole set")
	}
	return became, err
}

// below reports whether a page is at or below a path of the docroot, or can be found
// through it by a link; or below the folder of a .htaccess.
func (w *world) below(loc, path string) bool {
	if filepath.Base(path) == ".htaccess" {
		path = filepath.Dir(path)
	}
	within, err := filepath.Rel(w.docroot, path)
	if err != nil {
		return false
	}
	page := strings.TrimPrefix(loc, baseURL)
	if page == "" || strings.HasSuffix(page, "/") {
		page += "index.html"
	}
	real := strings.Replace(page, "linked/", "blog/deep/", 1)
	if page == "shop/link.html" {
		real = "blog/a.html"
	}
	return within == "." || slices.ContainsFunc([]string{page, real}, func(name string) bool {
		return name == within || strings.HasPrefix(name, within+"/")
	})
}
