package state

import (
	"errors"
	"fmt"
	"time"
)

const (
	// chapterWeight is the weight at which a chapter ends. A page weighs one, and
	// pages with long lines as much as textPerPage bytes of text do.
	chapterWeight = 4096
	textPerPage   = 256
)

// A Writer makes the new state of a walk: of the runs that are as they were and
// of the batches that are not, in the order of the walk. As long as the new
// state is the old one from its start nothing is written, and chapters that are
// kept whole are copied as they are.
//
// It is used by one goroutine at a time, and ends with Commit or Discard. Any
// error is final.
type Writer struct {
	path   string
	old    *Reader
	header header
	weight int // at which a chapter ends; tests have small ones
	// hasty leaves out waiting for the disk, for tests that save hundreds of times.
	hasty bool

	// draft is the new file, nil as long as all that was kept is the first intact
	// chapters of old, and the first kept runs of the next.
	draft  *draft
	intact int
	// partial is a chapter of old, if not nil, of which the first kept runs were
	// kept last, and are not in pending yet.
	partial *chapter
	kept    int

	pending pending
	entries []byte // the text of the index
	buffer  []byte
	err     error

	// The path of the last page.
	lastDir, lastName string
}

// errEnded says that a Writer was used after its end.
var errEnded = errors.New("the state was already saved or discarded")

// NewWriter returns a writer of the state at path, whose folder must exist.
// old is what Open returned for the path, or nil; settings is as in Open, and
// now the time that the file's first line gives, for people who look at it.
func NewWriter(path string, old *Reader, settings uint64, now time.Time) *Writer {
	return &Writer{
		path: path, old: old, weight: chapterWeight,
		header: header{settings: settings, saved: now},
	}
}

// Keep says that the next batch of the walk is what run remembers. The run must
// be the old Reader's.
func (w *Writer) Keep(run *Run) error {
	if w.err != nil {
		return w.err
	}
	c := run.chapter
	if w.partial != nil && w.partial.number == c.number && w.kept == run.index {
		w.kept++
	} else {
		w.follow(run)
		w.settle()
		if run.index == 0 && (w.draft != nil || w.intact == c.number) {
			w.partial, w.kept = c, 1
		} else {
			w.begin()
			w.addRun(run, w.weight)
		}
	}
	w.lastDir, w.lastName = run.dir, run.last
	if w.partial != nil && w.kept == len(w.partial.runs) {
		w.partial = nil
		if w.draft == nil {
			w.intact++
		} else {
			w.addChapter(c.number)
		}
	}
	return w.err
}

// Append says that the next batch of the walk is new or has changed. The batch
// may be used again when Append returns.
func (w *Writer) Append(b *Batch) error {
	if w.err != nil || b.run.pages == 0 {
		return w.err
	}
	run := b.remembered()
	if next := w.next(); next != nil && w.equals(next, &run, b.lines) {
		return w.Keep(next)
	}
	if b.disordered {
		w.fail(fmt.Errorf("the names in the folder %q are not in order", b.dir))
	}
	w.follow(&run)
	w.settle()
	w.begin()
	if w.err == nil {
		w.pending.add(&run)
		w.pending.runs = appendRun(w.pending.runs, &run)
		w.pending.pages = append(w.pending.pages, b.lines...)
		w.flushAt(w.weight)
		w.lastDir, w.lastName = run.dir, run.last
	}
	return w.err
}

// Commit makes what was kept and appended the new state, durably and at once.
// It writes nothing and returns false if that is the old state; otherwise the
// old Reader is closed. If it fails, what is in place is whole all the same: the
// old state, or the new one that could not be made durable. It fails if some of the
// old state could not be read for now: the new one would have lost that for good.
func (w *Writer) Commit() (written bool, err error) {
	defer w.Discard()
	if w.err != nil {
		return false, w.err
	}
	if w.draft == nil && w.partial == nil && w.old.SameSettings() && w.intact == len(w.old.chapters) {
		removeDrafts(w.path)
		return false, nil
	}
	w.settle()
	w.begin()
	w.flush()
	if w.err != nil {
		return false, w.err
	}
	if err := w.old.Err(); IsPassing(err) {
		return false, err
	}
	if err := w.draft.finish(w.entries); err != nil {
		return false, err
	}
	// Where an open file cannot be replaced it must be closed first.
	if err := w.old.Close(); err != nil {
		return false, err
	}
	if err := w.draft.publish(); err != nil {
		return false, err
	}
	return true, nil
}

// Discard gives up what was not committed. After Commit it does nothing.
func (w *Writer) Discard() {
	if w.draft != nil {
		w.draft.discard()
		w.draft = nil
	}
	w.fail(errEnded)
}

func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// follow fails unless a run lies behind the last one. Equal paths may be a file
// system's mistake, and do no harm.
func (w *Writer) follow(run *Run) {
	if comparePaths(w.lastDir, w.lastName, run.dir, run.first) > 0 {
		w.fail(fmt.Errorf("the file %q in the folder %q is not in the order of the walk", run.first, run.dir))
	}
}

