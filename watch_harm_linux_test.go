package sitewalk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// harmOutput does to the set what only somebody else can.
func (r *modelRun) harmOutput() (string, error) {
	entries, _ := os.ReadDir(r.out)
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !strings.HasPrefix(e.Name(), "sitemap") || e.IsDir()
	})
	if len(entries) == 0 {
		return r.out, nil
	}
	name := pick(r, entries...).Name()
	r.mu.Lock()
	r.harmed[0].names[name] = true
	r.mu.Unlock()
	path := filepath.Join(r.out, name)
	if isLink(path) {
		return name, r.disk.Remove(r.at(path))
	}
	switch r.IntN(6) {
	case 0:
		return name + " junk", r.disk.WriteFile(r.at(path), []byte("junk"), 0o644)
	case 1:
		return name + " empty", r.disk.WriteFile(r.at(path), nil, 0o644)
	case 2:
		return name + " touched", r.disk.Chtimes(r.at(path), siteTime, siteTime)
	case 3:
		err := r.disk.Remove(r.at(path))
		return name + " link", errors.Join(err, r.disk.Symlink(r.outside(), r.at(path)))
	}
	return name + " removed", r.disk.Remove(r.at(path))
}

// swapDocroot has another folder take the docroot's place.
func (r *modelRun) swapDocroot() (string, error) {
	r.mu.Lock()
	r.harmed[0].restarts = true
	r.harmed[0].all = r.harmed[0].all || r.setting.config.Out == ""
	r.mu.Unlock()
	r.copies++
	other := filepath.Join(r.top, "releases", fmt.Sprint("r", r.copies))
	if err := r.disk.MkdirAll(r.at(filepath.Dir(other)), 0o755); err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(r.docroot)
	if err != nil {
		return "", err
	}
	switch r.IntN(5) {
	case 0: // emptied, and filled again
		err := r.disk.RemoveAll(r.at(real))
		r.rest()
		err = errors.Join(err, r.disk.MkdirAll(r.at(real), 0o755))
		r.keepPage()
		return "removed and made again", err
	case 1: // filled before it is in place
		err = errors.Join(r.disk.Mkdir(r.at(other), 0o755), r.write(filepath.Join(other, "index.html"), r.page()), r.write(filepath.Join(other, "blog", "a.html"), r.page()))
	default:
		err = copyFolder(real, other)
	}
	if err == nil && r.isLink && r.IntN(3) > 0 {
		next := filepath.Join(r.top, "next")
		return "by a link", errors.Join(r.disk.Symlink(filepath.Join("releases", filepath.Base(other)), r.at(next)), r.rename(next, r.docroot))
	}
	r.copies++
	err = errors.Join(err, r.rename(real, filepath.Join(r.top, "releases", fmt.Sprint("r", r.copies))))
	r.rest()
	return "by a folder", errors.Join(err, r.rename(other, real))
}

func (r *modelRun) changeExtras() (string, error) {
	if len(r.setting.config.Mapper.ExtraURLs) == 0 {
		return "", nil
	}
	r.mu.Lock()
	r.harmed[0].restarts = true
	r.mu.Unlock()
	r.writeExtras(r.setting.config.Mapper.ExtraURLs[0])
	return "", nil
}
