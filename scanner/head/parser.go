package head

import (
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
)

// A limit is held within these: there has to be room for what tells an
// encoding, and a page has to fit in memory.
const (
	minLimit = 16
	maxLimit = 8 << 20 // what follows is no head, whatever it is; each of its bytes may take ten of memory
)

// Parser reads heads, one after the other. It belongs to one goroutine, and
// keeps buffers of about the size of the limit at most.
type Parser struct {
	options Options
	limit   int

	page    page
	charset charset
	scanner scanner
	notes   notes

	head        Head
	images      map[string]bool // those in head.Images
	language    memo
	resource    memo
	modifiedBy  modifiedRank // what said head.Modified
	languageTag bool         // the html element said head.Language
	baseSaid    bool
}

// NewParser returns a Parser that looks for what the options say.
func NewParser(options Options) *Parser {
	p := &Parser{options: options, limit: DefaultLimit}
	if options.Limit != 0 {
		p.limit = int(min(max(options.Limit, minLimit), maxLimit))
	}
	if options.ParseDate == nil {
		p.options.ParseDate = func(string) (int64, bool, bool) { return 0, false, false }
	}
	p.scanner.options = &p.options
	for _, agent := range options.Agents {
		if agent == "*" {
			agent = "robots"
		}
		p.scanner.agents = append(p.scanner.agents, strings.ToLower(agent))
	}
	return p
}

// Parse reads the head of a page. If xml is set the page is XHTML, in which
// elements that close themselves are empty. The Head is valid until the next
// call. The only errors are those of r, other than io.EOF.
func (p *Parser) Parse(r io.Reader, xml bool) (*Head, error) {
	p.page.open(r)
	defer p.page.close(p.limit + 1)
	p.charset.reset()
	if err := p.page.fill(longestMark, p.firstRead()); err != nil {
		return nil, err
	}
	if sniffed := p.charset.sniff(p.page.data); sniffed != nil {
		if err := p.transcode(sniffed); err != nil {
			return nil, err
		}
	}
	truncated, err := p.scanHead(xml)
	if err != nil {
		return nil, err
	}
	p.charset.find(p.headData(), p.scanner.claims, xml)
	// In this one encoding bytes that look like markup may be part of other
	// characters, so what was read has shown no more than the encoding.
	if p.charset.encoding == japanese.ISO2022JP && !p.charset.transcoded {
		if err := p.transcode(japanese.ISO2022JP); err != nil {
			return nil, err
		}
		if truncated, err = p.scanHead(xml); err != nil {
			return nil, err
		}
	}
	p.settle()
	p.head.Truncated = truncated
	if p.options.Images {
		if err := p.readBody(); err != nil {
			return nil, err
		}
	}
	return &p.head, nil
}

func (p *Parser) firstRead() int { return min(firstRead, p.limit+1) }

// headData returns what is in memory of the page within the limit. One byte
// more than that is read, to tell a page that goes on.
func (p *Parser) headData() []byte {
	return p.page.data[:min(len(p.page.data), p.limit)]
}

// transcode makes the page begin again, as UTF-8. To fill the limit it takes at
// most twice as many bytes, but where an encoding spends bytes on nothing.
func (p *Parser) transcode(from encoding.Encoding) error {
	bound := p.limit + 1
	if p.options.Images {
		bound = MaxImageBytes
	}
	p.page.transcode(from, 2*bound)
	p.charset.setTranscoded()
	return p.page.fill(longestMark, p.firstRead())
}

// scanHead collects the claims of the head's tags.
func (p *Parser) scanHead(xml bool) (truncated bool, err error) {
	p.scanner.reset(xml, p.charset.markLength(p.page.data))
	for {
		switch {
		case p.scanner.scan(p.headData()):
			return false, nil
		case len(p.page.data) > p.limit:
			return true, nil
		case p.page.ended:
			return false, nil
		}
		if err := p.page.grow(firstRead, p.limit+1); err != nil {
			return false, err
		}
	}
}

// readBody collects the images of the rest of the page. It lets go of what is
// read, so that no more is in memory than the longest comment or script needs.
func (p *Parser) readBody() error {
	clear(p.images)
	p.scanner.enterBody()
	for bound := MaxImageBytes; ; {
		p.scanner.scan(p.page.data[:min(len(p.page.data), bound)])
		p.settleImages()
		if p.page.ended || len(p.page.data) >= bound || len(p.head.Images) == MaxImages {
			return nil
		}
		bound -= p.scanner.at
		if p.options.Evidence != 0 {
			p.notes.discard(p.page.data, p.scanner.at)
		}
		p.page.discard(p.scanner.at)
		p.scanner.at = 0
		if err := p.page.grow(bodyRead, bound); err != nil {
			return err
		}
	}
}
