//go:build amd64 || arm64

package faults

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A site is the pages of a docroot: the version of each, by path.
type site map[string]int

// pages returns a site of n pages in a folder, in version 1.
func pages(folder string, n int) site {
	s := site{}
	for i := range n {
		s[fmt.Sprintf("%s/page-%03d.html", folder, i)] = 1
	}
	return s
}

// with returns the site with other pages, or other versions of its own.
func (s site) with(others ...site) site {
	all := maps.Clone(s)
	for _, other := range others {
		maps.Copy(all, other)
	}
	return all
}

// touched marks a version that differs in its modification time only.
const touched = 100

// A world is a docroot with what was published of it, as it was before a change.
type world struct {
	docroot, out, state string
	config              string
	args                []string // of build and watch
	owner               int      // of the docroot and the set, if not the user of the test

	old       map[string]saved // what was published, robots.txt and the state, by path
	oldSet    *set
	newSet    *set
	newOthers map[string]string // robots.txt and lists of URLs, once the new set is there
	placed    map[string]identity
}

// saved is a file as it was.
type saved struct {
	content  string
	modified time.Time
}

// identity tells whether a file was touched.
type identity struct {
	inode    uint64
	modified time.Time
}

// newWorld makes the docroot in a folder, publishes the old site in it, if it is not
// nil, and makes it the new one.
func newWorld(t testing.TB, dir string, s *scenario) *world {
	t.Helper()
	w := &world{docroot: filepath.Join(dir, "docroot"), state: filepath.Join(dir, "cache", "state"), config: filepath.Join(dir, "sitewalk.yaml")}
	if w.out = w.docroot; s.elsewhere {
		w.out = filepath.Join(dir, "out")
	}
	must(t, os.Mkdir(w.docroot, 0o755))
	config := "base_url: " + baseURL + "\nrules: [{match: 'blog/**', section: blog}, {match: 'shop/**', section: shop}, {match: 'news/**', section: news}]\n"
	must(t, os.WriteFile(w.config, []byte(config+s.config), 0o644))
	w.args = []string{"-c", w.config, "--docroot", w.docroot, "--out", w.out, "--no-state", "-j", "2"}
	if s.state {
		w.args = append(slices.DeleteFunc(w.args, func(arg string) bool { return arg == "--no-state" }), "--state", w.state)
	}
	if s.robots != "" {
		must(t, os.WriteFile(w.robots(), []byte(s.robots), 0o644))
	}
	if s.old != nil {
		w.write(t, nil, s.old)
		w.build(t)
		if s.robots != "" { // which does not name the old set yet
			must(t, os.WriteFile(w.robots(), []byte(s.robots), 0o644))
		}
	}
	w.old = map[string]saved{}
	past := time.Now().Add(-2 * time.Hour).Truncate(time.Second)
	for path := range w.kept(t) {
		content, err := os.ReadFile(path)
		must(t, err)
		w.old[path] = saved{string(content), past}
	}
	w.write(t, s.old, s.new)
	w.place(t)
	var err error
	w.oldSet, err = readSet(w.out)
	must(t, err)
	return w
}

// giveTo makes a user the owner of the docroot, and of what is published.
func (w *world) giveTo(t testing.TB, user int) {
	t.Helper()
	w.owner = user
	for _, folder := range []string{w.docroot, w.out} {
		must(t, filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			w.give(t, path)
			return err
		}))
	}
}

// give makes the owner of the world that of a file.
func (w *world) give(t testing.TB, path string) {
	t.Helper()
	if w.owner != 0 {
		must(t, os.Lchown(path, w.owner, w.owner))
	}
}

func (w *world) robots() string { return filepath.Join(w.docroot, "robots.txt") }

// write makes one site of another.
func (w *world) write(t testing.TB, before, after site) {
	t.Helper()
	for path := range before {
		if _, stays := after[path]; !stays {
			must(t, os.Remove(filepath.Join(w.docroot, path)))
		}
	}
	first := time.Date(2021, 3, 1, 12, 0, 0, 0, time.UTC)
	for i, name := range sortedKeys(after) {
		if before[name] == after[name] {
			continue
		}
		path := filepath.Join(w.docroot, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, fmt.Appendf(nil, "<title>%s, version %d</title>\n", name, after[name]%touched), 0o644))
		modified := first.Add(time.Duration(i)*time.Hour + time.Duration(after[name])*time.Minute)
		must(t, os.Chtimes(path, modified, modified))
	}
}

// build builds undisturbed.
func (w *world) build(t testing.TB) outcome {
	t.Helper()
	done := execute(t, append([]string{"build"}, w.args...)...)
	if done.code != 0 {
		t.Fatalf("exit code %d: %s", done.code, done.stderr)
	}
	return done
}

// kept returns the paths of all files that the command writes, with their identities.
func (w *world) kept(t testing.TB) map[string]identity {
	t.Helper()
	files := map[string]identity{}
	for _, pattern := range []string{w.out + "/sitemap*", w.out + "/.sitewalk-*", w.robots(), w.state, filepath.Dir(w.state) + "/.*.tmp"} {
		paths, err := filepath.Glob(pattern)
		must(t, err)
		for _, path := range paths {
			info, err := os.Lstat(path)
			must(t, err)
			files[path] = identity{info.Sys().(*syscall.Stat_t).Ino, info.ModTime()}
		}
	}
	return files
}

