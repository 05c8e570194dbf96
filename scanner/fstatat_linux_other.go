//go:build linux && !amd64 && !arm64

package scanner

import "golang.org/x/sys/unix"

// fstatat stats a name of a folder without following a link.
func fstatat(dir int, name string, stat *unix.Stat_t) error {
	return unix.Fstatat(dir, name, stat, unix.AT_SYMLINK_NOFOLLOW)
}

// openat opens a name of a folder for reading without following a link, and
// without waiting should it be a FIFO.
func openat(dir int, name string) (int, error) {
	return unix.Openat(dir, name, openFlags, 0)
}
