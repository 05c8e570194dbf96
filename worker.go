package sitewalk

import (
	"slices"
	"sync"
	"time"

	"sitewalk/internal/state"
	"sitewalk/mapper"
	"sitewalk/output"
	"sitewalk/scanner"
)

// batchWorker turns batches into results, for one goroutine.
type batchWorker struct {
	builder  *builder
	results  *sync.Pool
	mapper   *mapper.Worker
	renderer *output.Renderer
	reading  mapper.Reading
	reader   *pageReader   // nil if pages are not opened
	cursor   *state.Cursor // nil if there is no state
	renders  bool          // pages are asked for as XML
	withLocs bool          // and as URLs
	tell     bool          // somebody asks what is left out
	tellAll  bool          // and what is listed
	ledger   *ledger       // nil if nothing is to be kept in memory

	dir        string
	candidates []candidate
	locs       []byte       // of the candidates
	pages      []state.Page // what candidate.old points to
}

// noFacts are those of pages of which there is nothing to say.
var noFacts mapper.Facts

// candidate is a file that has a URL, on its way to being a page.
type candidate struct {
	index  int // in the batch
	page   mapper.Page
	locEnd int // in batchWorker.locs
	// Most pages have no facts, and a large batch of candidates is to stay in the
	// processor's cache: hence the pointers.
	facts *mapper.Facts // never nil
	old   *state.Page   // what the state says of the page; nil if nothing

	known   bool // what the file holds, so that it need not be read again
	digests digests
	changed changed // when its bytes last changed, if somebody asks
	racy    bool

	source       mapper.Source // of the date
	unbelievable bool
}

func (b *builder) newBatchWorker(results *sync.Pool) *batchWorker {
	pages, namespaces := &b.config.Scanner.Pages, b.config.namespaces()
	w := &batchWorker{
		builder: b, results: results, mapper: b.mapper.NewWorker(),
		renderer: output.NewRenderer(b.config.Output.LastModFormat),
		reading: mapper.Reading{
			Canonical: pages.Canonical, Hints: pages.Hints,
			Alternates: namespaces&output.XHTML != 0, Images: namespaces&output.Image != 0,
		},
		renders: b.set != nil, withLocs: b.config.Output.Files.Text || b.config.wantsFindings(),
		tell: b.config.wantsFindings(), tellAll: b.config.Found != nil,
		ledger: b.ledger,
	}
	if pages.Read {
		w.reader = b.newPageReader()
	}
	if b.memory.reader != nil && (b.ledger == nil || b.ledger.first) { // a ledger knows better
		w.cursor = b.memory.reader.NewCursor()
	}
	return w
}

func (w *batchWorker) work(batch *scanner.Batch) *batchResult {
	result := w.results.Get().(*batchResult)
	result.reset(batch.Dir)
	w.mapAll(batch, result)
	recalled := w.reader != nil && w.recallAll(batch, result)
	for i := range w.candidates {
		c := &w.candidates[i]
		file := &batch.Files[c.index]
		if w.reader == nil {
			batch.Stat(c.index)
		} else {
			w.readOne(batch, result, c, recalled)
		}
		if file.Verdict != scanner.Listed || !w.mapper.Judge(file, &c.page, c.facts, w.builder.now) {
			result.leave(file, &c.page, w.tell)
			continue
		}
		w.lastMod(c, file.Name, file.ModSeconds())
		if w.renders {
			w.render(result, file, c)
		}
		if w.ledger == nil {
			// Many pages with a thousand links each would take much memory together.
			c.facts, c.page.Alternates, c.page.Images = &noFacts, nil, nil
		}
	}
	if w.ledger != nil {
		w.enter(batch, result)
	}
	return result
}

// mapAll finds the candidates of a batch, and leaves the others.
func (w *batchWorker) mapAll(batch *scanner.Batch, result *batchResult) {
	w.dir, w.candidates, w.locs = batch.Dir, w.candidates[:0], w.locs[:0]
	w.mapper.Enter(batch.Dir)
	for i := range batch.Files {
		file := &batch.Files[i]
		if file.Verdict != scanner.Listed {
			result.leave(file, nil, w.tell)
			continue
		}
		page, ok := w.mapper.Map(file)
		if !ok {
			result.leave(file, &page, w.tell)
			continue
		}
		w.locs = append(w.locs, page.Loc...)
		w.candidates = append(w.candidates, candidate{index: i, page: page, locEnd: len(w.locs), facts: &noFacts})
	}
	start := 0
	for i := range w.candidates {
		c := &w.candidates[i]
		c.page.Loc = w.locs[start:c.locEnd]
		start = c.locEnd
	}
}

