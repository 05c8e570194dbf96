package check

import (
	"fmt"
	"regexp"
)

// extension follows an element of another vocabulary within an entry. Of two it is
// known what they need: links to a page in other languages and images. Others are
// only held to be well-formed.
// https://developers.google.com/search/docs/specialty/international/localized-versions#sitemap
// https://developers.google.com/search/docs/crawling-indexing/sitemaps/image-sitemaps
type extension struct {
	image   bool   // within image:image
	located bool   // image:loc was there
	reading bool   // within image:loc
	value   []byte // of image:loc
}

// language is the form of hreflang: BCP 47, or x-default.
var language = regexp.MustCompile(`^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$`)

// begin takes an element that begins.
func (x *extension) begin(d *document) {
	m := d.markup
	switch {
	case m.space == namespaceXHTML && m.local == "link" && m.depth() == 3:
		x.link(d)
	case m.space == namespaceImage && m.local == "image" && m.depth() == 3:
		x.image = true
	case x.image && m.space == namespaceImage && m.local == "loc" && m.depth() == 4:
		x.reading, x.located = true, true
	}
}

// link checks a link to the page in another language, or for other devices.
func (x *extension) link(d *document) {
	var rel, lang, media, href string
	for _, a := range d.markup.attributes {
		switch {
		case a.space != "":
		case a.local == "rel":
			rel = a.value
		case a.local == "hreflang":
			lang = a.value
		case a.local == "media":
			media = a.value
		case a.local == "href":
			href = a.value
		}
	}
	switch problem := urlProblem(href); {
	case rel != "alternate":
		d.tell(Extension, "xhtml:link has rel=%.40q, which must be \"alternate\"", rel)
	case media == "" && !language.MatchString(lang):
		d.tell(Extension, "xhtml:link has hreflang=%.40q, which is no language such as en or de-AT", lang)
	case problem != "":
		d.tell(Extension, "xhtml:link: href=%s %s", quote(href), problem)
	}
}

// text takes text within the element.
func (x *extension) text(text []byte) {
	if x.reading && len(x.value) <= maxLoc {
		x.value = append(x.value, text...)
	}
}

// end takes the end of an element.
func (x *extension) end(d *document) {
	switch depth := d.markup.depth() + 1; { // of the element
	case x.reading && depth == 4:
		x.reading = false
		loc := trim(x.value)
		if problem := urlProblem(loc); problem != "" {
			d.tell(Extension, "image:loc: %s %s", quote(loc), problem)
		}
		x.value = x.value[:0]
	case x.image && depth == 3 && !x.located:
		d.tell(Extension, "image:image has no image:loc")
	}
}

// quote returns a text of the file's for a message, cut short.
func quote(text string) string { return fmt.Sprintf("%.120q", text) }
