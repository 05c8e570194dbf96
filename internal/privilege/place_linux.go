package privilege

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// A handle is a place held by a descriptor, so that what was looked at, what
// is read as a link and what is walked on from are one and the same, whatever
// is renamed meanwhile.
type handle struct {
	f  *os.File // opened with O_PATH: nothing was read, and no pipe blocks
	fi fs.FileInfo
}

func top() (place, error) { return open(unix.AT_FDCWD, "/") }

func open(at int, name string) (place, error) {
	const flags = unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC
	// O_DIRECTORY has the kernel mount what automount keeps there, such as a
	// home folder; O_PATH alone would give the empty mount point.
	fd, err := openat(at, name, flags|unix.O_DIRECTORY)
	if err == unix.ENOTDIR {
		fd, err = openat(at, name, flags)
	}
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	fi, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return handle{f, fi}, nil
}

// openat tries again when a signal came in between, as on network and user
// space file systems.
func openat(at int, name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(at, name, flags, 0)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

func (h handle) look(name string) (place, error) { return open(int(h.f.Fd()), name) }

func (h handle) info() fs.FileInfo { return h.fi }

func (h handle) readlink() (string, error) {
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(int(h.f.Fd()), "", buf) // "": the link that the descriptor is
	if err != nil {
		return "", err
	}
	if n == len(buf) {
		return "", unix.ENAMETOOLONG
	}
	return string(buf[:n]), nil
}

func (h handle) close() { h.f.Close() }
