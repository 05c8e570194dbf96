package sitewalk

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"sitewalk/internal/check"
	"sitewalk/output"
	"sitewalk/scanner"
)

// builtPages is what a build would make of the files of a docroot, to be compared with
// a set: 16 bytes a file in memory, and in a temporary file the names of those that it
// would list.
type builtPages struct {
	docroot string
	pages   []builtPage     // in order
	listed  []atomic.Uint64 // a bit for each of pages that the set lists
	names   *os.File
	writer  *bufio.Writer
	err     error // of writing names
}

// builtPage is a file that has, or would have, a URL.
type builtPage struct {
	hash uint64 // of the URL
	// what holds the verdict above the date, so that of files with one URL the one
	// that is listed is the first.
	what uint64
}

// The parts of builtPage.what, from the lowest bit.
const (
	lastModBits = 40 // seconds since 1970, or 0 for none: enough for the year 9999
	dayOnly     = 1 << lastModBits
	verdictAt   = lastModBits + 1
)

func newBuiltPage(loc string, verdict scanner.Verdict, unix int64, isDay bool) builtPage {
	what := uint64(verdict)<<verdictAt | uint64(max(unix, 0))&(1<<lastModBits-1)
	if isDay {
		what |= dayOnly
	}
	return builtPage{xxhash.Sum64String(loc), what}
}

func (p builtPage) verdict() scanner.Verdict { return scanner.Verdict(p.what >> verdictAt) }
func (p builtPage) lastMod() int64           { return int64(p.what & (1<<lastModBits - 1)) }
func (p builtPage) isDay() bool              { return p.what&dayOnly != 0 }

func compareBuiltPages(a, b builtPage) int {
	return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.what, b.what))
}

// findBuiltPages finds out what a build with a configuration would list. The caller
// must close what it returns.
func findBuiltPages(ctx context.Context, config Config) (*builtPages, error) {
	names, err := os.CreateTemp("", "sitewalk-check-*.tmp")
	if err != nil {
		return nil, fmt.Errorf("remember what a build would list: %w", err)
	}
	p := &builtPages{docroot: config.Scanner.Docroot, names: names, writer: bufio.NewWriterSize(names, 64<<10)}
	config.DryRun, config.LeftOut, config.Found = true, nil, p.add
	b, _, err := build(ctx, &config)
	if err != nil && !errors.Is(err, ErrNoPages) {
		p.close()
		return nil, err
	}
	renderer := output.NewRenderer(config.Output.LastModFormat)
	for i := range b.extras.pages {
		extra := &b.extras.pages[i]
		if extra.taken > 0 {
			continue // a file has that URL
		}
		page := extra.page()
		p.keep(extra.loc, b.extras.place(extra), scanner.Listed, renderer.LastMod(&page))
	}
	if p.err == nil {
		p.err = p.writer.Flush()
	}
	if p.err != nil {
		p.close()
		return nil, fmt.Errorf("remember what a build would list: %w", p.err)
	}
	slices.SortFunc(p.pages, compareBuiltPages)
	p.listed = make([]atomic.Uint64, len(p.pages)/64+1)
	return p, nil
}

// close removes the file of names.
func (p *builtPages) close() {
	p.names.Close()
	os.Remove(p.names.Name())
}

// add takes what the build says of a file.
func (p *builtPages) add(f *Finding) {
	if f.URL != "" {
		p.keep(f.URL, filepath.Join(p.docroot, filepath.FromSlash(f.Path)), f.Verdict, f.LastMod)
	}
}

// keep remembers a page, and of one that would be listed its name.
func (p *builtPages) keep(loc, name string, verdict scanner.Verdict, lastMod string) {
	unix, isDay, _ := check.ParseLastMod(lastMod)
	p.pages = append(p.pages, newBuiltPage(loc, verdict, unix, isDay))
	if verdict != scanner.Listed || p.err != nil {
		return
	}
	var length [binary.MaxVarintLen64]byte
	for _, text := range []string{loc, name} {
		_, _ = p.writer.Write(binary.AppendUvarint(length[:0], uint64(len(text))))
		_, p.err = p.writer.WriteString(text) // which tells an earlier error too
	}
}

// find returns the index of the page of a URL, or -1.
func (p *builtPages) find(loc string) int {
	hash := xxhash.Sum64String(loc)
	i, found := slices.BinarySearchFunc(p.pages, hash, func(page builtPage, hash uint64) int { return cmp.Compare(page.hash, hash) })
	if !found {
		return -1
	}
	return i
}

// compare says in what a page of the set differs from what the build says. Several
// goroutines may call it at once.
func (p *builtPages) compare(page *check.Page) (check.Code, string) {
	i := p.find(page.Loc)
	if i < 0 {
		return check.ListedNoFile, "has no file in " + p.docroot
	}
	p.listed[i/64].Or(1 << (i % 64))
	built := p.pages[i]
	if built.verdict() != scanner.Listed {
		return check.ListedNoFile, "is listed, and a build leaves its file out as " + built.verdict().String() + "; sitewalk explain says why"
	}
	unix, isDay, ok := check.ParseLastMod(page.LastMod)
	if built.lastMod() == 0 || !ok || sameDate(unix, isDay, built.lastMod(), built.isDay()) {
		return "", ""
	}
	day := &output.Page{LastMod: built.lastMod(), DateOnly: built.isDay()}
	return check.LastModDiffers, "has the lastmod " + page.LastMod + ", and a build says " + output.NewRenderer(output.DateTime).LastMod(day)
}

// sameDate reports whether two dates can be of one moment. Where one is a day, it may
// be one of any place on earth.
func sameDate(a int64, aIsDay bool, b int64, bIsDay bool) bool {
	const day, east, west = 24 * 60 * 60, 14 * 60 * 60, 12 * 60 * 60
	switch {
	case aIsDay == bIsDay:
		return a == b
	case aIsDay:
		return a-east <= b && b < a+day+west
	}
	return sameDate(b, true, a, false)
}

// missing tells of the pages that the set does not list.
func (p *builtPages) missing(tell func(*check.Finding)) error {
	if _, err := p.names.Seek(0, io.SeekStart); err != nil {
		return err
	}
	from := bufio.NewReaderSize(p.names, 64<<10)
	for {
		loc, err := readText(from)
		if err == io.EOF {
			return nil
		}
		name, nameErr := readText(from)
		if err = cmp.Or(err, nameErr); err != nil {
			return fmt.Errorf("read what a build would list: %w", err)
		}
		if i := p.find(loc); p.listed[i/64].Load()&(1<<(i%64)) == 0 {
			tell(&check.Finding{File: name, Loc: loc, Code: check.MissingPage, Message: "is a page that a build lists, and the set does not"})
		}
	}
}

// readText reads a text after its length, which builtPages wrote.
func readText(from *bufio.Reader) (string, error) {
	length, err := binary.ReadUvarint(from)
	if err != nil {
		return "", err
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(from, text); err != nil {
		return "", io.ErrUnexpectedEOF
	}
	return string(text), nil
}
