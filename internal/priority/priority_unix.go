//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package priority

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// apply sets the whole process: here setpriority goes by processes.
func (s Settings) apply() error {
	if s.IO != nil {
		return fmt.Errorf("I/O classes are Linux's alone: %w", ErrUnsupported)
	}
	if err := unix.Setpriority(unix.PRIO_PROCESS, 0, s.Nice); err != nil {
		return niceError(s.Nice, err)
	}
	return nil
}
