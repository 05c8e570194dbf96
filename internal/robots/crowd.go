package robots

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// crowdSize is from how many patterns with something between two "*" on it pays to look
// them up.
const crowdSize = 64

// maxKey is how many bytes a key has at most.
const maxKey = 8

// crowd is many patterns, found by a few bytes that a path must hold to match. Each would
// else cost a pass over the path, and a file of MaxSize has room for fifty thousand.
type crowd struct {
	lists   [][]pattern                // those with one key, the weightiest first
	byKey   [maxKey + 1]map[uint64]int // the list of a key, by the key's length
	lengths []int                      // of the keys
}

// newCrowd compiles patterns that each have a middle, and keeps their slice.
func newCrowd(patterns []pattern) *crowd {
	// Keys that are rare among the patterns leave few to look at. A count that two keys
	// share by their hash makes for a worse choice, and not for a wrong one.
	var counts [1 << 14]int
	for i := range patterns {
		patterns[i].eachKey(func(key uint64, length int) { counts[hashKey(key, length, len(counts))]++ })
	}
	for i := range patterns {
		p := &patterns[i]
		rarest := -1
		p.eachKey(func(key uint64, length int) {
			// Of equally rare ones a longer one is in fewer paths.
			count := counts[hashKey(key, length, len(counts))]
			if rarest < 0 || count < rarest || count == rarest && length > p.keyLength {
				rarest, p.key, p.keyLength = count, key, length
			}
		})
	}
	slices.SortFunc(patterns, func(a, b pattern) int {
		return cmp.Or(cmp.Compare(a.keyLength, b.keyLength), cmp.Compare(a.key, b.key), a.compareWeight(&b))
	})
	c := &crowd{}
	for start, end := 0, 0; start < len(patterns); start = end {
		first := &patterns[start]
		for end < len(patterns) && patterns[end].keyLength == first.keyLength && patterns[end].key == first.key {
			end++
		}
		if c.byKey[first.keyLength] == nil {
			c.byKey[first.keyLength] = map[uint64]int{}
			c.lengths = append(c.lengths, first.keyLength)
		}
		c.byKey[first.keyLength][first.key] = len(c.lists)
		c.lists = append(c.lists, patterns[start:end])
	}
	return c
}

// eachKey calls do with every run of bytes in the pattern's middle that could be its key:
// as long as a part of it allows.
func (p *pattern) eachKey(do func(key uint64, length int)) {
	for _, part := range p.middle {
		length := min(len(part), maxKey)
		for start := range len(part) - length + 1 {
			do(keyAt(part[start:])>>(64-8*length), length)
		}
	}
}

// keyAt returns the first eight bytes, with zeros in place of what is missing. Its upper
// bytes are shorter keys.
func keyAt(text []byte) uint64 {
	if len(text) >= maxKey {
		return binary.BigEndian.Uint64(text)
	}
	var padded [maxKey]byte
	copy(padded[:], text)
	return binary.BigEndian.Uint64(padded[:])
}

// hashKey returns a number below size, which is a power of two.
func hashKey(key uint64, length, size int) int {
	const odd = 0x9e3779b97f4a7c15 // of the golden ratio
	return int(((key + uint64(length)) * odd >> 32) & uint64(size-1))
}

// best returns the weightiest pattern that matches a path, or best, if that outweighs it.
func (c *crowd) best(path []byte, best *pattern) *pattern {
	// A line with a middle takes nine bytes or more, so that there are no more lists.
	var looked [MaxSize/len("allow:*a\n")/64 + 1]uint64
	for start := range path {
		bytesHere := keyAt(path[start:])
		for _, length := range c.lengths {
			if length > len(path)-start {
				break
			}
			i, found := c.byKey[length][bytesHere>>(64-8*length)]
			if !found || looked[i/64]&(1<<(i%64)) != 0 {
				continue
			}
			looked[i/64] |= 1 << (i % 64)
			for j := range c.lists[i] {
				p := &c.lists[i][j]
				if best != nil && p.compareWeight(best) >= 0 {
					break
				}
				if bytes.HasPrefix(path, p.literal) && p.matches(path) {
					best = p
					break
				}
			}
		}
	}
	return best
}
