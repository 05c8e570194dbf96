package sitewalk_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"sitewalk"
	"sitewalk/output"
)

// publishedSet is a set on disk.
type publishedSet struct {
	root   string
	files  map[string]publishedFile // the root, what it names, and lists of URLs
	dates  map[string]indexDate     // what the index says of shards
	robots string                   // of the docroot, if it is kept
}

// publishedFile is a file of a set. Content of what is compressed is that which was
// compressed, after the bytes on disk, and of an index is without dates.
type publishedFile struct {
	content  string
	bytes    string // on disk
	inode    uint64
	modified time.Time
}

// indexDate is a lastmod as the index has it.
type indexDate string

func (f *publishedFile) isSame(other *publishedFile) bool {
	return f.inode == other.inode && f.modified.Equal(other.modified)
}

// Before reports whether the date is before that of a time; no date is.
func (d indexDate) Before(t time.Time) bool {
	said := t.UTC().Format("2006-01-02T15:04:05+00:00")
	return string(d) < said[:min(len(said), max(len(d), 10))]
}

var (
	shardEntry = regexp.MustCompile(`<sitemap><loc>([^<]*)</loc>(?:<lastmod>([^<]*)</lastmod>)?</sitemap>`)
	listName   = regexp.MustCompile(`^sitemap(-[0-9]+)?\.txt$`)
)

// readSet reads the set in a folder. A set that is being replaced may be read in
// part; of one that is not there no file is.
func readSet(folder, root string) publishedSet {
	set := publishedSet{root: root, files: map[string]publishedFile{}, dates: map[string]indexDate{}}
	if !set.read(folder, root) {
		return set
	}
	index := set.files[root]
	for _, entry := range shardEntry.FindAllStringSubmatch(index.content, -1) {
		location, err := url.Parse(entry[1])
		if err != nil {
			continue
		}
		name := path.Base(location.Path)
		set.dates[name] = indexDate(entry[2])
		set.read(folder, name)
	}
	index.content = regexp.MustCompile(`<lastmod>[^<]*</lastmod></sitemap>`).ReplaceAllString(index.content, "</sitemap>")
	set.files[root] = index
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		if listName.MatchString(entry.Name()) {
			set.read(folder, entry.Name())
		}
	}
	return set
}