// next returns the run of old that is to be kept next for nothing to be
// written, or nil if it is too late for that.
func (w *Writer) next() *Run {
	switch {
	case w.draft != nil || !w.old.SameSettings():
		return nil
	case w.partial != nil:
		return &w.partial.runs[w.kept]
	case w.intact < len(w.old.chapters):
		if c := w.old.chapter(w.intact); len(c.runs) > 0 {
			return &c.runs[0]
		}
	}
	return nil
}

// equals reports whether a run of old is what a batch would be written as. So a
// page that cannot be read, and keeps its batch from matching, does not have
// the state written each time.
func (w *Writer) equals(old, run *Run, lines []byte) bool {
	w.buffer = appendRun(w.buffer[:0], run)
	return old.lineText() == string(w.buffer) && old.chapter.loadPages() && old.pageText() == string(lines)
}

// begin begins the new file, if that was not done, with the chapters that were
// kept so far.
func (w *Writer) begin() {
	if w.draft != nil || w.err != nil {
		return
	}
	removeDrafts(w.path)
	draft, err := newDraft(w.path, &w.header)
	if err != nil {
		w.fail(err)
		return
	}
	draft.hasty = w.hasty
	w.draft = draft
	for i := range w.intact {
		w.addChapter(i)
	}
}

// settle adds the runs of a chapter that is not kept whole.
func (w *Writer) settle() {
	c := w.partial
	if c == nil {
		return
	}
	w.begin()
	w.partial = nil
	for i := range c.runs[:w.kept] {
		w.addRun(&c.runs[i], w.weight)
	}
}

// addChapter adds a chapter of old. If neither it nor what is pending before it
// is small, it is copied as it is; otherwise the two become one, or two of the
// same size, so that edits do not leave ever more small chapters.
func (w *Writer) addChapter(number int) {
	before, weight := w.pending.weight(), w.old.chapters[number].weight()
	small := w.weight / 4
	if weight >= small && (before == 0 || before >= small) {
		w.flush()
		w.copyChapter(number)
		return
	}
	limit := before + weight + 1
	if before+weight > w.weight*3/2 {
		limit = min(w.weight, limit/2)
	}
	runs := w.old.chapter(number).runs
	for i := range runs {
		w.addRun(&runs[i], limit)
	}
}

// addRun adds a run of old, and ends the chapter at a weight. A run that cannot
// be read is forgotten; [Reader.Err] tells.
func (w *Writer) addRun(run *Run, limit int) {
	if w.err != nil || !run.chapter.loadPages() {
		return
	}
	w.pending.add(run)
	w.pending.runs = append(w.pending.runs, run.lineText()...)
	w.pending.pages = append(w.pending.pages, run.pageText()...)
	w.flushAt(limit)
}

func (w *Writer) flushAt(limit int) {
	if w.pending.weight() >= limit {
		w.flush()
	}
}

// flush writes what is pending as a chapter.
func (w *Writer) flush() {
	if w.err != nil || w.pending.count == 0 {
		return
	}
	entry := indexEntry{offset: w.draft.offset, count: w.pending.count, dir: w.pending.dir, first: w.pending.first}
	var err error
	if entry.runs, err = w.draft.writeMember(w.pending.runs); err == nil {
		entry.pages, err = w.draft.writeMember(w.pending.pages)
	}
	if err != nil {
		w.fail(err)
		return
	}
	w.enter(&entry)
	w.pending.reset()
}

// copyChapter copies a chapter of old as it is. One that cannot be read is
// forgotten; [Reader.Err] tells.
func (w *Writer) copyChapter(number int) {
	if w.err != nil {
		return
	}
	entry := w.old.chapters[number]
	w.buffer = grown(w.buffer, entry.end()-entry.offset)
	if _, err := w.old.file.ReadAt(w.buffer, entry.offset); err != nil {
		w.old.fail(err)
		return
	}
	entry.offset = w.draft.offset
	if err := w.draft.write(w.buffer); err != nil {
		w.fail(err)
		return
	}
	w.enter(&entry)
}

// enter adds a chapter to the index.
func (w *Writer) enter(entry *indexEntry) {
	if w.entries = appendIndexEntry(w.entries, entry); len(w.entries) > maxIndex {
		w.fail(errors.New("the state has too many pages"))
	}
}

// pending is what will be the next chapter.
type pending struct {
	runs, pages []byte // lines
	count       int    // of pages
	dir, first  string // the path of the first
}

// add counts a run, of which the caller adds the lines.
func (p *pending) add(run *Run) {
	if p.count == 0 {
		p.dir, p.first = run.dir, run.first
	}
	p.count += run.pages
}

func (p *pending) weight() int { return weigh(p.count, len(p.runs)+len(p.pages)) }

func (p *pending) reset() { *p = pending{runs: p.runs[:0], pages: p.pages[:0]} }

// weigh returns the weight of pages with lines of a length.
func weigh(pages, text int) int { return max(pages, text/textPerPage) }
