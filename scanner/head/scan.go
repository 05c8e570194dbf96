package head

import "bytes"

// scanner finds the tags that matter, and collects what they claim. It goes
// over the page in memory as far as whole tags go, and goes on from there when
// there is more of the page.
type scanner struct {
	options *Options
	agents  []string // names of metas, in lower case

	at        int     // before it all is done
	raw       element // within whose text the scanner stands, if any
	templates int     // that are open
	inBody    bool    // images are looked for, and not the facts of a head
	xml       bool    // elements that close themselves are empty

	tag    tag
	claims []claim // in the order of the page
	word   []byte  // scratch space
}

// maxKeptClaims is the number of claims for which memory is kept.
const maxKeptClaims = 4096

// reset forgets the last page and lets the scanner begin with a new one, at a
// position in it.
func (s *scanner) reset(xml bool, at int) {
	s.at, s.raw, s.templates, s.inBody, s.xml = at, otherElement, 0, false, xml
	s.dropClaims()
}

func (s *scanner) dropClaims() {
	s.claims = s.claims[:0]
	if cap(s.claims) > maxKeptClaims {
		s.claims = nil
	}
}

// enterBody lets the scanner go on where the head ended.
func (s *scanner) enterBody() {
	s.inBody = true
	s.dropClaims()
}

// scan goes on from s.at, and reports whether the head has ended. If it has not,
// s.at is the beginning of what is not whole, or the end of data.
//
// The head ends where the HTML standard's "in head" insertion mode leaves it: at
// its end tag, and that of html, body and br, at a start tag that cannot be in a
// head, and at text. What stands behind it counts no more, not even a meta
// between </head> and <body>, though a browser moves that into the head: so that
// no page has to be read further than its head.
// Unlike in a browser, NUL is white space, and a character reference is text
// whatever it refers to.
// https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inhead
func (s *scanner) scan(data []byte) (headEnded bool) {
	for {
		if s.raw != otherElement {
			end := findRawEnd(data, s.at, s.raw)
			if end < 0 {
				return false
			}
			s.at, s.raw = end, otherElement
		}
		loose := s.inBody || s.templates > 0 // anything may stand here
		i := s.at
		if loose {
			i = nextAngle(data, i)
		} else {
			for i < len(data) && class[data[i]]&blank != 0 {
				i++
			}
		}
		s.at = i
		if len(data)-i < len("<a") {
			return i < len(data) && data[i] != '<'
		}
		if data[i] != '<' {
			return true
		}
		var end int
		switch next := data[i+1]; {
		case isLetter(next):
			var e element
			e, end = readName(data, i+1)
			switch {
			case end < 0:
			case !loose && !e.inHead():
				return true
			default:
				if end = s.readStart(data, end); end >= 0 && s.start(data, e) {
					return true
				}
			}
		case next == '/':
			var ends bool
			if end, ends = s.readEnd(data, i+len(endTagOpen), loose); ends {
				return true
			}
		case next == '!':
			end = skipComment(data, i)
		case next == '?':
			end = skipBogus(data, i+1)
		case loose:
			end = i + 1
		default:
			return true
		}
		if end < 0 {
			return false
		}
		s.at = end
	}
}

// nextAngle returns where the next '<' is, from i on, or the end of data.
func nextAngle(data []byte, i int) int {
	if next := bytes.IndexByte(data[i:], '<'); next >= 0 {
		return i + next
	}
	return len(data)
}

// readStart reads a start tag into s.tag from the end of its name, and returns
// where it ends, or -1 if it is not whole.
func (s *scanner) readStart(data []byte, nameEnd int) int {
	s.tag.present = 0
	s.tag.start = s.at
	s.tag.end = readAttributes(data, nameEnd, &s.tag)
	return s.tag.end
}

// readEnd reads an end tag from behind its "</", or what begins like one, and
// returns where it ends, or -1 if it is not whole.
func (s *scanner) readEnd(data []byte, i int, loose bool) (end int, endsHead bool) {
	if i == len(data) {
		return -1, false
	}
	if !isLetter(data[i]) {
		return skipBogus(data, i), false
	}
	e, nameEnd := readName(data, i)
	if nameEnd < 0 {
		return -1, false
	}
	if !loose && e.endsHead() {
		return nameEnd, true
	}
	end = readAttributes(data, nameEnd, nil)
	if end >= 0 && e == templateElement && s.templates > 0 {
		s.templates--
	}
	return end, false
}

// start does what the start tag in s.tag asks for, and reports whether it ends
// the head.
func (s *scanner) start(data []byte, e element) (headEnds bool) {
	empty := s.xml && s.tag.selfClosing
	if s.templates == 0 {
		switch {
		case s.inBody:
			if e == imgElement {
				s.claimImage()
			}
		case e == metaElement:
			s.claimMeta(data)
		case e == linkElement:
			s.claimLink(data)
		case e == baseElement:
			s.claimBase()
		case e == htmlElement:
			s.claimLanguage(data)
			headEnds = empty
		case e == headElement:
			headEnds = empty
		}
	}
	switch {
	case empty:
	case e == templateElement:
		s.templates++
	case e.rawName() != "":
		s.raw = e
	}
	return headEnds
}
