package check

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// entry is what a sitemap says of a page, or an index of a sitemap. Values are
// without the white space around them, but for changefreq, of which the schema takes
// none.
type entry struct {
	line, column int    // where it begins, or in a list the URL
	number       uint32 // of the entries with a URL, from 0
	loc, lastMod string
	changeFreq   string
	priority     string
	// has says which values are there, if only empty: a bit for each field.
	has uint8
}

// What the elements of an entry are, in the order of the schema.
const (
	fieldLoc = iota
	fieldLastMod
	fieldChangeFreq
	fieldPriority
	fieldExtension // of another namespace
)

var (
	urlFields     = []string{"loc", "lastmod", "changefreq", "priority"}
	sitemapFields = []string{"loc", "lastmod"}
)

func (e *entry) given(field int) bool { return e.has&(1<<field) != 0 }

// handler takes what a document says.
type handler struct {
	// root is told what the document is, before any entry. An error ends the reading.
	root func(isIndex, is084 bool) error
	// entry takes an entry that has a URL, until it returns. An error ends the
	// reading.
	entry func(*entry) error
	// continued takes the name of the index that goes on where this one ends.
	continued func(name string)
	// problem takes what is wrong, at a place from 1.
	problem func(line, column int, loc string, code Code, message string)
}

// document reads one sitemap or index, as the schema has it:
// https://www.sitemaps.org/schemas/sitemap/0.9/sitemap.xsd
type document struct {
	*handler
	markup  *markup
	isIndex bool
	space   string // namespace of the root element
	child   string // url or sitemap
	fields  []string

	entries int64 // with and without a URL
	urls    uint32
	current entry
	started int64 // offset of the current entry
	last    int   // field of the current entry that was there last, or -1
	field   int   // that is being read, or -1
	value   []byte
	inside  extension
}

// readDocument reads a sitemap or an index to its end. It returns the number of
// entries; what ends the reading too early is told as a problem, and if it is an
// error of the handler's, returned.
func readDocument(from io.Reader, h *handler) (entries int64, err error) {
	d := &document{handler: h, markup: newMarkup(from), field: -1}
	for err == nil {
		if err = d.markup.next(); err == nil {
			if d.markup.kind == endOfFile {
				return d.entries, d.atEnd()
			}
			err = d.take()
		}
	}
	var own *handlerError
	if errors.As(err, &own) {
		return d.entries, own.err
	}
	code := NotXML
	var charset *charsetError
	var bound *boundError
	var read *readError
	var damage *gzipError
	switch {
	case errors.As(err, &damage):
		code = Gzip
	case errors.As(err, &read), errors.As(err, &bound):
		code = Unread
	case errors.Is(err, errNotUTF8), errors.As(err, &charset):
		code = Encoding
	case errors.Is(err, errDoctype):
		code = Doctype
	case errors.Is(err, errRoot):
		code = RootElement
	}
	d.problem(d.markup.line, d.markup.column, "", code, err.Error())
	return d.entries, nil
}

// handlerError is an error of the handler's, which is no problem of the document.
type handlerError struct{ err error }

func (e *handlerError) Error() string { return e.err.Error() }

// errRoot begins the error about another root element than a sitemap's.
var errRoot = errors.New("is neither a sitemap nor an index of sitemaps")

// take takes what the markup has found.
func (d *document) take() error {
	m := d.markup
	depth := m.depth()
	if d.current.line > 0 && m.offset()-d.started > maxMarkup {
		return &boundError{fmt.Sprintf("has an entry of more than %d bytes", maxMarkup)}
	}
	switch m.kind {
	case startElement:
		switch {
		case depth == 1:
			return d.begin()
		case depth == 2:
			d.beginChild()
		case depth == 3 && d.current.line > 0:
			d.beginField()
		case d.field >= 0 && d.field != fieldExtension && depth == 4:
			d.tell(Element, "<%.40s> stands within %s, which is to hold text alone", m.local, d.fields[d.field])
		case d.field == fieldExtension:
			d.inside.begin(d)
		}
	case endElement:
		switch {
		case depth == 2 && d.field >= 0:
			d.endField()
		case depth == 1 && d.current.line > 0:
			return d.endChild()
		case d.field == fieldExtension:
			d.inside.end(d)
		}
	case text:
		return d.takeText(depth)
	case comment:
		if name, isLink := strings.CutPrefix(string(m.text), " continued in "); isLink && depth == 1 && d.isIndex && d.continued != nil {
			d.continued(strings.TrimSpace(name))
		}
	}
	return nil
}

// tell tells of a problem with the current piece of markup.
func (d *document) tell(code Code, format string, arguments ...any) {
	d.problem(d.markup.line, d.markup.column, d.current.loc, code, fmt.Sprintf(format, arguments...))
}

