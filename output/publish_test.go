//go:build unix

package output

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// stamp returns what shows that a file was touched: inode, size and times.
func stamp(t testing.TB, path string) string {
	t.Helper()
	var stat unix.Stat_t
	if err := unix.Lstat(path, &stat); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(stat.Ino, stat.Mode, stat.Nlink, stat.Size, stat.Mtim, stat.Ctim)
}

// stamps returns those of a folder and all in it.
func stamps(t testing.TB, dir string) map[string]string {
	t.Helper()
	found := map[string]string{".": stamp(t, dir)}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		found[entry.Name()] = stamp(t, filepath.Join(dir, entry.Name()))
	}
	return found
}

func TestNothingIsTouchedWhenNothingChanged(t *testing.T) {
	for _, gzip := range []Gzip{GzipShards, GzipAll, GzipNone} {
		for _, pages := range [][]testPage{makePages(0, 5), twoShards(), makePages(0, 300)} {
			s := newSite(t)
			s.config.Files.Gzip, s.config.Files.MaxURLs, s.config.Files.Text = gzip, 40, true
			s.publish(t, pages)
			before := stamps(t, s.dir)
			s.now = s.now.Add(time.Hour)
			result := s.publish(t, pages)
			if len(result.Written)+len(result.Removed) > 0 || result.Unchanged != result.Shards {
				t.Errorf("%+v", result)
			}
			if after := stamps(t, s.dir); !maps.Equal(before, after) {
				t.Errorf("%v became %v", before, after)
			}
		}
	}
}

func TestNoPageLeavesEverythingAsItIs(t *testing.T) {
	s := newSite(t)
	s.publish(t, twoShards())
	before := stamps(t, s.dir)
	if _, err := s.build(nil); !errors.Is(err, ErrNoPages) {
		t.Fatalf("got %v", err)
	}
	if after := stamps(t, s.dir); !maps.Equal(before, after) {
		t.Errorf("%v became %v", before, after)
	}
}

// What stands where a file of the set is to be is replaced, never written to.
func TestLinksAndDevicesAreReplacedNotFollowed(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	for name, place := range map[string]func(t *testing.T, path string){
		"link outside":  func(t *testing.T, path string) { must(t, os.Symlink(outside, path)) },
		"link inside":   func(t *testing.T, path string) { must(t, os.Symlink("victim", path)) },
		"dangling link": func(t *testing.T, path string) { must(t, os.Symlink("nowhere", path)) },
		"hard link":     func(t *testing.T, path string) { must(t, os.Link(filepath.Join(filepath.Dir(path), "victim"), path)) },
		"FIFO":          func(t *testing.T, path string) { must(t, unix.Mkfifo(path, 0o644)) },
		"unreadable":    func(t *testing.T, path string) { must(t, os.WriteFile(path, nil, 0)) },
	} {
		for _, target := range []string{"sitemap.xml", "sitemap-blog.xml.gz"} {
			t.Run(name+"/"+target, func(t *testing.T) {
				s := newSite(t)
				victim := filepath.Join(s.dir, "victim")
				must(t, os.WriteFile(outside, []byte("precious"), 0o644))
				must(t, os.WriteFile(victim, []byte("precious"), 0o644))
				place(t, filepath.Join(s.dir, target))
				s.publish(t, twoShards())
				for _, path := range []string{outside, victim} {
					if content, err := os.ReadFile(path); err != nil || string(content) != "precious" {
						t.Errorf("%s holds %q, %v", path, content, err)
					}
				}
				if info, err := os.Lstat(filepath.Join(s.dir, target)); err != nil || !info.Mode().IsRegular() {
					t.Errorf("%s is %v, %v", target, info.Mode(), err)
				}
				if again := s.publish(t, twoShards()); len(again.Written) > 0 {
					t.Errorf("written again: %q", again.Written)
				}
			})
		}
	}
}

func TestHardLinkWithTheRightBytesIsReplaced(t *testing.T) {
	s := newSite(t)
	s.publish(t, twoShards())
	path := filepath.Join(s.dir, "sitemap-blog.xml.gz")
	must(t, os.Link(path, filepath.Join(s.dir, "other")))
	s.publish(t, twoShards())
	if info, err := os.Lstat(path); err != nil || linkCount(info) != 1 {
		t.Errorf("%v, %v", info, err)
	}
}

// A folder cannot be replaced: that must come out before anything is renamed.
func TestFolderInTheWayFailsBeforeAnythingIsPublished(t *testing.T) {
	for _, name := range []string{"sitemap.xml", "sitemap-blog.xml.gz"} {
		s := newSite(t)
		must(t, os.Mkdir(filepath.Join(s.dir, name), 0o755))
		_, err := s.build(twoShards())
		if !errors.Is(err, errFolder) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
		if left := files(t, s.dir); len(left) > 0 {
			t.Errorf("%s: %q", name, names(left))
		}
	}
}

