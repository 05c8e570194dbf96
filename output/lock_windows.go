package output

import (
	"os"

	"golang.org/x/sys/windows"
)

// tryLock takes the lock of an open file, which Windows gives back when the
// process ends, or fails with ErrLocked. Folders cannot be locked.
func tryLock(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.IsDir() {
		return errUnlockable
	}
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err = windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	if err == windows.ERROR_LOCK_VIOLATION {
		return ErrLocked
	}
	return err
}
