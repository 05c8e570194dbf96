//go:build unix

package gitlog

import (
	"os/exec"
	"syscall"
)

// detach starts a program in a session of its own, and returns what ends it with all
// that it has started. Without a terminal nothing that runs there can type into it.
func detach(cmd *exec.Cmd) (kill func() error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
