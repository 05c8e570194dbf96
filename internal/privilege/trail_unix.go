//go:build unix

package privilege

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	slashpath "path"
	"strconv"
	"strings"
	"syscall"
)

// allowRoot is the flag of the command that messages name: with it the command
// does without OwnerOf and Drop.
const allowRoot = "--allow-root"

// maxLinks is how many links one path may lead through, as on Linux
// (path_resolution(7)).
const maxLinks = 40

// OwnerOf says whom the folder or file at path belongs to, and refuses a path
// that somebody could have made lead there to borrow rights:
//
//   - A link that is not root's must lead to something that belongs to the
//     link's owner, as with Apache's SymLinksIfOwnerMatch. A link of root's
//     below a user's folder counts as that user's, who can rename it.
//   - What root owns must not lie below a folder that root does not own. Who
//     owns a folder above can exchange the docroot for another at any time,
//     so staying root there is to work as root on whatever they choose.
//
// A relative path is taken from the working directory, and the way from / to
// there counts too. Links and .. mean what they mean to the kernel: nothing is
// cleaned away. What an earlier .. left again counts as part of the way, since
// its owner can move it and so its parent. Open the very path that was given
// here.
//
// Errors name the place, quoted, and what to do. A missing path satisfies
// errors.Is(err, fs.ErrNotExist), also behind a link.
func OwnerOf(path string) (Owner, error) {
	t, err := follow(path, top)
	if err != nil {
		return Owner{}, err
	}
	return t.owner()
}

// InspectFile says how far the file at path can be trusted. It looks at the
// path as [OwnerOf] does but refuses nothing: the caller knows what the file
// may ask for. The file is not opened, so a pipe does not block.
//
// The answer is about the path as it was: read the file after [Drop], or, when
// staying root, ask [Owner.IsOf] of the opened file.
func InspectFile(path string) (FileTrust, error) {
	t, err := follow(path, top)
	if err != nil {
		return FileTrust{}, err
	}
	return t.trust(), nil
}

// A place is a folder, file or link on which the walk along a path stands.
type place interface {
	// look finds name in the folder, and does not follow it if it is a link.
	look(name string) (place, error)
	// info describes the place itself.
	info() fs.FileInfo
	// readlink says where the link points.
	readlink() (string, error)
	close()
}

// A hand is somebody who owns something on the way, and its path.
type hand struct {
	path     string
	uid, gid uint32
}

func handOf(path string, info fs.FileInfo) hand {
	st := info.Sys().(*syscall.Stat_t)
	return hand{path, st.Uid, st.Gid}
}

// A trail is what a walk along a path came by.
type trail struct {
	links     []hand // links that somebody other than root controls, in order
	folder    hand   // the last folder passed that is not root's; zero if none
	end       hand
	info      fs.FileInfo // of the end
	endOnLink bool        // the path's last component was a link
}

// follow walks along path from top.
func follow(path string, top func() (place, error)) (trail, error) {
	if path == "" {
		return trail{}, failure(path, syscall.ENOENT)
	}
	if path[0] != '/' {
		dir, err := os.Getwd()
		if err != nil {
			return trail{}, fmt.Errorf("finding the working directory: %w", err)
		}
		path = dir + "/" + path // not cleaned: link/.. is not .
	}

	at, err := top()
	if err != nil {
		return trail{}, failure("/", err)
	}
	defer func() { at.close() }()

	var t trail
	links := 0
	here := "/" // where at is, free of links and dots
	for rest := path; rest != ""; {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		if name == "" || name == "." {
			continue
		}
		if f := handOf(here, at.info()); f.uid != 0 {
			t.folder = f
		}
		there := slashpath.Join(here, name)
		next, err := at.look(name)
		if err != nil {
			return trail{}, failure(there, err)
		}
		if next.info().Mode().Type() != fs.ModeSymlink {
			at.close()
			at, here = next, there
			continue
		}

		target, err := next.readlink()
		l := handOf(there, next.info())
		next.close()
		if links++; err == nil && links > maxLinks {
			err = syscall.ELOOP
		}
		if err == nil && target == "" {
			err = syscall.ENOENT
		}
		if err != nil {
			return trail{}, failure(there, err)
		}
		if l.uid == 0 {
			l.uid, l.gid = t.folder.uid, t.folder.gid
		}
		if l.uid != 0 {
			t.links = append(t.links, l)
		}
		if strings.Trim(rest, "/.") == "" {
			t.endOnLink = true
		}
		rest = target + "/" + rest
		if target[0] == '/' {
			start, err := top()
			if err != nil {
				return trail{}, failure("/", err)
			}
			at.close()
			at, here = start, "/"
		}
	}
	t.info = at.info()
	t.end = handOf(here, t.info)
	return t, nil
}

// owner applies OwnerOf's rules.
func (t trail) owner() (Owner, error) {
	for _, l := range t.links {
		if l.uid == t.end.uid {
			continue
		}
		mend := "name that one itself if it is meant"
		if t.end.uid == 0 {
			mend += ", or pass " + allowRoot + " to go on as root"
		}
		return Owner{}, fmt.Errorf("refusing link %q: it is under the control of %s but leads to %q, which belongs to %s; %s",
			l.path, userName(l.uid), t.end.path, userName(t.end.uid), mend)
	}
	if t.end.uid == 0 && t.folder.uid != 0 {
		mend := "name it by a path that does not pass there"
		if strings.HasPrefix(t.end.path, t.folder.path+"/") {
			mend = "chown it to its user"
		}
		return Owner{}, fmt.Errorf("refusing to work as root in %q: root owns it, but the way there passes %q of %s, who could exchange it; %s, or pass %s to go on as root",
			t.end.path, t.folder.path, userName(t.folder.uid), mend, allowRoot)
	}
	return t.by(t.end), nil
}

// trust applies FileTrust's rules.
func (t trail) trust() FileTrust {
	who := t.end
	switch {
	case len(t.links) > 0:
		who = t.links[0]
	case t.end.uid == 0 && t.folder.uid != 0:
		who = t.folder
	}
	regular := t.info.Mode().IsRegular()
	return FileTrust{
		Owner: t.by(who),
		Linked: t.endOnLink || len(t.links) > 0 ||
			regular && t.info.Sys().(*syscall.Stat_t).Nlink > 1 ||
			t.folder.uid != 0 && t.folder.uid != t.end.uid,
		Regular: regular,
	}
}

func (t trail) by(h hand) Owner {
	return Owner{UID: h.uid, GID: h.gid, info: t.info}
}

// failure says at which path err happened. The path is quoted, as a hostile
// link may lead to any bytes.
func failure(path string, err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err // its path is not quoted
	}
	return fmt.Errorf("looking at %q: %w", path, err)
}

// userName is uid as messages show it.
func userName(uid uint32) string {
	if uid == 0 {
		return "root"
	}
	id := strconv.FormatUint(uint64(uid), 10)
	if u, err := user.LookupId(id); err == nil {
		return u.Username + " (uid " + id + ")"
	}
	return "uid " + id
}
