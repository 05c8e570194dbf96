package sitewalk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"sitewalk/internal/indexnow"
	"sitewalk/internal/submitted"
)

// send submits what changed, and asks for the pings. What goes wrong with the one does
// not keep the other from being tried.
func (s *submission) send(ctx context.Context, pings []string) error {
	maxWait := s.options.MaxWait
	if maxWait == 0 {
		maxWait = DefaultMaxWait
	}
	client := &indexnow.Client{
		HTTP: s.options.Client, UserAgent: cmp.Or(s.options.UserAgent, "sitewalk"), MaxWait: maxWait, Waiting: s.options.Waiting,
	}
	defer client.Close()
	limit := s.timeLimit(maxWait, len(pings))
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	// Before anything is sent, so that nothing is that could not be remembered. Should
	// the process be killed, all that it may have sent is in doubt.
	if err := s.accept(0, s.pending()); err != nil {
		return err
	}
	err := s.sendURLs(limited, client)
	if pingErr := s.sendPings(limited, client, pings); err == nil {
		err = pingErr
	} else if pingErr != nil && ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%w; %w", err, pingErr)
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = fmt.Errorf("%w; this submission may take %v in all, so as not to hold up others; run it again later, and it goes on here", err, limit)
	}
	s.report.Requests = client.Requests
	if err == nil {
		s.report.Event = "submitted"
	}
	return err
}

// requestShare is how much time a batch or a ping may take on average: enough for ten
// times as long as engines take.
const requestShare = 10 * time.Second

// maxMaxWait bounds how long a submission may put up with failures.
const maxMaxWait = 365 * 24 * time.Hour

// timeLimit returns how long a submission may take in all, also where every request is
// answered, but late: one of a large site as long as its batches call for, and one that
// has a few pings about as long as it may put up with failures. How many indexes the set
// has does not count.
func (s *submission) timeLimit(maxWait time.Duration, pings int) time.Duration {
	size := cmp.Or(s.options.batch, indexnow.MaxURLs)
	batches := (s.pending() + size - 1) / size
	return min(max(maxWait, 0), maxMaxWait) + indexnow.RequestLimit + time.Duration(batches+pings)*requestShare
}

// savingShare is how many times as long as saving the record took must pass until it is
// saved again, while batches go out: of a large site it takes as long as a batch.
const savingShare = 10

// sendURLs submits the changes, batch by batch.
func (s *submission) sendURLs(ctx context.Context, client *indexnow.Client) (err error) {
	if s.pending() == 0 {
		return nil
	}
	settings := &s.config.Submit.IndexNow
	site := &indexnow.Site{Endpoint: settings.Endpoint, Key: settings.Key, KeyLocation: s.report.KeyLocation, Host: s.scope.Host()}
	accepted, doubtful := 0, 0
	defer func() {
		if accepted == s.saved && doubtful == s.doubtful {
			return
		}
		if saveErr := s.accept(accepted, doubtful); err == nil {
			err = saveErr
		}
	}()
	reader := s.changes.Read()
	last, took := time.Now(), time.Duration(0)
	size := cmp.Or(s.options.batch, indexnow.MaxURLs)
	var batch []string
	for accepted < s.pending() {
		batch = batch[:0]
		for len(batch) < min(size, s.pending()-accepted) {
			_, loc, _ := reader.Next()
			batch = append(batch, string(loc))
		}
		pending, err := client.Submit(ctx, site, batch)
		if err != nil {
			if client.Doubtful {
				doubtful = len(batch)
			}
			return err
		}
		s.report.KeyPending = s.report.KeyPending || pending
		accepted += len(batch)
		if start := time.Now(); start.Sub(last) >= savingShare*took {
			if err := s.accept(accepted, s.pending()-accepted); err != nil {
				return err
			}
			last = time.Now()
			took = last.Sub(start)
		}
	}
	return nil
}

// sendPings asks for each of the pings once for each index of the set.
func (s *submission) sendPings(ctx context.Context, client *indexnow.Client, pings []string) (err error) {
	if len(pings) == 0 {
		return nil
	}
	told := map[uint64]uint64{} // without the pings that are not configured any more
	for _, ping := range s.config.Submit.Ping {
		if set, known := s.record.Pings[submitted.Hash(ping)]; known {
			told[submitted.Hash(ping)] = set
		}
	}
	s.record.Pings = told
	for _, ping := range pings {
		if ctx.Err() != nil {
			if !errors.Is(err, ctx.Err()) {
				err = ctx.Err()
			}
			break
		}
		switch pingErr := s.sendPing(ctx, client, ping); {
		case pingErr == nil:
			told[submitted.Hash(ping)] = s.digest
		case err == nil:
			err = pingErr
		default:
			err = fmt.Errorf("%w; %w", err, pingErr)
		}
	}
	if saveErr := s.accept(s.saved, s.doubtful); err == nil {
		err = saveErr
	}
	return err
}

func (s *submission) sendPing(ctx context.Context, client *indexnow.Client, ping string) error {
	for _, root := range s.roots {
		url := pingURL(ping, root)
		status, err := client.Ping(ctx, url)
		s.report.Pings = append(s.report.Pings, PingReport{URL: url, Status: status})
		if err != nil {
			return err
		}
	}
	return nil
}
