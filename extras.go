package sitewalk

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"sitewalk/mapper"
	"sitewalk/output"
)

// maxExtras is how many bytes the files of extra URLs may have together: those of a
// million URLs. Their pages are kept in memory.
const maxExtras = 64 << 20

// extras are the pages that are not on disk. They are kept in memory; a file
// with the same URL goes before.
type extras struct {
	pages []extraPage
	byLoc map[string]int32 // index in pages
	files []string         // that list them
	read  int64            // bytes of these
}

// extraPage is a page that is not on disk.
type extraPage struct {
	loc                  string
	changeFreq, priority string
	lastMod              int64
	section              int32
	file, line           int32 // the former in extras.files
	taken                int32 // number of files that are listed with the same URL
	dateOnly             bool
}

// page returns what the sitemap says of the page.
func (p *extraPage) page() output.Page {
	return output.Page{Loc: []byte(p.loc), LastMod: p.lastMod, DateOnly: p.dateOnly, ChangeFreq: p.changeFreq, Priority: p.priority}
}

// add adds a page of the file that was begun last, and reports false if its URL is there
// already.
func (e *extras) add(extra *mapper.Extra) bool {
	if _, found := e.byLoc[string(extra.Loc)]; found {
		return false
	}
	if e.byLoc == nil {
		e.byLoc = map[string]int32{}
	}
	loc := string(extra.Loc)
	e.byLoc[loc] = int32(len(e.pages))
	e.pages = append(e.pages, extraPage{
		// What a line says must not keep the whole line in memory.
		loc: loc, changeFreq: strings.Clone(extra.ChangeFreq), priority: extra.Priority,
		lastMod: extra.LastMod, dateOnly: extra.DateOnly,
		section: int32(extra.Section), file: int32(len(e.files) - 1), line: int32(extra.Line),
	})
	return true
}

// place returns the file and line of a page.
func (e *extras) place(p *extraPage) string { return fmt.Sprintf("%s:%d", e.files[p.file], p.line) }

// find returns the index of the page with a URL, or -1. It is safe for
// concurrent use once all pages are added.
func (e *extras) find(loc []byte) int {
	if len(e.byLoc) == 0 {
		return -1
	}
	if i, found := e.byLoc[string(loc)]; found {
		return int(i)
	}
	return -1
}

// take counts a file that is listed with the URL of a page, and release one that
// no longer is.
func (e *extras) take(i int)    { e.pages[i].taken++ }
func (e *extras) release(i int) { e.pages[i].taken-- }

// left returns the pages that no file has taken, by URL.
func (e *extras) left() []*extraPage {
	var left []*extraPage
	for i := range e.pages {
		if p := &e.pages[i]; p.taken == 0 {
			left = append(left, p)
		}
	}
	slices.SortFunc(left, func(a, b *extraPage) int { return strings.Compare(a.loc, b.loc) })
	return left
}

// readExtras reads the files of extra URLs.
func (b *builder) readExtras() error {
	for i, path := range b.config.Mapper.ExtraURLs {
		if err := b.readExtra(path); err != nil {
			return b.config.mistake(fmt.Sprintf("extra_urls[%d]", i), "cannot be read: "+err.Error(), "")
		}
	}
	return nil
}

func (b *builder) readExtra(path string) error {
	// Not blocking, should the file be a FIFO.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil {
		return err
	} else if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", path)
	}
	b.extras.files = append(b.extras.files, path)
	place := func(line int) string { return fmt.Sprintf("%s:%d", path, line) }
	add := func(extra mapper.Extra, warning string) {
		if warning != "" {
			b.warnings.add(warnExtraCut, place(extra.Line), warning)
		}
		if extra.Unbelievable {
			b.warnings.add(warnUnbelievable, place(extra.Line), "")
		}
		if !b.extras.add(&extra) {
			b.warnings.add(warnExtraTwice, place(extra.Line), "")
		}
	}
	refuse := func(err *mapper.ExtraError) {
		b.warnings.add(warnExtraRefused, place(err.Line), err.Problem)
	}
	within := &io.LimitedReader{R: file, N: maxExtras - b.extras.read + 1}
	err = b.mapper.ReadExtra(within, add, refuse)
	if b.extras.read = maxExtras + 1 - within.N; b.extras.read > maxExtras {
		return fmt.Errorf("the files have more than %d bytes together", maxExtras)
	}
	return err
}

// addExtras adds the extra pages that no file has taken, in the order of their
// URLs.
func (b *builder) addExtras() error {
	renderer := output.NewRenderer(b.config.Output.LastModFormat)
	var xml []byte
	for i := range b.extras.pages {
		if extra := &b.extras.pages[i]; extra.taken > 0 {
			b.warnings.add(warnExtraTaken, b.extras.place(extra), "")
		}
	}
	for _, extra := range b.extras.left() {
		page := extra.page()
		xml = renderer.Append(xml[:0], &page)
		if err := b.set.Add(&output.Rendered{Section: int(extra.section), XML: xml, Hash: page.Hash(), LastMod: page.LastMod, Loc: page.Loc, Name: extra.loc, Extra: true}); err != nil {
			return err
		}
		b.dates.add(page.LastMod, false)
	}
	return nil
}
