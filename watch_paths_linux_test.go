package sitewalk_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sitewalk/output"
)

// keepPage sees to it that there is a page, most likely.
func (r *modelRun) keepPage() {
	_ = r.disk.Mkdir(r.at(filepath.Join(r.docroot, "docs")), 0o755)
	for _, name := range [...]string{"keep.html", "docs/keep.html"} {
		if _, err := os.Lstat(filepath.Join(r.docroot, name)); err != nil {
			r.written++
			_ = r.write(filepath.Join(r.docroot, name), fmt.Sprint("kept ", r.written))
		}
	}
}

// keepOutputFolder sees to it that the set can be published.
func (r *modelRun) keepOutputFolder() {
	if r.setting.config.Out != "" || r.out == r.docroot {
		return
	}
	if info, err := os.Lstat(r.out); err == nil && info.IsDir() {
		_ = r.disk.Chmod(r.at(r.out), 0o755)
		return
	}
	r.aboutToTouch(r.out)
	_ = r.disk.RemoveAll(r.at(r.out))
	_ = r.disk.Mkdir(r.at(r.out), 0o755)
}

var (
	folderNames = []string{
		"", "blog", "blog/a", "docs", "docs/x", "docs/x/deep", "page", "a", "ab", "abc", "a-b", "a/b", "with space",
		"new\nline", "50%", "q'\"uote", "\xff\xfe", "...", ".hidden", "node_modules", "blog/page", "404",
	}
	fileNames = []string{
		"index.html", "index.htm", "index.xhtml", "page.html", "page.htm", "page", "a.html", "b.html", "ab.html", "a-b.html",
		"a b.html", "n\nl.html", "p%41.html", "q\"'.html", "\xff.html", "....html", "x.HTML", "404.html", "notes.txt", "page.html.html",
	}
)

// list returns the paths of all folders, and of all files but the set's own.
func (r *modelRun) list() (folders, files []string) {
	_ = filepath.WalkDir(r.docroot+"/", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case entry == nil:
		case entry.IsDir():
			folders = append(folders, filepath.Clean(path))
		case !r.isOutput(path):
			files = append(files, path)
		}
		return nil
	})
	return folders, files
}

func (r *modelRun) isOutput(path string) bool {
	name := filepath.Base(path)
	return filepath.Dir(path) == filepath.Clean(r.out) && (strings.HasPrefix(name, "sitemap") || output.IsTemp(name))
}

// anyFolder returns the path of a folder, most likely of one that there is.
func (r *modelRun) anyFolder() string {
	if folders, _ := r.list(); len(folders) > 0 && r.IntN(2) == 0 {
		return pick(r, folders...)
	}
	return filepath.Join(r.docroot, pick(r, folderNames...))
}

// oldFolder returns the path of a folder below the docroot, if there is one.
func (r *modelRun) oldFolder() string {
	if folders, _ := r.list(); len(folders) > 1 && r.IntN(10) > 0 {
		return pick(r, folders[1:]...)
	}
	return r.anyFolder()
}

// anyFile returns the path of a file, most likely of one that there is.
func (r *modelRun) anyFile() string {
	if _, files := r.list(); len(files) > 0 && r.IntN(8) > 0 {
		return pick(r, files...)
	}
	return r.newFile()
}

// newFile returns the path of a file that there may be.
func (r *modelRun) newFile() string { return filepath.Join(r.anyFolder(), pick(r, fileNames...)) }

// at returns what disk calls a path. Operations change files through disk alone: links
// made at random lead anywhere, and what is outside the run's folder is none of its.
func (r *modelRun) at(path string) string {
	relative, err := filepath.Rel(r.top, path)
	r.must(err)
	return relative
}

func (r *modelRun) rename(from, to string) error { return r.disk.Rename(r.at(from), r.at(to)) }

// outside returns the path of a file outside the docroot, to which a link may lead.
func (r *modelRun) outside() string { return filepath.Join(r.away, "outside.html") }

// aboutToTouch notes that an operation on a path may concern the set.
func (r *modelRun) aboutToTouch(path string) {
	if r.setting.config.Out != "" {
		return
	}
	if below, err := filepath.Rel(path, r.out); err == nil && filepath.IsLocal(below) {
		r.mu.Lock()
		r.harmed[0].all = true
		r.mu.Unlock()
	}
}
