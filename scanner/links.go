package scanner

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
)

// maxLinks is how many links may stand on the way to a file, as in Linux
// (path_resolution(7)).
const maxLinks = 40

// maxNested is how many followed links to folders may stand on one path. Folders
// that link to each other have paths without number: with this they have few
// enough to be walked.
const maxNested = 5

var (
	errOutside = errors.New("leads outside the docroot")
	errLoop    = errors.New("too many links")
)

// follow decides what becomes of a link: its entry is left out, stands for a
// file, or for a folder to walk. It fails only with what ends the walk.
func (w *walker[R]) follow(f *folder, e *entry) error {
	e.left = Symlink
	if w.scanner.config.FollowSymlinks != FollowInside || f.links >= maxNested {
		return nil
	}
	if w.ctx.Err() != nil {
		return nil // a folder of a million links is not to hold up the end
	}
	target, k, err := w.resolve(f.real(), e.name)
	if follow := w.scanner.options.Follow; follow != nil {
		follow(Join(f.path(), e.name), target)
	}
	if err != nil {
		if fatal(err) {
			return err
		}
		if !leadsNowhere(err) {
			f.leaveUnknown(e, err)
		}
		return nil
	}
	e.rare = &rareEntry{target: target, targetKind: k}
	switch k {
	case kindFile:
		if e.left = w.scanner.checkPath(target, false); w.scanner.isOwn(split(target)) {
			e.left = OwnOutput
		}
	case kindFolder:
		if f.within(target) {
			return nil
		}
		if e.left = w.scanner.checkPath(target, true); e.left == Listed {
			_, e.left = w.scanner.enter(f.scope, e.name)
		}
	}
	return nil
}

// leadsNowhere reports whether an error says that there is nothing for a link to stand
// for. After any other there may be pages that it leads to.
func leadsNowhere(err error) bool {
	return slices.ContainsFunc([]error{errOutside, errLoop, fs.ErrNotExist, syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG},
		func(nowhere error) bool { return errors.Is(err, nowhere) })
}

// within reports whether the walk is inside the folder at a real path already,
// so that to walk it again would go round in a circle.
func (f *folder) within(real string) bool {
	if real == "" {
		return true
	}
	for ; f != nil; f = f.parent {
		// The folders from here up to the last link are those on the real path.
		here := f.real()
		f = f.lastLink()
		if len(f.target) <= len(real) && strings.HasPrefix(here, real) && (len(here) == len(real) || here[len(real)] == '/') {
			return true
		}
	}
	return false
}

// resolve follows the link of a name in the folder at a real path to the real
// path of what it leads to. Each step is looked at without following it, so that
// no link made meanwhile is followed unseen.
func (w *walker[R]) resolve(dir, link string) (real string, k kind, err error) {
	real = dir
	todo := []string{link}
	links := 0
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			if real == "" {
				return "", 0, errOutside
			}
			if real = path.Dir(real); real == "." {
				real = ""
			}
			continue
		}
		next := Join(real, name)
		k, target, err := w.files.inspect(next)
		if err != nil {
			return "", 0, err
		}
		if k != kindLink {
			if k != kindFolder && len(todo) > 0 {
				return "", 0, fs.ErrNotExist
			}
			real = next
			if len(todo) == 0 {
				return real, k, nil
			}
			continue
		}
		if links++; links > maxLinks {
			return "", 0, errLoop
		}
		if strings.HasPrefix(target, "/") {
			inside, ok := w.docroot.inside(target)
			if !ok {
				return "", 0, errOutside
			}
			real, target = "", inside
		}
		todo = append(strings.Split(target, "/"), todo...)
	}
	return real, kindFolder, nil
}

// reachTarget returns the folder and the name of the file that a link leads to.
func reachTarget(files tree, real string) (handle node, name string, done func(), err error) {
	dir, name := split(real)
	if handle, err = files.lookup(dir); err != nil {
		return nil, "", nil, err
	}
	if err := handle.hold(); err != nil {
		handle.release()
		return nil, "", nil, err
	}
	// Names that come from a listing are followed by a NUL, and a node may rely
	// on it.
	return handle, (name + "\x00")[:len(name)], func() { handle.letGo(); handle.release() }, nil
}
