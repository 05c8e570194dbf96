package head

import "bytes"

const (
	// maxDateParts is how many parts between commas a date can have: "Tuesday,
	// July 21, 2026, 10:00 GMT" has four.
	maxDateParts = 5

	secondsPerDay = 24 * 60 * 60
)

// settleDirectives takes the directives of a robots meta. They are separated by
// commas, and one in a list of unknown ones counts.
func (p *Parser) settleDirectives(c *claim) {
	rest := p.value(c.value)
	for len(rest) > 0 {
		part, after, _ := bytes.Cut(rest, []byte(","))
		directive := trim(part)
		if equalFold(directive, "noindex") || equalFold(directive, "none") {
			if !p.head.NoIndex {
				p.head.NoIndex = true
				p.note(FactNoIndex, c)
			}
		} else if name, _, ok := bytes.Cut(part, []byte(":")); ok && equalFold(trim(name), "unavailable_after") {
			if expires, end := p.findExpiry(rest[len(name)+1:]); end >= 0 {
				after = rest[len(name)+1+end:]
				if p.head.Expires == 0 || expires < p.head.Expires {
					p.head.Expires = expires
					p.note(FactExpires, c)
				}
			}
		}
		rest = after
	}
}

// findExpiry reads the date that text begins with, and returns the last second
// of availability, as Head.Expires has it, and where the rest begins. Dates may
// hold commas themselves, so the longest run of parts that is a date is taken.
// If none is, end is -1.
func (p *Parser) findExpiry(text []byte) (expires int64, end int) {
	var ends [maxDateParts]int
	parts := 0
	for i := 0; parts < maxDateParts && i <= min(len(text), 2*maxDateBytes); i++ {
		if i == len(text) || text[i] == ',' {
			ends[parts] = i
			parts++
		}
	}
	for parts--; parts >= 0; parts-- {
		unix, dateOnly, ok := p.parseDate(trim(text[:ends[parts]]))
		if !ok {
			continue
		}
		if dateOnly {
			unix += secondsPerDay - 1
		}
		return max(unix, 1), min(ends[parts]+1, len(text))
	}
	return 0, -1
}
