// Package durable makes what was done in a folder outlast a loss of power.
package durable

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// Folder makes durable what has been renamed, made and removed in a folder. Not all
// file systems have a call for that: those that have none, such as VirtualBox's shared
// folders, have done by then what they will do.
func Folder(root *os.Root) error {
	if runtime.GOOS == "windows" {
		return nil // which has no such call
	}
	folder, err := root.Open(".")
	if err != nil {
		return err
	}
	defer folder.Close()
	if err = folder.Sync(); errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}
