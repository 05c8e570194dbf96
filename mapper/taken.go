package mapper

import "slices"

// Taken finds the files whose URL another file has taken. It must be asked in
// the scanner's order, and the first to ask for a URL gets it: the index file
// of a folder before a file beside the folder, then by the order of names.
//
// Two files can share a URL only if both paths begin with the same key (what
// the URL was made of, see [Page.KeyLength]): in the scanner's order, all paths
// between the two begin with it too. So Taken remembers only the keys that the
// path at hand begins with, however large the site is.
type Taken struct {
	path []byte // all remembered keys are beginnings of it
	keys []int  // their lengths, ascending
}

// Claim takes the URL whose key is the first keyLength bytes of the path of name
// in the folder dir, and reports false if it is taken.
func (t *Taken) Claim(dir, name string, keyLength int) bool {
	common := t.common(dir, name)
	for len(t.keys) > 0 && t.keys[len(t.keys)-1] > common {
		t.keys = t.keys[:len(t.keys)-1]
	}
	t.path = append(t.path[:0], dir...)
	if dir != "" {
		t.path = append(t.path, '/')
	}
	t.path = append(t.path, name...)
	at, taken := slices.BinarySearch(t.keys, keyLength)
	if taken {
		return false
	}
	t.keys = slices.Insert(t.keys, at, keyLength)
	return true
}

// common returns how many bytes the path of name in dir has in common with the
// path before.
func (t *Taken) common(dir, name string) int {
	n := 0
	for _, part := range [...]string{dir, "/", name} {
		if part == "/" && dir == "" {
			continue
		}
		for i := 0; i < len(part); i++ {
			if n == len(t.path) || t.path[n] != part[i] {
				return n
			}
			n++
		}
	}
	return n
}
