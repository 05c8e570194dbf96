//go:build !unix

package gitlog

import "os/exec"

// detach returns what ends a program.
func detach(cmd *exec.Cmd) (kill func() error) { return cmd.Cancel }
