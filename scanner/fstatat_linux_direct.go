//go:build linux && (amd64 || arm64)

package scanner

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// fstatat stats a name of a folder without following a link. The name must be
// followed by a NUL in memory, as a listing has it: unix.Fstatat would copy
// each name to add one, which a walk that is nearly all fstatat can measure.
func fstatat(dir int, name string, stat *unix.Stat_t) error {
	_, _, errno := unix.Syscall6(sysFstatat, uintptr(dir), uintptr(unsafe.Pointer(unsafe.StringData(name))),
		uintptr(unsafe.Pointer(stat)), unix.AT_SYMLINK_NOFOLLOW, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// openat opens a name of a folder for reading without following a link, and
// without waiting should it be a FIFO. The name is as fstatat's.
func openat(dir int, name string) (int, error) {
	fd, _, errno := unix.Syscall6(unix.SYS_OPENAT, uintptr(dir), uintptr(unsafe.Pointer(unsafe.StringData(name))),
		openFlags, 0, 0, 0)
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}
