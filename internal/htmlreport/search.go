package htmlreport

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/flate"

	"sitewalk/internal/display"
	"sitewalk/scanner"
)

const (
	// maxSearched is how many files the search covers: what a browser reads in well
	// under a second, and searches between two keystrokes.
	maxSearched = 200_000
	// maxPath and maxDetail bound, in bytes, what the search knows of a file. A listed
	// page's path is shorter: its URL has less than 2,048 characters.
	maxPath, maxDetail = 8 << 10, 200
)

// searchIndex is what the search of the page works on: a line a file, compressed.
//
// Listed pages come first, so that files that are left out do not crowd them out of the
// index of a large site. Which those are is known only at the end; hence two spools.
type searchIndex struct {
	baseURL      string
	sections     []string
	sectionIndex map[string]int
	listed, left *spool
}

func newSearchIndex(baseURL string) searchIndex {
	return searchIndex{baseURL: baseURL, sectionIndex: map[string]int{}, listed: newSpool(), left: newSpool()}
}

// add adds a file. Its line has two parts. The first is searched: the path and, unless
// the path begins with it, the part of the URL that follows the base URL. The second is
// not: verdict and section as numbers, the length of the path that is the URL, date and
// evidence.
func (x *searchIndex) add(f *File) {
	lines := x.left
	if f.Verdict == scanner.Listed {
		lines = x.listed
	}
	if lines.isFull() {
		lines.lines++
		return
	}
	path, url, urlLength := display.Name(f.Path), "", ""
	section, date := 0, ""
	if f.Verdict == scanner.Listed {
		section = x.section(f.Section)
		date = f.LastMod[:min(len(f.LastMod), len("2006-01-02T15:04"))]
		url = strings.TrimPrefix(f.URL, x.baseURL)
		if path == f.Path && strings.HasPrefix(path, url) {
			urlLength, url = strconv.Itoa(len(url)), ""
		} else {
			url = "\t" + url
		}
	}
	detail := ""
	if f.Detail != "" {
		detail = "\t" + cut(display.Text(f.Detail), maxDetail)
	}
	lines.add(cut(path, maxPath)+url, fmt.Sprintf("%d %d %s %s%s", f.Verdict, section, urlLength, date, detail))
}

// section returns the number of a section.
func (x *searchIndex) section(name string) int {
	i, known := x.sectionIndex[name]
	if !known {
		i = len(x.sections)
		x.sectionIndex[name] = i
		x.sections = append(x.sections, name)
	}
	return i
}

// covers returns the number of files that the search covers.
func (x *searchIndex) covers() int64 { return min(maxSearched, x.listed.lines+x.left.lines) }

// write writes the index as the page's script reads it: deflated, in base64. It has a
// line of JSON, the first parts of all lines, an empty line, and their second parts.
func (x *searchIndex) write(w io.Writer) error {
	x.listed.end()
	x.left.end()
	encoder := base64.NewEncoder(base64.StdEncoding, w)
	deflater, err := flate.NewWriter(encoder, finalLevel)
	if err != nil {
		return err
	}
	lines := bufio.NewWriterSize(deflater, 64<<10)
	var verdicts []string
	for v := scanner.Listed; v <= scanner.Duplicate; v++ {
		verdicts = append(verdicts, v.String())
	}
	head, err := json.Marshal(map[string]any{
		"base": x.baseURL, "count": x.covers(), "verdicts": verdicts, "sections": x.sections,
	})
	if err != nil {
		return err
	}
	lines.Write(head)
	lines.WriteByte('\n')
	for part := range 2 {
		listed := min(x.listed.lines, maxSearched)
		if err := x.listed.copy(lines, part, listed); err != nil {
			return err
		}
		if err := x.left.copy(lines, part, min(x.left.lines, maxSearched-listed)); err != nil {
			return err
		}
		lines.WriteByte('\n')
	}
	if err := lines.Flush(); err != nil {
		return err
	}
	if err := deflater.Close(); err != nil {
		return err
	}
	return encoder.Close()
}

const (
	// spoolLevel is quick, for what is kept in memory; finalLevel is for the page.
	spoolLevel, finalLevel = 1, 7
	// partEnd ends the first part of a line in a spool. No printable text has it.
	partEnd = '\x00'
)

// spool keeps lines, compressed, up to maxSearched of them; it counts the others.
type spool struct {
	lines      int64
	compressed bytes.Buffer
	deflater   *flate.Writer
	line       []byte
}

func newSpool() *spool {
	s := &spool{}
	s.deflater, _ = flate.NewWriter(&s.compressed, spoolLevel) // the level is a constant
	return s
}

func (s *spool) isFull() bool { return s.lines >= maxSearched }

func (s *spool) add(first, second string) {
	s.lines++
	s.line = append(append(append(s.line[:0], first...), partEnd), second...)
	s.line = append(s.line, '\n')
	_, _ = s.deflater.Write(s.line) // into memory, which does not fail
}

// end is for before the first copy.
func (s *spool) end() { _ = s.deflater.Close() }

// copy writes one part, 0 or 1, of the first lines.
func (s *spool) copy(w *bufio.Writer, part int, lines int64) error {
	scan := bufio.NewScanner(flate.NewReader(bytes.NewReader(s.compressed.Bytes())))
	for ; lines > 0 && scan.Scan(); lines-- {
		first, second, _ := bytes.Cut(scan.Bytes(), []byte{partEnd})
		if part == 1 {
			first = second
		}
		w.Write(first)
		if err := w.WriteByte('\n'); err != nil {
			return err
		}
	}
	return scan.Err()
}