func TestForeignFilesAreNotRemoved(t *testing.T) {
	s := newSite(t)
	s.config.Files.StaleGrace = 0
	old := newSite(t)
	old.publish(t, append(inSection(1, makePages(0, 3)), inSection(2, makePages(5, 8))...))
	ours := files(t, old.dir)["sitemap-docs.xml.gz"]
	write := func(name, content string) {
		must(t, os.WriteFile(filepath.Join(s.dir, name), []byte(content), 0o644))
	}
	write("sitemap-docs.xml.gz", ours)
	write("sitemap-a.xml", "<urlset>another tool's</urlset>")
	write("sitemap-b.xml.gz", "not gzip")
	write("sitemap-c.xml.gz", string(compressWhole([]byte("<urlset>another tool's</urlset>"))))
	write("sitemap-index-2.xml", "<sitemapindex/>")
	write("sitemap.xml.gz", "")
	write("sitemap-d.xml.gz.bak", ours)
	write("my-sitemap.xml.gz", ours)
	write("target", ours)
	must(t, os.Symlink("target", filepath.Join(s.dir, "sitemap-linked.xml.gz")))
	must(t, os.Link(filepath.Join(s.dir, "target"), filepath.Join(s.dir, "sitemap-hard.xml.gz")))
	must(t, os.Mkdir(filepath.Join(s.dir, "sitemap-folder.xml.gz"), 0o755))
	must(t, unix.Mkfifo(filepath.Join(s.dir, "sitemap-fifo.xml.gz"), 0o644))
	before := stamps(t, s.dir)
	result := s.publish(t, makePages(0, 3))
	wantNames(t, "removed", result.Removed, "sitemap-docs.xml.gz")
	after := stamps(t, s.dir)
	for name, stamp := range before {
		if name != "." && name != "sitemap-docs.xml.gz" && after[name] != stamp {
			t.Errorf("%s was touched", name)
		}
	}
}

func TestOutputFolderMustBeInsideAndNoLink(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "plain"), 0o755))
	must(t, os.Symlink("plain", filepath.Join(dir, "inside")))
	must(t, os.Symlink(outside, filepath.Join(dir, "outside")))
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
	docroot, err := os.OpenRoot(dir)
	must(t, err)
	defer docroot.Close()
	for _, refused := range []string{"inside", "outside", "inside/x", "outside/x", "file", "file/x", "..", "../x", "plain/../../x", "/", "/tmp"} {
		if folder, err := OpenWithin(docroot, refused, false); err == nil {
			folder.Close()
			t.Errorf("%s was opened", refused)
		}
	}
	var config *ConfigError
	if _, err := OpenWithin(docroot, "..", false); !errors.As(err, &config) || config.Key != "output.dir" {
		t.Errorf("got %v", err)
	}
	for given, want := range map[string]string{
		"": "", ".": "", "./": "", "plain": "plain", "plain/": "plain", "./a//b/../c/": "a/c", "plain/..": "",
	} {
		folder, err := OpenWithin(docroot, given, false)
		if err != nil {
			t.Errorf("%q: %v", given, err)
			continue
		}
		if folder.Dir != want {
			t.Errorf("%q is %q, want %q", given, folder.Dir, want)
		}
		folder.Close()
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("%v was made outside", left)
	}
	if folder, err := OpenWithin(docroot, "dry/run", true); err != nil || folder.Dir != "dry/run" {
		t.Errorf("dry: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "dry")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a dry run made a folder: %v", err)
	}
}

func TestTemporaryFilesOfAKilledRunAreRemoved(t *testing.T) {
	s := newSite(t)
	temp := ".sitewalk-" + strings.Repeat("a2", 13) + ".tmp"
	must(t, os.WriteFile(filepath.Join(s.dir, temp), nil, 0o644))
	link := ".sitewalk-" + strings.Repeat("b3", 13) + ".tmp"
	must(t, os.Symlink("sitemap.xml", filepath.Join(s.dir, link)))
	other := ".sitewalk-notes.tmp"
	must(t, os.WriteFile(filepath.Join(s.dir, other), nil, 0o644))
	s.publish(t, makePages(0, 3))
	wantNames(t, "files", names(files(t, s.dir)), other, "sitemap.xml")
	if _, err := os.Lstat(filepath.Join(s.dir, link)); err != nil {
		t.Error(err)
	}
}

