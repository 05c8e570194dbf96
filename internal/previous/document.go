package previous

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// contents are what a file says besides dates.
type contents struct {
	isIndex  bool
	sitemaps []string // URLs that an index names
	next     string   // name of the index that continues this one, or empty
}

// continued begins the comment in which an index of sitewalk's names the next
// one, which package output writes.
const continued = " continued in "

// document reads a sitemap or an index.
//
// Elements are told by their names, with the namespace prefix of the root
// element: loc is not image:loc. What a sitemap may not hold is passed over.
func (r *reading) document(input *bufio.Reader) (contents, error) {
	m := newMarkup(input)
	var found contents
	var url, loc, lastmod string // names of the elements; of an index, url is sitemap
	var inURL bool
	var address, dated []byte
	for {
		kind, err := m.next()
		if err != nil {
			return found, err
		}
		switch depth := m.depth(); {
		case kind == endOfFile:
			return found, nil
		case kind == comment && depth == 1 && found.isIndex:
			if name, isLink := strings.CutPrefix(string(m.content), continued); isLink {
				found.next = strings.TrimSpace(name)
			}
		case kind == startTag && depth == 1:
			colon := bytes.IndexByte(m.name, ':')
			prefix, local := string(m.name[:colon+1]), string(m.name[colon+1:])
			url, loc, lastmod = prefix+"url", prefix+"loc", prefix+"lastmod"
			switch local {
			case "urlset":
			case "sitemapindex":
				url, found.isIndex = prefix+"sitemap", true
			default:
				return found, m.fail("is not a sitemap: the root element is %.40q", m.name)
			}
		case kind == startTag && depth == 2:
			inURL, address, dated = string(m.name) == url, address[:0], dated[:0]
		case kind == startTag && depth == 3 && inURL && (string(m.name) == loc || string(m.name) == lastmod):
			m.keepText()
		case kind == endTag && depth == 3 && m.kept:
			if text := m.keptText(); string(m.name) == loc {
				address = append(address[:0], text...)
			} else {
				dated = append(dated[:0], text...)
			}
		case kind == endTag && depth == 2 && inURL && len(address) > 0:
			if err := r.add(&found, address, dated); err != nil {
				return found, m.fail("%v", err)
			}
		}
	}
}

// add takes an entry: of an index what it names, of a sitemap the URL and what
// stands there as its lastmod.
func (r *reading) add(found *contents, address, dated []byte) error {
	switch {
	case found.isIndex && len(found.sitemaps) == MaxSitemaps:
		return fmt.Errorf("names more than %d sitemaps", MaxSitemaps)
	case found.isIndex:
		found.sitemaps = append(found.sitemaps, string(address))
		return nil
	case r.visit != nil:
		if r.visited++; r.visited > r.maxURLs {
			return fmt.Errorf("there are more than %d URLs", r.maxURLs)
		}
		r.visit(address, dated)
		return nil
	}
	return r.remember(address, r.date(dated))
}

// remember keeps the date of a URL, which is 0 if there is none.
func (r *reading) remember(address []byte, date int64) error {
	switch {
	case date == 0: // nothing to remember
	case len(r.entries) == r.maxURLs:
		return fmt.Errorf("there are more than %d URLs", r.maxURLs)
	default:
		r.entries = append(r.entries, entry{xxhash.Sum64(address), date})
	}
	return nil
}

// date returns a lastmod, packed, and 0 if it is not to be taken: if it is no
// date, at or before the epoch, or yet to come.
func (r *reading) date(text []byte) int64 {
	seconds, dateOnly, ok := parseDate(string(text))
	if !ok || seconds <= 0 || seconds > r.now {
		return 0
	}
	return pack(seconds, dateOnly)
}
