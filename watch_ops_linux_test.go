package sitewalk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// operations are what may be done to a docroot, each as often as its weight says. An
// operation that is impossible fails, and that is fine.
var operations = []struct {
	name   string
	weight int
	do     func(r *modelRun) (what string, err error)
}{
	{"write", 30, (*modelRun).writePage},
	{"image", 3, func(r *modelRun) (string, error) {
		path := filepath.Join(r.anyFolder(), "image.png")
		return path, r.write(path, "\x89PNG")
	}},
	{"pieces", 3, (*modelRun).writePieces},
	{"save", 6, (*modelRun).saveAtomically},
	{"vim", 4, (*modelRun).saveAsVim},
	{"delete", 12, func(r *modelRun) (string, error) { path := r.anyFile(); return path, r.disk.Remove(r.at(path)) }},
	{"mkdir", 6, (*modelRun).makeDeep},
	{"rm-rf", 5, (*modelRun).removeFolder},
	{"mv-file", 8, (*modelRun).moveFile},
	{"mv-folder", 8, (*modelRun).moveFolder},
	{"mv-out-in", 5, (*modelRun).moveOutAndIn},
	{"replace", 4, (*modelRun).replaceKind},
	{"touch", 8, (*modelRun).touch},
	{"chmod", 5, (*modelRun).changeMode},
	{"symlink", 8, (*modelRun).link},
	{"hard link", 4, (*modelRun).linkHard},
	{"robots", 4, (*modelRun).writeRobots},
	{"htaccess", 6, (*modelRun).writeAccess},
	{"many", 1, (*modelRun).makeMany},
	{"harm", 6, (*modelRun).harmOutput},
	{"swap", 1, (*modelRun).swapDocroot},
	{"extras", 1, (*modelRun).changeExtras},
}

// operate does an operation at random.
func (r *modelRun) operate() {
	total := 0
	only := os.Getenv("SITEWALK_OPERATIONS")
	isWanted := func(name string) bool { return only == "" || slices.Contains(strings.Split(only, ","), name) }
	for _, o := range operations {
		if isWanted(o.name) {
			total += o.weight
		}
	}
	n := r.IntN(total)
	for _, o := range operations {
		if !isWanted(o.name) {
			continue
		}
		if n -= o.weight; n >= 0 {
			continue
		}
		if r.isUnsure(o.name) {
			return
		}
		what, err := o.do(r)
		what = strings.ReplaceAll(what, r.docroot, "")
		line := fmt.Sprintf("%s %s %q", time.Now().Format("05.000"), o.name, what)
		if err != nil {
			line += ": " + strings.ReplaceAll(err.Error(), r.docroot, "")
		}
		r.log = append(r.log, line)
		r.tally.did(o.name)
		return
	}
}

func (r *modelRun) write(path, content string) error {
	if err := r.disk.MkdirAll(r.at(filepath.Dir(path)), 0o755); err != nil {
		return err
	}
	if isShared(path) {
		_ = r.disk.Remove(r.at(path)) // what the other names hold is not told
	}
	modified := siteTime.Add(time.Duration(r.IntN(1000)) * time.Hour)
	switch r.IntN(6) {
	case 0:
		if r.dated == nil {
			err := r.disk.WriteFile(r.at(path), []byte(content), 0o644)
			return errors.Join(err, r.disk.Chtimes(r.at(path), modified, modified))
		}
		fallthrough
	case 1: // as rsync does
		away := filepath.Join(r.away, "write")
		return errors.Join(r.disk.WriteFile(r.at(away), []byte(content), 0o644), r.disk.Chtimes(r.at(away), modified, modified), r.rename(away, path))
	}
	return r.disk.WriteFile(r.at(path), []byte(content), 0o644)
}

// isShared reports whether a file has several names.
func isShared(path string) bool {
	info, err := os.Stat(path) // a link is written through
	return err == nil && info.Mode().IsRegular() && info.Sys().(*syscall.Stat_t).Nlink > 1
}

// page returns the content of a page at random.
func (r *modelRun) page() string {
	head := ""
	for range r.IntN(3) {
		head += pick(r,
			"<title>t</title>", "<meta name=robots content=noindex>", "<meta name=robots content='index, follow'>",
			"<link rel=canonical href=/blog/>", "<link rel=canonical href=/page.html>", "<link rel=canonical href=/page>", "<link rel=canonical href=/page/>",
			"<link rel=canonical href=page>", "<link rel=canonical href=./>", "<link rel=canonical href=index.html>", "<link rel=canonical href=page.html>", "<link rel=canonical href=a.html>",
			"<link rel=canonical href=https://other.test/>", "<meta http-equiv=refresh content='0; url=page'>", "<meta http-equiv=refresh content='0; url=/a/'>",
			"<link rel=alternate hreflang=de href=/de/><link rel=alternate hreflang=en href=a.html>", "<link rel=alternate hreflang=fr href=page>",
			fmt.Sprintf("<meta property=og:updated_time content=2024-0%d-11T10:00:00Z>", 1+r.IntN(9)), "<meta name=resource-type content=image>",
			"<meta name=robots content='unavailable_after: 2020-01-01'>", "<meta name=robots content='unavailable_after: 2090-01-01'>",
			"<base href=/blog/>", "<img src=image.png>",
		)
	}
	if r.dated != nil {
		r.written++
		head += fmt.Sprintf("<!--%d-->", r.written)
	}
	return head + strings.Repeat("x", r.IntN(4))
}

