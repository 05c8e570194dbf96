package sitewalk

import "time"

// schedule is when a watch has what to do.
type schedule struct {
	rescan   time.Time // everything is walked, whatever the hints
	poll     time.Time // what cannot be watched is walked
	looked   time.Time // the last walk of everything
	tidied   time.Time // the last try to remove what left the set
	calming  time.Time // a site that has shrunk is published, unless it changes before
	shrunk   time.Time // when it was first seen so; zero if it is not
	retry    time.Time // what failed is tried again, and nothing else is done before
	failures int       // rounds that have failed, one after the other
	changed  time.Time // when something last changed
	kept     time.Time // when the state was last saved
	unsaved  bool
}

const (
	// calmFactor is how much longer than others a site must be quiet that has lost
	// many of its pages.
	calmFactor = 5
	// calmLimit is how much longer than other changes that may be put off.
	calmLimit = 12
	// pollShare is the part of the time that may go into looking at what cannot be
	// watched.
	pollShare = 20
	// quietToSave is how long nothing must have changed for the state to be saved,
	// and saveInterval the time between two such savings: to save takes as long as
	// the site is large.
	quietToSave  = 10 * time.Second
	saveInterval = 2 * time.Minute
	// firstRetry is the time after which what failed is tried again, at first, and
	// retryAfter the longest such time.
	firstRetry = 250 * time.Millisecond
	retryAfter = 5 * time.Second
	// dueInterval is the time between two walks for pages whose time has come.
	dueInterval = time.Minute
)

// failed plans to try again: soon at first, as what happens while a folder is moved
// is over soon, and then less and less often.
func (s *schedule) failed(now time.Time) {
	s.retry = now.Add(min(firstRetry<<min(s.failures, 10), retryAfter))
	s.failures++
}

// begin plans what is due when nothing changes.
func (s *schedule) begin(now time.Time, config *WatchConfig) {
	s.walked(now, config)
	s.polled(now, config, 0)
	s.kept = now
}

// walked plans the next walk of everything, after one.
func (s *schedule) walked(now time.Time, config *WatchConfig) {
	s.looked, s.rescan = now, time.Time{}
	if config.Rescan > 0 {
		s.rescan = now.Add(config.Rescan)
	}
}

// polled plans the next look at what cannot be watched, after one that took some time.
func (s *schedule) polled(now time.Time, config *WatchConfig, took time.Duration) {
	s.poll = now.Add(max(config.PollInterval, pollShare*took))
}

// calm puts off publishing a site that has shrunk until it has been quiet for some
// time, and reports false when that has gone on for too long.
func (s *schedule) calm(now time.Time, quiet, maxDelay time.Duration) bool {
	if s.shrunk.IsZero() {
		s.shrunk = now
	}
	if !now.Before(s.shrunk.Add(calmLimit * max(maxDelay, quiet))) {
		return false
	}
	s.calming = now.Add(quiet)
	return true
}

// calmed ends that.
func (s *schedule) calmed() { s.calming, s.shrunk = time.Time{}, time.Time{} }

// noticed says that something changed, which the state does not know.
func (s *schedule) noticed(now time.Time) { s.changed, s.unsaved = now, true }

func (s *schedule) saved(now time.Time) { s.kept, s.unsaved = now, false }

// save returns when the state is to be saved, or zero for never.
func (s *schedule) save() time.Time {
	if !s.unsaved {
		return time.Time{}
	}
	return latest(s.changed.Add(quietToSave), s.kept.Add(saveInterval))
}

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// soonest returns the first of some times, leaving out zeros.
func soonest(times ...time.Time) (first time.Time) {
	for _, t := range times {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// isDue reports whether a time has come. Zero never does.
func isDue(t, now time.Time) bool { return !t.IsZero() && !now.Before(t) }
