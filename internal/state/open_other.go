//go:build !unix

package state

// nonBlocking is for FIFOs, which only unix has in folders.
const nonBlocking = 0
