package faults

import (
	"math/rand/v2"
	"sync"
)

// cutBlock is what a disk writes whole or not at all. File systems rely on no more:
// it is their block, and the page of the cache above.
const cutBlock = 4096

// A cutDisk is a disk in memory that remembers in which order it was written to, so
// that it can be had again as a power cut at any moment would have left it.
type cutDisk struct {
	size int64

	mu     sync.Mutex
	blocks map[int64][]byte // by number; one that is not there is zero
	log    []cutWrite       // since record was called
	before map[int64][]byte // the blocks by then; nil as long as nothing is recorded
}

// cutWrite is a block that was written, and nothing of it changes later; or, without
// content, the end of a flush: what came before is on the disk for good.
type cutWrite struct {
	block   int64
	content []byte
}

func newCutDisk(size int64) *cutDisk {
	return &cutDisk{size: size, blocks: map[int64][]byte{}}
}

// read fills to with what is at an offset.
func (d *cutDisk) read(to []byte, offset int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(to) > 0 {
		at := offset % cutBlock
		part := to[:min(int64(len(to)), cutBlock-at)]
		if content := d.blocks[offset/cutBlock]; content != nil {
			copy(part, content[at:])
		} else {
			clear(part)
		}
		to, offset = to[len(part):], offset+int64(len(part))
	}
}

// write puts content at an offset. Blocks are replaced, not changed: clones share them.
func (d *cutDisk) write(content []byte, offset int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(content) > 0 {
		number, at := offset/cutBlock, offset%cutBlock
		part := content[:min(int64(len(content)), cutBlock-at)]
		block := make([]byte, cutBlock)
		copy(block, d.blocks[number])
		copy(block[at:], part)
		d.blocks[number] = block
		if d.before != nil {
			d.log = append(d.log, cutWrite{number, block})
		}
		content, offset = content[len(part):], offset+int64(len(part))
	}
}

// flush says that all that was written is on the disk for good.
func (d *cutDisk) flush() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.before != nil {
		d.log = append(d.log, cutWrite{})
	}
}

// record begins the log.
func (d *cutDisk) record() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.before, d.log = cloneBlocks(d.blocks), nil
}

// moment returns the length of the log by now.
func (d *cutDisk) moment() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.log)
}

// cut returns the disk as a power cut at a moment could leave it: all that was written
// before the last flush, and of the rest each block that keep says has made it.
func (d *cutDisk) cut(moment int, keep func() bool) *cutDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	left := &cutDisk{size: d.size, blocks: cloneBlocks(d.before)}
	flushed := moment
	for flushed > 0 && d.log[flushed-1].content != nil {
		flushed--
	}
	for i, w := range d.log[:moment] {
		if w.content != nil && (i < flushed || keep()) {
			left.blocks[w.block] = w.content
		}
	}
	return left
}

// cutLosses are how a disk treats, at a power cut, what it was not yet told to flush.
var cutLosses = []struct {
	name string
	keep func(random *rand.Rand) func() bool
}{
	{"all is kept", func(*rand.Rand) func() bool { return func() bool { return true } }},
	{"all is lost", func(*rand.Rand) func() bool { return func() bool { return false } }},
	{"some is lost", func(random *rand.Rand) func() bool { return func() bool { return random.IntN(2) == 0 } }},
}

func cloneBlocks(blocks map[int64][]byte) map[int64][]byte {
	clone := make(map[int64][]byte, len(blocks))
	for number, content := range blocks {
		clone[number] = content
	}
	return clone
}
