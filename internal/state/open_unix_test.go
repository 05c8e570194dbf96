//go:build unix

package state

import (
	"syscall"
	"testing"
)

func TestFIFODoesNotBlock(t *testing.T) {
	path := statePath(t)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("no FIFOs here")
	}
	if got := unusable(t, path); got != "is no regular file" {
		t.Errorf("a FIFO %s", got)
	}
}
