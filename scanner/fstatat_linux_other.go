//go:build linux && !amd64 && !arm64

package scanner

import "golang.org/x/sys/unix"

// fstatat stats a name of a folder without following a link.
func fstatat(dir int, name string, stat *unix.Stat_t) error {
	return unix.Fstatat(dir, name, stat, unix.AT_SYMLINK_NOFOLLOW)
}
