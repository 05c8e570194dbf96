package sitewalk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"sitewalk/internal/indexnow"
	"sitewalk/internal/previous"
	"sitewalk/internal/submitted"
	"sitewalk/mapper"
	"sitewalk/output"
)

// submission is one Submit.
type submission struct {
	config  *Config
	options *SubmitOptions
	report  SubmitReport

	record  *submitted.Record
	unused  *submitted.UnusableError // why the record that was there is none of this site's
	changes *submitted.Changes       // nil without a key
	scope   indexnow.Scope
	digest  uint64   // of the published set
	roots   []string // URLs of its indexes, or of its only sitemap
	// saved is how many of the changes are in the record as accepted, and doubtful how
	// many of the next stand there as perhaps accepted.
	saved, doubtful int
}

func (s *submission) run(ctx context.Context) error {
	if err := s.config.CheckSubmit(); err != nil {
		return err
	}
	unlock, err := s.openRecord(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.prepare(); err != nil {
		return err
	}
	if err := s.compare(ctx); err != nil {
		return err
	}
	if err := s.setAside(); err != nil {
		return fmt.Errorf("what was submitted: %w", err)
	}
	s.record.Forget()
	pings := s.owed()
	switch {
	case s.options.DryRun:
		s.plan(pings)
		return nil
	case s.options.Baseline:
		s.record.Pings = map[uint64]uint64{}
		for _, ping := range s.config.Submit.Ping {
			s.record.Pings[submitted.Hash(ping)] = s.digest
		}
		if err := s.accept(s.pending(), 0); err != nil {
			return err
		}
		s.report.Event = "baseline"
		return nil
	case s.pending() == 0 && len(pings) == 0:
		s.report.Event = "unchanged"
		return nil
	}
	return s.send(ctx, pings)
}

// recordEnding is what the record's name has more than the state's.
const recordEnding = ".submitted"

// openRecord locks and opens the record of what was submitted. A dry run reads it as it
// is.
func (s *submission) openRecord(ctx context.Context) (unlock func(), err error) {
	path := s.config.State + recordEnding
	unlock = func() {}
	if !s.options.DryRun {
		if unlock, err = lockRecord(ctx, path, s.config.LockWait); err != nil {
			return nil, err
		}
	}
	base, err := s.config.canonicalBase()
	if err == nil {
		s.record, err = submitted.Open(ctx, path, base)
	}
	if errors.As(err, &s.unused) {
		err = nil
	}
	if err != nil {
		unlock()
		return nil, fmt.Errorf("what was submitted: %w", err)
	}
	s.report.First = s.record.Len() == 0
	return unlock, nil
}

// setAside puts a record that is of no use out of the way of the next. That is done late:
// if the set is of another site than the configuration, the record is probably right, and
// the configuration is not.
func (s *submission) setAside() (err error) {
	if s.unused == nil {
		return nil
	}
	path, kept := s.config.State+recordEnding, ""
	if !s.options.DryRun {
		err = submitted.SetAside(path)
		kept = "; it is now " + path + ".unusable"
	}
	s.warn(warnSubmittedUnused, "what was submitted is not known any more, and all URLs count as added: the record "+s.unused.Reason+kept, path)
	return err
}

// lockRecord keeps other submissions of the site away. The docroot's lock would not do:
// it would keep the set from being published for as long as engines take to answer.
func lockRecord(ctx context.Context, path string, wait time.Duration) (unlock func(), err error) {
	fail := func(err error) (func(), error) {
		return nil, fmt.Errorf("what was submitted cannot be remembered, name a file that can be written with --state: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fail(err)
	}
	folder, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return fail(err)
	}
	defer folder.Close()
	file, err := folder.OpenFile(filepath.Base(path)+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fail(err)
	}
	if err := output.LockFile(ctx, file, wait); err != nil {
		file.Close()
		if errors.Is(err, ErrLocked) {
			err = fmt.Errorf("another submission of the site is under way: %w", err)
		}
		return nil, err
	}
	return func() { file.Close() }, nil
}

// prepare finds out which URLs may be submitted.
func (s *submission) prepare() error {
	settings := &s.config.Submit.IndexNow
	if settings.Key == "" {
		s.report.First = false
		return nil
	}
	location, err := s.config.keyLocation()
	if err != nil {
		return err
	}
	s.scope, s.changes = indexnow.NewScope(location), submitted.NewChanges()
	s.report.Endpoint, s.report.KeyLocation = settings.Endpoint, location.String()
	return nil
}

// compare compares the published set with what was submitted. Nobody publishes
// meanwhile, so that the set is one.
func (s *submission) compare(ctx context.Context) error {
	reading := *s.config
	reading.DryRun = true // nothing is made, and the lock is taken here
	b := &builder{config: &reading}
	defer b.close()
	if err := b.openPlaces(ctx); err != nil {
		return err
	}
	if b.folder.Root() == nil {
		return errNothingPublished(fs.ErrNotExist)
	}
	if !s.options.DryRun {
		unlock, err := b.folder.Lock(ctx, s.config.LockWait)
		if err != nil {
			return err
		}
		defer unlock()
	}
	path := cmp.Or(reading.Out, filepath.Join(reading.Scanner.Docroot, filepath.FromSlash(reading.Output.Files.Dir)))
	var undated int64
	var outside string
	names, err := previous.Visit(ctx, b.folder.Root(), path, previous.Options{Root: reading.Output.Files.Root}, func(loc, lastmod []byte) {
		s.report.URLs++
		s.digest += submitted.Digest(loc, lastmod)
		if len(lastmod) == 0 {
			undated++
		}
		switch {
		case s.changes == nil:
		case !submitted.IsStorable(loc) || !s.scope.Contains(loc):
			if s.report.Outside++; outside == "" {
				outside = string(loc[:min(len(loc), 200)])
			}
		default:
			s.add(submitted.Change(s.record.Compare(loc, lastmod)), loc, lastmod)
		}
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errNothingPublished(err)
	case err != nil:
		return fmt.Errorf("read the published sitemap: %w", err)
	case s.report.URLs == 0:
		// Whatever has become of it, it does not mean that all pages are gone.
		return fmt.Errorf("the sitemap in %s lists no page: nothing is submitted; build it anew", path)
	case s.report.Outside == s.report.URLs:
		return &ConfigError{fmt.Errorf("none of the sitemap's %d URLs, such as %s, may be submitted with the key file %s: look at base_url and key_location",
			s.report.URLs, outside, s.report.KeyLocation)}
	}
	s.warnOfURLs(undated, outside)
	if err := s.nameRoots(names, b.folder.Dir); err != nil || s.changes == nil {
		return err
	}
	return s.record.Gone(ctx, func(loc, lastmod []byte) {
		if s.scope.Contains(loc) {
			s.add(submitted.Deleted, loc, lastmod)
		}
	})
}

func errNothingPublished(err error) error {
	return fmt.Errorf("there is no sitemap to submit, run sitewalk build first: %w", err)
}

// add adds a change, unless there is none.
func (s *submission) add(change submitted.Change, loc, lastmod []byte) {
	if change != submitted.None && s.changes.Add(change, loc, lastmod) && s.options.Found != nil {
		s.options.Found(Change(change), string(loc))
	}
}

// nameRoots finds the URLs of the indexes of the set, which is in a folder.
func (s *submission) nameRoots(names []string, dir string) error {
	m, err := mapper.New(s.config.Mapper, mapper.Options{OutputDir: dir})
	if err != nil {
		return s.config.blame(err)
	}
	s.report.Root = names[0]
	for _, name := range names {
		s.roots = append(s.roots, m.FileURL(dir, name))
	}
	return nil
}

// pending returns how many URLs are to be submitted.
func (s *submission) pending() int {
	if s.changes == nil {
		return 0
	}
	return s.changes.Len()
}

// owed returns the pings that were not told of the set as it is.
func (s *submission) owed() []string {
	var owed []string
	for _, ping := range s.config.Submit.Ping {
		if set, told := s.record.Pings[submitted.Hash(ping)]; !told || set != s.digest {
			owed = append(owed, ping)
		}
	}
	return owed
}

// plan reports what a submission would do.
func (s *submission) plan(pings []string) {
	r := &s.report
	r.Event = "dry-run"
	s.count(s.pending())
	r.Requests = (s.pending() + indexnow.MaxURLs - 1) / indexnow.MaxURLs
	for _, ping := range pings {
		for _, root := range s.roots {
			r.Pings = append(r.Pings, PingReport{URL: pingURL(ping, root)})
			r.Requests++
		}
	}
}

// count reports that the first n changes were accepted.
func (s *submission) count(n int) {
	r := &s.report
	r.Added, r.Changed, r.Deleted, r.Left = 0, 0, 0, s.pending()-n
	if n == 0 {
		return
	}
	reader := s.changes.Read()
	for range n {
		switch change, _, _ := reader.Next(); change {
		case submitted.Added:
			r.Added++
		case submitted.Changed:
			r.Changed++
		case submitted.Deleted:
			r.Deleted++
		}
	}
}

// accept remembers that the first n changes were accepted, and that some of the next may
// have been.
func (s *submission) accept(n, doubtful int) error {
	s.count(n)
	changes := s.changes
	if changes == nil {
		changes = submitted.NewChanges()
	}
	s.saved, s.doubtful = n, doubtful
	if err := s.record.Save(changes, n, doubtful); err != nil {
		return fmt.Errorf("what was submitted cannot be remembered: %w", err)
	}
	return nil
}
