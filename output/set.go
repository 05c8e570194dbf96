// Package output publishes pages as a set of sitemap files: it writes their XML,
// cuts it into shards, compresses and names them, and puts them in place so that
// no reader ever sees a broken set.
//
// Start at [NewSet]. Pages are rendered by a [Renderer], any number of them side
// by side, added to the [Set] in one order, and published by [Set.Publish]. When
// some pages changed, [Set.Update] takes the place of adding them all again.
// Package output knows nothing of files and rules: that is what packages scanner
// and mapper are for. It never opens for writing a file of the set that is there
// already, and never follows a link. [Folder.Edit] is for a file that is not of the
// set, such as robots.txt.
package output

import (
	"context"
	"errors"
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
	maxLength int64       // of a shard, uncompressed
	maxIndex  int64       // of an index, uncompressed
	maxPages  int64       // of a shard without head and closing tag

	compressor *compressor
	sections   []*section
	text       *textList

	before    *Published                 // the set that an update follows
	replaced  map[string]*publishedShard // its shards that are not kept, by name
	keepText  bool                       // its lists of URLs are kept
	begun     bool                       // files are being put in place
	durable   bool                       // the folder's names as they were found are on the disk for good
	published *Published

	staging sync.WaitGroup
	room    chan struct{} // bounds the shards that are staged at a time

	mu     sync.Mutex
	err    error     // of a file being staged
	staged []*result // of all files but those that an update keeps
}

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
	// Unreadable are files that could not be read, and were written anew: this user may
	// not, or their disk is damaged.
	Unreadable []string
	// Shared are shards that another index of sitewalk's in the folder names too: of
	// another set, which overwrites them in turn, or of this one under another root. An
	// update does not look for them.
	Shared []string
	// Stale are lists of URLs that an earlier run wrote and that nothing names
	// any more; as they bear no mark they are not removed.
	Stale []string
}

// NewSet returns an empty set for a folder. Close must be called at the end.
func NewSet(folder *Folder, config Config, opts Options) (*Set, error) {
	s, err := newSet(folder, config, opts)
	if err == nil && !opts.Dry {
		if err = folder.DiscardTemps(); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, err
}

// NewUpdate returns a set for [Set.Update]. It is as NewSet's, but leaves the
// temporary files of runs that were killed where they are: it does not list the
// folder.
func NewUpdate(folder *Folder, config Config, opts Options) (*Set, error) {
	return newSet(folder, config, opts)
}

func newSet(folder *Folder, config Config, opts Options) (*Set, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	files := config.Files
	s := &Set{
		folder: folder, files: &files, format: config.LastModFormat, opts: opts,
		heads: files.shardHeads(opts.Namespaces), maxLength: files.maxBytes(), maxIndex: files.protocolBytes(),
		compressor: newCompressor(opts.Jobs), room: make(chan struct{}, 4+opts.Jobs),
	}
	// Where a shard ends must not depend on what its last page needs: room is
	// left for the longest head.
	s.maxPages = s.maxLength - int64(len(s.heads[opts.Namespaces].text)+len(urlsetEnd))
	for i, name := range opts.Sections {
		s.sections = append(s.sections, s.newSection(i, name))
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
	Section int // index of its section
	// Dir and Name are the file's folder and name, see [Position]. Extra says that
	// the page is not on disk: Name is its URL then, and it is added behind all
	// others, in the order of URLs. Only a set that is followed by an update needs
	// these.
	Dir, Name  string
	Extra      bool
	XML        []byte // what [Renderer.Append] made of it
	Hash       uint64 // its [Page.Hash]
	LastMod    int64  // in seconds since 1970, or 0
	Loc        []byte // its URL, if [Set.Text] asks for it
	Namespaces Namespaces
	Mark       int // if not 0, [Result.Marked] says which shard has the page
}

// Add adds a page. Nothing of it is kept.
func (s *Set) Add(page *Rendered) error {
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
		s.discard(s.staged[i])
	}
}

// Publish ends the set and puts its files in place: shards first, then the
// index, then it clears away what nothing names any more. If it fails, what was
// published before is as it was; once it has begun to rename it goes through to
// the end. It fails with ErrNoPages if none was added.
//
// A set whose end fails may be in place all the same, in part or whole: then the
// result has what was written and removed, for [Result.Include], and nothing else.
func (s *Set) Publish(ctx context.Context) (Result, error) {
	if err := s.stageAll(ctx); err != nil {
		return Result{}, err
	}
	before, err := s.readIndexes()
	if err != nil {
		return Result{}, err
	}
	if err := s.stageIndexes(&before); err != nil {
		return Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	outcome := s.outcome()
	s.begun = !s.opts.Dry
	waiting, err := s.commit(&before, &outcome)
	if err != nil {
		return Result{Written: s.placed(), Removed: outcome.Removed}, err
	}
	if !s.opts.Dry {
		s.published = s.newPublished(waiting)
	}
	return outcome, nil
}

// Begun reports whether Publish has begun to put files in place: before, whatever it
// fails with, what is on disk is as it was.
func (s *Set) Begun() bool { return s.begun }

// outcome says what is published, but for what is removed.
func (s *Set) outcome() Result {
	outcome := Result{Root: s.files.rootFile(), Pages: s.pages(), Marked: map[int]string{}}
	outcome.Indexes = []string{outcome.Root}
	for _, section := range s.sections {
		for i := range section.members {
			m := &section.members[i]
			outcome.Shards++
			if m.kept != nil || m.staged.state == same {
				outcome.Unchanged++
			}
			for _, mark := range m.run().marks {
				outcome.Marked[mark] = m.name()
			}
		}
	}
	for _, r := range s.staged {
		if r.foreign && !isTextName(r.name) {
			outcome.Foreign = append(outcome.Foreign, r.name)
		}
		if r.unread {
			outcome.Unreadable = append(outcome.Unreadable, r.name)
		}
		if isIndexName(r.name) {
			outcome.Indexes = append(outcome.Indexes, r.name)
		}
		if r.state != same {
			outcome.Written = append(outcome.Written, r.name)
		}
	}
	slices.Sort(outcome.Written)
	return outcome
}

// placed returns the names of the files that were put in place, sorted.
func (s *Set) placed() (names []string) {
	for _, r := range s.staged {
		if r.state != same && r.temp == "" {
			names = append(names, r.name)
		}
	}
	slices.Sort(names)
	return names
}

// pages returns the number of pages in the set.
func (s *Set) pages() (pages int64) {
	for _, section := range s.sections {
		pages += section.pages
	}
	return pages
}

// members returns the shards of the set in the order of the index: by section,
// and by place.
func (s *Set) members() []*member {
	count := 0
	for _, section := range s.sections {
		count += len(section.members)
	}
	members := make([]*member, 0, count)
	for _, section := range s.sectionsByName() {
		for i := range section.members {
			members = append(members, &section.members[i])
		}
	}
	return members
}

// sectionsByName returns the sections in the order of the index.
func (s *Set) sectionsByName() []*section {
	return slices.SortedFunc(slices.Values(s.sections), func(a, b *section) int { return strings.Compare(a.name, b.name) })
}