// begin takes the root element.
func (d *document) begin() error {
	m := d.markup
	d.space = m.space
	switch m.local {
	case "urlset":
		d.child, d.fields = "url", urlFields
	case "sitemapindex":
		d.isIndex, d.child, d.fields = true, "sitemap", sitemapFields
	default:
		return fmt.Errorf("%w: the root element is %.40q, not urlset or sitemapindex", errRoot, m.local)
	}
	if m.space != namespace09 && m.space != namespace084 {
		given := "has no namespace"
		if m.space != "" {
			given = fmt.Sprintf("has the namespace %.80q", m.space)
		}
		d.tell(Namespace, "%s %s; write xmlns=%q", m.local, given, namespace09)
	}
	d.checkAttributes()
	if err := d.root(d.isIndex, m.space == namespace084); err != nil {
		return &handlerError{err}
	}
	return nil
}

// checkAttributes refuses the attributes of a sitemap's own elements: the schema has
// none, and leaves only those by which validators find it.
func (d *document) checkAttributes() {
	for _, a := range d.markup.attributes {
		if a.space == namespaceXSI && (a.local == "schemaLocation" || a.local == "noNamespaceSchemaLocation") {
			continue
		}
		d.tell(Attribute, "%s has the attribute %.40s, and must have none", d.markup.local, a.local)
	}
}

// beginChild takes an element within the root.
func (d *document) beginChild() {
	m := d.markup
	switch {
	case m.space == d.space && m.local == d.child:
		d.entries++
		d.current = entry{line: m.line, column: m.column}
		d.started, d.last = m.begin, -1
		d.checkAttributes()
	case m.space == d.space || m.space == "":
		d.tell(Element, "<%.40s> may not stand here, only <%s> may%s", m.local, d.child, inNamespace(m.space, d.space))
	case d.entries > 0:
		d.tell(ElementOrder, "<%.40s> of the namespace %.80q stands after the first <%s>, and the schema wants it before", m.local, m.space, d.child)
	}
}

// inNamespace says what an element that has no namespace lacks.
func inNamespace(space, wanted string) string {
	if space == wanted {
		return ""
	}
	return fmt.Sprintf(" in the namespace %q", wanted)
}

// beginField takes an element within an entry.
func (d *document) beginField() {
	m := d.markup
	d.field, d.value = fieldExtension, d.value[:0]
	if m.space != d.space && m.space != "" {
		if d.last < fieldLoc {
			d.tell(ElementOrder, "<%.40s> of the namespace %.80q stands before loc, and the schema wants it last", m.local, m.space)
		}
		d.last = fieldExtension
		d.inside = extension{}
		d.inside.begin(d)
		return
	}
	field := slices.Index(d.fields, m.local)
	if field < 0 || m.space != d.space {
		d.field = -1
		d.tell(Element, "<%.40s> is no element of a <%s>%s", m.local, d.child, inNamespace(m.space, d.space))
		return
	}
	switch {
	case d.current.given(field):
		d.tell(ElementOrder, "<%s> is there twice", m.local)
	case field < d.last:
		d.tell(ElementOrder, "<%s> stands too late: the schema wants the order %s, and extensions last", m.local, strings.Join(d.fields, ", "))
	}
	d.checkAttributes()
	d.field, d.last = field, max(d.last, field)
}

// takeText takes text at a depth.
func (d *document) takeText(depth int) error {
	m := d.markup
	switch {
	case d.field >= 0 && d.field != fieldExtension:
		d.value = append(d.value, m.text...)
	case d.field == fieldExtension:
		d.inside.text(m.text)
	case (depth == 1 || depth == 2 && d.current.line > 0) && len(bytes.Trim(m.text, whiteSpace)) > 0:
		d.tell(Text, "text stands between elements: %.40q", bytes.Trim(m.text, whiteSpace))
	}
	return nil
}

// endField takes the value of an element that ends.
func (d *document) endField() {
	field := d.field
	d.field = -1
	if field == fieldExtension {
		d.inside.end(d)
		return
	}
	if d.current.given(field) {
		return // the first counts
	}
	d.current.has |= 1 << field
	trimmed := string(bytes.Trim(d.value, whiteSpace))
	switch field {
	case fieldLoc:
		d.current.loc = trimmed
	case fieldLastMod:
		d.current.lastMod = trimmed
	case fieldChangeFreq:
		d.current.changeFreq = string(d.value)
	case fieldPriority:
		d.current.priority = trimmed
	}
}

// endChild takes an entry that has ended.
func (d *document) endChild() error {
	e := &d.current
	defer func() { d.current.line, d.current.loc = 0, "" }()
	if e.loc == "" {
		if e.given(fieldLoc) {
			d.problem(e.line, e.column, "", LocMissing, "loc is empty")
		} else {
			d.problem(e.line, e.column, "", LocMissing, "<"+d.child+"> has no loc")
		}
		return nil
	}
	e.number = d.urls
	d.urls++
	if err := d.entry(e); err != nil {
		return &handlerError{err}
	}
	return nil
}

// atEnd takes the end of the file.
func (d *document) atEnd() error {
	if d.entries == 0 {
		root := "urlset"
		if d.isIndex {
			root = "sitemapindex"
		}
		d.problem(0, 0, "", Empty, root+" holds no <"+d.child+">, and the schema wants one at least")
	}
	return nil
}
