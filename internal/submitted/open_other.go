//go:build !unix

package submitted

// nonBlocking is for FIFOs, which only unix has in folders.
const nonBlocking = 0
