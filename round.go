package sitewalk

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	"sitewalk/output"
	"sitewalk/scanner"
)

// round looks at what may have changed, and publishes if something has.
func (s *session) round(ctx context.Context, t *task) error {
	b, l, start := s.builder, s.ledger, time.Now()
	b.warnings = warnings{}
	before, edits := l.differences(), l.edits
	defer b.closePlaces()
	err := b.openPlaces(ctx)
	if err == nil && s.outputFolder() != s.folder {
		err = errAnew
	}
	if err == nil {
		err = s.walk(ctx, t)
	}
	if err != nil {
		t.changes.All = t.all
		s.watcher.Return(t.changes)
		return err
	}
	now := time.Now()
	if l.edits != edits {
		s.schedule.noticed(now)
	}
	if t.all {
		s.schedule.walked(now, &s.config.Watch)
	}
	if t.polled {
		s.schedule.polled(now, &s.config.Watch, now.Sub(start))
	}
	damaged := s.damage(t, now)
	tidy := isDue(s.removal(), now)
	if tidy {
		s.schedule.tidied = now
	}
	if s.published != nil && !l.isPending() && len(damaged) == 0 && !tidy {
		// The docroot may be another than the one that the set was published for.
		if t.all || slices.Contains(t.paths, robotsFile) || slices.Contains(t.changes.Outputs, "") {
			s.keepRobots(start)
		}
		s.schedule.calmed()
		s.putOff = false
		return nil
	}
	if s.mayPublish(now, l.differences() != before) {
		err = s.publish(ctx, damaged, start)
	}
	if err == nil && s.schedule.calming.IsZero() {
		s.putOff = false // published, or there is no page
	}
	return err
}

// damage returns the published files that are to be mended.
func (s *session) damage(t *task, now time.Time) []string {
	if s.published == nil {
		return nil
	}
	s.harmed = append(s.harmed, t.changes.Outputs...)
	if t.all || t.polled || slices.Contains(t.changes.Outputs, "") { // nothing may have been told of these
		s.harmed = s.published.Names()
	}
	s.harmed = s.published.Changed(s.builder.folder, s.harmed) // until they are mended
	if s.repairs.waiting = len(s.harmed) > 0 && now.Before(s.repairs.next); s.repairs.waiting {
		return nil
	}
	return s.harmed
}

// keepRobots sees to it that robots.txt names the set, although nothing else is to
// be published.
func (s *session) keepRobots(start time.Time) {
	result := s.published.Result()
	s.builder.updateRobots(&result)
	if len(result.Written) > 0 {
		s.tellPublished(&result, start)
	}
}

// walk brings the ledger up to date.
func (s *session) walk(ctx context.Context, t *task) error {
	b, l := s.builder, s.ledger
	b.now = b.config.Now().Unix()
	if t.all || slices.Contains(t.paths, robotsFile) {
		said, err := b.readRobots()
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(said, b.robots) {
			b.robots = said
			if err := b.newMapper(); err != nil {
				return err
			}
			s.mapper = b.mapper.NewWorker()
			t.all = true
		}
	}
	if !t.all && len(t.paths) == 0 {
		return nil
	}
	if b.config.datesByGit() {
		if err := b.openGit(ctx); err != nil {
			return err
		}
	}
	var selection *scanner.Selection
	if !t.all {
		selection = scanner.Select(append(l.linkPaths(), t.paths...)...)
	}
	results := &sync.Pool{New: func() any { return new(batchResult) }}
	newWork := func() func(*scanner.Batch) *batchResult { return b.newBatchWorker(results).work }
	emit := func(r *batchResult) error {
		defer results.Put(r)
		for _, n := range r.noted {
			b.warnings.add(n.code, n.path, n.detail)
		}
		l.merge(r)
		if selection != nil { // else nearly all of it has been told
			b.tell(r)
		}
		return nil
	}
	if t.all {
		s.watcher.Rewalk()
	}
	l.begin(selection)
	if err := scanner.WalkSelected(ctx, b.docroot, b.scanner, selection, newWork, emit); err != nil {
		return err
	}
	l.end()
	b.rejudge()
	return s.inferAgain(ctx, t.all, append(l.linkPaths(), t.paths...))
}

// mayPublish reports whether the site is to be published as it is now. One without
// a page is not. One that has lost many pages, or not got all of them back, or is new,
// is once it has been quiet for longer than others: generators that build a site anew
// remove everything first, and pause. changed says that it has changed just now.
func (s *session) mayPublish(now time.Time, changed bool) bool {
	verdicts := s.ledger.tree.Verdicts()
	pages := verdicts[scanner.Listed] + int64(len(s.builder.extras.left()))
	plan := &s.schedule
	lost := s.pages - pages
	if lost > max(fewLost, s.pages/manyLost) || (lost > 0 || s.published == nil) && !plan.shrunk.IsZero() {
		if changed || plan.calming.IsZero() {
			if plan.calm(now, s.quiet(), s.config.Watch.MaxDelay) {
				return false
			}
		} else if now.Before(plan.calming) {
			return false
		}
	}
	plan.calmed()
	if pages > 0 {
		return true
	}
	if err := ErrNoPages; s.said != err.Error() {
		s.said = err.Error()
		s.builder.verdicts = verdicts
		report := s.builder.report(output.Result{}, err)
		s.say(Event{Kind: EventError, Report: &report, Err: err})
	}
	return false
}

