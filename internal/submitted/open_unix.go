//go:build unix

package submitted

import "syscall"

// nonBlocking keeps the opening of a FIFO from waiting for a writer.
const nonBlocking = syscall.O_NONBLOCK
