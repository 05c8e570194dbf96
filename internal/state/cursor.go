package state

// A Cursor looks up single pages. It belongs to one goroutine, and is fastest
// when it is asked in order.
type Cursor struct {
	reader *Reader
	run    *Run // that was asked last
	line   int  // in the chapter, behind the last page's
}

// NewCursor returns a cursor for one goroutine.
func (r *Reader) NewCursor() *Cursor { return &Cursor{reader: r} }

// Lookup returns what is remembered of a file in the folder dir, and whether
// there is anything. Its facts may share memory with other pages' facts; what
// keeps them for long should copy them.
func (c *Cursor) Lookup(dir, name string) (Page, bool) {
	r := c.reader
	if r == nil {
		return Page{}, false
	}
	if c.run == nil || !c.run.holds(dir, name) {
		run := r.findRunOf(dir, name, c.run)
		if run == nil {
			return Page{}, false
		}
		c.run = run
	}
	chapter := c.run.chapter
	var page Page
	if !chapter.loadPages() || !c.find(name) || !chapter.page(c.line, &page) {
		return Page{}, false
	}
	c.line++
	if !r.sameSettings {
		page.Facts, page.Racy = "", true
	}
	return page, true
}

// find sets line to that of a name in the run, and reports whether there is one.
func (c *Cursor) find(name string) bool {
	run := c.run
	found := func(i int) string {
		found, err := pageName(run.chapter.pageLine(run.start + i))
		if err != nil {
			run.chapter.reader.fail(err)
		}
		return found
	}
	i := search(run.pages, c.line-run.start, func(i int) bool { return found(i) <= name })
	c.line = run.start + max(i, 0)
	return i >= 0 && found(i) == name
}
