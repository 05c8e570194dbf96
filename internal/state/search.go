package state

// search returns the last of n sorted things that does not lie after what is
// searched for, or -1. It takes two looks if that is the thing at hint, and a
// few if it is near.
func search(n, hint int, reached func(int) bool) int {
	low, high := -1, n
	if hint >= 0 && hint < n {
		if reached(hint) {
			low = hint
			for step := 1; low+step < n; step *= 2 {
				if !reached(low + step) {
					high = low + step
					break
				}
				low += step
			}
		} else {
			high = hint
		}
	}
	for high-low > 1 {
		middle := int(uint(low+high) / 2)
		if reached(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
