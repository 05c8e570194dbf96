//go:build unix && !solaris && !aix

package output

import (
	"os"

	"golang.org/x/sys/unix"
)

// tryLock takes the lock of an open file or folder, which flock(2) ties to the
// inode and gives back when the process ends, or fails with ErrLocked.
func tryLock(file *os.File) error {
	for {
		switch err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err {
		case nil:
			return nil
		case unix.EINTR:
		case unix.EWOULDBLOCK:
			return ErrLocked
		case unix.EBADF, unix.EINVAL, unix.ENOLCK, unix.EOPNOTSUPP, unix.EISDIR:
			// NFS asks for a descriptor open for writing, which a folder's never is.
			return errUnlockable
		default:
			return err
		}
	}
}
