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
	ledger  *ledger // the one of the watch, once something has been published
	watcher *scanner.Watcher
	mapper  *mapper.Worker // for the session's own goroutine
	// outputs is what is published, for the watcher.
	outputs atomic.Pointer[output.Published]
	harmed  []string // published files that may not be as they were written
	mounts  string
	mode    string // how the docroot is watched, as it was told last
	short   string // the limit that is too low, likewise
	repairs repairs
	start   time.Time
	clock   clock
	commits stamps // of what changes when git's dates do

	schedule schedule
	putOff   bool // the first publication waits for the docroot to be quiet
	untold   []Event
}

func newSession(w *watch, p place) *session {
	s := &session{watch: w, place: p, mounts: scanner.MountsBelow(p.real)}
	if folder := s.outputFolder(); folder != s.folder {
		s.folder, s.published = folder, nil
	}
	s.outputs.Store(s.published)
	s.watcher = scanner.NewWatcher(p.real, scanner.WatcherOptions{
		Poll: scanner.PollMode(w.config.Watch.Poll), Place: p.given,
		Output: s.folder, IsTemp: output.IsTemp, IsOutput: s.isOutput, Matters: w.matters,
	})
	if s.ledger = w.ledger; s.ledger == nil {
		s.ledger = newLedger()
	}
	s.ledger.watcher = s.watcher
	config := *w.config
	check := config.CheckDocroot
	config.CheckDocroot = func(opened fs.FileInfo) error {
		if scanner.FolderIDOf(opened) != p.id {
			return errAnew
		}
		if check != nil {
			return check(opened)
		}
		return nil
	}
	s.builder = &builder{config: &config, ledger: s.ledger, isPublished: s.isOutput}
	return s
}

// outputFolder returns the output folder's path, without links.
func (s *session) outputFolder() string {
	if out := s.config.Out; out != "" {
		if folder, err := realPath(out); err == nil {
			return folder
		}
	}
	return filepath.Join(s.place.real, filepath.FromSlash(s.config.Output.Files.Dir))
}

// say has an event told once the folders and their locks have been given up: whoever
// is told may take time, or begin a run of its own.
func (s *session) say(e Event) { s.untold = append(s.untold, e) }

