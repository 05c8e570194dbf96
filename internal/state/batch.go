package state

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// The limits of what is remembered, which bound the memory that a hostile
// docroot or a forged file can ask for.
const (
	// maxFacts is the length up to which a page's facts are remembered, and
	// maxBatchFacts up to which lines with facts are added to a batch. A page
	// beyond is remembered without its facts, and as racy.
	maxFacts      = 64 << 10
	maxBatchFacts = 4 << 20
	// Beyond maxBatchPages, and beyond maxBatch bytes of lines, pages are not
	// remembered at all. The scanner's batches hold half as many pages.
	maxBatchPages = 1024
	maxBatch      = 8 << 20
)

// A Batch is what a worker knows of a run of pages in one folder. First it is
// told all pages' identities, for [Reader.Run] to compare; if the batch is not
// as it was, then what there is to remember of each page, for [Writer.Append].
// It is used by one goroutine at a time, and again after Reset. The zero value
// is a batch of the docroot's own folder.
type Batch struct {
	dir   string
	asked []byte // what the identities are, for the signature
	query string // the name of the first page

	run   Run    // what was added, but for the signature
	found []byte // what asked was when it was added
	lines []byte
	racy  bool
	// disordered says that names did not come in order.
	disordered bool
}

// Reset makes the batch an empty one of the folder dir: a path relative to the
// docroot, slash-separated, and empty for the docroot itself.
func (b *Batch) Reset(dir string) {
	*b = Batch{dir: dir, asked: b.asked[:0], found: b.found[:0], lines: b.lines[:0]}
}

// AddIdentity tells the identity of the next page, as it is on disk now. Names
// come in order.
func (b *Batch) AddIdentity(name string, id Identity) {
	if len(b.asked) == 0 {
		b.query = name
	}
	b.asked = appendIdentity(b.asked, name, &id)
}

// Add adds what is to be remembered of the next page. Names come in order.
// Pages that are in no Add, such as those that could not be read, are
// forgotten, and keep the batch from matching until they are added or gone.
//
// Some pages are not remembered: those with a path of more than 4,096 bytes, and
// those after the first 1,024 of a batch.
// Some are remembered without their facts, and as racy: those with more than
// 64 KiB of facts, and the last ones of a batch of more than 4 MiB.
func (b *Batch) Add(name string, p *Page) {
	if !isStorable(b.dir, name) || b.run.pages == maxBatchPages || len(b.lines) > maxBatch {
		return
	}
	if b.run.pages == 0 {
		b.run.dir, b.run.first, b.run.plain, b.run.datedByFile = b.dir, name, true, true
	} else if name < b.run.last {
		b.disordered = true
	}
	if len(p.Facts) > maxFacts || len(b.lines)+len(p.Facts) > maxBatchFacts {
		shorter := *p
		shorter.Facts, shorter.Racy = "", true
		p = &shorter
	}
	b.run.last = name
	b.run.pages++
	b.run.plain = b.run.plain && p.isPlain()
	b.run.datedByFile = b.run.datedByFile && p.isDatedByFile()
	b.racy = b.racy || p.Racy
	b.found = appendIdentity(b.found, name, &p.Identity)
	b.lines = appendPage(b.lines, name, p)
}

// appendIdentity appends what tells a page from all others, for signature.
func appendIdentity(identities []byte, name string, id *Identity) []byte {
	identities = append(identities, name...)
	identities = append(identities, 0)
	identities = binary.LittleEndian.AppendUint64(identities, uint64(id.Size))
	identities = binary.LittleEndian.AppendUint64(identities, uint64(id.ModTime))
	identities = binary.LittleEndian.AppendUint64(identities, uint64(id.ChangeTime))
	return binary.LittleEndian.AppendUint64(identities, id.Inode)
}

// noSignature is that of a run that matches no batch.
const noSignature = 0

// signature returns a hash of identities that is not noSignature.
func signature(identities []byte) uint64 {
	return max(xxhash.Sum64(identities), noSignature+1)
}

// remembered returns the run that was added, with its signature.
func (b *Batch) remembered() Run {
	run := b.run
	if !b.racy {
		run.signature = signature(b.found)
	}
	return run
}
