package head

// settle makes the head of what its tags claim.
func (p *Parser) settle() {
	p.head = Head{
		Canonicals: p.head.Canonicals[:0],
		Alternates: p.head.Alternates[:0],
		Images:     p.head.Images[:0],
		Evidence:   p.head.Evidence[:0],
	}
	p.notes.reset()
	p.modifiedBy, p.languageTag, p.baseSaid = noDate, false, false
	for i := range p.scanner.claims {
		p.settleClaim(&p.scanner.claims[i])
	}
}

// value returns the text of a span of the page. It is valid until the page is
// read further.
func (p *Parser) value(s span) []byte {
	return p.charset.text(p.page.data[s.start:s.end])
}

// settleClaim takes one claim into the head. Of claims that contradict each
// other the first counts, unless Head says otherwise. A value that is empty
// mostly comes from a template with nothing to put there, and leaves the word to
// the next.
func (p *Parser) settleClaim(c *claim) {
	h := &p.head
	switch c.kind {
	case directivesClaim:
		p.settleDirectives(c)
	case resourceTypeClaim:
		if text := p.value(c.value); h.ResourceType == "" && len(text) > 0 {
			p.scanner.word = appendLower(p.scanner.word[:0], text)
			h.ResourceType = p.resource.of(p.scanner.word)
			p.note(FactResourceType, c)
		}
	case baseClaim:
		if !p.baseSaid {
			p.baseSaid = true
			h.Base = string(p.value(c.value))
			p.note(FactBase, c)
		}
	case canonicalClaim:
		if len(h.Canonicals) == MaxCanonicals {
			return
		}
		if text := p.value(c.value); len(text) > 0 {
			h.Canonicals = append(h.Canonicals, string(text))
			p.note(FactCanonical, c)
		}
	case alternateClaim:
		p.settleAlternate(c)
	case refreshClaim:
		if h.HasRefresh {
			return
		}
		if target, ok := refreshTarget(p.value(c.value)); ok {
			h.Refresh, h.HasRefresh = string(target), true
			p.note(FactRefresh, c)
		}
	case urlClaim:
		if text := p.value(c.value); !h.HasURLMeta && len(text) > 0 {
			h.URLMeta, h.HasURLMeta = string(text), true
			p.note(FactURLMeta, c)
		}
	case modifiedClaim:
		p.settleModified(c)
	case languageClaim:
		if text := p.value(c.value); !p.languageTag && len(text) > 0 {
			p.languageTag = true
			h.Language = p.language.of(text)
			p.note(FactLanguage, c)
		}
	case contentLanguageClaim:
		if h.Language != "" {
			return
		}
		if text := contentLanguage(p.value(c.value)); len(text) > 0 {
			h.Language = p.language.of(text)
			p.note(FactLanguage, c)
		}
	case documentStateClaim:
		if text := p.value(c.value); h.DocumentState == "" && len(text) > 0 {
			h.DocumentState = string(text)
			p.note(FactDocumentState, c)
		}
	case revisitAfterClaim:
		if text := p.value(c.value); h.RevisitAfter == "" && len(text) > 0 {
			h.RevisitAfter = string(text)
			p.note(FactRevisitAfter, c)
		}
	}
}

// settleAlternate takes a link to a page in another language, if it is whole.
func (p *Parser) settleAlternate(c *claim) {
	if len(p.head.Alternates) == MaxAlternates {
		return
	}
	language := string(p.value(c.language))
	href := p.value(c.value)
	if language != "" && len(href) > 0 {
		p.head.Alternates = append(p.head.Alternates, Alternate{language, string(href)})
		p.note(FactAlternate, c)
	}
}

// settleModified takes a date if it can be read and none of its rank, or of a
// better one, was there before. A template whose variable was not filled in is
// the usual reason why one cannot be read.
func (p *Parser) settleModified(c *claim) {
	if c.rank >= p.modifiedBy {
		return
	}
	if unix, dateOnly, ok := p.parseDate(p.value(c.value)); ok {
		p.head.Modified, p.head.ModifiedDateOnly = unix, dateOnly
		p.modifiedBy = c.rank
		p.note(FactModified, c)
	}
}

// maxDateBytes is more than any date needs in any of its forms.
const maxDateBytes = 128

// parseDate is Options.ParseDate, but for texts that are too long for a date.
func (p *Parser) parseDate(text []byte) (unix int64, dateOnly, ok bool) {
	if len(text) == 0 || len(text) > maxDateBytes {
		return 0, false, false
	}
	return p.options.ParseDate(string(text))
}

// contentLanguage returns the language that a meta says in place of a header. A
// header that names several languages says for whom a page is, and not in which
// it is. https://html.spec.whatwg.org/multipage/semantics.html#attr-meta-http-equiv-content-language
func contentLanguage(text []byte) []byte {
	end := len(text)
	for i, b := range text {
		if b == ',' {
			return nil
		}
		if isSpace(b) && i < end {
			end = i
		}
	}
	return text[:end]
}

// settleImages takes the images that were found since the last call.
func (p *Parser) settleImages() {
	for i := range p.scanner.claims {
		c := &p.scanner.claims[i]
		src := p.value(c.value)
		if len(src) == 0 || isData(src) || p.images[string(src)] || len(p.head.Images) == MaxImages {
			continue
		}
		if p.images == nil {
			p.images = map[string]bool{}
		}
		image := string(src)
		p.images[image] = true
		p.head.Images = append(p.head.Images, image)
		p.note(FactImage, c)
	}
	p.scanner.dropClaims()
}

// isData reports whether a URL is the image itself.
func isData(url []byte) bool {
	const scheme = "data:"
	return len(url) >= len(scheme) && equalFold(url[:len(scheme)], scheme)
}
