package scanner

import (
	"errors"
	"slices"
	"strings"
)

// listing is what a folder holds. A folder stays until all that is below it has
// been walked, and may hold a million names: so they are packed into few long
// texts, and an entry is twelve bytes.
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
func (l *listing) sort() {
	slices.SortFunc(l.entries, func(a, b packedEntry) int { return strings.Compare(l.nameOf(&a), l.nameOf(&b)) })
}
