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
	length   int64 // of the pages, uncompressed
	// checksums are of head and pages, uncompressed, for each head that the shard
	// may have: which one is known with its last page.
	checksums  [namespaceSets]uint32
	namespaces Namespaces // that the pages need
	newest     int64      // lastmod among the pages, 0 for none
	marks      []int      // of pages that have one
}

// shardHead is what stands before the first page of a shard.
type shardHead struct {
	text     string
	stream   []byte // deflated
	checksum uint32
}

// shardHeads returns the heads of shards whose pages may need the given
// namespaces, by those that they do need.
func (f *Files) shardHeads(possible Namespaces) []shardHead {
	heads := make([]shardHead, possible+1)
	for used := range heads {
		if used := Namespaces(used); used&^possible == 0 {
			text := f.fileHead("urlset", used)
			heads[used] = shardHead{text, deflate(text, false), crc32.ChecksumIEEE([]byte(text))}
		}
	}
	return heads
}

// count counts a page that is added to the shard.
func (s *shard) count(page *Rendered) {
	s.urls++
	s.length += int64(len(page.XML))
	s.newest = max(s.newest, page.LastMod)
	s.namespaces |= page.Namespaces
	if page.Mark != 0 {
		s.marks = append(s.marks, page.Mark)
	}
}

// digest adds pages to the checksums.
func (s *shard) digest(set *Set, pages []byte) {
	for i := range set.heads {
		s.checksums[i] = crc32.Update(s.checksums[i], crc32.IEEETable, pages)
	}
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
	created := &shard{id: id}
	for i, head := range s.heads {
		created.checksums[i] = head.checksum
	}
	return created
}

func (s *section) add(page *Rendered) error {
	xml := page.XML
	if int64(len(xml)) > s.set.maxPages {
		return fmt.Errorf("a page of %d bytes does not fit into a file of %d: raise output.max_bytes", len(xml), s.set.maxLength)
	}
	if !s.cut.fits(len(xml)) {
		if err := s.endShard(); err != nil {
			return err
		}
	}
	if w := s.whole; w != nil && (w.urls == s.set.files.MaxURLs || w.length+int64(len(xml)) > s.set.maxPages) {
		if err := s.divide(); err != nil {
			return err
		}
	}
	if s.open == nil {
		s.beginShard()
	}
	for _, counted := range [...]*shard{s.open, s.whole} {
		if counted != nil {
			counted.count(page)
		}
	}
	*s.buffer = append(*s.buffer, xml...)
	if len(*s.buffer) >= segmentSize {
		s.endSegment()
	}
	s.last = page.Hash
	if s.cut.add(len(xml), page.Hash) {
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
	s.open.digest(s.set, *s.buffer)
	if s.whole != nil {
		s.whole.digest(s.set, *s.buffer)
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
