package catalog

import "strings"

// maxText is how much memory a kept string can keep from being freed, but for
// its own length.
const maxText = 4 << 10

// A text makes many short strings with few allocations.
type text struct{ builder strings.Builder }

// reserve makes room for so many bytes, or fewer.
func (t *text) reserve(size int) {
	t.builder.Reset()
	t.builder.Grow(min(size, maxText))
}

// keep returns the bytes as a string.
func (t *text) keep(b []byte) string {
	if t.builder.Cap()-t.builder.Len() < len(b) {
		t.reserve(maxText)
	}
	start := t.builder.Len()
	t.builder.Write(b)
	return t.builder.String()[start:]
}
