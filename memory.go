package sitewalk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cespare/xxhash/v2"

	"sitewalk/internal/state"
	"sitewalk/mapper"
)

// memory is the state: what the last run left, and what this one leaves.
type memory struct {
	reader *state.Reader // nil if there is none
	writer *state.Writer // nil if none is kept
	// wanted says that one is to be kept. Workers ask it, who must not look at
	// writer: that may be given up meanwhile.
	wanted bool
}

// factsVersion changes with what is made of a page's head: facts of another
// version are read again.
const factsVersion = 2

// openMemory opens the state. What is wrong with it is worth a warning, and mostly
// no more: everything in it can be found again, but for dates by content; see
// [builder.mayForget].
func (b *builder) openMemory() error {
	c := b.config
	if !c.Scanner.Pages.Read {
		return nil
	}
	if c.State == "" {
		if c.NoState != nil {
			b.warnings.add(warnStateNotKept, "state", c.NoState.Error())
		}
		return nil
	}
	settings := c.readingSettings()
	reader, err := state.Open(c.State, settings)
	var unusable *state.UnusableError
	switch {
	case err == nil:
		b.memory.reader = reader
	case errors.Is(err, fs.ErrNotExist):
	case errors.As(err, &unusable):
		if c.DryRun {
			b.warnings.add(warnStateUnusable, c.State, unusable.Reason)
			return nil
		}
		err := state.SetAside(c.State)
		if err != nil {
			b.warnings.add(warnStateNotKept, c.State, err.Error())
			return nil
		}
		b.warnings.add(warnStateUnusable, c.State, unusable.Reason+"; it is now "+c.State+".unusable")
	default:
		if err := b.mayForget(err); err != nil {
			return err
		}
		b.warnings.add(warnStateNotKept, c.State, err.Error())
		return nil
	}
	if c.DryRun {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(c.State), 0o700); err != nil {
		b.warnings.add(warnStateNotKept, c.State, err.Error())
		return nil
	}
	b.memory.writer = state.NewWriter(c.State, b.memory.reader, settings, c.Now())
	b.memory.wanted = true
	return nil
}

// mayForget returns an error if the set must not be published without what a state
// remembers that could not be read, for a reason that may pass: dates by content would
// all begin anew, although the state has them still.
func (b *builder) mayForget(unread error) error {
	if !state.IsPassing(unread) || !b.mapper.Uses(mapper.SourceContent) {
		return nil
	}
	return fmt.Errorf("%w; dates by content would be lost: run again, or give them up with --no-state", unread)
}

// readingSettings returns a hash of all of the configuration that what is
// remembered of a page depends on.
func (c *Config) readingSettings() uint64 {
	m := &c.Mapper
	// What the protocol has no words for is not kept; hence the namespaces.
	text := fmt.Sprintf("%d %q %#v %+v %d %q %q", factsVersion, m.BaseURL, m.URLs.Resolve(), c.Scanner.Pages, c.namespaces(), m.LastMod, m.LastModIgnore)
	for _, rule := range m.Rules {
		if rule.LastMod != nil {
			text += fmt.Sprintf(" %q %q", rule.Match, *rule.LastMod)
		}
	}
	return xxhash.Sum64String(text)
}

// remember keeps what is remembered of a batch, in the order of the walk.
func (b *builder) remember(r *batchResult) {
	w := b.memory.writer
	if w == nil {
		return
	}
	var err error
	switch {
	case r.run != nil:
		err = w.Keep(r.run)
	case r.remembered:
		err = w.Append(&r.memory)
	}
	if err != nil {
		b.forget(err)
	}
}

// forget gives up keeping a state.
func (b *builder) forget(err error) {
	b.warnings.add(warnStateNotKept, b.config.State, err.Error())
	b.memory.writer.Discard()
	b.memory.writer = nil
}

// saveMemory puts the state in place.
func (b *builder) saveMemory() {
	if reader := b.memory.reader; reader != nil && reader.Err() != nil && !state.IsPassing(reader.Err()) {
		b.warnings.add(warnStateUnusable, b.config.State, reader.Err().Error())
	}
	if b.memory.writer == nil {
		return
	}
	if _, err := b.memory.writer.Commit(); err != nil {
		b.forget(err)
	}
	b.memory.writer = nil
}

func (m *memory) close() {
	if m.writer != nil {
		m.writer.Discard()
	}
	if m.reader != nil {
		_ = m.reader.Close()
	}
}

// changed is when a page's bytes last changed, as far as is known.
type changed struct {
	date     int64 // in seconds since 1970, or 0
	dateOnly bool
}

// contentDate returns when a page's bytes last changed: when they are those that
// the state remembers, what it remembers; else, of a page whose bytes it does not
// know, what a published sitemap says; else the file's modification time. A date
// that nobody can believe gives way to a modification time that was corrected.
func (w *batchWorker) contentDate(c *candidate, name string, modified int64) changed {
	old := c.old
	known := old != nil && old.Digest != 0
	if known && (old.Digest == c.digests.whole || old.Masked == c.digests.masked && old.Masked != 0) {
		if w.mapper.IsBelievable(old.Date) {
			return changed{old.Date, old.DateOnly}
		}
		return changed{date: modified}
	}
	if !known && w.builder.previous != nil {
		if date, ok := w.builder.previous.find(w.dir, name, c.page.Loc, c.digests.whole); ok {
			return date
		}
	}
	return changed{date: modified}
}

// lastMod finds a page's date: the first of its sources that answers. A date
// that nobody can believe is no answer.
func (w *batchWorker) lastMod(c *candidate, name string, modified int64) {
	for _, source := range c.page.Sources {
		var date changed
		switch source {
		case mapper.SourceMTime:
			date.date = modified
		case mapper.SourceContent:
			date = c.changed
		case mapper.SourceMeta:
			date = changed{c.facts.Modified, c.facts.ModifiedDateOnly}
		case mapper.SourceGit:
			if w.builder.git != nil {
				date.date, _ = w.builder.git.Find(w.dir, name)
			}
		}
		if date.date == 0 && source != mapper.SourceMTime {
			continue
		}
		if w.mapper.IsBelievable(date.date) {
			c.page.LastMod, c.page.DateOnly = date.date, date.dateOnly
			c.source, c.unbelievable = source, false
			return
		}
		c.unbelievable = true
	}
}
