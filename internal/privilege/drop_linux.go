package privilege

import (
	"errors"
	"fmt"
	"math"

	"golang.org/x/sys/unix"
)

// withholdDescriptors is withholdEach in one call, where the kernel has it (5.11).
func withholdDescriptors() {
	if unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) != nil {
		withholdEach()
	}
}

// confirmSystem looks at what only Linux has: the saved user and group can be
// read, and root's rights are capabilities, which stay behind when whoever
// started the process set SECBIT_NO_SETUID_FIXUP (capabilities(7)).
func confirmSystem(uid, gid int) error {
	if r, e, s := unix.Getresuid(); r != uid || e != uid || s != uid {
		return errors.New("the system did not change the saved user")
	}
	if r, e, s := unix.Getresgid(); r != gid || e != gid || s != gid {
		return errors.New("the system did not change the saved group")
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData // 64 capabilities, 32 in each
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return fmt.Errorf("capget: %w", err)
	}
	for _, s := range sets {
		if s.Effective|s.Permitted != 0 {
			return errors.New("the process kept capabilities of root's")
		}
	}
	return nil
}
