//go:build !linux

package scanner

import (
	"errors"
	"io/fs"
)

func makeSpecial(string, fs.FileMode) error { return errors.ErrUnsupported }