// place puts back what was published of the old site.
func (w *world) place(t testing.TB) {
	t.Helper()
	for path := range w.kept(t) {
		must(t, os.Remove(path))
	}
	if len(w.old) == 0 { // not even the folders are there
		for _, folder := range []string{w.out, filepath.Dir(w.state)} {
			if folder != w.docroot {
				must(t, os.RemoveAll(folder))
			}
		}
	}
	for path, file := range w.old {
		must(t, os.WriteFile(path, []byte(file.content), 0o644))
		w.give(t, path)
		must(t, os.Chtimes(path, file.modified, file.modified))
	}
	w.placed = w.kept(t)
}

// others returns what of the new set no index names: robots.txt and lists of URLs.
func (w *world) others(t testing.TB) map[string]string {
	t.Helper()
	found := map[string]string{}
	for path := range w.kept(t) {
		if path == w.robots() || strings.HasSuffix(path, ".txt") {
			content, err := os.ReadFile(path)
			must(t, err)
			found[path] = string(content)
		}
	}
	return found
}

// finishNew says that what is published now is what the new site becomes.
func (w *world) finishNew(t testing.TB) {
	t.Helper()
	var err error
	w.newSet, err = readSet(w.out)
	must(t, err)
	w.newOthers = w.others(t)
}

// Which set is published.
const (
	isOld   = "old"
	isMixed = "mixed" // each shard is the old or the new one
	isNew   = "new"
)

// look finds out which set a reader finds, and fails if it is not whole, or if a file
// is neither the old nor the new one.
func (w *world) look() (string, error) {
	found, err := readSet(w.out)
	if err != nil {
		return "", err
	}
	for loc := range found.locs {
		if !w.oldSet.locs[loc] && !w.newSet.locs[loc] {
			return "", fmt.Errorf("%s is listed, which is of neither site", loc)
		}
	}
	for name, content := range found.files {
		if name != "sitemap.xml" && content != w.oldSet.files[name] && content != w.newSet.files[name] {
			return "", fmt.Errorf("%s is neither the old nor the new one", name)
		}
	}
	old, now := w.oldSet.undated()["sitemap.xml"], w.newSet.undated()["sitemap.xml"]
	if root := found.undated()["sitemap.xml"]; root != old && root != now {
		return "", fmt.Errorf("the root is neither the old nor the new one: %s", root)
	}
	switch {
	case maps.Equal(found.files, w.oldSet.files):
		return isOld, nil
	case maps.Equal(found.undated(), w.newSet.undated()):
		return isNew, nil
	}
	return isMixed, nil
}

// lookAtOthers fails if robots.txt or a list of URLs is neither the old nor the new
// one, and reports whether all are new.
func (w *world) lookAtOthers(t testing.TB) (allNew bool, err error) {
	t.Helper()
	found := w.others(t)
	for path, content := range found {
		if old, there := w.old[path]; content != w.newOthers[path] && (!there || content != old.content) {
			return false, fmt.Errorf("%s is neither the old nor the new one: %q", filepath.Base(path), content)
		}
	}
	return maps.Equal(found, w.newOthers), nil
}

// untouched fails if a shard was written anew whose bytes are the same in both sets.
func (w *world) untouched(t testing.TB) error {
	t.Helper()
	now := w.kept(t)
	for name, content := range w.oldSet.files {
		path := filepath.Join(w.out, name)
		if name != "sitemap.xml" && w.newSet.files[name] == content && now[path] != w.placed[path] {
			return fmt.Errorf("%s has not changed, and was written anew", name)
		}
	}
	return nil
}

// heals runs the command undisturbed, and fails unless that completes the set and
// leaves nothing else. forbidden says that the run before could not compare all shards.
func (w *world) heals(t testing.TB, forbidden bool) error {
	t.Helper()
	done := w.build(t)
	if strings.Contains(done.stderr, "state-") {
		return fmt.Errorf("the next run complains: %s", done.stderr)
	}
	if seen, err := w.look(); err != nil || seen != isNew {
		return fmt.Errorf("the next run leaves the set %s: %w", seen, err)
	}
	if allNew, err := w.lookAtOthers(t); err != nil || !allNew {
		return fmt.Errorf("the next run does not complete robots.txt or the list of URLs: %w", err)
	}
	if left := temps(t, w.out, filepath.Dir(w.state)); len(left) > 0 {
		return fmt.Errorf("the next run leaves %q", left)
	}
	if err := w.untouched(t); err != nil && !forbidden {
		return err
	}
	healed, err := readSet(w.out)
	if err != nil {
		return err
	}
	for name, said := range healed.lastMods {
		was, there := w.oldSet.lastMods[name]
		if there && !forbidden && (w.oldSet.files[name] == w.newSet.files[name]) != (was == said) {
			return fmt.Errorf("the index says %s of %s, and said %s", said, name, was)
		}
	}
	before := w.kept(t)
	delete(before, w.state) // which tells what was too new to be sure of, for a while
	if done := w.build(t); !done.foundNothingToDo() {
		return fmt.Errorf("another run still finds something to do: %s", done.stdout)
	}
	after := w.kept(t)
	if delete(after, w.state); !maps.Equal(before, after) {
		return fmt.Errorf("another run touches %q", slices.DeleteFunc(sortedKeys(after), func(path string) bool { return before[path] == after[path] }))
	}
	return nil
}
