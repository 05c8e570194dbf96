package state

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A chapter is a piece of the file that is read at once: its runs when one of
// them is asked for, and the lines of their pages when one of those is.
type chapter struct {
	reader *Reader
	number int // in the index
	runs   []Run
	text   string // the lines of the runs

	// hint is the run that is likely to be asked for next.
	hint atomic.Int32

	once  sync.Once
	pages string  // their lines
	lines []int32 // where each begins, and the end; nil if they could not be read
}

// A Run is what is remembered of a batch. It is immutable, and valid as long as
// the [Reader] that it came from is open.
type Run struct {
	dir         string
	first, last string // names
	pages       int
	signature   uint64
	plain       bool
	datedByFile bool

	chapter *chapter
	index   int // in the chapter
	start   int // of its first page in the chapter
	line    int // where its line begins in the chapter's text
}

// Plain reports whether there is nothing to remember of the pages but that they
// have no facts, digests and dates.
func (r *Run) Plain() bool { return r.plain }

// DatedByFile reports whether there is nothing to remember of the pages but
// digests, and that each has the date, in seconds, of its file's modification.
func (r *Run) DatedByFile() bool { return r.datedByFile }

// AppendPages appends the pages of the run, in order, and reports false if they
// cannot be read: then the batch is to be treated as changed. Facts may share
// memory with other pages' facts; what keeps them for long should copy them.
func (r *Run) AppendPages(pages []Page) ([]Page, bool) {
	c := r.chapter
	if !c.loadPages() {
		return pages, false
	}
	whole := len(pages)
	pages = slices.Grow(pages, r.pages)
	for i := range r.pages {
		pages = append(pages, Page{})
		if !c.page(r.start+i, &pages[len(pages)-1]) {
			return pages[:whole], false
		}
	}
	return pages, true
}

// lineText returns the run's line with its newline.
func (r *Run) lineText() string {
	c := r.chapter
	if r.index+1 < len(c.runs) {
		return c.text[r.line:c.runs[r.index+1].line]
	}
	return c.text[r.line:]
}

// pageText returns the lines of the run's pages. They must have been loaded.
func (r *Run) pageText() string {
	c := r.chapter
	return c.pages[c.lines[r.start]:c.lines[r.start+r.pages]]
}

// holds reports whether the run would hold the file name of dir, if that is remembered.
func (r *Run) holds(dir, name string) bool {
	return r.dir == dir && r.first <= name && name <= r.last
}

var errCount = errors.New("runs and pages are not as many as the index says")

// load reads the lines of the runs.
func (c *chapter) load() error {
	entry := &c.reader.chapters[c.number]
	text, err := c.reader.inflate(entry.offset, entry.runs)
	if err != nil {
		return err
	}
	count := strings.Count(text, "\n")
	if count > entry.count {
		return errCount // every run has a page
	}
	runs := make([]Run, 0, count)
	start := 0
	for at := 0; at < len(text); {
		length := strings.IndexByte(text[at:], '\n')
		if length < 0 {
			return errRunLine
		}
		runs = append(runs, Run{chapter: c, index: len(runs), start: start, line: at})
		run := &runs[len(runs)-1]
		if err := parseRun(text[at:at+length], run); err != nil {
			return err
		}
		if start += run.pages; start > entry.count {
			return errCount
		}
		at += length + 1
	}
	if start != entry.count {
		return errCount
	}
	c.text, c.runs = text, runs
	return nil
}

// loadPages reads the lines of the pages, once, and reports whether it could.
func (c *chapter) loadPages() bool {
	c.once.Do(func() {
		entry := &c.reader.chapters[c.number]
		text, err := c.reader.inflate(entry.offset+entry.runs.compressed, entry.pages)
		if err == nil && (strings.Count(text, "\n") != entry.count || !strings.HasSuffix(text, "\n")) {
			err = errCount
		}
		if err != nil {
			c.reader.fail(err)
			return
		}
		lines := make([]int32, 0, entry.count+1)
		for at := 0; at < len(text); {
			lines = append(lines, int32(at))
			at += strings.IndexByte(text[at:], '\n') + 1
		}
		c.pages, c.lines = text, append(lines, int32(len(text)))
	})
	return c.lines != nil
}

// pageLine returns the line of a page, without its newline.
func (c *chapter) pageLine(i int) string { return c.pages[c.lines[i] : c.lines[i+1]-1] }

// page sets what is remembered of a page, and reports whether it can be read.
func (c *chapter) page(i int, p *Page) bool {
	if err := parsePage(c.pageLine(i), p); err != nil {
		c.reader.fail(fmt.Errorf("page %d of chapter %d: %w", i+1, c.number+1, err))
		return false
	}
	return true
}

// find returns the last run that does not begin after the file name of dir, or
// -1; see search.
func (c *chapter) find(dir, name string, hint int) int {
	return search(len(c.runs), hint, func(i int) bool {
		return comparePaths(c.runs[i].dir, c.runs[i].first, dir, name) <= 0
	})
}
