// Package output publishes pages as a set of sitemap files: it writes their XML,
// cuts it into shards, compresses and names them, and puts them in place so that
// no reader ever sees a broken set.
//
// Start at [NewSet]. Pages are rendered by a [Renderer], any number of them side
// by side, added to the [Set] in one order, and published by [Set.Publish].
// Package output knows nothing of files and rules: that is what packages scanner
// and mapper are for. It never opens for writing a file of the set that is there
// already, and never follows a link. [Folder.Edit] is for a file that is not of the
// set, such as robots.txt.
package output

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"
)

// ErrNoPages says that there is nothing to publish: the schema forbids an empty
// sitemap, and an empty site is nearly always a broken build.
var ErrNoPages = errors.New("no page to list")

// Options are what a program sets beside the configuration.
type Options struct {
	// URL is the URL of the folder, with its slash.
	URL string
	// Sections are the names of the sections that pages are in.
	Sections []string
	// Namespaces are those that pages may need.
	Namespaces Namespaces
	// Jobs is the number of shards compressed at a time, at least 1.
	Jobs int
	// IndexTime is the lastmod, in the index, of shards that changed.
	IndexTime time.Time
	// Now tells the time, by which the grace of a shard that left is over; nil
	// means time.Now.
	Now func() time.Time
	// Dry says to find out what would be written, and write nothing.
	Dry bool
}

// A Set is a set of sitemap files in the making. Its pages are added by one
// goroutine.
type Set struct {
	folder *Folder
	files  *Files
	format LastModFormat
	opts   Options

	heads     []shardHead // by the namespaces that a shard declares; empty where no page needs those
	endStream []byte      // the closing tag, deflated, with the stream's end
	maxLength int64       // of a shard, uncompressed
	maxIndex  int64       // of an index, uncompressed
	maxPages  int64       // of a shard without head and closing tag

	compressor *compressor
	sections   []*section
	text       *textList
	pages      int64

	staging sync.WaitGroup
	room    chan struct{} // bounds the shards that are staged at a time

	mu     sync.Mutex
	err    error    // of a shard being staged
	staged []result // of all files but the index
}

// result is what becomes of a file of the set.
type result struct {
	name    string
	section string
	order   int // among the files of the section
	temp    string
	renew   bool // write it even if its bytes are the same
	state   fileState
	newest  int64
	modTime time.Time // of the file on disk, if same
	marks   []int     // of its pages
	foreign bool      // the file on disk is another tool's
}

type fileState uint8

const (
	fresh   fileState = iota // not on disk before
	changed                  // on disk with other bytes
	same
)

// A Result says what was published.
type Result struct {
	Root      string   // the name of the index, or of the only shard
	Indexes   []string // the root and the other indexes, in order
	Pages     int64    // listed
	Shards    int      // in the set
	Written   []string // files that were written, sorted
	Unchanged int      // shards that were left as they are
	Removed   []string // files that were removed, sorted
	// Marked are the names of the shards that have marked pages, by mark.
	Marked map[int]string
	// Foreign are files of another tool that were in the way and were replaced.
	Foreign []string
	// Stale are lists of URLs that an earlier run wrote and that nothing names
	// any more; as they bear no mark they are not removed.
	Stale []string
}

// NewSet returns an empty set for a folder. Close must be called at the end.
func NewSet(folder *Folder, config Config, opts Options) (*Set, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	files := config.Files
	s := &Set{
		folder: folder, files: &files, format: config.LastModFormat, opts: opts,
		heads: files.shardHeads(opts.Namespaces), endStream: deflate(urlsetEnd, true),
		maxLength: files.maxBytes(), maxIndex: files.protocolBytes(),
		room: make(chan struct{}, 4+opts.Jobs),
	}
	// Where a shard ends must not depend on what its last page needs: room is
	// left for the longest head.
	s.maxPages = s.maxLength - int64(len(s.heads[opts.Namespaces].text)+len(urlsetEnd))
	if !opts.Dry {
		if err := folder.discardTemps(); err != nil {
			return nil, err
		}
	}
	s.compressor = newCompressor(opts.Jobs)
	for _, name := range opts.Sections {
		s.sections = append(s.sections, s.newSection(name))
	}
	if files.Text {
		s.text = &textList{set: s}
	}
	return s, nil
}

// Text reports whether the set has a plain list of URLs too, for which Add
// needs each page's URL.
func (s *Set) Text() bool { return s.text != nil }

// Rendered is a page as the set takes it.
type Rendered struct {
	Section    int    // index of its section
	XML        []byte // what [Renderer.Append] made of it
	Hash       uint64 // its [Page.Hash]
	LastMod    int64  // in seconds since 1970, or 0
	Loc        []byte // its URL, if [Set.Text] asks for it
	Namespaces Namespaces
	Mark       int // if not 0, [Result.Marked] says which shard has the page
}

// Add adds a page. Nothing of it is kept.
func (s *Set) Add(page *Rendered) error {
	s.pages++
	if s.text != nil {
		if err := s.text.add(page.Loc); err != nil {
			return err
		}
	}
	return s.sections[page.Section].add(page)
}

// Close discards whatever has not been published.
func (s *Set) Close() {
	s.staging.Wait()
	s.compressor.close()
	for i := range s.staged {
		if s.staged[i].temp != "" {
			s.folder.discard(s.staged[i].temp)
		}
	}
}