// render adds a page to the result.
func (w *batchWorker) render(result *batchResult, file *scanner.File, c *candidate) {
	page := &c.page
	result.xml = w.renderer.Append(result.xml, &page.Page)
	if w.withLocs {
		result.locs = append(result.locs, page.Loc...)
	}
	styled := -1
	if page.Style.Canonical != "" {
		styled = len(result.styled)
		result.styled = append(result.styled, styledPage{file.Name, string(page.Loc), page.Style})
	}
	if len(page.Alternates) > 0 {
		w.link(result, page)
	}
	rendered := renderedPage{
		name: file.Name, index: c.index, xmlEnd: len(result.xml), locEnd: len(result.locs), linkEnd: len(result.links),
		section: page.Section, hash: page.Hash(), lastMod: page.LastMod, namespaces: page.Namespaces(),
		keyLength: page.KeyLength, extra: w.builder.extras.find(page.Loc), finding: -1, styled: styled,
		rewritten:    page.LastMod != 0 && page.LastMod == file.ModSeconds(),
		unbelievable: c.unbelievable, allowed: file.Allowed,
	}
	if w.tellAll {
		rendered.finding = len(result.findings)
		result.findings = append(result.findings, Finding{
			Path: scanner.Join(result.dir, file.Name), Detail: file.Detail, URL: string(page.Loc),
			Section: w.builder.mapper.Sections()[page.Section], LastMod: w.renderer.LastMod(&page.Page), Source: c.source,
			ChangeFreq: page.ChangeFreq, Priority: page.Priority, Rules: counted(page.Rules),
		})
	}
	result.pages = append(result.pages, rendered)
}

// counted returns indexes as people count, from 1.
func counted(indexes []int) []int {
	var numbers []int
	for _, index := range indexes {
		numbers = append(numbers, index+1)
	}
	return numbers
}

// recallAll prepares for reading what the heads of the candidates say, and reports
// whether the state knows all of it.
func (w *batchWorker) recallAll(batch *scanner.Batch, result *batchResult) bool {
	if w.recall(batch, result) {
		return true
	}
	w.pages = slices.Grow(w.pages[:0], len(w.candidates)) // so that none moves
	if w.ledger != nil {
		w.recollect(batch)
	}
	return false
}

// readOne finds out what the head of a candidate says: from the state, if that knows all
// or the file is as it was, or from the file itself.
func (w *batchWorker) readOne(batch *scanner.Batch, result *batchResult, c *candidate, recalled bool) {
	file := &batch.Files[c.index]
	switch {
	case file.Verdict != scanner.Listed:
	case recalled:
		c.known = true
		if c.old != nil {
			c.digests = digests{c.old.Digest, c.old.Masked}
			c.changed = changed{c.old.Date, c.old.DateOnly}
		}
	case !w.read(batch, c):
		w.retain(result, file, c)
	case w.builder.memory.wanted:
		w.store(result, file, c)
	}
}

// recall asks the state about the candidates, and reports whether it knows all
// that matters of each.
func (w *batchWorker) recall(batch *scanner.Batch, result *batchResult) bool {
	memory := w.builder.memory.reader
	if memory == nil || len(w.candidates) == 0 {
		return false
	}
	for i := range w.candidates {
		c := &w.candidates[i]
		if batch.Stat(c.index) {
			file := &batch.Files[c.index]
			result.memory.AddIdentity(file.Name, identityOf(file))
		}
	}
	run := memory.Run(&result.memory)
	if run == nil || !memory.SameSettings() {
		return false
	}
	switch {
	case run.Plain():
	case run.DatedByFile() && w.ledger == nil: // which asks for digests
		for i := range w.candidates {
			c := &w.candidates[i]
			c.changed.date = batch.Files[c.index].ModSeconds()
		}
	case !w.recallPages(batch, run):
		return false
	}
	result.run = run
	return true
}

