//go:build amd64 || arm64

package faults

import (
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ext4Quotas is a file system that counts what each user has on it.
var ext4Quotas = fileSystem{
	"ext4", []string{"mkfs.ext4", "-q", "-F", "-b", "4096", "-O", "quota", "-E", "lazy_itable_init=0,nodiscard,quotatype=usrquota"}, "usrquota", 32 << 20,
}

// quotaUser is a user without an account, who owns the docroot and what is published.
const quotaUser = 54398

// newQuotas mounts a disk with quotas on a folder, which becomes the user's.
func newQuotas(t *testing.T, folder string) *quotas {
	t.Helper()
	disk := filepath.Join(openFolder(t), "disk")
	writeFile(t, disk, "")
	must(t, os.Truncate(disk, ext4Quotas.size))
	must(t, os.Mkdir(folder, 0o755))
	ext4.make(t, disk)
	if err := ext4.mount(t, disk, folder); err != nil {
		lack(t, "no disk can be mounted: %v", err)
	}
	must(t, unmount(folder))
	ext4Quotas.make(t, disk)
	if err := ext4Quotas.mount(t, disk, folder); err != nil {
		t.Skipf("this kernel has no quotas for ext4, and mounts it only without: %v", err)
	}
	t.Cleanup(func() { must(t, unmount(folder)) })
	must(t, os.Chown(folder, quotaUser, quotaUser))
	mounted, err := os.Open(folder)
	must(t, err)
	t.Cleanup(func() { mounted.Close() })
	return &quotas{mounted}
}

// quotas are what the user may have on a file system.
type quotas struct{ mounted *os.File }

// dqblk is struct if_dqblk of linux/quota.h.
type dqblk struct {
	blockLimit, softBlockLimit uint64 // in KiB; 0 for none
	space                      uint64 // in bytes
	fileLimit, softFileLimit   uint64
	files                      uint64
	blockTime, fileTime        uint64
	valid                      uint32
}

// The commands of quotactl_fd(2) and their flags, of linux/quota.h.
const (
	getQuota    = 0x800007
	setQuota    = 0x800008
	userQuota   = 0
	blockLimits = 1
	fileLimits  = 4
)

func (q *quotas) control(t *testing.T, command int, block *dqblk) {
	t.Helper()
	_, _, errno := unix.Syscall6(unix.SYS_QUOTACTL_FD, q.mounted.Fd(), uintptr(command<<8|userQuota), quotaUser, uintptr(unsafe.Pointer(block)), 0, 0)
	if errno == unix.ENOSYS {
		t.Skip("this kernel has no quotactl_fd(2): it is older than 5.14")
	}
	if errno != 0 {
		t.Fatalf("quotactl: %v", errno)
	}
}

// allow leaves the user room for some more blocks, and for some more files, or, where
// that is negative, for any number.
func (q *quotas) allow(t *testing.T, blocks, files int) {
	t.Helper()
	var now dqblk
	q.control(t, getQuota, &now)
	limits := dqblk{valid: blockLimits | fileLimits}
	if blocks >= 0 {
		limits.blockLimit = (now.space + uint64(blocks)*4096) / 1024
	}
	if files >= 0 {
		limits.fileLimit = now.files + uint64(files)
	}
	q.control(t, setQuota, &limits)
}

// TestUsedUpQuotaKeepsTheOldSet has the docroot's owner, whom root's command becomes, run
// out of quota at each moment, in blocks and in files.
func TestUsedUpQuotaKeepsTheOldSet(t *testing.T) {
	if !inNamespace(t, ofRoot) {
		return
	}
	dir := openFolder(t)
	q := newQuotas(t, filepath.Join(dir, "out"))
	w := newWorld(t, dir, &roomy)
	w.giveTo(t, quotaUser)
	w.place(t)
	w.build(t)
	w.finishNew(t)
	var seen tally
	for _, kind := range []string{"blocks", "files"} {
		became := ""
		for room := 0; became != isNew; room++ {
			w.place(t)
			if kind == "blocks" {
				q.allow(t, room, -1)
			} else {
				q.allow(t, -1, room)
			}
			became = w.suffers(t, unix.EDQUOT, func() { q.allow(t, -1, -1) })
			seen.add("quota of "+kind, became)
			if room > 100 {
				t.Fatal("it never becomes the new one")
			}
		}
		if seen.kinds["quota of "+kind][isOld] == 0 {
			t.Errorf("the quota of %s holds nobody back: the test shows nothing", kind)
		}
	}
	seen.log(t)
}
