//go:build !unix

package output

import "io/fs"

// nonBlocking is for FIFOs, which only unix has in folders.
const nonBlocking = 0

// linkCount returns how many names a file has, which only unix tells cheaply.
func linkCount(fs.FileInfo) uint64 { return 1 }

// ownerOf returns the ids of the user and the group that a file belongs to, which only
// unix has.
func ownerOf(fs.FileInfo) (user, group int) { return -1, -1 }
