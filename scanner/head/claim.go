package head

import "bytes"

// claimKind is what a claim is about.
type claimKind uint8

const (
	baseClaim claimKind = iota
	canonicalClaim
	charsetClaim
	contentTypeClaim
	directivesClaim
	documentStateClaim
	imageClaim
	alternateClaim
	languageClaim        // of the html element
	contentLanguageClaim // in place of a header
	modifiedClaim
	refreshClaim
	resourceTypeClaim
	revisitAfterClaim
	urlClaim
)

// claim is what a tag says, as it stands in the page. It is understood only
// when the head is over, since what tells the encoding may come last.
type claim struct {
	kind     claimKind
	rank     modifiedRank // of a modifiedClaim
	value    span
	language span // of an alternateClaim
	tag      span
}

// modifiedRank tells how much a date says about when the page changed: the
// smaller, the more.
type modifiedRank uint8

const (
	articleModified modifiedRank = iota
	updatedTime
	termsModified
	dateModified
	lastModified
	anyDate
	noDate
)

// claim adds a claim of the tag that was read last, whose value is that of an
// attribute that it has.
func (s *scanner) claim(kind claimKind, a attribute) {
	s.claims = append(s.claims, claim{kind: kind, value: s.tag.values[a], tag: s.tag.span})
}

// name returns the value of an attribute that holds a name, in lower case and
// without white space around. It is valid until the next call. No encoding is
// asked for: every name that is looked for is ASCII.
func (s *scanner) name(data []byte, a attribute) []byte {
	value := s.tag.values[a]
	raw := data[value.start:value.end]
	if content(raw)&special != 0 {
		raw = unescape(raw)
	}
	s.word = appendLower(s.word[:0], trim(raw))
	return s.word
}

// claimBase takes the href of a base. One that is empty counts too, as it keeps
// the next base from counting.
func (s *scanner) claimBase() {
	if s.tag.has(hrefAttribute) {
		s.claim(baseClaim, hrefAttribute)
	}
}

func (s *scanner) claimImage() {
	if s.tag.has(srcAttribute) {
		s.claim(imageClaim, srcAttribute)
	}
}

// claimLanguage takes the language of the html element. In XHTML the attribute
// of XML comes first.
func (s *scanner) claimLanguage(data []byte) {
	a := langAttribute
	if s.xml && s.tag.has(xmlLangAttribute) {
		a = xmlLangAttribute
	}
	if s.tag.has(a) {
		s.claim(languageClaim, a)
	}
}

// claimLink takes what a link says by the words of its rel, which is a set: one
// link may be several things. https://html.spec.whatwg.org/multipage/links.html#linkTypes
func (s *scanner) claimLink(data []byte) {
	if !s.tag.has(relAttribute) || !s.tag.has(hrefAttribute) {
		return
	}
	canonical, alternate := false, false
	for word := range bytes.FieldsFuncSeq(s.name(data, relAttribute), isSpaceRune) {
		switch string(word) {
		case "canonical":
			canonical = true
		case "alternate":
			alternate = true
		}
	}
	if canonical {
		s.claim(canonicalClaim, hrefAttribute)
	}
	if alternate && s.options.Alternates && s.isTranslation(data) {
		s.claim(alternateClaim, hrefAttribute)
		s.claims[len(s.claims)-1].language = s.tag.values[hreflangAttribute]
	}
}

func isSpaceRune(r rune) bool { return r < 0x80 && isSpace(byte(r)) }

// isTranslation reports whether a link to an alternate is to a page in another
// language. Alternates for a medium, and feeds and other documents, are none.
func (s *scanner) isTranslation(data []byte) bool {
	if !s.tag.has(hreflangAttribute) {
		return false
	}
	if s.tag.has(mediaAttribute) && len(s.name(data, mediaAttribute)) > 0 {
		return false
	}
	if !s.tag.has(typeAttribute) {
		return true
	}
	switch string(s.name(data, typeAttribute)) {
	case "", "text/html", "application/xhtml+xml":
		return true
	}
	return false
}

// claimMeta takes what a meta says. It may say one thing under several names, as
// some plugins write both name and property, and then each of them counts.
func (s *scanner) claimMeta(data []byte) {
	if s.tag.has(charsetAttribute) {
		s.claim(charsetClaim, charsetAttribute)
	}
	if !s.tag.has(contentAttribute) {
		return
	}
	if s.tag.has(nameAttribute) {
		name := s.name(data, nameAttribute)
		for _, agent := range s.agents {
			if string(name) == agent {
				s.claim(directivesClaim, contentAttribute)
				break
			}
		}
		if string(name) == "url" {
			s.claim(urlClaim, contentAttribute)
		}
		s.claimHeader(name)
		s.claimModified(rankOf(name))
	}
	if s.tag.has(httpEquivAttribute) {
		switch name := s.name(data, httpEquivAttribute); string(name) {
		case "refresh":
			s.claim(refreshClaim, contentAttribute)
		case "content-type":
			s.claim(contentTypeClaim, contentAttribute)
		case "last-modified":
			s.claimModified(lastModified)
		default:
			s.claimHeader(name)
		}
	}
	if s.tag.has(propertyAttribute) {
		s.claimModified(rankOf(s.name(data, propertyAttribute)))
	}
	if s.tag.has(itempropAttribute) && string(s.name(data, itempropAttribute)) == "datemodified" {
		s.claimModified(dateModified)
	}
}

// claimHeader takes what old pages say either as a name or as a header.
func (s *scanner) claimHeader(name []byte) {
	switch string(name) {
	case "content-language":
		s.claim(contentLanguageClaim, contentAttribute)
	case "resource-type":
		s.claim(resourceTypeClaim, contentAttribute)
	case "document-state":
		if s.options.Hints {
			s.claim(documentStateClaim, contentAttribute)
		}
	case "revisit-after", "revisit":
		if s.options.Hints {
			s.claim(revisitAfterClaim, contentAttribute)
		}
	}
}

// claimModified takes the content for a date of the given rank, if it has one.
func (s *scanner) claimModified(rank modifiedRank) {
	if s.options.Dates && rank != noDate {
		s.claim(modifiedClaim, contentAttribute)
		s.claims[len(s.claims)-1].rank = rank
	}
}

// rankOf returns the rank of a date by the name or the property of its meta.
func rankOf(name []byte) modifiedRank {
	switch string(name) {
	case "article:modified_time":
		return articleModified
	case "og:updated_time":
		return updatedTime
	case "dcterms.modified", "dc.date.modified":
		return termsModified
	case "last-modified":
		return lastModified
	case "date":
		return anyDate
	}
	return noDate
}