func TestFilesAreReadableWhateverTheUmask(t *testing.T) {
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	s := newSite(t)
	s.publish(t, twoShards())
	for name := range files(t, s.dir) {
		info, err := os.Stat(filepath.Join(s.dir, name))
		if err != nil || info.Mode().Perm() != 0o644 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// descriptors returns the number of this process's open files.
func descriptors(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc/self/fd on this system")
	}
	return len(entries)
}

func TestCancellationLeavesTheOldSetAndNothingElse(t *testing.T) {
	s := newSite(t)
	s.config.Files.MaxURLs, s.config.Files.Text = 40, true
	s.publish(t, makePages(0, 300))
	before := files(t, s.dir)
	goroutines, open := runtime.NumGoroutine(), descriptors(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	func() {
		folder, err := OpenFolder(s.dir, false)
		must(t, err)
		defer folder.Close()
		set, err := NewSet(folder, s.config, Options{URL: testURL, Sections: testSections, Jobs: 2, IndexTime: s.now})
		must(t, err)
		defer set.Close()
		must(t, addAll(set, makePages(100, 500)))
		if _, err := set.Publish(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}()
	if !maps.Equal(before, files(t, s.dir)) {
		t.Error("the set is no longer what it was")
	}
	wantGoroutines(t, goroutines)
	if now := descriptors(t); now != open {
		t.Errorf("%d open files, there were %d", now, open)
	}
}

func TestSetThatIsNotPublishedLeavesNothing(t *testing.T) {
	s := newSite(t)
	s.config.Files.MaxURLs, s.config.Files.Text = 40, true
	goroutines := runtime.NumGoroutine()
	folder, err := OpenFolder(s.dir, false)
	must(t, err)
	defer folder.Close()
	set, err := NewSet(folder, s.config, Options{URL: testURL, Sections: testSections, Jobs: 2, IndexTime: s.now})
	must(t, err)
	must(t, addAll(set, makePages(0, 1000)))
	set.Close()
	if left := files(t, s.dir); len(left) > 0 {
		t.Errorf("%q", names(left))
	}
	wantGoroutines(t, goroutines)
}

func TestTextListsEveryURLAndReportsStaleLists(t *testing.T) {
	s := newSite(t)
	s.config.Files.Text, s.config.Files.MaxURLs = true, 40
	pages := makePages(0, 100)
	s.publish(t, pages)
	got := files(t, s.dir)
	var urls []string
	for _, name := range []string{"sitemap.txt", "sitemap-2.txt", "sitemap-3.txt"} {
		lines := strings.SplitAfter(got[name], "\n")
		if len(lines) > 41 {
			t.Errorf("%s has %d lines", name, len(lines))
		}
		urls = append(urls, lines[:len(lines)-1]...)
	}
	if len(urls) != 100 || urls[0] != string(pages[0].Loc)+"\n" || urls[99] != string(pages[99].Loc)+"\n" {
		t.Errorf("%d URLs: %q", len(urls), urls)
	}
	for _, limit := range []int{39, 40, 41} {
		result := s.publish(t, makePages(0, limit))
		stale := []string{"sitemap-2.txt", "sitemap-3.txt"}
		if limit > 40 {
			stale = stale[1:]
		}
		if !slices.Equal(result.Stale, stale) {
			t.Errorf("%d URLs: stale are %q", limit, result.Stale)
		}
	}

	s = newSite(t)
	s.config.Files.Text, s.config.Files.MaxBytes = true, minBytes
	s.publish(t, makePages(0, 200))
	total := 0
	for name, content := range files(t, s.dir) {
		if isTextName(name) {
			if total += len(content); len(content) > minBytes {
				t.Errorf("%s has %d bytes", name, len(content))
			}
		}
	}
	if want := 200 * (len(pages[0].Loc) + 1); total != want {
		t.Errorf("%d bytes of %d", total, want)
	}
}

func TestDryRunTellsWhatWouldBeWrittenAndWritesNothing(t *testing.T) {
	s := newSite(t)
	s.config.Files.StaleGrace = 0
	s.publish(t, twoShards())
	must(t, os.WriteFile(filepath.Join(s.dir, ".sitewalk-"+strings.Repeat("a2", 13)+".tmp"), nil, 0o644))
	before := stamps(t, s.dir)
	s.dry = true
	dry := s.publish(t, makePages(0, 4))
	if !maps.Equal(before, stamps(t, s.dir)) {
		t.Error("a dry run wrote")
	}
	s.dry = false
	if wet := s.publish(t, makePages(0, 4)); fmt.Sprint(wet) != fmt.Sprint(dry) {
		t.Errorf("said %+v, did %+v", dry, wet)
	}

	s.dir = filepath.Join(s.dir, "not", "there")
	s.dry = true
	wantNames(t, "written", s.publish(t, twoShards()).Written, "sitemap-blog.xml.gz", "sitemap-pages.xml.gz", "sitemap.xml")
	if _, err := os.Stat(s.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a dry run made the folder")
	}
}

func TestShardsThatAnotherIndexNamesStay(t *testing.T) {
	s := newSite(t)
	s.config.Files.MaxURLs = 40
	s.publish(t, makePages(0, 200))
	named := names(files(t, s.dir))
	age(t, s.dir, named...)
	other := s.with(s.dir)
	other.config.Files.Root, other.config.Files.Gzip = "other.xml", GzipNone
	if result := other.publish(t, makePages(0, 200)); len(result.Removed) > 0 {
		t.Errorf("removed %v, which sitemap.xml names", result.Removed)
	}
	kept := files(t, s.dir)
	for _, name := range named {
		if _, ok := kept[name]; !ok {
			t.Errorf("%s is gone", name)
		}
	}
}
