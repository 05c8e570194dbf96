package head

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// Fact is a kind of thing that a head says.
type Fact uint8

// The facts, named as the fields of Head that hold them.
const (
	FactNoIndex Fact = iota
	FactExpires
	FactResourceType
	FactBase
	FactCanonical
	FactRefresh
	FactURLMeta
	FactModified
	FactLanguage
	FactDocumentState
	FactRevisitAfter
	FactAlternate
	FactImage
)

// Facts is a set of facts.
type Facts uint16

// FactsOf returns the set of the given facts.
func FactsOf(facts ...Fact) Facts {
	var set Facts
	for _, fact := range facts {
		set |= 1 << fact
	}
	return set
}

// Evidence is the tag that said a fact.
type Evidence struct {
	Fact Fact
	Line int    // of the page at which the tag begins, from 1
	Tag  string // one line of valid UTF-8, at most MaxEvidenceBytes long
}

// MaxEvidenceBytes is the length at which the text of a tag is cut.
const MaxEvidenceBytes = 200

// notes keeps the book on Head.Evidence.
type notes struct {
	line   int                // that the position is in, from 1
	at     int                // up to which lines are counted
	places [FactImage + 1]int // of each fact in Head.Evidence, plus 1
}

func (n *notes) reset() { *n = notes{line: 1} }

// lineOf returns the line of a position that is not before that of the last call.
func (n *notes) lineOf(data []byte, position int) int {
	n.line += bytes.Count(data[n.at:position], []byte("\n"))
	n.at = position
	return n.line
}

// discard follows the page when it drops the first bytes of data.
func (n *notes) discard(data []byte, length int) {
	n.lineOf(data, length)
	n.at = 0
}

// note remembers, if that is wanted, that a claim has said a fact. A claim that
// overrules an earlier one, as a better date does, takes its place.
func (p *Parser) note(fact Fact, c *claim) {
	if p.options.Evidence&FactsOf(fact) == 0 {
		return
	}
	data := p.page.data
	evidence := Evidence{fact, p.notes.lineOf(data, c.tag.start), p.tagText(data[c.tag.start:c.tag.end])}
	several := fact == FactCanonical || fact == FactAlternate || fact == FactImage
	if place := p.notes.places[fact]; place > 0 && !several {
		p.head.Evidence[place-1] = evidence
		return
	}
	p.head.Evidence = append(p.head.Evidence, evidence)
	p.notes.places[fact] = len(p.head.Evidence)
}

// tagText returns a tag as text that can be shown: on one line, and cut to
// MaxEvidenceBytes.
func (p *Parser) tagText(tag []byte) string {
	const ellipsis = "…"
	const most = 4 * MaxEvidenceBytes // so that a long tag is not decoded in vain
	cut := len(tag) > most
	if cut {
		// Half a character could make the rest look like another encoding.
		end := most
		for end > most-utf8.UTFMax && !utf8.RuneStart(tag[end]) {
			end--
		}
		tag = tag[:end]
	}
	var text []byte
	gap := false
	for _, r := range string(p.charset.decode(tag)) {
		if !unicode.IsPrint(r) || r == ' ' {
			gap = true
			continue
		}
		if gap {
			text = append(text, ' ')
			gap = false
		}
		text = utf8.AppendRune(text, r)
	}
	if len(text) <= MaxEvidenceBytes && !cut {
		return string(text)
	}
	if most := MaxEvidenceBytes - len(ellipsis); len(text) > most {
		end := most
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	return string(text) + ellipsis
}
