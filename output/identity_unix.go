//go:build unix && !aix

package output

import (
	"io/fs"
	"syscall"
	"time"
)

// inode returns when a file's inode last changed, in nanoseconds since 1970, and
// its number.
func inode(info fs.FileInfo) (changed int64, number uint64) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return time.Unix(changeTime(stat).Unix()).UnixNano(), uint64(stat.Ino)
}
