//go:build !unix || aix

package scanner

import "io/fs"

// identity returns zeros: this system does not say when a file changed, other
// than by its modification time.
func identity(fs.FileInfo) (changeTime int64, inode uint64) { return 0, 0 }

// FolderIDOf returns zeros likewise.
func FolderIDOf(fs.FileInfo) FolderID { return FolderID{} }
