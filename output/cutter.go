package output

import "math"

// cutter decides where a section that is over the limits is cut into shards:
// after a page whose hash falls below a threshold. So a boundary is a property
// of the page at it, and adding or removing another page moves none.
//
// A shard has a minimum, below which no boundary counts, and a maximum, at
// which one is forced. To make forced cuts rare the threshold is raised once a
// shard is half full: the boundaries of the low threshold are boundaries of
// the high one too, so that a shard that began elsewhere comes back to the same
// ones. https://www.usenix.org/conference/atc16/technical-sessions/presentation/xia
// describes the idea for backup systems.
//
// All fractions are of the maximum, in URLs or in bytes, whichever fills up
// faster: a sixteenth is the minimum, a quarter the target.
type cutter struct {
	maxURLs  int
	maxBytes int64 // for pages: without what stands before and after them

	urls  int // in the shard at hand
	bytes int64
}

// looser is the factor by which the threshold is raised in a shard that is half
// full: at 50,000 URLs a forced cut is then less likely than one in a billion.
const looser = 8

func newCutter(maxURLs int, maxBytes int64) *cutter {
	return &cutter{maxURLs: maxURLs, maxBytes: maxBytes}
}

// fits reports whether the shard at hand has room for a page of a length.
func (c *cutter) fits(length int) bool {
	return c.urls < c.maxURLs && c.bytes+int64(length) <= c.maxBytes
}

// add counts a page that fits, and reports whether the shard ends with it.
func (c *cutter) add(length int, hash uint64) bool {
	c.urls++
	c.bytes += int64(length)
	if c.urls < c.maxURLs/16 && c.bytes < c.maxBytes/16 {
		return false
	}
	threshold := c.threshold(length)
	if c.urls >= c.maxURLs/2 || c.bytes >= c.maxBytes/2 {
		if threshold > math.MaxUint64/looser {
			return true
		}
		threshold *= looser
	}
	return hash < threshold
}

// threshold returns the hash below which a shard ends after a page, such that
// on average a shard reaches the target: what is left of it above the minimum,
// in pages of this one's length.
func (c *cutter) threshold(length int) uint64 {
	pages := int64(c.maxURLs/4 - c.maxURLs/16 + 1)
	if byBytes := (c.maxBytes/4 - c.maxBytes/16) / int64(length); byBytes < pages {
		pages = max(byBytes, 1)
	}
	if pages == 1 {
		return math.MaxUint64
	}
	return math.MaxUint64 / uint64(pages)
}

// next begins a new shard.
func (c *cutter) next() { c.urls, c.bytes = 0, 0 }
