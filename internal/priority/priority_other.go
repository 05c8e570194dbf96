//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd

package priority

import "fmt"

func (s Settings) apply() error {
	if s.IO != nil {
		return fmt.Errorf("I/O classes are Linux's alone: %w", ErrUnsupported)
	}
	return fmt.Errorf("nice values are Unix's alone: %w", ErrUnsupported)
}
