//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package priority

import (
	"errors"
	"fmt"
	"io/fs"
)

// niceError says why a nice value could not be set.
func niceError(nice int, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("setting the nice value %d: %w; only root may lower the one that the process has", nice, err)
	}
	return fmt.Errorf("setting the nice value %d: %w", nice, err)
}
