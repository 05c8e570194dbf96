//go:build !linux

package gitlog

import "os"

// limitMemory does nothing here: no other system bounds the memory of a program that
// runs.
func limitMemory(*os.Process) {}
