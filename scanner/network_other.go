//go:build !linux

package scanner

// isNetwork reports false: what this system's watches tell of a network's file
// systems is not known, and poll: always is for those that need it.
func isNetwork(string) bool { return false }

// MountsBelow returns an empty text: only Linux has a table that can be asked.
func MountsBelow(string) string { return "" }
