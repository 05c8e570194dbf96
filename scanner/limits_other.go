//go:build !linux

package scanner

// shortOf returns no limit: this system has none of its own for watches.
func shortOf(error, string) string { return "" }

func enoughFor(string, int) int { return 0 }