// Publish ends the set and puts its files in place: shards first, then the
// index, then it clears away what nothing names any more. If it fails, what was
// published before is as it was; once it has begun to rename it goes through to
// the end. It fails with ErrNoPages if none was added.
func (s *Set) Publish(ctx context.Context) (Result, error) {
	if err := s.stageAll(ctx); err != nil {
		return Result{}, err
	}
	before := s.folder.readIndexes(s.files)
	if err := s.stageIndexes(before); err != nil {
		return Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	outcome := Result{Root: s.files.rootFile(), Pages: s.pages, Marked: map[int]string{}}
	outcome.Indexes = []string{outcome.Root}
	for _, r := range s.staged {
		for _, mark := range r.marks {
			outcome.Marked[mark] = r.name
		}
		if r.foreign && !isTextName(r.name) {
			outcome.Foreign = append(outcome.Foreign, r.name)
		}
		if isIndexName(r.name) {
			outcome.Indexes = append(outcome.Indexes, r.name)
		}
		if r.section != "" {
			outcome.Shards++
			if r.state == same {
				outcome.Unchanged++
			}
		}
		if r.state != same {
			outcome.Written = append(outcome.Written, r.name)
		}
	}
	slices.Sort(outcome.Written)
	if err := s.commit(before, &outcome); err != nil {
		return Result{}, err
	}
	return outcome, nil
}

// stageAll ends the sections and waits until all their files are staged.
func (s *Set) stageAll(ctx context.Context) error {
	if s.pages == 0 {
		return ErrNoPages
	}
	only := map[*section]*shard{}
	for _, section := range s.sections {
		shard, err := section.end()
		if err != nil {
			return err
		}
		if shard != nil && shard.urls > 0 {
			only[section] = shard
		}
	}
	for section, shard := range only {
		if s.pages == int64(shard.urls) { // which makes it the only shard of the set
			root := result{name: s.files.rootFile(), section: section.name, newest: shard.newest, marks: shard.marks}
			if err := s.stage(root, shard, s.files.Gzip == GzipAll); err != nil {
				return err
			}
		} else if err := s.stageShard(section, shard); err != nil {
			return err
		}
	}
	if s.text != nil {
		s.text.end()
	}
	s.staging.Wait()
	if s.err != nil {
		return s.err
	}
	slices.SortFunc(s.staged, func(a, b result) int {
		if c := strings.Compare(a.section, b.section); c != 0 {
			return c
		}
		return a.order - b.order
	})
	return ctx.Err()
}

// stageShard stages a shard under a name of its own.
func (s *Set) stageShard(of *section, ended *shard) error {
	of.order++
	compressed := s.files.Gzip != GzipNone
	return s.stage(result{
		name: shardFile(of.name, ended.id, compressed), section: of.name,
		order: of.order, newest: ended.newest, marks: ended.marks,
	}, ended, compressed)
}

// stage compares what a shard becomes with what is on disk, and writes it to a
// temporary file if they differ, while the caller goes on.
func (s *Set) stage(r result, ended *shard, compressed bool) error {
	if err := s.failed(); err != nil {
		return err
	}
	s.room <- struct{}{}
	s.staging.Go(func() {
		defer func() { <-s.room }()
		content, err := s.assemble(ended, compressed)
		s.finish(r, content, err)
	})
	return nil
}

// finish compares a file's content with what is on disk, and stages it.
func (s *Set) finish(r result, content []byte, err error) {
	if err == nil {
		err = s.compare(&r, content)
	}
	if r.renew && r.state == same {
		r.state = changed
	}
	if err == nil && r.state != same && !s.opts.Dry {
		if r.temp, err = s.folder.stage(content); err != nil {
			err = fmt.Errorf("write %s: %w", r.name, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && s.err == nil {
		s.err = err
	}
	s.staged = append(s.staged, r)
}

// assemble returns the file that a shard becomes.
func (s *Set) assemble(ended *shard, compressed bool) ([]byte, error) {
	head := &s.heads[ended.namespaces]
	if !compressed {
		content := make([]byte, 0, int64(len(head.text))+ended.length+int64(len(urlsetEnd))+bytes.MinRead)
		content = append(content, head.text...)
		for _, segment := range ended.segments {
			var err error
			if content, err = segment.appendPlain(content); err != nil {
				return nil, err
			}
		}
		return append(content, urlsetEnd...), nil
	}
	size := len(gzipHeader) + len(head.stream) + len(s.endStream) + 8
	for _, segment := range ended.segments {
		<-segment.ready
		size += len(segment.data)
	}
	content := append(make([]byte, 0, size), gzipHeader...)
	content = append(content, head.stream...)
	for _, segment := range ended.segments {
		content = append(content, segment.data...)
	}
	content = append(content, s.endStream...)
	checksum := crc32.Update(ended.checksums[ended.namespaces], crc32.IEEETable, []byte(urlsetEnd))
	return appendGzipTrailer(content, checksum, int64(len(head.text))+ended.length+int64(len(urlsetEnd))), nil
}

// compare fills in the state of a file that is to have the given content.
func (s *Set) compare(r *result, content []byte) error {
	old, info, err := s.folder.read(r.name, int64(len(content)))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrForeign):
		r.state = fresh
	case errors.Is(err, fs.ErrPermission):
		r.state = changed // it cannot be read, but a rename replaces it
	case err != nil:
		return fmt.Errorf("compare %s: %w", r.name, err)
	case string(old) == string(content):
		r.state, r.modTime = same, info.ModTime()
	default:
		r.state = changed
		r.foreign = !s.folder.isMarked(r.name)
	}
	return nil
}

// failed returns the error of a file being staged, if there was one.
func (s *Set) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}
