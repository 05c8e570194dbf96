//go:build unix

package generator

import (
	"syscall"
	"testing"
	"time"
)

// spent returns the processor time that the process has taken so far. A clock would also
// count what else runs on the machine.
func spent(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Error(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
