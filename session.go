package sitewalk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"sitewalk/internal/gitlog"
	"sitewalk/internal/state"
	"sitewalk/mapper"
	"sitewalk/output"
	"sitewalk/scanner"
)

// session watches one folder. A single goroutine does all the work; the watcher
// gathers hints meanwhile.
type session struct {
	*watch
	place   place
	builder *builder
	ledger  *ledger
	watcher *scanner.Watcher
	mapper  *mapper.Worker // for the session's own goroutine
	// published is what is on disk; nil if that is not known. outputs is the same for
	// the watcher.
	published *output.Published
	outputs   atomic.Pointer[output.Published]
	harmed    []string // published files that may not be as they were written
	folder    string   // the output folder's path
	folderID  scanner.FolderID
	mounts    string
	inputs    stamps // of extra_urls
	commits   stamps // of what changes when git's dates do

	schedule schedule
}

func newSession(w *watch, p place) *session {
	s := &session{watch: w, place: p, mounts: scanner.MountsBelow(p.real)}
	s.folder = filepath.Join(p.real, filepath.FromSlash(w.config.Output.Files.Dir))
	if w.config.Out != "" {
		if folder, err := realPath(w.config.Out); err == nil {
			s.folder = folder
		}
	}
	s.watcher = scanner.NewWatcher(p.real, scanner.WatcherOptions{
		Poll: scanner.PollMode(w.config.Watch.Poll), Place: p.given,
		Output: s.folder, IsTemp: output.IsTemp, IsOutput: s.isOutput,
	})
	s.ledger = newLedger(s.watcher)
	config := *w.config
	check := config.CheckDocroot
	config.CheckDocroot = func(opened fs.FileInfo) error {
		if scanner.FolderIDOf(opened) != p.id {
			return errMoved
		}
		if check != nil {
			return check(opened)
		}
		return nil
	}
	s.builder = &builder{config: &config, ledger: s.ledger, isPublished: s.isOutput}
	return s
}

// isOutput reports whether a file of the output folder is of the set on disk. Any
// goroutine may ask.
func (s *session) isOutput(name string) bool {
	published := s.outputs.Load()
	return published != nil && published.Has(name)
}

func (s *session) close() {
	s.builder.close()
	s.watcher.Close()
}

// begin walks the docroot. The first time it publishes what it finds; after another
// folder has taken the docroot's place, which mostly has only begun to be filled,
// that is left to the loop.
func (s *session) begin(ctx context.Context) error {
	b := s.builder
	defer b.close()
	start := time.Now()
	s.inputs = stampsOf(s.config.Mapper.ExtraURLs)
	if s.begun {
		if err := s.rebegin(ctx); err != nil {
			return err
		}
	} else {
		result, err := b.run(ctx)
		if err != nil && !errors.Is(err, ErrNoPages) {
			return err
		}
		s.warn()
		report := b.report(result, err)
		report.Seconds = time.Since(start).Seconds()
		s.begun, s.pages = true, report.Pages
		s.noticeFolder()
		s.watcher.WatchOutput()
		if err != nil {
			s.said = err.Error()
			s.tell(Event{Kind: EventError, Report: &report, Err: err})
		} else {
			s.setPublished(b.set.Published())
			s.tell(Event{Kind: EventKind(report.Event), Report: &report})
		}
	}
	// What is counted of all pages, or told of all files, is of no use for some.
	b.dates, b.styles, b.links = dateSpread{}, styleCount{}, linkBook{}
	b.config.LeftOut, b.config.Found = nil, nil
	folders, mode := s.watcher.Status()
	s.tell(Event{Kind: EventReady, Directories: folders, Mode: mode})
	s.mapper = b.mapper.NewWorker()
	if b.mapper.Uses(mapper.SourceGit) {
		s.commits = stampsOf(gitlog.Journals(ctx, s.place.real))
	}
	s.schedule.begin(time.Now(), &s.config.Watch)
	return nil
}

