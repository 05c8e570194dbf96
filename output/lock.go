package output

import (
	"context"
	"errors"
	"os"
	"time"
)

// ErrLocked says that another run works on the same docroot.
var ErrLocked = errors.New("locked: another run works on this docroot")

// errUnlockable says that the file system cannot lock a folder.
var errUnlockable = errors.New("this file system cannot lock a folder")

// lockFile stands in for the folder where a folder cannot be locked.
const lockFile = ".sitewalk.lock"

// Lock keeps every other run away from a folder, by whatever path or user it
// comes, until unlock is called or the process ends. It waits for up to wait,
// then fails with ErrLocked.
//
// It is the folder itself that is locked, not a file in it: there is nothing to
// leave behind, and nothing that somebody could remove or link elsewhere.
func Lock(ctx context.Context, folder *os.Root, wait time.Duration) (unlock func(), err error) {
	file, err := folder.Open(".")
	if err != nil {
		return nil, err
	}
	err = waitForLock(ctx, file, wait)
	if errors.Is(err, errUnlockable) {
		file.Close()
		if file, err = folder.OpenFile(lockFile, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
			return nil, err
		}
		err = waitForLock(ctx, file, wait)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return func() { file.Close() }, nil
}

// LockFile keeps every other run away that locks the same file, until the file is
// closed or the process ends. It waits and fails as Lock does.
func LockFile(ctx context.Context, file *os.File, wait time.Duration) error {
	return waitForLock(ctx, file, wait)
}

// Lock locks the folder, as the function Lock does.
func (f *Folder) Lock(ctx context.Context, wait time.Duration) (unlock func(), err error) {
	if f.root == nil {
		return func() {}, nil
	}
	return Lock(ctx, f.root, wait)
}

// IsFolder reports whether the folder is the one that another handle is on.
func (f *Folder) IsFolder(other *os.Root) (bool, error) {
	if f.root == nil {
		return false, nil
	}
	mine, err := f.root.Stat(".")
	if err != nil {
		return false, err
	}
	its, err := other.Stat(".")
	return err == nil && os.SameFile(mine, its), err
}

func waitForLock(ctx context.Context, file *os.File, wait time.Duration) error {
	// A program that this process starts holds its locks too, from fork(2) to
	// execve(2): that is no other run.
	const forking = 20 * time.Millisecond
	deadline := time.Now().Add(max(wait, forking))
	for {
		err := tryLock(file)
		if !errors.Is(err, ErrLocked) || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(forking / 4):
		}
	}
}
