package htmlreport

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"sitewalk/internal/display"
	"strings"
)

var (
	//go:embed page.html.tmpl
	pageTemplate string
	//go:embed style.css
	styleFile string
	//go:embed search.js
	scriptFile string

	// A browser hashes styles and scripts as it parses them, with plain newlines.
	style  = strings.ReplaceAll(styleFile, "\r\n", "\n")
	script = strings.ReplaceAll(scriptFile, "\r\n", "\n")

	page = template.Must(template.New("page").Funcs(template.FuncMap{
		"number": display.Number, "count": display.Count, "add": func(a, b int64) int64 { return a + b }, "middle": func(n int) int { return n / 2 }, "last": func(n int) int { return n - 1 },
		"width": func(columns int) int { return 10 * columns },
	}).Parse(pageTemplate))

	policy = contentPolicy()
)

// contentPolicy returns the attribute of the Content-Security-Policy, under which
// nothing is loaded, and nothing runs but the page's own script.
// https://www.w3.org/TR/CSP3/
func contentPolicy() template.HTMLAttr {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return template.HTMLAttr(`content="default-src 'none'; style-src ` + hash(style) + "; script-src " + hash(script) +
		`; img-src data:; base-uri 'none'; form-action 'none'"`)
}

// Write writes the page. No file may be added after that.
func (d *Document) Write(w io.Writer, site *Site) error {
	buffered := bufio.NewWriterSize(w, 64<<10)
	v := d.view(site)
	if err := page.ExecuteTemplate(buffered, "before", v); err != nil {
		return err
	}
	// The index is too large to pass through a template, and base64 needs no escaping.
	if err := d.index.write(buffered); err != nil {
		return err
	}
	if err := page.ExecuteTemplate(buffered, "after", v); err != nil {
		return err
	}
	return buffered.Flush()
}
