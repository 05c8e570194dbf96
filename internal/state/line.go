package state

import (
	"errors"
	"strconv"
	"strings"
)

// The lines of a chapter. Fields are separated by tabs; empty ones at the end
// of a line are left out, but for the first five of a page, so that a plain
// page's line is short.
const columns = "# After this, in turn: lines of runs, which are files of a folder one after another, then a line for each page in them.\n" +
	"# run: /folder, number of pages, signature, marks (p: plain, t: dated by their files), first name, last name if it is another\n" +
	"# page: name, size, modified (ns), changed (ns later), inode, marks (r: read again, d: date without time), digest, masked digest, date (s), facts\n" +
	"# %XX is a byte. The end is an index of the chapters.\n"

const (
	runFields    = 6
	plainFields  = 5
	pageFields   = 10
	hashDigits   = 16
	markPlain    = "p"
	markByFile   = "t"
	markRacy     = "r"
	markDateOnly = "d"
)

var (
	errRunLine  = errors.New("a line is not that of a run")
	errPageLine = errors.New("a line is not that of a page")
)

// appendRun appends the line of a run.
func appendRun(line []byte, r *Run) []byte {
	line = append(line, '/')
	line = appendEscaped(line, r.dir)
	line = append(line, '\t')
	line = strconv.AppendInt(line, int64(r.pages), 10)
	line = append(line, '\t')
	line = appendHash(line, r.signature)
	line = append(line, '\t')
	if r.plain {
		line = append(line, markPlain...)
	}
	if r.datedByFile {
		line = append(line, markByFile...)
	}
	line = append(line, '\t')
	line = appendEscaped(line, r.first)
	if r.last != r.first {
		line = append(line, '\t')
		line = appendEscaped(line, r.last)
	}
	return append(line, '\n')
}

// parseRun sets what a run's line says, without its newline.
func parseRun(line string, r *Run) error {
	var fields [runFields]string
	n := splitFields(line, fields[:])
	if n < runFields-1 || len(fields[0]) == 0 || fields[0][0] != '/' {
		return errRunLine
	}
	pages, err := strconv.ParseUint(fields[1], 10, 31)
	marks, plain := strings.CutPrefix(fields[3], markPlain)
	marks, datedByFile := strings.CutPrefix(marks, markByFile)
	if err != nil || pages == 0 || marks != "" {
		return errRunLine
	}
	r.pages, r.plain, r.datedByFile = int(pages), plain, datedByFile
	if r.signature, err = parseHash(fields[2]); err != nil {
		return errRunLine
	}
	if r.dir, err = unescape(fields[0][1:]); err != nil {
		return err
	}
	if r.first, err = unescape(fields[4]); err != nil {
		return err
	}
	if r.last = r.first; n == runFields {
		r.last, err = unescape(fields[5])
	}
	return err
}

// appendPage appends the line of a page.
func appendPage(line []byte, name string, p *Page) []byte {
	line = appendEscaped(line, name)
	line = append(line, '\t')
	line = strconv.AppendInt(line, p.Size, 10)
	line = append(line, '\t')
	line = strconv.AppendInt(line, p.ModTime, 10)
	line = append(line, '\t')
	// Mostly a short number. Where the difference overflows, so does the sum.
	line = strconv.AppendInt(line, p.ChangeTime-p.ModTime, 10)
	line = append(line, '\t')
	line = strconv.AppendUint(line, p.Inode, 10)
	if p.isPlain() && !p.Racy {
		return append(line, '\n')
	}
	line = append(line, '\t')
	if p.Racy {
		line = append(line, markRacy...)
	}
	if p.DateOnly {
		line = append(line, markDateOnly...)
	}
	line = append(line, '\t')
	if p.Digest != 0 {
		line = appendHash(line, p.Digest)
	}
	line = append(line, '\t')
	if p.Masked != 0 {
		line = appendHash(line, p.Masked)
	}
	line = append(line, '\t')
	if p.Date != 0 {
		line = strconv.AppendInt(line, p.Date, 10)
	}
	line = append(line, '\t')
	line = appendEscaped(line, p.Facts)
	for line[len(line)-1] == '\t' {
		line = line[:len(line)-1]
	}
	return append(line, '\n')
}

// pageName returns the name in a page's line.
func pageName(line string) (string, error) {
	name, _, _ := strings.Cut(line, "\t")
	return unescape(name)
}

// parsePage sets what a page's line says, without its newline. The facts are a
// piece of the line if nothing in them is escaped.
func parsePage(line string, p *Page) error {
	var fields [pageFields]string
	n := splitFields(line, fields[:])
	if n < plainFields {
		return errPageLine
	}
	*p = Page{}
	var err error
	if p.Size, err = strconv.ParseInt(fields[1], 10, 64); err != nil {
		return errPageLine
	}
	if p.ModTime, err = strconv.ParseInt(fields[2], 10, 64); err != nil {
		return errPageLine
	}
	later, err := strconv.ParseInt(fields[3], 10, 64)
	if err != nil {
		return errPageLine
	}
	p.ChangeTime = p.ModTime + later
	if p.Inode, err = strconv.ParseUint(fields[4], 10, 64); err != nil {
		return errPageLine
	}
	if n == plainFields {
		return nil
	}
	marks, racy := strings.CutPrefix(fields[5], markRacy)
	marks, dateOnly := strings.CutPrefix(marks, markDateOnly)
	if marks != "" {
		return errPageLine
	}
	p.Racy, p.DateOnly = racy, dateOnly
	if fields[6] != "" {
		if p.Digest, err = parseHash(fields[6]); err != nil {
			return errPageLine
		}
	}
	if fields[7] != "" {
		if p.Masked, err = parseHash(fields[7]); err != nil {
			return errPageLine
		}
	}
	if fields[8] != "" {
		if p.Date, err = strconv.ParseInt(fields[8], 10, 64); err != nil {
			return errPageLine
		}
	}
	p.Facts, err = unescape(fields[9])
	return err
}

// splitFields cuts a line at its tabs and returns the number of fields, or 0 if
// there are more than asked for.
func splitFields(line string, fields []string) int {
	for n := range fields {
		tab := strings.IndexByte(line, '\t')
		if tab < 0 {
			fields[n] = line
			return n + 1
		}
		fields[n], line = line[:tab], line[tab+1:]
	}
	return 0
}

// appendHash appends a hash as sixteen hexadecimal digits.
func appendHash(line []byte, hash uint64) []byte {
	for shift := 60; shift >= 0; shift -= 4 {
		line = append(line, hexDigits[hash>>shift&15])
	}
	return line
}

// parseHash reads what appendHash wrote. There is one in every run's line, and
// strconv takes three times as long.
func parseHash(s string) (hash uint64, err error) {
	if len(s) != hashDigits {
		return 0, strconv.ErrSyntax
	}
	for i := range len(s) {
		digit := s[i] - '0'
		if digit > 9 {
			if digit = s[i] - 'A' + 10; digit < 10 || digit > 15 {
				return 0, strconv.ErrSyntax
			}
		}
		hash = hash<<4 | uint64(digit)
	}
	return hash, nil
}
