package gitlog

import (
	"os"

	"golang.org/x/sys/unix"
)

// limitMemory bounds the memory of a program that was started. It may do so by less
// already, which is for the system to say. Files that are mapped do not count: packs are
// larger than any memory.
func limitMemory(started *os.Process) {
	_ = unix.Prlimit(started.Pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: maxMemory, Max: maxMemory}, nil)
}
