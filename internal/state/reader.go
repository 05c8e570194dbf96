package state

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
)

// cachedChapters is the number of chapters held ready. The walk's workers are
// never further apart than a few.
const cachedChapters = 4

// maxState is the size of the largest state that is read, in bytes: that of some three
// hundred million pages. A file of a few bytes can be made to seem of any size.
const maxState = 4 << 30

// A Reader is what the last run left. It is safe for concurrent use. A nil
// Reader remembers nothing.
type Reader struct {
	path         string
	file         *os.File
	header       header
	sameSettings bool
	chapters     []indexEntry

	slots     [cachedChapters]slot // chapter i is in slot i modulo their number
	hint      atomic.Int32         // the chapter that was asked for last
	inflaters sync.Pool            // of *inflater
	err       atomic.Pointer[error]
}

// slot holds one chapter of those that share it.
type slot struct {
	loading sync.Mutex
	chapter atomic.Pointer[chapter]
}

// Open opens the state at path, and reads all of it once to be sure that it is
// whole. settings is a hash of the configuration that facts depend on. The
// error is fs.ErrNotExist, an [*UnusableError], or what the system says.
func Open(path string, settings uint64) (*Reader, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, &UnusableError{path, "is no regular file"} // and opening it could do anything
	}
	file, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	r := &Reader{path: path, file: file}
	r.inflaters.New = func() any { return new(inflater) }
	if err := r.open(); err != nil {
		file.Close()
		return nil, err
	}
	r.sameSettings = r.header.settings == settings
	return r, nil
}

func (r *Reader) open() error {
	info, err := r.file.Stat()
	if err != nil {
		return fmt.Errorf("open state: %w", err)
	}
	switch {
	case !info.Mode().IsRegular():
		return &UnusableError{r.path, "is no regular file"}
	case info.Size() == 0:
		return &UnusableError{r.path, "is empty"}
	case info.Size() > maxState:
		return &UnusableError{r.path, fmt.Sprintf("is larger than %d bytes", int64(maxState))}
	}
	start := make([]byte, maxHeader)
	n, err := r.file.ReadAt(start, 0)
	if err != nil && err != io.EOF {
		return fmt.Errorf("read state: %w", err)
	}
	if r.header, err = parseHeader(start[:n]); err != nil {
		return &UnusableError{r.path, err.Error()}
	}
	indexOffset, err := r.verify(info.Size())
	if err != nil {
		return err
	}
	index, err := inflateIndex(io.NewSectionReader(r.file, indexOffset, info.Size()-trailerSize-indexOffset))
	if err == nil {
		r.chapters, err = parseIndex(index, indexOffset)
	}
	if IsPassing(err) {
		return fmt.Errorf("read state: %w", err)
	}
	if err != nil {
		return r.damaged()
	}
	return nil
}

// verify reads the whole file, compares its hash with the trailer's, and returns
// the offset of the index.
func (r *Reader) verify(size int64) (indexOffset int64, err error) {
	if size < trailerSize {
		return 0, r.damaged()
	}
	hash := xxhash.New()
	start := size - trailerSize
	buffer := make([]byte, 64<<10)
	n, err := io.CopyBuffer(hash, io.NewSectionReader(r.file, 0, start+trailerHashed), buffer)
	if err != nil {
		return 0, fmt.Errorf("read state: %w", err)
	}
	if n < start+trailerHashed {
		return 0, r.damaged() // it was cut meanwhile
	}
	trailer := buffer[:trailerSize]
	if _, err := r.file.ReadAt(trailer, start); err != nil && err != io.EOF {
		return 0, fmt.Errorf("read state: %w", err)
	}
	indexOffset, sum, ok := parseTrailer(string(trailer))
	if !ok || sum != hash.Sum64() || indexOffset < 0 || indexOffset > start {
		return 0, r.damaged()
	}
	return indexOffset, nil
}

func (r *Reader) damaged() error { return &UnusableError{r.path, "is damaged"} }

