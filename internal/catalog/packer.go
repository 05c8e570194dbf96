package catalog

import (
	"encoding/binary"
	"math/bits"
	"strings"

	"sitewalk/internal/state"
	"sitewalk/scanner"
)

// The first byte of a file: its verdict, and these.
const (
	verdictMask = 1<<5 - 1
	headFolder  = 1 << 5
	headMarks   = 1 << 6 // the marks are others than those of the file before, and follow
	headEnding  = 1 << 7 // the name has the leaf's ending
)

// There is room for all verdicts.
const _ = uint(verdictMask + 1 - len(scanner.Verdicts{}))

// Marks say which fields a file has, and how they are told.
type marks uint16

const (
	markKnown marks = 1 << iota
	markRacy
	markDigest
	markMasked
	markDateOfFile // Page.Date is that of the file's modification
	markDate       // Page.Date is told
	markPageDateOnly
	markFacts
	markLastModOfFile // LastMod is that of the file's modification
	markLastModOfPage // LastMod is Page.Date
	markLastMod       // LastMod is told
	markDateOnly
	markSection       // Section is another than that of the file before
	markSeconds       // ModTime is a whole second
	markChangedBefore // ChangeTime is told by that of the file before
)

// previous is what fields are told by: those of the files before, each as it was
// when it was last told.
type previous struct {
	marks               marks
	section             int
	modTime, changeTime int64
	inode               uint64
	date                int64 // LastMod or Page.Date
}

// A packer makes leaves. Its zero value is ready to use.
type packer struct {
	previous
	ending string
	name   string         // of the file before
	facts  map[string]int // their numbers in the leaf
	length int            // of the facts, equal ones counted once

	files, leaf []byte // buffers
}

// pack appends leaves of the files, none of which weighs more than maxWeight but
// for that of a file or two.
func (p *packer) pack(dst []leaf, files []File, maxWeight int) []leaf {
	weight := weigh(files)
	if weight <= maxWeight {
		return p.appendLeaf(dst, files)
	}
	// Half full, they can grow as well as shrink.
	leaves := (weight + maxWeight/2 - 1) / (maxWeight / 2)
	start, sum, cuts := 0, 0, 1
	for i := range files {
		sum += files[i].weight()
		if sum >= cuts*weight/leaves {
			dst = p.appendLeaf(dst, files[start:i+1])
			start = i + 1
			for sum >= cuts*weight/leaves {
				cuts++
			}
		}
	}
	return p.appendLeaf(dst, files[start:])
}

// appendLeaf appends the leaf of the files, if there are any.
func (p *packer) appendLeaf(dst []leaf, files []File) []leaf {
	if len(files) == 0 {
		return dst
	}
	first := files[0].Name
	p.previous, p.name, p.length = previous{}, first, 0
	p.ending = ending(files)
	p.files = p.files[:0]
	var mask Sections
	for i := range files {
		p.add(&files[i])
		mask |= files[i].sections()
	}
	p.leaf = appendLeaf(p.leaf[:0], len(files), first, p.ending, p.files, p.length)
	clear(p.facts)
	p.name, p.ending = "", ""
	return append(dst, leaf{mask, string(p.leaf)})
}

// ending returns the ending of the first listed page, or else of the first file.
func ending(files []File) string {
	name := files[0].Name
	for i := range files {
		if files[i].Verdict == scanner.Listed {
			name = files[i].Name
			break
		}
	}
	return name[max(strings.LastIndexByte(name, '.'), 0):]
}

// add appends a file:
//
//	the first byte
//	two bytes of marks, if they are others
//	how many bytes of the name before the name begins with (of the leaf's first
//	name, the first does), how many follow, and these, all without the ending
//	the section, if it is another
//	of a known file: size, modification time, change time, inode number, and the
//	digests, the date, and the facts if there are any
//	LastMod, if none of the other dates is the same
//
// Times and inode numbers are differences. Facts are 0, length, and the bytes,
// or the number of the facts in the leaf that they are equal to, from 1.
func (p *packer) add(f *File) {
	var unknown state.Page
	page := &unknown
	if f.Known {
		page = &f.Page
	}
	m := p.marksOf(f, page)

	b := p.files
	head := byte(f.Verdict)
	if f.Folder {
		head |= headFolder
	}
	stem, ended := strings.CutSuffix(f.Name, p.ending)
	if ended {
		head |= headEnding
	}
	if m != p.marks {
		p.marks = m
		b = append(b, head|headMarks)
		b = binary.LittleEndian.AppendUint16(b, uint16(m))
	} else {
		b = append(b, head)
	}
	shared := 0
	for shared < len(stem) && shared < len(p.name) && stem[shared] == p.name[shared] {
		shared++
	}
	p.name = f.Name
	b = binary.AppendUvarint(b, uint64(shared))
	b = binary.AppendUvarint(b, uint64(len(stem)-shared))
	b = append(b, stem[shared:]...)

	if m&markSection != 0 {
		p.section = f.Section
		b = binary.AppendUvarint(b, uint64(f.Section))
	}
	if m&markKnown != 0 {
		b = p.appendPage(b, page)
	}
	if m&markLastMod != 0 {
		b = p.appendDate(b, f.LastMod)
	}
	p.files = b
}

