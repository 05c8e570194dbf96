package output

import (
	"fmt"
	"hash/crc32"
	"slices"
)

// shard is a run of a section's pages that becomes one file.
type shard struct {
	pageRun
	segments []*segment
	// checksums are of head and pages, uncompressed, for each head that the shard
	// may have: which one is known with its last page.
	checksums [namespaceSets]uint32
}

// pageRun is what is known of the pages in a shard.
type pageRun struct {
	id       string // see shardID; empty for the only shard of a section
	position string // of the first page
	before   uint64 // hash of the page before that, 0 if there is none
	sums
	overflowed bool       // it ended because the next page would have made it too long
	namespaces Namespaces // that the pages need
	newest     int64      // lastmod among the pages, 0 for none
	marks      []int      // of pages that have one
}

// sums are of pages.
type sums struct {
	pages  int64
	length int64  // uncompressed
	places uint64 // if the set has lists of URLs
}

func (s *sums) add(other sums) {
	s.pages += other.pages
	s.length += other.length
	s.places += other.places
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
	var compressor deflater
	for used := range heads {
		if used := Namespaces(used); used&^possible == 0 {
			text := f.fileHead("urlset", used)
			heads[used] = shardHead{text, compressor.deflate([]byte(text)), crc32.ChecksumIEEE([]byte(text))}
		}
	}
	return heads
}

// count counts a page that is added to the run.
func (s *pageRun) count(page *Rendered, one sums) {
	s.add(one)
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
	index int
	name  string
	set   *Set
	cut   *cutter

	// whole is the only shard that the section is while it is within the
	// limits, and pieces are what it falls into otherwise.
	whole  *shard
	pieces []*shard

	open   *shard
	buffer *[]byte // pages of open that are in no segment yet
	last   uint64  // hash of the last page
	ids    shardIDs

	members []member // shards of the set, in order, so far
	sums             // of all pages so far
}

// member is a shard of the set: one that is staged, or one of the set before that
// is kept.
type member struct {
	staged *result
	kept   *publishedShard
}

func (m *member) run() *pageRun {
	if m.kept != nil {
		return &m.kept.pageRun
	}
	return m.staged.run
}

func (m *member) name() string {
	if m.kept != nil {
		return m.kept.name
	}
	return m.staged.name
}

func (s *Set) newSection(index int, name string) *section {
	return &section{
		index: index, name: name, set: s, cut: newCutter(s.files.MaxURLs, s.maxPages),
		whole: s.newShard(pageRun{}), ids: shardIDs{},
	}
}

func (s *Set) newShard(run pageRun) *shard {
	created := &shard{pageRun: run}
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
	if err := s.makeRoom(len(xml)); err != nil {
		return err
	}
	one := sums{pages: 1, length: int64(len(xml))}
	if s.set.text != nil {
		one.places = page.place()
	}
	if s.whole != nil && !s.isWithinLimits(one) {
		if err := s.divide(); err != nil {
			return err
		}
	}
	if s.open == nil {
		s.beginShard(page)
	}
	for _, counted := range [...]*shard{s.open, s.whole} {
		if counted != nil {
			counted.count(page, one)
		}
	}
	s.sums.add(one)
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

// makeRoom ends the shard at hand if it has no room for a page of a length.
func (s *section) makeRoom(length int) error {
	if s.open == nil || s.cut.fits(length) {
		return nil
	}
	// If it has all the pages that it may have, it ends whatever the next one is.
	s.open.overflowed = s.cut.urls < s.cut.maxURLs
	return s.endShard()
}

// isWithinLimits reports whether one shard can hold all pages so far, and more.
func (s *section) isWithinLimits(more sums) bool {
	return s.pages+more.pages <= int64(s.set.files.MaxURLs) && s.length+more.length <= s.set.maxPages
}

// beginShard begins a shard with a page.
func (s *section) beginShard(page *Rendered) {
	position := page.position()
	if s.whole != nil && s.whole.pages == 0 {
		s.whole.position = position
	}
	s.open = s.set.newShard(pageRun{id: s.ids.next(s.last), position: position, before: s.last})
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

// keep adds shards of the set before, as they are.
func (s *section) keep(shards []*publishedShard) {
	s.members = slices.Grow(s.members, len(shards))
	for _, kept := range shards {
		s.members = append(s.members, member{kept: kept})
		s.sums.add(kept.sums)
	}
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