func (r *modelRun) writePage() (string, error) {
	path, content := pick(r, r.anyFile(), r.newFile()), r.page()
	if name := filepath.Base(path); name == ".htaccess" || name == "robots.txt" {
		path = r.newFile()
	}
	return path + " " + content, r.write(path, content)
}

func (r *modelRun) writePieces() (string, error) {
	path := r.newFile()
	if isShared(path) {
		return path, errors.New("is shared")
	}
	file, err := r.disk.OpenFile(r.at(path), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return path, err
	}
	defer file.Close()
	content := r.page()
	for len(content) > 0 {
		n := 1 + r.IntN(len(content))
		if _, err := file.WriteString(content[:n]); err != nil {
			return path, err
		}
		content = content[n:]
		time.Sleep(time.Duration(r.IntN(30)) * time.Millisecond)
	}
	return path, nil
}

func (r *modelRun) saveAtomically() (string, error) {
	path := r.anyFile()
	temp := filepath.Join(filepath.Dir(path), pick(r, ".tmp123", "#a#", "new.html", "4913"))
	if r.dated != nil {
		temp = filepath.Join(filepath.Dir(path), ".tmp123")
	}
	content := r.page()
	if before, err := os.ReadFile(path); err == nil && r.IntN(2) == 0 && (r.dated == nil || r.isAsDated(path)) {
		content = string(before)
	}
	if err := r.write(temp, content); err != nil {
		return path, err
	}
	r.rest()
	return path, r.rename(temp, path)
}

func (r *modelRun) saveAsVim() (string, error) {
	path := r.anyFile()
	if err := r.rename(path, path+"~"); err != nil {
		return path, err
	}
	err := r.write(path, r.page())
	r.rest()
	return path, errors.Join(err, r.disk.Remove(r.at(path+"~")))
}

func (r *modelRun) makeDeep() (string, error) {
	path := filepath.Join(r.anyFolder(), pick(r, folderNames...), pick(r, folderNames...))
	var errs []error
	for range 1 + r.IntN(4) {
		errs = append(errs, r.write(filepath.Join(path, pick(r, fileNames...)), r.page()))
	}
	return path, errors.Join(errs...)
}

func (r *modelRun) removeFolder() (string, error) {
	path := r.oldFolder()
	if path == r.docroot {
		return path, errors.New("is the docroot")
	}
	r.aboutToTouch(path)
	return path, r.disk.RemoveAll(r.at(path))
}

func (r *modelRun) moveFile() (string, error) {
	from, to := r.anyFile(), pick(r, r.anyFile(), r.newFile())
	return from + " to " + to, r.rename(from, to)
}

func (r *modelRun) moveFolder() (string, error) {
	from, to := r.oldFolder(), r.anyFolder()
	if r.IntN(2) == 0 {
		to = filepath.Join(to, pick(r, folderNames...))
	}
	if from == r.docroot || to == r.docroot {
		return from, errors.New("is the docroot")
	}
	r.aboutToTouch(from)
	r.aboutToTouch(to)
	if r.IntN(3) == 0 {
		_ = r.disk.RemoveAll(r.at(to))
	}
	return from + " to " + to, r.rename(from, to)
}

func (r *modelRun) moveOutAndIn() (string, error) {
	path := pick(r, r.oldFolder(), r.anyFile())
	if path == r.docroot {
		return path, errors.New("is the docroot")
	}
	r.aboutToTouch(path)
	r.copies++
	away := filepath.Join(r.away, fmt.Sprint(r.copies))
	if err := r.rename(path, away); err != nil {
		return path, err
	}
	r.rest()
	for range r.IntN(3) {
		_ = r.write(filepath.Join(away, pick(r, fileNames...)), r.page())
	}
	r.rest()
	to := pick(r, path, path, r.anyFolder())
	if to == r.docroot {
		return path, nil
	}
	r.aboutToTouch(to)
	return path + " back to " + to, r.rename(away, to)
}

func (r *modelRun) replaceKind() (string, error) {
	path := pick(r, r.oldFolder(), r.anyFile())
	info, err := os.Lstat(path)
	if err != nil || path == r.docroot {
		return path, err
	}
	r.aboutToTouch(path)
	if err := r.disk.RemoveAll(r.at(path)); err != nil {
		return path, err
	}
	if info.IsDir() {
		return path + " by a file", r.write(path, r.page())
	}
	return path + " by a folder", r.write(filepath.Join(path, pick(r, fileNames...)), r.page())
}

