// Package head reads what the head of an HTML page says about the page: whether
// it may be indexed and until when, where it really lives, when it changed and
// in which language it is. Start with [Parser.Parse].
//
// It reads the beginning of a page, no further than the head's end and a limit,
// and knows as much of HTML as it takes to find the head's tags exactly where a
// browser finds them, in any encoding. It builds no tree, resolves no URL and
// judges nothing: whether a canonical names another page, or a date has passed,
// is for the caller to say.
package head

// Options says what a Parser looks for. The zero value looks for what needs no
// wish: canonicals, redirects, language and the like.
type Options struct {
	// Agents are the meta names whose directives count, in any case; "*" stands
	// for "robots".
	Agents []string

	// Limit is how many bytes of a page are read at most for its head; 0 stands
	// for DefaultLimit. Of a page in UTF-16 or ISO-2022-JP it counts the bytes
	// after it has been transcoded to UTF-8. It is held between 16 and 1<<29.
	Limit int64

	// ParseDate reads a date in any form that pages use, and returns it in Unix
	// seconds and whether it names a day without a time. Without it nothing is a
	// date.
	ParseDate func(text string) (unix int64, dateOnly, ok bool)

	Alternates bool // collect Head.Alternates
	Hints      bool // collect Head.DocumentState and Head.RevisitAfter
	Dates      bool // look for Head.Modified
	Images     bool // collect Head.Images, for which the body is read too

	// Evidence are the facts for which Head.Evidence is collected.
	Evidence Facts
}

// DefaultLimit is the Limit of Options that set none.
const DefaultLimit = 256 << 10

// Bounds on what one page can make a Parser remember, and read.
const (
	MaxCanonicals = 8
	MaxAlternates = 1000
	MaxImages     = 1000
	MaxImageBytes = 16 << 20 // of a page, when its images are wanted and Limit is not more
)

// Head is what the head of one page says. All text is valid UTF-8 with its
// character references decoded and its outer white space removed; URLs are not
// resolved.
type Head struct {
	// NoIndex reports a directive noindex or none for one of the agents.
	NoIndex bool

	// Expires is the earliest unavailable_after for one of the agents, in Unix
	// seconds: the end of the day if it names no time, and 1 if it lies before
	// 1970. It is 0 if there is none.
	Expires int64

	ResourceType string // the first that is not empty, in lower case
	Base         string // href of the first base element that has one

	// Canonicals are the hrefs, none of them empty, of the links whose rel holds
	// the word canonical: the first MaxCanonicals.
	Canonicals []string

	// Refresh is the target of the first refresh that has one. It may be the
	// empty URL, which means the page or its base.
	Refresh    string
	HasRefresh bool

	// URLMeta is the first content, not empty, of a meta named URL, by which
	// some generators write where a page has moved.
	URLMeta    string
	HasURLMeta bool

	// Modified is the most trustworthy date of change, in Unix seconds, and 0 if
	// there is none: article:modified_time, og:updated_time, dcterms.modified or
	// dc.date.modified, dateModified, last-modified, date, in this order, and
	// within each the first that is a date.
	Modified         int64
	ModifiedDateOnly bool // it names a day without a time

	// Language is that of the html element, or else what the head says in place
	// of the header Content-Language, if it says one language only.
	Language string

	DocumentState string // the first that is not empty
	RevisitAfter  string // the first of revisit-after and revisit that is not empty

	Alternates []Alternate // the first MaxAlternates, in the order of the page
	Images     []string    // src of the first MaxImages distinct ones in the body

	// Truncated reports that the limit was reached before the head's end.
	Truncated bool

	// Evidence tells which tag said what. Each canonical, alternate and image
	// has one, in their order; every other fact has the tag that decided it.
	Evidence []Evidence
}

// Alternate is the same page in another language, as a link with hreflang says.
type Alternate struct {
	Language string // as written: a BCP 47 tag or x-default, if the page is right
	Href     string // not empty
}
