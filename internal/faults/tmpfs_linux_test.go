package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A disk is a small file system in memory.
type disk struct{ path string }

const diskSize = 4 << 20

// newDisk mounts a disk at a path.
func newDisk(t testing.TB, path string) *disk {
	t.Helper()
	must(t, os.MkdirAll(path, 0o755))
	must(t, unix.Mount("none", path, "tmpfs", 0, fmt.Sprintf("size=%d,mode=755", diskSize)))
	t.Cleanup(func() { must(t, unix.Unmount(path, unix.MNT_DETACH)) })
	return &disk{path}
}

func (d *disk) filler() string { return filepath.Join(d.path, "filler") }

// fill leaves room for some blocks.
func (d *disk) fill(t testing.TB, room int) {
	t.Helper()
	var found unix.Statfs_t
	must(t, unix.Statfs(d.path, &found))
	file, err := os.Create(d.filler())
	must(t, err)
	must(t, unix.Fallocate(int(file.Fd()), 0, 0, (int64(found.Bavail)-int64(room))*int64(found.Bsize)))
	must(t, file.Close())
}

// empty gives room again.
func (d *disk) empty(t testing.TB) {
	t.Helper()
	must(t, os.Remove(d.filler()))
}

// allow leaves room for some files, however long, or, if negative, for any number.
func (d *disk) allow(t testing.TB, files int) {
	t.Helper()
	var found unix.Statfs_t
	must(t, unix.Statfs(d.path, &found))
	limit := 1000
	if files >= 0 {
		limit = int(found.Files-found.Ffree) + files
	}
	must(t, unix.Mount("", d.path, "", unix.MS_REMOUNT, fmt.Sprintf("size=%d,nr_inodes=%d", diskSize, limit)))
}

// protect makes the disk read-only, or writable again. It fails with EBUSY while a file
// is open for writing.
func (d *disk) protect(readOnly bool) error {
	flags := uintptr(unix.MS_REMOUNT)
	if readOnly {
		flags |= unix.MS_RDONLY
	}
	return unix.Mount("", d.path, "", flags, "")
}
