//go:build unix && !aix

package scanner

import (
	"io/fs"
	"syscall"
)

// identity returns when a file's inode last changed, in nanoseconds since 1970,
// and its number, or zeros where info does not come from the system.
func identity(info fs.FileInfo) (changeTime int64, inode uint64) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	seconds, rest := changed(stat).Unix()
	return nanos(seconds, rest), uint64(stat.Ino)
}

// FolderIDOf returns what info says of a folder to tell it from others, or zeros where
// info does not come from the system.
func FolderIDOf(info fs.FileInfo) FolderID {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return FolderID{}
	}
	return FolderID{uint64(stat.Dev), uint64(stat.Ino)}
}
