package scanner

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// makeSpecial makes a FIFO, socket or device.
func makeSpecial(name string, mode fs.FileMode) error {
	kinds := map[fs.FileMode]uint32{fs.ModeNamedPipe: unix.S_IFIFO, fs.ModeSocket: unix.S_IFSOCK, fs.ModeDevice | fs.ModeCharDevice: unix.S_IFCHR}
	// The device is /dev/null.
	return unix.Mknod(name, kinds[mode.Type()]|0o644, int(unix.Mkdev(1, 3)))
}
