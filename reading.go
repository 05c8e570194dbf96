package sitewalk

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/cespare/xxhash/v2"

	"sitewalk/internal/webdate"
	"sitewalk/mapper"
	"sitewalk/scanner/head"
)

const (
	// maxMasked is the length of a page, in bytes, up to which lastmod_ignore is
	// applied: a regular expression needs the page in memory.
	maxMasked = 4 << 20
	// maxMasking bounds the work on one page: its length times the size of all the
	// expressions. It takes a second or two at the most.
	maxMasking = 1 << 28
)

// maxDigested is how many bytes of a page are read for its digest. It is more than a
// head or a page's images may take. A longer file is hardly a page, but a few bytes on
// disk can be made to seem of any length.
const maxDigested = 64 << 20

// pageReader reads pages for one goroutine.
type pageReader struct {
	parser *head.Parser
	hash   xxhash.Digest
	masks  []*regexp.Regexp
	// maxMasked is the length of a page, in bytes, up to which they are applied.
	maxMasked int64
	// maskSeed makes digests under different masks differ.
	maskSeed uint64
	buffer   []byte
}

// evidenceFor are the facts for which a page may be left out, or warned of.
var evidenceFor = head.FactsOf(head.FactRefresh, head.FactURLMeta, head.FactNoIndex, head.FactExpires,
	head.FactResourceType, head.FactCanonical)

// digests are what tells a page's bytes from others.
type digests struct {
	whole  uint64 // of all bytes
	masked uint64 // without those that lastmod_ignore matches; 0 if there is none such
}

func (b *builder) newPageReader() *pageReader {
	pages := &b.config.Scanner.Pages
	r := &pageReader{
		parser: head.NewParser(head.Options{
			Agents: pages.Agents, Limit: int64(pages.HeadLimit), ParseDate: webdate.Parse,
			Alternates: pages.Alternates, Hints: pages.Hints, Images: pages.Images,
			Dates: b.mapper.Uses(mapper.SourceMeta), Evidence: evidenceFor,
		}),
		masks: b.mapper.Masks(), maxMasked: int64(maxMasking / max(b.mapper.MaskSize(), maxMasking/maxMasked)),
		maskSeed: xxhash.Sum64String(strings.Join(b.config.Mapper.LastModIgnore, "\n")),
	}
	if b.mapper.Uses(mapper.SourceContent) {
		r.buffer = make([]byte, 64<<10)
	}
	return r
}

// read reads a page's head, and with whole the rest of the page too, for its
// digests. The head is valid until the next call. Of a page of maxDigested bytes or more
// no more is read: it counts as changed when its size or its time has.
func (r *pageReader) read(content io.Reader, name string, size, modified int64, whole bool) (*head.Head, digests, error) {
	xhtml := strings.HasSuffix(name, ".xhtml")
	if !whole {
		said, err := r.parser.Parse(content, xhtml)
		return said, digests{}, err
	}
	if len(r.masks) > 0 && size <= r.maxMasked {
		return r.readMasked(content, xhtml)
	}
	r.hash.Reset()
	beginning := &io.LimitedReader{R: content, N: maxDigested}
	said, err := r.parser.Parse(io.TeeReader(beginning, &r.hash), xhtml)
	if err == nil {
		_, err = io.CopyBuffer(&r.hash, beginning, r.buffer)
	}
	if beginning.N == 0 {
		fmt.Fprintf(&r.hash, "%d %d", size, modified)
	}
	return said, digests{whole: known(r.hash.Sum64())}, err
}

// readMasked is read for a page with bytes to overlook.
func (r *pageReader) readMasked(content io.Reader, xhtml bool) (*head.Head, digests, error) {
	var page strings.Builder
	// The page may have grown since its size was looked at, but not without end.
	if _, err := io.CopyBuffer(&page, io.LimitReader(content, 2*maxMasked), r.buffer); err != nil {
		return nil, digests{}, err
	}
	text := page.String()
	said, err := r.parser.Parse(strings.NewReader(text), xhtml)
	d := digests{whole: known(xxhash.Sum64String(text))}
	for _, mask := range r.masks {
		text = mask.ReplaceAllLiteralString(text, "")
	}
	r.hash.ResetWithSeed(r.maskSeed)
	_, _ = r.hash.WriteString(text) // which cannot fail
	d.masked = known(r.hash.Sum64())
	return said, d, err
}

// known returns a digest that is not 0, which stands for none.
func known(digest uint64) uint64 { return max(digest, 1) }
