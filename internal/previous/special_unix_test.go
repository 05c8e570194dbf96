//go:build unix

package previous

import (
	"path/filepath"
	"syscall"
	"testing"
)

func TestFIFOIsNotWaitedFor(t *testing.T) {
	folder := write(t, map[string]string{"sitemap.xml": index("", "https://h.test/fifo.xml")})
	fifo := filepath.Join(folder, "fifo.xml")
	if err := syscall.Mkfifo(fifo, 0o644); err != nil {
		t.Skip(err)
	}
	refuse(t, fifo, Options{}, "is not a regular file")
	refuse(t, folder, Options{}, "is not a regular file")
	refuse(t, "/dev/zero", Options{}, "is not a regular file")
}
