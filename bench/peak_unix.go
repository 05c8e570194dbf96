//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakMiB returns the most memory that a process was resident in.
func peakMiB(state *os.ProcessState) float64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return float64(usage.Maxrss) / (1 << 20)
	}
	return float64(usage.Maxrss) / (1 << 10)
}
