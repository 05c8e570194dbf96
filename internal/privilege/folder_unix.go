//go:build unix

package privilege

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
)

// FolderFor returns the path of a folder in dir in which o can keep what is o's alone,
// and makes it if it is not there: dir/UID, which nobody else may enter. Only root may
// call it, before [Drop].
//
// Nobody but root may be able to put anything into dir, or to exchange it: else it could
// be made to give away what it should not. So dir must be root's, as must be every folder
// and link on the way, and writable for root alone. What is in it then is there by root's
// hand.
func FolderFor(dir string, o Owner) (string, error) {
	t, err := follow(dir, top)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; make it with install -d -m 755", err)
	}
	if err != nil {
		return "", err
	}
	switch {
	case !t.info.IsDir():
		return "", fmt.Errorf("%q is no folder: name one that is", dir)
	case t.end.uid != 0 || t.folder.uid != 0 || len(t.links) > 0:
		return "", fmt.Errorf("%q is, or is in a folder, of another user than root, or behind such a user's link: name one that is root's alone", dir)
	case t.info.Mode().Perm()&0o022 != 0:
		return "", fmt.Errorf("%q can be written by others than root: chmod 755 it", dir)
	}
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer folder.Close()
	if info, err := folder.Stat("."); err != nil || !os.SameFile(info, t.info) {
		return "", fmt.Errorf("%q was exchanged meanwhile", dir)
	}
	name := strconv.FormatUint(uint64(o.UID), 10)
	if err := folder.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	info, err := folder.Lstat(name)
	if err != nil {
		return "", err
	}
	path := dir + "/" + name
	is := handOf(path, info)
	switch {
	case !info.IsDir() || is.uid != 0 && is.uid != o.UID:
		return "", fmt.Errorf("%q is no folder of %s: move it out of the way", path, userName(o.UID))
	case is.uid != o.UID: // it is new, or left by a process that was killed here
		err = folder.Lchown(name, int(o.UID), int(o.GID))
	}
	return path, err
}