func (r *modelRun) touch() (string, error) {
	what, err := r.touchOne()
	for range 5 {
		if r.dated != nil { // which only this tells from modification times
			again, _ := r.touchOne()
			what += ", " + again
		}
	}
	return what, err
}

func (r *modelRun) touchOne() (string, error) {
	path := pick(r, r.anyFile(), r.anyFile(), r.oldFolder())
	if isShared(path) || isLink(path) || r.dated != nil && !r.isAsDated(path) {
		return path, errors.New("is left alone")
	}
	to := pick(r, time.Now(), time.Now().Add(time.Hour), time.Unix(0, 0), siteTime.Add(time.Duration(r.IntN(1000))*time.Hour))
	return path + to.Format(" 2006-01-02 15:04:05"), r.disk.Chtimes(r.at(path), to, to)
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

func (r *modelRun) changeMode() (string, error) {
	path := pick(r, r.anyFile(), r.oldFolder())
	if isShared(path) || isLink(path) || path == r.docroot || filepath.Join(r.docroot, "docs") == path {
		return path, errors.New("is left alone")
	}
	mode := pick[fs.FileMode](r, 0, 0o300, 0o400, 0o600, 0o755, 0o755)
	err := r.disk.Chmod(r.at(path), mode)
	if r.IntN(2) == 0 {
		r.rest()
		err = errors.Join(err, r.disk.Chmod(r.at(path), 0o755))
	}
	return fmt.Sprintf("%s %o", path, mode), err
}

func (r *modelRun) link() (string, error) {
	path := pick(r, r.newFile(), r.anyFolder())
	if path == r.docroot {
		return path, errors.New("is the docroot")
	}
	if isLink(path) {
		return path + " removed", r.disk.Remove(r.at(path))
	}
	to := pick(r, r.anyFile(), r.anyFolder(), filepath.Join(r.docroot, "broken"), r.docroot)
	relative, err := filepath.Rel(filepath.Dir(path), to)
	if err != nil {
		return path, err
	}
	target := pick(r, relative, relative, relative, r.outside(), "..", "../..")
	return path + " to " + target, r.disk.Symlink(target, r.at(path))
}

func (r *modelRun) linkHard() (string, error) {
	from, to := r.anyFile(), r.newFile()
	if isLink(from) {
		return from, errors.New("is a link")
	}
	return from + " as " + to, r.disk.Link(r.at(from), r.at(to))
}

func (r *modelRun) writeRobots() (string, error) {
	path := filepath.Join(r.docroot, "robots.txt")
	if r.IntN(3) == 0 {
		return path, r.disk.Remove(r.at(path))
	}
	content := "User-agent: *\n"
	for range r.IntN(3) {
		content += "Disallow: " + pick(r, "/blog/", "/a", "/docs/x", "/*.htm$", "/page", "/index.html", "/robots.txt") + "\n"
	}
	return path + " " + content, r.write(path, content)
}

func (r *modelRun) writeAccess() (string, error) {
	folder := r.oldFolder()
	if folder == r.docroot && r.IntN(4) > 0 {
		folder = filepath.Join(folder, "blog")
	}
	path := filepath.Join(folder, ".htaccess")
	if r.IntN(2) == 0 {
		return path, r.disk.Remove(r.at(path))
	}
	return path, r.write(path, pick(r, "Require all denied\n", "Require all denied\n", "Options -Indexes\n",
		"<Files page.html>\nRequire all denied\n</Files>\n", "Deny from all\n"))
}

func (r *modelRun) makeMany() (string, error) {
	folder := filepath.Join(r.anyFolder(), "many")
	count := 300
	// No set has more than 999 lists of URLs, and what is left of more would be pages.
	if os.Getenv("SITEWALK_ROUNDS") != "" && r.IntN(10) == 0 && !r.setting.config.Output.Files.Text {
		count = 20_000
	}
	if r.setting.config.Watch.Poll == "always" {
		count = 30 // a look that reads many keeps the next waiting twenty times as long
	}
	if r.IntN(2) == 0 {
		r.aboutToTouch(folder)
		return folder, r.disk.RemoveAll(r.at(folder))
	}
	if err := r.disk.MkdirAll(r.at(folder), 0o755); err != nil {
		return folder, err
	}
	for i := range count {
		if err := r.disk.WriteFile(r.at(filepath.Join(folder, fmt.Sprintf("%03d.html", i))), nil, 0o644); err != nil {
			return folder, err
		}
	}
	if count > 300 {
		r.rest()
		return folder, r.disk.RemoveAll(r.at(folder))
	}
	return fmt.Sprint(folder, count), nil
}
