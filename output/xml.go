package output

import (
	"math"
	"time"

	"github.com/cespare/xxhash/v2"
)

// A Page is what a sitemap says of one URL.
type Page struct {
	// Loc is the URL, percent-encoded.
	Loc []byte
	// LastMod is in seconds since 1970, or 0 for none. DateOnly says that the time
	// of day is not known.
	LastMod  int64
	DateOnly bool
	// ChangeFreq and Priority are as they are to be written, or empty.
	ChangeFreq, Priority string
	// Alternates are the page in other languages.
	Alternates []Alternate
	// Images are the URLs of images on the page, percent-encoded.
	Images []string
}

// An Alternate is a page in another language.
// https://developers.google.com/search/docs/specialty/international/localized-versions#sitemap
type Alternate struct {
	Lang string // a language tag of letters, digits and dashes, or x-default
	Loc  string // the URL, percent-encoded
}

// Namespaces are the vocabularies that a page needs beside the protocol's own.
type Namespaces uint8

// The vocabularies, to be combined.
const (
	XHTML         Namespaces = 1 << iota // of alternates
	Image                                // of images
	namespaceSets                        // the number of combinations
)

// Namespaces returns the vocabularies that the page needs.
func (p *Page) Namespaces() Namespaces {
	var n Namespaces
	if len(p.Alternates) > 0 {
		n |= XHTML
	}
	if len(p.Images) > 0 {
		n |= Image
	}
	return n
}

// Hash returns the number by which a page decides where shards end. It depends
// on the URL alone, so that nothing else about a page moves a boundary.
func (p *Page) Hash() uint64 { return xxhash.Sum64(p.Loc) }

// A Renderer writes pages as XML. It belongs to one goroutine.
type Renderer struct {
	dates dateWriter
}

// NewRenderer returns a renderer of dates in one format.
func NewRenderer(format LastModFormat) *Renderer {
	return &Renderer{newDateWriter(format)}
}

// Append appends a page's url element and a newline.
func (r *Renderer) Append(dst []byte, p *Page) []byte {
	dst = append(dst, "<url><loc>"...)
	dst = appendEntities(dst, p.Loc)
	dst = append(dst, "</loc>"...)
	if p.LastMod != 0 {
		dst = append(dst, "<lastmod>"...)
		if p.DateOnly {
			dst = r.dates.appendDay(dst, p.LastMod)
		} else {
			dst = r.dates.append(dst, p.LastMod)
		}
		dst = append(dst, "</lastmod>"...)
	}
	if p.ChangeFreq != "" {
		dst = append(dst, "<changefreq>"...)
		dst = append(dst, p.ChangeFreq...)
		dst = append(dst, "</changefreq>"...)
	}
	if p.Priority != "" {
		dst = append(dst, "<priority>"...)
		dst = append(dst, p.Priority...)
		dst = append(dst, "</priority>"...)
	}
	for _, alternate := range p.Alternates {
		dst = append(dst, `<xhtml:link rel="alternate" hreflang="`...)
		dst = appendEntities(dst, alternate.Lang)
		dst = append(dst, `" href="`...)
		dst = appendEntities(dst, alternate.Loc)
		dst = append(dst, `"/>`...)
	}
	for _, image := range p.Images {
		dst = append(dst, "<image:image><image:loc>"...)
		dst = appendEntities(dst, image)
		dst = append(dst, "</image:loc></image:image>"...)
	}
	return append(dst, "</url>\n"...)
}

// LastMod returns a page's lastmod as it is written, or "".
func (r *Renderer) LastMod(p *Page) string {
	switch {
	case p.LastMod == 0:
		return ""
	case p.DateOnly:
		return string(r.dates.appendDay(nil, p.LastMod))
	}
	return string(r.dates.append(nil, p.LastMod))
}

// entities are the characters that XML needs written as entities, by
// https://www.sitemaps.org/protocol.html#escaping.
var entities = [256]string{'&': "&amp;", '\'': "&apos;", '"': "&quot;", '>': "&gt;", '<': "&lt;"}

