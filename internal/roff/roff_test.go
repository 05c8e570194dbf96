package roff

import (
	"strings"
	"testing"
	"time"
)

func TestTextIsShownAsItStands(t *testing.T) {
	for text, want := range map[string]string{
		"":               "",
		"--out DIR":      `\-\-out DIR`,
		`a\b`:            `a\eb`,
		"it's `x^y~z`":   `it\(aqs \(gax\(hay\(tiz\(ga`,
		"… ü":            `\[u2026] \[u00FC]`,
		"two\nlines\r\n": "two lines",
		"\x00\x1b\xff":   "???",
	} {
		if got := Escape(text); got != want {
			t.Errorf("%q is written as %q, not %q", text, got, want)
		}
	}
}

func TestNoLineOfTextIsTakenForAMacro(t *testing.T) {
	p := NewPage("a", 1, time.Time{}, "", "")
	p.Paragraph(".so /etc/passwd")
	p.Item("'br", ".br")
	p.Example(".sh\n'x")
	page := p.String()
	for _, macro := range []string{"\n.so", "\n'br", "\n.br", "\n.sh", "\n'x"} {
		if strings.Contains(page, macro) {
			t.Errorf("%q is a macro in\n%s", macro, page)
		}
	}
}

func TestATitleBearsADateOnlyIfThereIsOne(t *testing.T) {
	date := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 14*3600))
	for _, test := range []struct {
		date time.Time
		want string
	}{
		{time.Time{}, `.TH "A\-B" 1 "" "a \(dq1\(dq" "m"`},
		{date, `.TH "A\-B" 1 "2026\-01\-01" "a \(dq1\(dq" "m"`},
	} {
		if page := NewPage("a-b", 1, test.date, `a "1"`, "m").String(); !strings.HasPrefix(page, test.want+"\n") {
			t.Errorf("begins with %s", page)
		}
	}
}
