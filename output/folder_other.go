//go:build !unix

package output

import "io/fs"

// nonBlocking is for FIFOs, which only unix has in folders.
const nonBlocking = 0

// linkCount returns how many names a file has, which only unix tells cheaply.
func linkCount(fs.FileInfo) uint64 { return 1 }