// appendEntities appends text, which must be of characters that XML allows: an
// encoded URL is ASCII without control characters.
func appendEntities[Text string | []byte](dst []byte, text Text) []byte {
	plain := 0
	for i := range len(text) {
		if entity := entities[text[i]]; entity != "" {
			dst = append(dst, text[plain:i]...)
			dst = append(dst, entity...)
			plain = i + 1
		}
	}
	return append(dst, text[plain:]...)
}

// dateWriter writes times as W3C dates, in UTC, as
// date --iso-8601=seconds -u prints them. The day is kept: a site's pages
// often share it with the page before.
type dateWriter struct {
	format LastModFormat
	day    int64 // since 1970
	text   [10]byte
}

func newDateWriter(format LastModFormat) dateWriter {
	return dateWriter{format: format, day: math.MinInt64} // no time is on that day
}

// append appends a time, in seconds since 1970, of a year from 0 to 9999.
func (w *dateWriter) append(dst []byte, seconds int64) []byte {
	dst = w.appendDay(dst, seconds)
	if w.format == Date {
		return dst
	}
	second := seconds - w.day*secondsPerDay
	dst = append(dst, 'T')
	dst = appendTwoDigits(dst, second/3600)
	dst = append(dst, ':')
	dst = appendTwoDigits(dst, second/60%60)
	dst = append(dst, ':')
	dst = appendTwoDigits(dst, second%60)
	return append(dst, "+00:00"...)
}

const secondsPerDay = 24 * 60 * 60

func (w *dateWriter) appendDay(dst []byte, seconds int64) []byte {
	day := seconds / secondsPerDay
	if seconds < day*secondsPerDay {
		day--
	}
	if day != w.day {
		copy(w.text[:], time.Unix(day*secondsPerDay, 0).UTC().AppendFormat(w.text[:0:10], time.DateOnly))
		w.day = day
	}
	return append(dst, w.text[:]...)
}

// secondsLayout is package time's for a lastmod with its time of day.
const secondsLayout = "2006-01-02T15:04:05+00:00"

// isLastMod reports whether a text is a date as a dateWriter writes it, in either
// format.
func isLastMod(text string) bool {
	for _, layout := range [...]string{time.DateOnly, secondsLayout} {
		// Package time would take fractions of a second too.
		if _, err := time.Parse(layout, text); err == nil && len(text) == len(layout) {
			return true
		}
	}
	return false
}

func appendTwoDigits(dst []byte, n int64) []byte {
	return append(dst, byte('0'+n/10), byte('0'+n%10))
}

// marker shows that sitewalk wrote a file: without it, a file of a name that
// sitewalk would use is never removed.
const marker = "<!-- written by sitewalk -->"

const (
	urlsetEnd = "</urlset>\n"
	indexEnd  = "</sitemapindex>\n"
)

// namespaces of the protocol's generations.
const (
	namespace09  = "http://www.sitemaps.org/schemas/sitemap/0.9"
	namespace084 = "http://www.google.com/schemas/sitemap/0.84"
)

// namespaceNames are the attributes that declare the vocabularies of pages.
var namespaceNames = [...]struct {
	bit         Namespaces
	declaration string
}{
	{XHTML, ` xmlns:xhtml="http://www.w3.org/1999/xhtml"`},
	{Image, ` xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"`},
}

// fileHead returns what stands before the first entry of a file whose root
// element is urlset or sitemapindex.
func (f *Files) fileHead(element string, used Namespaces) string {
	namespace, schema := namespace09, "sitemap.xsd"
	if f.Protocol == Protocol084 {
		namespace = namespace084
	}
	if element == "sitemapindex" {
		schema = "siteindex.xsd"
	}
	head := `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + marker + "\n<" + element + ` xmlns="` + namespace + `"`
	if f.SchemaLocation {
		head += ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"` +
			` xsi:schemaLocation="` + namespace + " " + namespace + "/" + schema + `"`
	}
	for _, n := range namespaceNames {
		if used&n.bit != 0 {
			head += n.declaration
		}
	}
	return head + ">\n"
}
