package main

import (
	"context"
	"fmt"
	"time"

	"sitewalk"
)

// A submitter submits what a watch publishes, once that has been quiet for a while. It
// works beside the watch, which does not wait for it. A nil one does nothing.
type submitter struct {
	config    sitewalk.Config
	submit    func(context.Context, sitewalk.Config) (sitewalk.SubmitReport, error)
	printer   *eventPrinter
	published chan struct{} // there is something new
	cancel    context.CancelFunc
	ended     chan struct{}
}

// newSubmitter returns the submitter of a watch with a configuration, or nil if it is
// not to submit.
func (c *command) newSubmitter(config sitewalk.Config, printer *eventPrinter) *submitter {
	if !c.flags.submit && !config.Submit.Auto {
		return nil
	}
	s := &submitter{config: config, printer: printer}
	s.submit = func(ctx context.Context, config sitewalk.Config) (sitewalk.SubmitReport, error) {
		options := c.submitOptions()
		options.Waiting, options.Found = nil, nil // progress is not for logs
		return sitewalk.Submit(ctx, config, options)
	}
	s.start()
	return s
}

func (s *submitter) start() {
	s.published, s.ended = make(chan struct{}, 1), make(chan struct{})
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(context.Background())
	go func() {
		defer close(s.ended)
		s.run(ctx)
	}()
}

// stop ends the submitter. What was accepted is remembered.
func (s *submitter) stop() {
	if s != nil {
		s.cancel()
		<-s.ended
	}
}

// notice takes note of what the watch tells.
func (s *submitter) notice(e sitewalk.Event) {
	if s == nil || e.Kind != sitewalk.EventPublished && e.Kind != sitewalk.EventUnchanged {
		return
	}
	select {
	case s.published <- struct{}{}:
	default: // it is known that there is something new
	}
}

const (
	// maxQuiets is how many times submit.quiet a set may go on changing until it is
	// submitted all the same. By default that is ten minutes, which IndexNow asks to
	// leave between two changes of a page: https://www.indexnow.org/faq
	maxQuiets = 10
	// maxDistance is the longest time between two tries, of which each failure doubles
	// it.
	maxDistance = time.Hour
	// maxDoublings is more than it takes to get there from any quiet that matters.
	maxDoublings = 10
)

// run submits until ctx ends.
func (s *submitter) run(ctx context.Context) {
	quiet := s.config.Submit.Quiet
	timer := time.NewTimer(0)
	<-timer.C
	var waiting time.Time // since when there is something new, or zero
	var notBefore time.Time
	failures := 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.published:
			now := time.Now()
			if waiting.IsZero() {
				waiting = now
			}
			due := now.Add(quiet)
			if latest := waiting.Add(maxQuiets * quiet); latest.Before(due) {
				due = latest
			}
			if due.Before(notBefore) {
				due = notBefore
			}
			timer.Reset(time.Until(due))
		case <-timer.C:
			waiting = time.Time{}
			report, err := s.submit(ctx, s.config)
			switch {
			case ctx.Err() != nil:
				return
			case err == nil:
				failures, notBefore = 0, time.Time{}
				s.printer.submission(report)
			default:
				failures++
				distance := min(quiet<<min(failures, maxDoublings), maxDistance)
				notBefore = time.Now().Add(distance)
				timer.Reset(distance)
				s.printer.event(sitewalk.Event{Kind: sitewalk.EventError,
					Err: fmt.Errorf("not submitted: %w; tried again in %v", err, distance)})
			}
		}
	}
}

// submission prints what was submitted.
func (p *eventPrinter) submission(r sitewalk.SubmitReport) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.progress.clear()
	p.command.printWarnings(p.news(r.Warnings))
	switch {
	case r.Event != "submitted":
	case p.command.flags.json:
		p.check(p.command.encodeJSON(r))
	default:
		p.line(now() + " " + submissionLine(r))
	}
}
