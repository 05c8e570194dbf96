package sitewalk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"sitewalk/scanner"
)

// taken is a time at which hints were taken, since the start, and how many.
type taken struct {
	at    time.Duration
	paths int
}

// settle runs the watch's own loop on hints that come at some times since the
// start, and returns when they were taken. To deal with them takes some time.
func settle(t *testing.T, config WatchConfig, work time.Duration, hints ...time.Duration) (all []taken) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		watcher := scanner.NewWatcher(t.TempDir(), scanner.WatcherOptions{Poll: scanner.PollAlways})
		defer watcher.Close()
		start := time.Now()
		busy := false
		do := func(_ context.Context, now time.Time) error {
			if busy {
				t.Error("two rounds at a time")
			}
			busy = true
			defer func() { busy = false }()
			if isDue(watcher.Due(config.Settle, config.MaxDelay), now) {
				all = append(all, taken{now.Sub(start), len(watcher.Take().Paths)})
				time.Sleep(work)
			}
			return nil
		}
		next := func() time.Time { return watcher.Due(config.Settle, config.MaxDelay) }
		ended := make(chan error)
		go func() {
			ended <- loop(ctx, watcher.Some(), func() error { return nil }, do, next)
		}()
		for i, at := range hints {
			time.Sleep(time.Until(start.Add(at)))
			watcher.Return(scanner.Changes{Paths: []string{string(rune('a'+i%26)) + time.Duration(i).String()}})
		}
		time.Sleep(time.Minute)
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the loop ends with %v", err)
		}
	})
	return all
}

const ms = time.Millisecond

// every returns times from a first to a last one.
func every(step, first, last time.Duration) (times []time.Duration) {
	for at := first; at <= last; at += step {
		times = append(times, at)
	}
	return times
}

func TestHintsAreTakenWhenTheyHaveSettled(t *testing.T) {
	config := DefaultConfig().Watch
	for _, test := range []struct {
		what  string
		work  time.Duration
		hints []time.Duration
		want  []taken
	}{
		{"one hint", 0, []time.Duration{10 * ms}, []taken{{210 * ms, 1}}},
		{"two within the time to settle", 0, []time.Duration{10 * ms, 200 * ms}, []taken{{400 * ms, 2}}},
		{"two apart", 0, []time.Duration{10 * ms, 300 * ms}, []taken{{210 * ms, 1}, {500 * ms, 1}}},
		{"steady for six seconds", 0, every(100*ms, 0, 6000*ms), []taken{{5000 * ms, 50}, {6200 * ms, 11}}},
		{"while the first is worked on", 2000 * ms, []time.Duration{0, 300 * ms, 1900 * ms, 2100 * ms}, []taken{{200 * ms, 1}, {2300 * ms, 3}}},
		{"settled while the first is worked on", 2000 * ms, []time.Duration{0, 300 * ms}, []taken{{200 * ms, 1}, {2200 * ms, 1}}},
		{"none", 0, nil, nil},
	} {
		got := settle(t, config, test.work, test.hints...)
		// A hint at the very moment of a take may be in it or not.
		same := slices.EqualFunc(got, test.want, func(a, b taken) bool {
			return a.at == b.at && a.paths >= b.paths-1 && a.paths <= b.paths+1
		})
		if !same {
			t.Errorf("%s: taken %v, not %v", test.what, got, test.want)
		}
	}
}

func TestNoHintIsTakenTwiceOrLost(t *testing.T) {
	hints := every(37*ms, 0, 20000*ms)
	total := 0
	for _, round := range settle(t, DefaultConfig().Watch, 333*ms, hints...) {
		total += round.paths
	}
	if total != len(hints) {
		t.Errorf("%d of %d hints taken", total, len(hints))
	}
}