// tellAll tells what has been said.
func (s *session) tellAll() {
	for _, e := range s.untold {
		s.tell(e)
	}
	s.untold = nil
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

// begin walks the docroot, and publishes what it finds, unless the docroot may have
// only begun to be filled.
func (s *session) begin(ctx context.Context) error {
	b := s.builder
	defer b.close()
	s.start = time.Now()
	if s.inputs.renew() {
		s.setPublished(nil) // the ledger does not know what differs
	}
	if s.config.datesByGit() {
		s.commits = stampsOf(gitlog.Journals(ctx, s.place.real)) // before dates are asked for
	}
	publish := s.publishFirst
	if s.resumes {
		publish = s.rebegin
	}
	if err := publish(ctx); err != nil {
		return err
	}
	// What is counted of all pages, or told of all files, is of no use for some.
	b.dates, b.styles, b.links = dateSpread{}, styleCount{}, linkBook{}
	b.config.Found = nil
	s.begun, s.watch.ledger = true, s.ledger
	if b.inferred != nil {
		s.spelled = &b.inferred.URLs
	}
	s.mapper = b.mapper.NewWorker()
	s.schedule.begin(time.Now(), &s.config.Watch)
	return s.inferAgain(ctx, true, nil)
}

// publishFirst publishes what there is.
func (s *session) publishFirst(ctx context.Context) error {
	b := s.builder
	result, err := b.run(ctx)
	if err != nil && !errors.Is(err, ErrNoPages) {
		return err
	}
	s.warn()
	report := b.report(result, err)
	report.Seconds = time.Since(s.start).Seconds()
	s.pages = report.Pages
	s.noticeFolder()
	s.watcher.WatchOutput()
	if err != nil {
		s.said = err.Error()
		s.say(Event{Kind: EventError, Report: &report, Err: err})
	} else {
		s.setPublished(b.set.Published())
		s.say(Event{Kind: EventKind(report.Event), Report: &report})
	}
	s.sayReady()
	return nil
}

// sayReady says how the docroot is watched, if that is not as it was told last.
func (s *session) sayReady() {
	folders, mode := s.watcher.Status()
	if mode != s.mode {
		s.mode = mode
		s.say(Event{Kind: EventReady, Directories: folders, Mode: mode})
	}
}

// rebegin walks the docroot and publishes nothing: that is left to the loop, for when
// the docroot is quiet. What was in the docroot before is compared with, so that it
// can be told what differs.
func (s *session) rebegin(ctx context.Context) error {
	b := s.builder
	if err := b.openPlaces(ctx); err != nil {
		return err
	}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	s.restyle()
	if err := b.walk(ctx); err != nil {
		return err
	}
	b.saveMemory()
	// What a set would have found out on the way.
	s.ledger.rejudgeAll(b.newBatchWorker(nil))
	s.ledger.takeExtras()
	if s.noticeFolder() {
		s.setPublished(nil) // which was in another
	}
	s.watcher.WatchOutput()
	s.watcher.Return(scanner.Changes{Outputs: []string{""}}) // nothing was told of it meanwhile
	s.schedule.calm(time.Now(), s.quiet(), s.config.Watch.MaxDelay)
	s.putOff = true
	return nil
}

// warn adds the warnings that only a watch has, as far as they were not told before.
func (s *session) warn() {
	warnings := &s.builder.warnings
	if isLocal(s.config.Mapper.BaseURL) && !s.warned {
		s.warned = true
		warnings.add(warnLocal, "", "")
	}
	limit, enough := s.watcher.Short()
	polled := s.watcher.Polled()
	switch {
	case limit != "" && limit != s.short:
		warnings.add(warnShort, fmt.Sprintf("sysctl -w %s=%d", limit, enough), "")
	case limit == "" && len(polled) > 0 && s.config.Watch.Poll == string(scanner.PollAuto) && s.mode == "":
		warnings.addMany(warnUnwatched, int64(len(polled)), polled[:min(len(polled), maxExamples)]...)
	}
	s.short = limit
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

// look finds out what nothing tells of. It fails with errAnew when there is another
// docroot.
func (s *session) look() error {
	if !s.place.isStill() {
		return errAnew
	}
	if now := time.Now(); s.clock.hasJumped(now, now.Sub(s.start)) {
		s.schedule.rescan = time.Now() // what was yet to come may be past, or the other way round
	}
	if mounts := scanner.MountsBelow(s.place.real); mounts != s.mounts {
		s.mounts = mounts
		s.watcher.Distrust()
	}
	if s.outputFolder() != s.folder {
		return errAnew
	}
	if id, err := scanner.FolderIDAt(s.folder); s.published != nil && (err != nil || id != s.folderID) {
		s.setPublished(nil) // whatever is there now is not what was written
		s.schedule.retry = time.Now()
	}
	if s.commits.renew() {
		s.watcher.Distrust()
	}
	if s.inputs.renew() {
		s.setPublished(nil) // the ledger does not know what differs
		return errAnew
	}
	return nil
}

// clock notices when the time of day is set, or the machine has been asleep.
type clock struct {
	wall   time.Time
	passed time.Duration
}

// maxDrift is the difference between the time of day and the time that has passed up
// to which it is a matter of course.
const maxDrift = 5 * time.Second

// hasJumped reports whether the time of day has moved on by something else than the
// time that has passed, by a clock that nobody sets.
func (c *clock) hasJumped(wall time.Time, passed time.Duration) bool {
	before := *c
	*c = clock{wall.Round(0), passed}
	return !before.wall.IsZero() && (c.wall.Sub(before.wall)-(passed-before.passed)).Abs() > maxDrift
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
