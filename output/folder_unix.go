//go:build unix

package output

import (
	"io/fs"
	"syscall"
)

// nonBlocking keeps the opening of a FIFO from waiting for a writer.
const nonBlocking = syscall.O_NONBLOCK

// linkCount returns how many names a file has.
func linkCount(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}

// ownerOf returns the ids of the user and the group that a file belongs to.
func ownerOf(info fs.FileInfo) (user, group int) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid), int(stat.Gid)
	}
	return -1, -1
}