// A site is taken for one that is built anew when it has lost more than a few pages,
// and more than one in so many.
const fewLost, manyLost = 3, 50

// publish publishes what has changed, or, where it is not known what is on disk,
// all.
func (s *session) publish(ctx context.Context, damaged []string, start time.Time) error {
	b, l := s.builder, s.ledger
	known := s.published != nil // what is on disk
	var err error
	if !known || l.overfull {
		if err = b.newSet(); err == nil {
			err = s.eachPage(-1, "", func(page *output.Rendered) (bool, error) { return true, b.set.Add(page) })
		}
	} else if b.set, err = output.NewUpdate(b.folder, b.config.Output, b.setOptions()); err == nil {
		err = b.set.Update(s.published, l.positions(), damaged, func(section int, from string, yield func(*output.Rendered) bool) error {
			return s.eachPage(section, from, func(page *output.Rendered) (bool, error) { return yield(page), nil })
		})
	}
	var result output.Result
	if err == nil {
		result, err = b.set.Publish(ctx)
	}
	if err != nil {
		if b.set != nil && b.set.Begun() {
			s.setPublished(nil) // some files are in place, and some not
			s.tried.Written = append(s.tried.Written, result.Written...)
			s.tried.Removed = append(s.tried.Removed, result.Removed...)
		}
		return err
	}
	// Nobody has been told of what a try before has done already.
	result.Include(&s.tried, b.set.Published())
	s.tried = output.Result{}
	s.findRivals(&result, damaged)
	s.setPublished(b.set.Published())
	// What was a page may have become a file of the set, or the other way round, and
	// nothing tells of it.
	for _, name := range slices.Concat(result.Foreign, damaged) {
		s.watcher.Return(scanner.Changes{Paths: []string{scanner.Join(b.folder.Dir, name)}})
	}
	s.harmed = slices.DeleteFunc(s.harmed, func(name string) bool { return slices.Contains(damaged, name) || !s.published.Has(name) })
	if other := s.noticeFolder(); other || !known || len(damaged) > 0 {
		// It may be another folder even if it has the number of the one before. What is
		// done to the set before the folder is watched is not told.
		s.watcher.WatchOutput()
		s.watcher.Return(scanner.Changes{Outputs: s.published.Names()})
	}
	b.updateRobots(&result)
	s.pages, s.said = result.Pages, ""
	if !known || len(result.Written)+len(result.Removed) > 0 {
		s.tellPublished(&result, start)
	}
	l.clear()
	return nil
}

// findRivals finds out whether what stood in the way of the set was of another tool,
// or whether somebody damages the set again and again.
func (s *session) findRivals(result *output.Result, damaged []string) {
	if s.published != nil { // what is damaged no longer bears sitewalk's mark
		result.Foreign = slices.DeleteFunc(result.Foreign, s.published.Has)
	}
	if often := s.repairs.add(time.Now(), damaged); often != "" {
		s.builder.warnings.add(warnContested, often, "")
	}
}

// repairs are those of published files that somebody else had removed or changed.
// Where that happens again and again, as where two watches disagree, they are put off
// for longer and longer.
type repairs struct {
	counts map[string]int // by file
	last   time.Time
	next   time.Time // the earliest time of the next
	// waiting says that one has been put off until then.
	waiting bool
}

const (
	// fewRepairs is the number of repairs of one file, each within repairSpan of the one
	// before, that nobody is to be told of.
	fewRepairs = 10
	repairSpan = 10 * time.Second
	maxRepair  = 30 * time.Second // the time that one may be put off
)

// add counts repairs of files, and returns one of these of which somebody must be told,
// or "".
func (r *repairs) add(now time.Time, files []string) (often string) {
	if len(files) == 0 {
		return ""
	}
	if r.counts == nil || now.Sub(latest(r.last, r.next)) > repairSpan {
		r.counts = map[string]int{}
	}
	r.last = now
	for _, name := range files {
		r.counts[name]++
		if more := r.counts[name] - fewRepairs; more > 0 {
			often = name
			r.next = latest(r.next, now.Add(min(time.Second<<min(more, 10), maxRepair)))
		}
	}
	return often
}

// tellPublished tells of a publication that began at some time.
func (s *session) tellPublished(result *output.Result, start time.Time) {
	b, l := s.builder, s.ledger
	s.warn()
	b.verdicts = l.tree.Verdicts()
	report := b.report(*result, nil)
	report.Seconds = time.Since(start).Seconds()
	s.say(Event{Kind: EventKind(report.Event), Report: &report, Added: l.added, Changed: l.changed, Removed: l.removed})
}
