package sitewalk

import (
	"context"
	"errors"
	"slices"
	"time"

	"sitewalk/scanner"
)

// loop does what is to be done until ctx ends or the docroot is another.
func (s *session) loop(ctx context.Context) error {
	return loop(ctx, s.watcher.Some(), s.look, s.work, s.next)
}

// loop calls work whenever there are some hints, and at the times that next names:
// one call at a time, while hints go on being gathered. Now and then it calls look.
// It ends with ctx, or with what one of them fails with.
func loop(ctx context.Context, some <-chan struct{}, look func() error, work func(context.Context, time.Time) error, next func() time.Time) error {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-beat.C:
			if err := look(); err != nil {
				return err
			}
		case <-some:
		case <-timer.C:
		}
		if err := work(ctx, time.Now()); err != nil {
			return err
		}
		if at := next(); !at.IsZero() {
			timer.Reset(time.Until(at))
		}
	}
}

// next returns when there is what to do, as far as is known.
func (s *session) next() time.Time {
	c, plan := &s.config.Watch, &s.schedule
	if !plan.retry.IsZero() {
		return plan.retry
	}
	times := []time.Time{s.watcher.Due(c.Settle, c.MaxDelay), plan.rescan, plan.calming, plan.save(), s.timely(), s.removal(), s.repair()}
	if len(s.watcher.Polled()) > 0 {
		times = append(times, plan.poll)
	}
	return soonest(times...)
}

// timely returns when a page's time comes.
func (s *session) timely() time.Time {
	if s.ledger.due == 0 {
		return time.Time{}
	}
	return latest(time.Unix(s.ledger.due, 0), s.schedule.looked.Add(dueInterval))
}

// removal returns when a file that left the set may be removed.
func (s *session) removal() time.Time {
	if s.published == nil {
		return time.Time{}
	}
	until, waits := s.published.NextRemoval()
	if !waits {
		return time.Time{}
	}
	return latest(until, s.schedule.tidied.Add(dueInterval))
}

// repair returns when a published file is to be mended whose repair was put off.
func (s *session) repair() time.Time {
	if !s.repairs.waiting {
		return time.Time{}
	}
	return s.repairs.next
}

// work does what is due.
func (s *session) work(ctx context.Context, now time.Time) error {
	plan := &s.schedule
	if !plan.retry.IsZero() && !isDue(plan.retry, now) {
		return nil
	}
	if t := s.task(now); t.isAny() {
		plan.retry = time.Time{}
		err := s.round(ctx, &t)
		if err == nil && !s.putOff {
			s.sayReady()
		}
		s.tellAll()
		switch {
		case err == nil:
			if plan.failures > 0 {
				plan.failures, s.said = 0, "" // should it come again it is news
			}
		case ctx.Err() != nil:
			return ctx.Err()
		case t.changes.Place && !s.place.isStill(), errors.Is(err, errAnew), !s.place.isStill():
			return errAnew
		default:
			s.fail(untouched(err))
			plan.failed(time.Now())
		}
	}
	if isDue(plan.save(), now) {
		s.save()
	}
	return nil
}

// task returns what there is to do now.
func (s *session) task(now time.Time) task {
	c, plan := &s.config.Watch, &s.schedule
	t := task{publish: isDue(plan.retry, now) || isDue(s.removal(), now) || isDue(s.repair(), now)}
	if isDue(s.watcher.Due(c.Settle, c.MaxDelay), now) {
		t.changes = s.watcher.Take()
		t.paths = t.changes.Paths
	}
	if isDue(plan.rescan, now) && s.watcher.IsBlind() {
		s.watcher.Distrust() // there may be means again
	}
	t.all = t.changes.All || isDue(plan.rescan, now) || isDue(s.timely(), now)
	if polled := s.watcher.Polled(); len(polled) > 0 && isDue(plan.poll, now) {
		t.polled = true
		t.all = t.all || slices.Contains(polled, "")
		t.paths = append(t.paths, polled...)
	}
	if isDue(plan.calming, now) {
		// It is not calm where there are hints that have not settled.
		t.publish = t.publish || s.watcher.Due(c.Settle, c.MaxDelay).IsZero() || !plan.calm(now, s.quiet(), c.MaxDelay)
	}
	return t
}

// quiet returns how long a site that has shrunk must be quiet.
func (s *session) quiet() time.Duration {
	c := &s.config.Watch
	quiet := calmFactor * c.Settle
	if len(s.watcher.Polled()) > 0 { // where nothing is heard of in between
		quiet = max(quiet, 2*c.PollInterval)
	}
	return quiet
}

// task is what a round is to look at.
type task struct {
	changes scanner.Changes
	paths   []string
	all     bool // all of the docroot, whatever the paths
	polled  bool // the paths include what cannot be watched
	publish bool // what was put off may be published now
}

func (t *task) isAny() bool {
	return t.all || t.publish || t.changes.Place || len(t.paths) > 0 || len(t.changes.Outputs) > 0
}