func (s *publishedSet) read(folder, name string) bool {
	file, err := os.Open(filepath.Join(folder, name))
	if err != nil {
		return false
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	content, err := io.ReadAll(file)
	if err != nil {
		return false
	}
	text := string(content)
	if inflated, err := gzip.NewReader(bytes.NewReader(content)); err == nil {
		if plain, err := io.ReadAll(inflated); err == nil {
			// An index's dates would show in the compressed bytes.
			if text = string(plain); !bytes.Contains(plain, []byte("<sitemap>")) {
				text = string(content) + text
			}
		}
	}
	s.files[name] = publishedFile{text, string(content), info.Sys().(*syscall.Stat_t).Ino, info.ModTime()}
	return true
}

var pageEntry = regexp.MustCompile(`(?s)<url><loc>([^<]*)</loc>.*?</url>`)

// differences says how another set is not as this one, and nothing if it is. Lists
// of URLs that only the other has are none of its.
func (s *publishedSet) differences(other *publishedSet) string {
	var said []string
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		want := s.files[name]
		got, found := other.files[name]
		switch {
		case !found:
			said = append(said, name+" is missing")
		case got.content != want.content:
			said = append(said, fmt.Sprintf("%s differs (%d bytes, and should have %d)", name, len(got.content), len(want.content)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(other.files)) {
		if _, found := s.files[name]; !found && !listName.MatchString(name) {
			said = append(said, name+" is there too")
		}
	}
	if len(said) == 0 {
		return ""
	}
	want, got := s.pages(), other.pages()
	for _, loc := range slices.Sorted(maps.Keys(want)) {
		switch entry, found := got[loc]; {
		case !found:
			said = append(said, "page missing: "+want[loc])
		case entry != want[loc]:
			said = append(said, "page is "+entry, " and should be "+want[loc])
		}
	}
	for _, loc := range slices.Sorted(maps.Keys(got)) {
		if _, found := want[loc]; !found {
			said = append(said, "page too many: "+got[loc])
		}
	}
	return strings.Join(said[:min(len(said), 40)], "\n")
}

// pages returns the entries of all pages by URL.
func (s *publishedSet) pages() map[string]string {
	pages := map[string]string{}
	for name, file := range s.files {
		for _, entry := range pageEntry.FindAllStringSubmatch(file.content, -1) {
			pages[entry[1]] += entry[0] + " in " + name
		}
	}
	return pages
}

// fresh returns the set that a build of a copy of the docroot makes, and the number
// of its pages.
func (r *modelRun) fresh() (publishedSet, int64, error) {
	r.copies++
	top := filepath.Join(r.top, "fresh", fmt.Sprint(r.copies))
	defer func() {
		makeWritable(top)
		_ = os.RemoveAll(top)
	}()
	config := r.setting.config
	config.Scanner.Docroot = filepath.Join(top, "site")
	config.State, config.Jobs, config.Inferred = "", 1, nil
	out := filepath.Join(config.Scanner.Docroot, config.Output.Files.Dir)
	if config.Out != "" {
		out = filepath.Join(top, "out")
		config.Out = out
	}
	real, err := filepath.EvalSymlinks(r.docroot)
	if err != nil {
		return publishedSet{}, 0, err
	}
	if err := copyFolder(real, config.Scanner.Docroot); err != nil {
		return publishedSet{}, 0, err
	}
	removed := r.removeSet(out)
	if r.dated != nil {
		if err := r.redate(config.Scanner.Docroot); err != nil {
			return publishedSet{}, 0, err
		}
	}
	report, err := sitewalk.Build(context.Background(), config)
	if err == nil && len(removed) > 0 {
		// What is not of the set may be a page, if it is not sitewalk's any more.
		first := readSet(out, r.setting.root())
		for name, file := range removed {
			if _, found := first.files[name]; !found {
				r.must(os.WriteFile(filepath.Join(out, name), []byte(file.content), 0o644))
				r.must(os.Chtimes(filepath.Join(out, name), file.date, file.date))
			}
		}
	}
	if err == nil {
		report, err = sitewalk.Build(context.Background(), config)
	}
	if err != nil {
		return publishedSet{}, 0, err
	}
	set := readSet(out, r.setting.root())
	robots, _ := os.ReadFile(filepath.Join(config.Scanner.Docroot, "robots.txt"))
	set.robots = string(robots)
	return set, report.Pages, nil
}

// removeSet removes the set that was copied, and returns it: what somebody else put in
// place of a file of it would count as a page, and nothing would tell a list of URLs
// that is no longer of the set.
func (r *modelRun) removeSet(out string) map[string]datedFile {
	removed := map[string]datedFile{}
	folder, err := os.OpenRoot(out)
	if err != nil {
		return removed
	}
	defer folder.Close()
	for name := range r.known().files {
		content, err := folder.ReadFile(name)
		if info, statErr := folder.Lstat(name); err == nil && statErr == nil && info.Mode().IsRegular() && !listName.MatchString(name) {
			removed[name] = datedFile{string(content), info.ModTime()}
		}
		_ = folder.Remove(name)
	}
	entries, _ := os.ReadDir(out)
	for _, entry := range entries {
		if listName.MatchString(entry.Name()) {
			_ = folder.Remove(entry.Name())
		}
	}
	return removed
}

// copyFolder copies a folder with times and permissions. What cannot be read has
// something in its place that cannot be read either, and what goes away meanwhile is
// left out.
func copyFolder(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	entries, _ := os.ReadDir(from)
	for _, entry := range entries {
		if err := copyEntry(filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name()), entry.Type()); err != nil {
			return err
		}
	}
	return os.Chmod(to, info.Mode().Perm())
}

func copyEntry(from, to string, kind fs.FileMode) error {
	switch {
	case output.IsTemp(filepath.Base(from)):
		return nil
	case kind.IsDir():
		if _, err := os.Lstat(from); err != nil {
			return os.Mkdir(to, 0)
		}
		return copyFolder(from, to)
	case kind&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			target = "nowhere"
		}
		return os.Symlink(target, to)
	case !kind.IsRegular():
		return nil
	}
	info, err := os.Lstat(from)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return os.WriteFile(to, nil, 0)
	}
	content, err := os.ReadFile(from)
	if os.IsNotExist(err) {
		return nil
	}
	if err := os.WriteFile(to, content, 0o600); err != nil {
		return err
	}
	if err := os.Chtimes(to, time.Time{}, info.ModTime()); err != nil {
		return err
	}
	return os.Chmod(to, info.Mode().Perm())
}

// makeWritable gives back the permissions that operations took.
func makeWritable(top string) {
	_ = filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil && entry != nil && entry.IsDir() || err == nil && entry.IsDir() {
			if info, statErr := os.Lstat(path); statErr == nil && info.Mode().Perm()&0o700 != 0o700 {
				_ = os.Chmod(path, 0o755)
			}
		}
		return nil
	})
}
