package faults

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A fileSystem is a kind that is made on a disk, and mounted by a loop device, in a
// namespace of root's.
type fileSystem struct {
	name    string
	mkfs    []string
	options string // of mount
	size    int64  // of the disk, in bytes
}

var (
	ext4 = fileSystem{"ext4", []string{"mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,nodiscard"}, "", 32 << 20}
	// What has the least care for files that nobody asked to be made durable.
	ext4Unordered = fileSystem{"ext4", ext4.mkfs, "data=writeback,noauto_da_alloc", 32 << 20}
	ext4Journaled = fileSystem{"ext4", ext4.mkfs, "data=journal", 32 << 20}
	xfs           = fileSystem{"xfs", []string{"mkfs.xfs", "-q", "-f", "-K"}, "", 400 << 20}
	btrfs         = fileSystem{"btrfs", []string{"mkfs.btrfs", "-q", "-f", "-K"}, "", 256 << 20}
)

// make makes the file system on a disk.
func (f fileSystem) make(t testing.TB, disk string) {
	t.Helper()
	mkfs := exec.Command(program(t, f.mkfs[0]), append(f.mkfs[1:len(f.mkfs):len(f.mkfs)], disk)...)
	if done := finish(t, mkfs); done.code != 0 {
		t.Fatalf("%v: %v", mkfs.Args, done)
	}
}

// mount mounts a disk by a loop device, which goes with it.
func (f fileSystem) mount(t testing.TB, disk, folder string) error {
	t.Helper()
	options := "loop"
	if f.options != "" {
		options += "," + f.options
	}
	if done := finish(t, exec.Command(program(t, "mount"), "-t", f.name, "-o", options, disk, folder)); done.code != 0 {
		said, _, _ := strings.Cut(done.stderr, "\n") // what follows has hints
		return fmt.Errorf("mount: %s", strings.TrimSpace(said))
	}
	return nil
}

// unmount unmounts a folder once nothing holds it.
func unmount(folder string) error {
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if err = unix.Unmount(folder, 0); !errors.Is(err, unix.EBUSY) {
			break
		}
	}
	return err
}