func TestSiteThatShrinksIsPublishedWhenItIsCalm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var plan schedule
		plan.calm(time.Now(), time.Second, 5*time.Second)
		if got := plan.calming.Sub(start); got != time.Second {
			t.Errorf("put off by %v", got)
		}
		// As long as it goes on changing it is put off, though not for ever.
		for plan.calm(time.Now(), time.Second, 5*time.Second) {
			time.Sleep(900 * ms)
		}
		if waited := time.Since(start); waited < 60*time.Second || waited > 61*time.Second {
			t.Errorf("published after %v", waited)
		}
	})
}

func TestStateIsSavedWhenNothingHasChangedForAWhile(t *testing.T) {
	config := DefaultConfig().Watch
	var plan schedule
	start := time.Unix(1_000_000_000, 0)
	plan.begin(start, &config)
	if at := plan.save(); !at.IsZero() {
		t.Errorf("nothing has changed, and it is saved after %v", at.Sub(start))
	}
	plan.noticed(start.Add(time.Second))
	if got := plan.save().Sub(start); got != saveInterval {
		t.Errorf("saved after %v", got)
	}
	plan.noticed(start.Add(time.Hour))
	if got := plan.save().Sub(start); got != time.Hour+quietToSave {
		t.Errorf("saved after %v", got)
	}
	plan.saved(start.Add(2 * time.Hour))
	if at := plan.save(); !at.IsZero() {
		t.Errorf("saved again after %v", at.Sub(start))
	}
}

func TestFailuresAreTriedAgainSoonAndThenLessOften(t *testing.T) {
	var plan schedule
	start := time.Unix(1_000_000_000, 0)
	for i, want := range []time.Duration{250 * ms, 500 * ms, 1000 * ms, 2000 * ms, 4000 * ms, 5000 * ms, 5000 * ms} {
		plan.failed(start)
		if got := plan.retry.Sub(start); got != want {
			t.Errorf("failure %d is tried again after %v", i, got)
		}
	}
}

func TestWhatCannotBeWatchedTakesASmallPartOfTheTime(t *testing.T) {
	config := DefaultConfig().Watch
	var plan schedule
	start := time.Unix(1_000_000_000, 0)
	for took, want := range map[time.Duration]time.Duration{0: 2000 * ms, 50 * ms: 2000 * ms, 1000 * ms: 20000 * ms} {
		plan.polled(start, &config, took)
		if got := plan.poll.Sub(start); got != want {
			t.Errorf("after a look of %v the next comes after %v", took, got)
		}
	}
}

func TestClockThatIsSetIsNoticed(t *testing.T) {
	var c clock
	wall := time.Unix(1_700_000_000, 0)
	for i, step := range []struct {
		wall, passed time.Duration
		jumped       bool
	}{{0, 0, false}, {1000 * ms, 1000 * ms, false}, {1500 * ms, 1000 * ms, false}, {time.Hour, 1000 * ms, true},
		{1000 * ms, 1000 * ms, false}, {-time.Hour, 1000 * ms, true}, {1000 * ms, 1000 * ms, false}} {
		wall = wall.Add(step.wall)
		if got := c.hasJumped(wall, c.passed+step.passed); got != step.jumped {
			t.Errorf("step %d: jumped %v", i, got)
		}
	}
}

func TestRepairsThatDoNotLastArePutOff(t *testing.T) {
	var r repairs
	now := time.Unix(1_700_000_000, 0)
	for i := range fewRepairs {
		if r.add(now, []string{"a", fmt.Sprint(i)}) != "" || r.next.After(now) {
			t.Errorf("repair %d is put off", i)
		}
		now = now.Add(repairSpan)
	}
	for _, want := range []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, maxRepair, maxRepair} {
		if r.add(now, []string{"a", "b"}) == "" || r.next.Sub(now) != want {
			t.Errorf("the next is put off by %v, not %v", r.next.Sub(now), want)
		}
		now = r.next
	}
	now = now.Add(repairSpan + time.Second)
	if r.add(now, []string{"a"}) != "" || r.next.After(now) {
		t.Error("what has been over for long still counts")
	}
}