// appendPage appends what is known of a file's content.
func (p *packer) appendPage(b []byte, page *state.Page) []byte {
	m := p.marks
	b = binary.AppendUvarint(b, uint64(page.Size))
	if m&markSeconds != 0 {
		b = binary.AppendVarint(b, seconds(page.ModTime)-seconds(p.modTime))
	} else {
		b = binary.AppendVarint(b, page.ModTime-p.modTime)
	}
	if m&markChangedBefore != 0 {
		b = binary.AppendVarint(b, page.ChangeTime-p.changeTime)
	} else {
		b = binary.AppendVarint(b, page.ChangeTime-page.ModTime)
	}
	b = binary.AppendVarint(b, int64(page.Inode-p.inode))
	p.modTime, p.changeTime, p.inode = page.ModTime, page.ChangeTime, page.Inode
	if m&markDigest != 0 {
		b = binary.LittleEndian.AppendUint64(b, page.Digest)
	}
	if m&markMasked != 0 {
		b = binary.LittleEndian.AppendUint64(b, page.Masked)
	}
	if m&markDate != 0 {
		b = p.appendDate(b, page.Date)
	}
	if m&markFacts != 0 {
		b = p.appendFacts(b, page.Facts)
	}
	return b
}

// appendDate appends a date that none of the others tells.
func (p *packer) appendDate(b []byte, date int64) []byte {
	b = binary.AppendVarint(b, date-p.date)
	p.date = date
	return b
}

// appendFacts appends facts, or their number if the leaf has them already: many
// pages of a folder may say the same.
func (p *packer) appendFacts(b []byte, facts string) []byte {
	if number := p.facts[facts]; number > 0 {
		return binary.AppendUvarint(b, uint64(number))
	}
	if p.facts == nil {
		p.facts = map[string]int{}
	}
	p.facts[facts] = len(p.facts) + 1
	p.length += len(facts)
	b = append(b, 0)
	b = binary.AppendUvarint(b, uint64(len(facts)))
	return append(b, facts...)
}

// marksOf returns the marks of a file.
func (p *packer) marksOf(f *File, page *state.Page) marks {
	var m marks
	set := func(mark marks, condition bool) {
		if condition {
			m |= mark
		}
	}
	modified := seconds(page.ModTime)
	if f.Known {
		m |= markKnown
		set(markRacy, page.Racy)
		set(markDigest, page.Digest != 0)
		set(markMasked, page.Masked != 0)
		set(markDateOfFile, page.Date != 0 && page.Date == modified)
		set(markDate, page.Date != 0 && page.Date != modified)
		set(markPageDateOnly, page.DateOnly)
		set(markFacts, page.Facts != "")
		set(markSeconds, page.ModTime%1e9 == 0)
		// Both are small in most folders; marks that change take two bytes.
		byFile, byBefore := page.ChangeTime-page.ModTime, page.ChangeTime-p.changeTime
		set(markChangedBefore, width(byBefore)+16 < width(byFile))
	}
	switch f.LastMod {
	case 0:
	case modified:
		m |= markLastModOfFile
	case page.Date:
		m |= markLastModOfPage
	default:
		m |= markLastMod
	}
	set(markDateOnly, f.DateOnly)
	set(markSection, f.Section != p.section)
	return m
}

// width returns the number of bits that it takes to tell n, but for its sign.
func width(n int64) int { return bits.Len64(uint64(n ^ n>>63)) }

// seconds returns the second that a time in nanoseconds is in.
func seconds(nanoseconds int64) int64 {
	s := nanoseconds / 1e9
	if nanoseconds%1e9 < 0 {
		s--
	}
	return s
}
