//go:build !linux

package scanner

import "os"

// nativeTree returns nil: only Linux has a walk of its own.
func nativeTree(*os.Root) (tree, error) { return nil, nil }
