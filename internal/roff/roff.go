// Package roff writes manual pages in the few macros of man(7) that every reader of
// such pages knows. It knows nothing of what the pages are about.
package roff

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// A Page is a manual page that is being written.
type Page struct{ text strings.Builder }

// NewPage begins a page: its name and section, as in sitewalk-build(1), the date
// that it bears, none if that is zero, what it belongs to, with the version, and
// the title of the manual.
func NewPage(name string, section int, date time.Time, source, manual string) *Page {
	p := &Page{}
	day := ""
	if !date.IsZero() {
		day = date.UTC().Format(time.DateOnly)
	}
	fmt.Fprintf(&p.text, ".TH %s %d %s %s %s\n", argument(strings.ToUpper(name)), section, argument(day), argument(source), argument(manual))
	// Left-adjusted and without hyphens, as names and flags are read, and copied.
	p.text.WriteString(".ad l\n.nh\n")
	return p
}

// String returns the page.
func (p *Page) String() string { return p.text.String() }

// Section begins a section.
func (p *Page) Section(title string) { fmt.Fprintf(&p.text, ".SH %s\n", argument(title)) }

// Paragraph writes a paragraph of text.
func (p *Page) Paragraph(text string) {
	p.text.WriteString(".PP\n")
	p.Text(Escape(text))
}

// Item writes an entry of a list: a term, in roff as from Bold and Escape, and the
// text that explains it.
func (p *Page) Item(term, text string) {
	p.text.WriteString(".TP\n")
	p.Text(term)
	p.Text(Escape(text))
}

// Example writes lines as they stand.
func (p *Page) Example(text string) {
	p.text.WriteString(".PP\n.RS 4\n.EX\n")
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		p.Text(Escape(line))
	}
	p.text.WriteString(".EE\n.RE\n")
}

// Text writes a line that is roff already.
func (p *Page) Text(roff string) {
	if strings.HasPrefix(roff, ".") || strings.HasPrefix(roff, "'") {
		p.text.WriteString(`\&`)
	}
	p.text.WriteString(roff)
	p.text.WriteByte('\n')
}

// Bold and Italic return text in that face: what is typed as it stands, and what
// stands for something else.
func Bold(text string) string   { return `\fB` + Escape(text) + `\fR` }
func Italic(text string) string { return `\fI` + Escape(text) + `\fR` }

// escapes are the characters that roff takes for something else. Those that it
// would print as typographers like them, such as the hyphen, could not be copied to
// a command line.
var escapes = strings.NewReplacer(
	`\`, `\e`, `-`, `\-`, `'`, `\(aq`, "`", `\(ga`, `^`, `\(ha`, `~`, `\(ti`)

// Escape returns text as roff that shows it: in ASCII, as not every reader takes
// more, on one line.
func Escape(text string) string {
	text = escapes.Replace(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " "))
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\t' || r >= ' ' && r < 0x7f:
			b.WriteRune(r)
		case r >= 0xa0 && r != utf8.RuneError:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteByte('?')
		}
	}
	return b.String()
}

// argument returns text as one argument of a macro.
func argument(text string) string {
	return `"` + strings.ReplaceAll(Escape(text), `"`, `\(dq`) + `"`
}