// recallPages takes what the state says of the candidates of a run.
func (w *batchWorker) recallPages(batch *scanner.Batch, run *state.Run) bool {
	var ok bool
	if w.pages, ok = run.AppendPages(w.pages[:0]); !ok {
		return false
	}
	next := 0
	for i := range w.candidates {
		c := &w.candidates[i]
		if batch.Files[c.index].Verdict != scanner.Listed {
			continue
		}
		if next == len(w.pages) {
			return false
		}
		c.old = &w.pages[next]
		next++
		if !c.recallFacts() {
			return false
		}
	}
	return next == len(w.pages)
}

// recallFacts takes the facts that the state remembers.
func (c *candidate) recallFacts() bool {
	if c.old.Facts == "" {
		c.facts = &noFacts
		return true
	}
	facts, ok := mapper.ParseFacts(c.old.Facts)
	c.facts = &facts
	return ok
}

// read finds out about one candidate: from the state if the file is as it was,
// else by opening it.
func (w *batchWorker) read(batch *scanner.Batch, c *candidate) bool {
	file := &batch.Files[c.index]
	c.facts = &noFacts
	if w.cursor != nil {
		c.old = nil
		if page, known := w.cursor.Lookup(w.dir, file.Name); known {
			w.pages = append(w.pages, page)
			c.old = &w.pages[len(w.pages)-1]
		}
	}
	if c.old != nil && w.isAsItWas(file, c) {
		c.known = true
		return true
	}
	whole := slices.Contains(c.page.Sources, mapper.SourceContent)
	begun := time.Now()
	content, ok := batch.Open(c.index)
	if !ok {
		return false
	}
	defer content.Close()
	said, d, err := w.reader.read(content, file.Name, file.Size, file.ModTime, whole)
	if err != nil {
		batch.Fail(c.index, err)
		return false
	}
	if !mapper.IsPlain(c.page.Loc, said) {
		facts := w.mapper.Distill(file.Name, c.page.Loc, said, &w.reading)
		c.facts = &facts
	}
	c.known, c.racy = true, isRacy(file, begun)
	if c.digests = d; whole {
		c.changed = w.contentDate(c, file.Name, file.ModSeconds())
	}
	return true
}

// isAsItWas takes what the state says of a candidate if the file has not changed
// since, and reports false if it must be read.
func (w *batchWorker) isAsItWas(file *scanner.File, c *candidate) bool {
	if w.ledger != nil && w.ledger.restyled {
		return false
	}
	if c.old.Racy || w.cursor != nil && !w.builder.memory.reader.SameSettings() || c.old.Identity != identityOf(file) {
		return false
	}
	if !c.recallFacts() {
		c.facts = &noFacts
		return false
	}
	c.digests = digests{c.old.Digest, c.old.Masked}
	c.changed = changed{c.old.Date, c.old.DateOnly}
	return true
}

func identityOf(file *scanner.File) state.Identity {
	return state.Identity{Size: file.Size, ModTime: file.ModTime, ChangeTime: file.ChangeTime, Inode: file.Inode}
}

// racyWithin is the coarsest grain of a file system's clock, that of FAT.
const racyWithin = 2 * time.Second

// isRacy reports whether a file that was read from a time on may have changed
// after that without a trace in its times: it was changed within the clock's
// grain. https://git-scm.com/docs/racy-git tells how that can happen. A file whose
// system does not say when it changed can never be trusted.
func isRacy(file *scanner.File, begun time.Time) bool {
	return file.ChangeTime == 0 || file.ChangeTime > begun.Add(-racyWithin).UnixNano()
}

// retain has the state go on remembering a candidate that could not be read: when
// it can be, the date of its content still counts.
func (w *batchWorker) retain(result *batchResult, file *scanner.File, c *candidate) {
	if c.old != nil && w.builder.memory.wanted {
		c.old.Racy, c.old.Facts = true, ""
		result.memory.Add(file.Name, c.old)
		result.remembered = true
	}
}

// store has the state remember a candidate.
func (w *batchWorker) store(result *batchResult, file *scanner.File, c *candidate) {
	page := w.pageOf(file, c)
	result.memory.Add(file.Name, &page)
	result.remembered = true
}

// pageOf returns what is to be remembered of a candidate.
func (w *batchWorker) pageOf(file *scanner.File, c *candidate) state.Page {
	return state.Page{
		Identity: identityOf(file), Racy: c.racy,
		Digest: c.digests.whole, Masked: c.digests.masked,
		Date: c.changed.date, DateOnly: c.changed.dateOnly,
		Facts: string(c.facts.Append(nil)),
	}
}
