package scanner

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
)

// listing is what a folder holds. A folder stays until all that is below it has
// been walked, and may hold a million names: so they are packed into few long
// texts, and an entry is sixteen bytes.
type listing struct {
	texts   []string // the names, each with a NUL behind it
	entries []packedEntry
	open    []byte // names that are in no text yet
}

type packedEntry struct {
	text           uint32 // index in listing.texts
	offset, length uint16 // of the name in the text
	kind           kind
	left           Verdict
	key            uint32 // see listing.sort
}

// maxText is the length of a text: what an offset can reach.
const maxText = 1<<16 - 1

var errLongName = errors.New("a name in this folder is longer than 65,534 bytes")

// add adds a name.
func (l *listing) add(name []byte, k kind) error {
	if len(name) >= maxText {
		return errLongName
	}
	if len(l.open)+len(name)+1 > maxText {
		l.seal()
	}
	l.entries = append(l.entries, packedEntry{
		text: uint32(len(l.texts)), offset: uint16(len(l.open)), length: uint16(len(name)), kind: k,
	})
	l.open = append(append(l.open, name...), 0)
	return nil
}

// seal makes a text of the names that are in none yet: names can be asked for
// afterwards only.
func (l *listing) seal() {
	if len(l.open) > 0 {
		l.texts = append(l.texts, string(l.open))
		l.open = l.open[:0]
	}
}

// nameOf returns an entry's name, which is followed by a NUL in memory.
func (l *listing) nameOf(e *packedEntry) string {
	return l.texts[e.text][e.offset:][:e.length]
}

// sort puts the entries in the order of their names.
//
// Names of a folder often begin alike, and to compare two of them is to look
// them up in the texts. So they are sorted by a few bytes at a time, which stand
// in the entries, and those with the same bytes by the bytes that follow.
func (l *listing) sort() { l.sortFrom(l.entries, 0) }

// sortFrom sorts entries whose names are the same up to a length.
func (l *listing) sortFrom(entries []packedEntry, length int) {
	for len(entries) > 1 {
		differ := false
		for i := range entries {
			e := &entries[i]
			e.key = sortKey(l.nameOf(e), length)
			differ = differ || e.key != entries[0].key
		}
		length += keyLength
		if differ {
			break
		}
		if entries[0].key&0xff == 0 { // all names have ended
			return
		}
	}
	slices.SortFunc(entries, func(a, b packedEntry) int { return cmp.Compare(a.key, b.key) })
	for len(entries) > 1 {
		same := 1
		for same < len(entries) && entries[same].key == entries[0].key {
			same++
		}
		if same > 1 && entries[0].key&0xff != 0 {
			l.sortFrom(entries[:same], length)
		}
		entries = entries[same:]
	}
}

// keyLength is the number of bytes of a name that a sortKey holds.
const keyLength = 4

// sortKey returns the bytes of a name from an offset on as a number in the same
// order. A name that ends is filled up with zeros, which no name has.
func sortKey(name string, offset int) uint32 {
	var bytes [keyLength]byte
	if offset < len(name) {
		copy(bytes[:], name[offset:])
	}
	return binary.BigEndian.Uint32(bytes[:])
}
