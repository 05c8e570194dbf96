package mapper

import (
	"strconv"
	"strings"

	"sitewalk/output"
	"sitewalk/scanner"
)

// Facts are what a page's head says as far as it matters to the sitemap, with
// URLs resolved. What the page says of itself that is so anyway, such as a
// canonical that is the page's own URL, is no fact: of most pages there is none.
type Facts struct {
	// Redirect is the URL to which the page sends its visitors, or empty.
	Redirect string
	// NoIndex says noindex or none.
	NoIndex bool
	// Expires is when the page is no longer available, in seconds since 1970, or 0.
	Expires int64
	// OtherResource says a resource-type other than document.
	OtherResource bool
	// Canonical is the URL that the page names as its own and is not, or empty.
	Canonical string
	// Modified is when the page says that it changed, in seconds since 1970, or 0.
	Modified         int64
	ModifiedDateOnly bool
	// ChangeFreq is how often the page says that it changes, or empty.
	ChangeFreq string
	Alternates []output.Alternate
	Images     []string
	// Evidence are the tags for which the page may not be listed.
	Evidence []Evidence
}

// Evidence is a tag for which a page may not be listed.
type Evidence struct {
	// Verdict is what the page then gets: Redirect, NoIndex, Expired, ResourceType
	// or Canonical.
	Verdict scanner.Verdict
	// Tag is the tag and its line, as one line of text.
	Tag string
}

// The letters that begin a fact when it is kept as text. One fact stands on a
// line; what follows the letter is the value.
const (
	keptRedirect    = 'r'
	keptNoIndex     = 'n'
	keptExpires     = 'x'
	keptResource    = 't'
	keptCanonical   = 'c'
	keptModified    = 'm'
	keptModifiedDay = 'd'
	keptChangeFreq  = 'f'
	keptAlternate   = 'a' // the language, a space, the URL
	keptImage       = 'i'
	keptEvidence    = 'e' // the letter of the fact that leads to the verdict, the tag
)

// keptVerdicts are the verdicts for which there is evidence, by the letters of
// the facts that lead to them.
var keptVerdicts = [...]struct {
	letter  byte
	verdict scanner.Verdict
}{
	{keptRedirect, scanner.Redirect}, {keptNoIndex, scanner.NoIndex}, {keptExpires, scanner.Expired},
	{keptResource, scanner.ResourceType}, {keptCanonical, scanner.Canonical},
}

// Append appends the facts as text for a later run; nothing if there are none.
// Distill sees to it that no value has a line end in it.
func (f *Facts) Append(dst []byte) []byte {
	add := func(letter byte, value string) {
		dst = append(dst, letter)
		dst = append(dst, value...)
		dst = append(dst, '\n')
	}
	text := func(letter byte, value string) {
		if value != "" {
			add(letter, value)
		}
	}
	text(keptRedirect, f.Redirect)
	if f.NoIndex {
		add(keptNoIndex, "")
	}
	if f.Expires != 0 {
		add(keptExpires, strconv.FormatInt(f.Expires, 10))
	}
	if f.OtherResource {
		add(keptResource, "")
	}
	text(keptCanonical, f.Canonical)
	if f.Modified != 0 {
		letter := byte(keptModified)
		if f.ModifiedDateOnly {
			letter = keptModifiedDay
		}
		add(letter, strconv.FormatInt(f.Modified, 10))
	}
	text(keptChangeFreq, f.ChangeFreq)
	for _, alternate := range f.Alternates {
		add(keptAlternate, alternate.Lang+" "+alternate.Loc)
	}
	for _, image := range f.Images {
		add(keptImage, image)
	}
	for _, e := range f.Evidence {
		for _, kept := range keptVerdicts {
			if kept.verdict == e.Verdict {
				add(keptEvidence, string(kept.letter)+e.Tag)
			}
		}
	}
	return dst
}

// ParseFacts reads what Append wrote. It reports false for anything else.
func ParseFacts(text string) (Facts, bool) {
	var f Facts
	for text != "" {
		line, rest, ended := strings.Cut(text, "\n")
		if !ended || line == "" {
			return Facts{}, false
		}
		text = rest
		value := line[1:]
		var err error
		switch line[0] {
		case keptRedirect:
			f.Redirect = value
		case keptNoIndex:
			f.NoIndex = true
		case keptExpires:
			f.Expires, err = strconv.ParseInt(value, 10, 64)
		case keptResource:
			f.OtherResource = true
		case keptCanonical:
			f.Canonical = value
		case keptModified, keptModifiedDay:
			f.Modified, err = strconv.ParseInt(value, 10, 64)
			f.ModifiedDateOnly = line[0] == keptModifiedDay
		case keptChangeFreq:
			f.ChangeFreq = value
		case keptAlternate:
			lang, loc, found := strings.Cut(value, " ")
			if !found {
				return Facts{}, false
			}
			f.Alternates = append(f.Alternates, output.Alternate{Lang: lang, Loc: loc})
		case keptImage:
			f.Images = append(f.Images, value)
		case keptEvidence:
			found := false
			for _, kept := range keptVerdicts {
				if value != "" && value[0] == kept.letter {
					f.Evidence = append(f.Evidence, Evidence{kept.verdict, value[1:]})
					found = true
				}
			}
			if !found {
				return Facts{}, false
			}
		default:
			return Facts{}, false
		}
		if err != nil {
			return Facts{}, false
		}
	}
	return f, true
}

// NamesAnother reports whether facts, as Append writes them, hold the URL of a page
// that may be another or the page itself in another style: then what becomes of the
// page depends on other files ([Mapper.Kin]).
func NamesAnother(text string) bool {
	for line := range strings.Lines(text) {
		if line[0] == keptRedirect || line[0] == keptCanonical {
			return true
		}
	}
	return false
}