// rebegin walks the docroot without publishing anything.
func (s *session) rebegin(ctx context.Context) error {
	b := s.builder
	if err := b.openPlaces(ctx); err != nil {
		return err
	}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	if err := b.walk(ctx); err != nil {
		return err
	}
	b.saveMemory()
	// What a set would have found out on the way.
	s.ledger.takeExtras()
	s.ledger.rejudgeAll(b.newBatchWorker(nil))
	s.noticeFolder()
	s.schedule.calm(time.Now(), s.quiet(), s.config.Watch.MaxDelay)
	return nil
}

// warn adds the warnings that only a watch has.
func (s *session) warn() {
	warnings := &s.builder.warnings
	if isLocal(s.config.Mapper.BaseURL) {
		warnings.add(warnLocal, "", "")
	}
	limit, enough := s.watcher.Short()
	polled := s.watcher.Polled()
	switch {
	case limit != "":
		warnings.add(warnShort, fmt.Sprintf("sysctl -w %s=%d", limit, enough), "")
	case len(polled) > 0 && s.config.Watch.Poll == string(scanner.PollAuto):
		warnings.addMany(warnUnwatched, int64(len(polled)), polled[:min(len(polled), maxExamples)]...)
	}
}

func (s *session) setPublished(p *output.Published) {
	s.published = p
	s.outputs.Store(p)
}

// noticeFolder remembers the output folder, to see when another takes its place, and
// reports whether that is so.
func (s *session) noticeFolder() (other bool) {
	before := s.folderID
	s.folderID, _ = scanner.FolderIDAt(s.folder)
	return s.folderID != before
}

// look finds out what nothing tells of. It fails with errMoved when there is another
// docroot.
func (s *session) look() error {
	if !s.place.isStill() {
		return errMoved
	}
	if mounts := scanner.MountsBelow(s.place.real); mounts != s.mounts {
		s.mounts = mounts
		s.watcher.Distrust()
	}
	if id, err := scanner.FolderIDAt(s.folder); s.published != nil && (err != nil || id != s.folderID) {
		s.setPublished(nil) // whatever is there now is not what was written
		s.schedule.retry = time.Now()
	}
	if s.commits.renew() {
		s.watcher.Distrust()
	}
	if s.inputs.renew() {
		return errMoved
	}
	return nil
}

// stamps tell without opening files whether one of them has changed.
type stamps struct {
	paths []string
	seen  []stamp
}

type stamp struct {
	modified time.Time
	size     int64 // -1 if there is no file
}

func stampsOf(paths []string) stamps {
	s := stamps{paths: paths}
	s.renew()
	return s
}

// renew looks at the files, and reports whether one has changed since it last did.
func (s *stamps) renew() bool {
	var now []stamp
	for _, path := range s.paths {
		found := stamp{size: -1}
		if info, err := os.Stat(path); err == nil {
			found = stamp{info.ModTime(), info.Size()}
		}
		now = append(now, found)
	}
	same := slices.Equal(now, s.seen)
	s.seen = now
	return !same
}

// save writes the state, if it does not know all. It is not worth waiting for, nor,
// mostly, a word: what is lost is found again.
func (s *session) save() {
	c := s.builder.config
	s.schedule.saved(time.Now())
	if s.ledger.edits == s.ledger.saved || c.State == "" || !c.Scanner.Pages.Read {
		return
	}
	// Another run that works on the docroot keeps the state itself.
	again := *c
	again.LockWait = 0
	s.builder.config = &again
	err := s.builder.openPlaces(context.Background())
	s.builder.config = c
	defer s.builder.closePlaces()
	if errors.Is(err, ErrLocked) {
		return
	}
	settings := c.readingSettings()
	reader, err := state.Open(c.State, settings)
	var unusable *state.UnusableError
	if errors.As(err, &unusable) {
		err = state.SetAside(c.State)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return
	}
	defer reader.Close()
	writer := state.NewWriter(c.State, reader, settings, c.Now())
	defer writer.Discard()
	if s.ledger.write(writer) == nil {
		if _, err := writer.Commit(); err == nil {
			s.ledger.saved = s.ledger.edits
		}
	}
}