// Close closes the file. Runs and cursors then know nothing more.
func (r *Reader) Close() error {
	if r == nil {
		return nil
	}
	if err := r.file.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return nil
}

// SameSettings reports whether facts were found under the settings that the
// Reader was opened with. If not, no run matches, and all pages are racy and
// without facts.
func (r *Reader) SameSettings() bool { return r != nil && r.sameSettings }

// Err returns the first error of reading what Open found to be whole. What
// could not be read counts as not remembered.
func (r *Reader) Err() error {
	if r == nil || r.err.Load() == nil {
		return nil
	}
	return *r.err.Load()
}

func (r *Reader) fail(err error) {
	err = fmt.Errorf("read state %s: %w", r.path, err)
	r.err.CompareAndSwap(nil, &err)
}

// Run returns what is remembered of a batch whose identities were added, if
// they are the same, and nil otherwise.
func (r *Reader) Run(b *Batch) *Run {
	if !r.SameSettings() || len(b.asked) == 0 {
		return nil
	}
	run := r.findRun(b.dir, b.query)
	if run == nil || run.signature == noSignature || run.signature != signature(b.asked) {
		return nil
	}
	return run
}

// findRun returns the run that begins with the file first of dir. Mostly it is
// the one behind the run that was found last.
func (r *Reader) findRun(dir, first string) *Run {
	number := int(r.hint.Load())
	if number < len(r.chapters) {
		if c := r.cached(number); c != nil {
			if hint := int(c.hint.Load()); hint < len(c.runs) && c.runs[hint].first == first && c.runs[hint].dir == dir {
				c.hint.Store(int32(hint + 1))
				return &c.runs[hint]
			}
		}
	}
	number = r.findChapter(dir, first, number)
	if number < 0 {
		return nil
	}
	c := r.chapter(number)
	i := c.find(dir, first, int(c.hint.Load()))
	if i < 0 || c.runs[i].first != first || c.runs[i].dir != dir {
		return nil
	}
	c.hint.Store(int32(i + 1))
	return &c.runs[i]
}

// findRunOf returns the run that holds the file name of dir if anything does,
// or nil. It looks first near another run, if that is not nil.
func (r *Reader) findRunOf(dir, name string, near *Run) *Run {
	chapterHint, hint := int(r.hint.Load()), 0
	if near != nil {
		chapterHint, hint = near.chapter.number, near.index
	}
	number := r.findChapter(dir, name, chapterHint)
	if number < 0 {
		return nil
	}
	var c *chapter
	if near != nil && near.chapter.number == number {
		c = near.chapter
	} else {
		c, hint = r.chapter(number), 0
	}
	i := c.find(dir, name, hint)
	if i < 0 || !c.runs[i].holds(dir, name) {
		return nil
	}
	return &c.runs[i]
}

// findChapter returns the last chapter that does not begin after the file name
// of dir, or -1; see search.
func (r *Reader) findChapter(dir, name string, hint int) int {
	return search(len(r.chapters), hint, func(i int) bool {
		return comparePaths(r.chapters[i].dir, r.chapters[i].first, dir, name) <= 0
	})
}

// cached returns a chapter if it is held ready, or nil.
func (r *Reader) cached(number int) *chapter {
	if c := r.slots[number%cachedChapters].chapter.Load(); c != nil && c.number == number {
		return c
	}
	return nil
}

// chapter returns a chapter. One that cannot be read is without runs.
func (r *Reader) chapter(number int) *chapter {
	r.hint.Store(int32(number))
	if c := r.cached(number); c != nil {
		return c
	}
	slot := &r.slots[number%cachedChapters]
	slot.loading.Lock()
	defer slot.loading.Unlock()
	if c := r.cached(number); c != nil {
		return c
	}
	c := &chapter{reader: r, number: number}
	if err := c.load(); err != nil {
		r.fail(err)
	}
	slot.chapter.Store(c)
	return c
}
