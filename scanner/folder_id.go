package scanner

// A FolderID tells a folder from all others of the machine, as long as it is there.
// It is zero where the system does not say.
type FolderID struct{ Device, Inode uint64 }
