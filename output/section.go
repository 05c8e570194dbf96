package output

import (
	"fmt"
	"hash/crc32"
)

// shard is a run of a section's pages that becomes one file.
type shard struct {
	id       string // see shardID; empty for the only shard of a section
	segments []*segment
	urls     int
	length   int64  // uncompressed, up to the closing tag
	checksum uint32 // likewise
	newest   int64  // lastmod among the pages, 0 for none
}

// section turns the pages of a section into shards, as they come.
//
// A section within the limits is one shard. Whether it is cannot be known until
// its last page: so it is cut as if it were over the limits, and the pieces are
// kept, compressed, until that is certain or there are no more pages.
type section struct {
	name string
	set  *Set
	cut  *cutter

	// whole is the only shard that the section is while it is within the
	// limits, and pieces are what it falls into otherwise.
	whole  *shard
	pieces []*shard

	open   *shard
	buffer *[]byte // pages of open that are in no segment yet
	last   uint64  // hash of the last page
	order  int     // number of shards staged
	ids    map[string]bool
}

func (s *Set) newSection(name string) *section {
	return &section{
		name: name, set: s, cut: newCutter(s.files.MaxURLs, s.maxPages),
		whole: s.newShard(""), ids: map[string]bool{},
	}
}

func (s *Set) newShard(id string) *shard {
	return &shard{id: id, length: int64(len(s.head)), checksum: s.headChecksum}
}

// add adds a page: its XML, its hash and its lastmod or 0.
func (s *section) add(xml []byte, hash uint64, lastMod int64) error {
	if int64(len(xml)) > s.set.maxPages {
		return fmt.Errorf("a page of %d bytes does not fit into a file of %d: raise output.max_bytes", len(xml), s.set.maxLength)
	}
	if !s.cut.fits(len(xml)) {
		if err := s.endShard(); err != nil {
			return err
		}
	}
	if w := s.whole; w != nil && (w.urls == s.set.files.MaxURLs || w.length+int64(len(xml)+len(urlsetEnd)) > s.set.maxLength) {
		if err := s.divide(); err != nil {
			return err
		}
	}
	if s.open == nil {
		s.beginShard()
	}
	for _, counted := range [...]*shard{s.open, s.whole} {
		if counted != nil {
			counted.urls++
			counted.length += int64(len(xml))
			counted.newest = max(counted.newest, lastMod)
		}
	}
	*s.buffer = append(*s.buffer, xml...)
	if len(*s.buffer) >= segmentSize {
		s.endSegment()
	}
	s.last = hash
	if s.cut.add(len(xml), hash) {
		return s.endShard()
	}
	return nil
}

func (s *section) beginShard() {
	id := firstShard
	if len(s.ids) > 0 {
		id = shardID(s.last, false)
		for hash := s.last; s.ids[id]; hash++ {
			id = shardID(hash, true)
		}
	}
	s.ids[id] = true
	s.open = s.set.newShard(id)
	s.buffer = s.set.compressor.buffer()
}

// endSegment hands the pages that are in no segment over to be compressed.
func (s *section) endSegment() {
	if len(*s.buffer) == 0 {
		return
	}
	s.open.checksum = crc32.Update(s.open.checksum, crc32.IEEETable, *s.buffer)
	if s.whole != nil {
		s.whole.checksum = crc32.Update(s.whole.checksum, crc32.IEEETable, *s.buffer)
	}
	var done *segment
	if s.whole != nil || s.set.files.Gzip != GzipNone {
		done = s.set.compressor.compress(s.buffer)
	} else {
		done = s.set.compressor.plain(s.buffer)
	}
	s.open.segments = append(s.open.segments, done)
	s.buffer = s.set.compressor.buffer()
}

// endShard ends the shard at hand. The next page begins another.
func (s *section) endShard() error {
	s.cut.next()
	if s.open == nil {
		return nil
	}
	s.endSegment()
	s.set.compressor.recycle(s.buffer)
	ended := s.open
	s.open, s.buffer = nil, nil
	if s.whole != nil {
		s.pieces = append(s.pieces, ended)
		return nil
	}
	return s.set.stageShard(s, ended)
}

// divide gives up the only shard: the section is over the limits.
func (s *section) divide() error {
	s.whole = nil
	pieces := s.pieces
	s.pieces = nil
	for _, piece := range pieces {
		if err := s.set.stageShard(s, piece); err != nil {
			return err
		}
	}
	return nil
}

// end ends the section after its last page. If it is within the limits it
// returns its only shard, which is not staged: its name is not known yet.
func (s *section) end() (only *shard, err error) {
	if err := s.endShard(); err != nil || s.whole == nil {
		return nil, err
	}
	for _, piece := range s.pieces {
		s.whole.segments = append(s.whole.segments, piece.segments...)
	}
	return s.whole, nil
}
