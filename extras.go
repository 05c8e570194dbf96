package sitewalk

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"syscall"

	"sitewalk/mapper"
	"sitewalk/output"
)

// extras are the pages that are not on disk. They are kept in memory; a file
// with the same URL goes before.
type extras struct {
	pages  []mapper.Extra
	byLoc  map[string]int // index in pages
	taken  []int          // number of files that are listed with the same URL
	places []string       // file and line of each
}

// add adds a page, and reports false if its URL is there already.
func (e *extras) add(page mapper.Extra, place string) bool {
	if _, found := e.byLoc[string(page.Loc)]; found {
		return false
	}
	if e.byLoc == nil {
		e.byLoc = map[string]int{}
	}
	e.byLoc[string(page.Loc)] = len(e.pages)
	e.pages = append(e.pages, page)
	e.taken = append(e.taken, 0)
	e.places = append(e.places, place)
	return true
}

// find returns the index of the page with a URL, or -1. It is safe for
// concurrent use once all pages are added.
func (e *extras) find(loc []byte) int {
	if len(e.byLoc) == 0 {
		return -1
	}
	if i, found := e.byLoc[string(loc)]; found {
		return i
	}
	return -1
}

// take counts a file that is listed with the URL of a page, and release one that
// no longer is.
func (e *extras) take(i int)    { e.taken[i]++ }
func (e *extras) release(i int) { e.taken[i]-- }

// divide returns the pages that no file has taken, by URL, and the places of
// those that one has.
func (e *extras) divide() (left []mapper.Extra, taken []string) {
	for i, page := range e.pages {
		if e.taken[i] > 0 {
			taken = append(taken, e.places[i])
		} else {
			left = append(left, page)
		}
	}
	slices.SortFunc(left, func(a, b mapper.Extra) int { return bytes.Compare(a.Loc, b.Loc) })
	return left, taken
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
	place := func(line int) string { return fmt.Sprintf("%s:%d", path, line) }
	add := func(extra mapper.Extra, warning string) {
		if warning != "" {
			b.warnings.add(warnExtraCut, place(extra.Line), warning)
		}
		if extra.Unbelievable {
			b.warnings.add(warnUnbelievable, place(extra.Line), "")
		}
		if !b.extras.add(extra, place(extra.Line)) {
			b.warnings.add(warnExtraTwice, place(extra.Line), "")
		}
	}
	refuse := func(err *mapper.ExtraError) {
		b.warnings.add(warnExtraRefused, place(err.Line), err.Problem)
	}
	return b.mapper.ReadExtra(file, add, refuse)
}

// addExtras adds the extra pages that no file has taken, in the order of their
// URLs.
func (b *builder) addExtras() error {
	renderer := output.NewRenderer(b.config.Output.LastModFormat)
	var xml []byte
	left, taken := b.extras.divide()
	for _, place := range taken {
		b.warnings.add(warnExtraTaken, place, "")
	}
	for _, page := range left {
		xml = renderer.Append(xml[:0], &page.Page.Page)
		if err := b.set.Add(&output.Rendered{Section: page.Section, XML: xml, Hash: page.Hash(), LastMod: page.LastMod, Loc: page.Loc, Name: string(page.Loc), Extra: true}); err != nil {
			return err
		}
		b.dates.add(page.LastMod, false)
	}
	return nil
}
