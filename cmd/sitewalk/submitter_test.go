package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sitewalk"
)

// A testSubmitter is a submitter whose engine is a list of outcomes: nil once it is
// over.
type testSubmitter struct {
	*submitter
	start          time.Time
	times          []string // at which it submitted
	outcomes       []error
	takes          time.Duration // how long a submission takes
	stdout, stderr *transcript
}

// inSubmitterBubble runs a test with a clock of its own.
func inSubmitterBubble(t *testing.T, f flags, test func(t *testing.T, s *testSubmitter)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &testSubmitter{submitter: new(submitter), start: time.Now()}
		s.printer, s.stdout, s.stderr = newTestPrinter(t, f)
		s.config = sitewalk.DefaultConfig()
		s.submit = func(ctx context.Context, _ sitewalk.Config) (report sitewalk.SubmitReport, err error) {
			s.times = append(s.times, time.Since(s.start).String())
			if len(s.outcomes) > 0 {
				err, s.outcomes = s.outcomes[0], s.outcomes[1:]
			}
			select {
			case <-time.After(s.takes):
			case <-ctx.Done():
				err = ctx.Err()
			}
			return sitewalk.SubmitReport{Event: "submitted", Root: "sitemap.xml", Added: 2, Requests: 1, Pings: []sitewalk.PingReport{}, Warnings: []sitewalk.Warning{}}, err
		}
		s.submitter.start()
		defer s.stop()
		test(t, s)
	})
}

// publish tells of a publication, and lets some time pass.
func (s *testSubmitter) publish(pass time.Duration) {
	s.notice(published(1, 0, 0, "sitemap.xml"))
	time.Sleep(pass)
	synctest.Wait()
}

func (s *testSubmitter) wantTimes(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(s.times, want) {
		t.Errorf("submitted at %q, want %q", s.times, want)
	}
}

func TestAWatchedSetIsSubmittedOnceItIsQuiet(t *testing.T) {
	inSubmitterBubble(t, flags{}, func(t *testing.T, s *testSubmitter) {
		s.notice(readyEvent)
		s.notice(waitingEvent)
		time.Sleep(time.Hour)
		s.wantTimes(t)
		s.publish(30 * time.Second)
		s.publish(59 * time.Second)
		s.wantTimes(t)
		s.publish(time.Hour)
		s.wantTimes(t, "1h2m29s")
		if got := s.stdout.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, " submitted 2 URLs (2 added, 0 changed, 0 deleted), in 1 request, in 0.00 s\n") {
			t.Errorf("told %q", got)
		}
	})
}

func TestASetThatNeverIsQuietIsSubmittedAllTheSame(t *testing.T) {
	inSubmitterBubble(t, flags{}, func(t *testing.T, s *testSubmitter) {
		for range 90 {
			s.publish(19 * time.Second)
		}
		s.wantTimes(t, "10m0s", "20m8s")
	})
}

func TestWhatFailsIsTriedAgainLessAndLessOften(t *testing.T) {
	inSubmitterBubble(t, flags{}, func(t *testing.T, s *testSubmitter) {
		bad := errors.New("no \x1b[2Jroute")
		s.outcomes = []error{bad, bad, bad, bad, bad, bad, bad, nil}
		s.publish(5 * time.Minute)
		s.wantTimes(t, "1m0s", "3m0s")
		s.publish(10 * time.Hour) // which makes it no more urgent
		s.wantTimes(t, "1m0s", "3m0s", "7m0s", "15m0s", "31m0s", "1h3m0s", "2h3m0s", "3h3m0s")
		if got := strings.Split(s.stderr.String(), "\n"); len(got) != 8 || got[0] != `sitewalk: not submitted: no \x1b[2Jroute; tried again in 2m0s` {
			t.Errorf("told %q", got)
		}
		s.publish(2 * time.Minute) // and all is forgotten
		if last := s.times[len(s.times)-1]; last != "10h6m0s" {
			t.Errorf("submitted at %s", last)
		}
	})
}

func TestWhatIsPublishedMeanwhileFollows(t *testing.T) {
	inSubmitterBubble(t, flags{}, func(t *testing.T, s *testSubmitter) {
		s.takes = 10 * time.Minute
		s.publish(2 * time.Minute)
		s.publish(time.Hour)
		s.wantTimes(t, "1m0s", "12m0s")
	})
}

func TestAStoppedSubmitterEndsAtOnceWithoutAWord(t *testing.T) {
	inSubmitterBubble(t, flags{}, func(t *testing.T, s *testSubmitter) {
		s.takes = time.Hour
		s.publish(2 * time.Minute)
		start := time.Now()
		s.stop()
		if time.Since(start) > 0 || s.stdout.String()+s.stderr.String() != "" {
			t.Errorf("it took %v, and said %q", time.Since(start), s.stdout.String()+s.stderr.String())
		}
	})
	var none *submitter
	none.notice(published(1, 0, 0))
	none.stop()
}

func TestSubmissionsOfAWatchAreLinesOfJSON(t *testing.T) {
	inSubmitterBubble(t, flags{json: true}, func(t *testing.T, s *testSubmitter) {
		s.outcomes = []error{fmt.Errorf("50%%")}
		s.publish(time.Hour)
		want := `{"event":"error","message":"not submitted: 50%25; tried again in 2m0s"}` + "\n" +
			`{"event":"submitted","root":"sitemap.xml","urls":0,"first":false,"added":2,"changed":0,"deleted":0,"left":0,"outside":0,"key_pending":false,"requests":1,"pings":[],"warnings":[],"seconds":0}` + "\n"
		if got := s.stdout.String(); got != want {
			t.Errorf("told\n%s", got)
		}
	})
}

func TestOnlyAWatchThatIsToldToSubmits(t *testing.T) {
	for name, test := range map[string]struct {
		flag, auto, want bool
	}{"no": {false, false, false}, "flag": {true, false, true}, "auto": {false, true, true}} {
		c, _, _ := newTestCommand(flags{submit: test.flag})
		config := sitewalk.DefaultConfig()
		config.Submit.Auto = test.auto
		s := c.newSubmitter(config, newEventPrinter(c))
		if (s != nil) != test.want {
			t.Errorf("%s: %v", name, s != nil)
		}
		s.stop()
	}
}
