package indexnow

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

const (
	// maxTries is how often a request is made at most.
	maxTries = 5
	// firstWait is how long to wait after the first failure, at most; after each that
	// follows it is twice as long.
	firstWait = time.Second
)

// ErrImpatient says that there was no more time to wait for.
var ErrImpatient = errors.New("that is longer than --max-wait leaves; run it again later, and it goes on here")

// insist makes a request until it is answered for good: as often and as late as
// is called for, within MaxWait. It returns the last answer, if there was one, also
// with an error.
func (c *Client) insist(ctx context.Context, method, url string, body []byte) (*answer, error) {
	for try := 1; ; try++ {
		start := time.Now()
		c.Requests++
		got, err := c.request(ctx, method, url, body)
		c.Doubtful = c.Doubtful || err != nil || got.status >= 500
		switch {
		case err == nil && !got.mayPass():
			return got, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil:
			err = got.failure()
		}
		c.lost += time.Since(start)
		if try == maxTries {
			return got, fmt.Errorf("%w, at the last of %d tries; run it again later, and it goes on here", err, maxTries)
		}
		wait := pause(try)
		if got != nil {
			wait = max(wait, got.retryAfter())
		}
		if c.lost+wait > c.MaxWait {
			return got, fmt.Errorf("%w; to be tried again in %v: %w", err, wait.Round(time.Second), ErrImpatient)
		}
		if c.Waiting != nil {
			c.Waiting(err, wait)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
			c.lost += wait
		}
	}
}

// pause returns how long to wait after a try: twice as long each time, less up to a
// half by chance, so that not all who were turned away come back at once.
func pause(try int) time.Duration {
	longest := firstWait << (try - 1)
	return longest/2 + rand.N(longest/2)
}

// maxAsked bounds how long an answer may ask to wait: no MaxWait is longer.
const maxAsked = 365 * 24 * time.Hour

// retryAfter returns how long the answer asks to wait, in either form; 0 if it does
// not. https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
func (a *answer) retryAfter() time.Duration {
	text := a.header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil {
		return time.Duration(min(seconds, uint64(maxAsked/time.Second))) * time.Second
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	// The server's clock and this one may differ.
	now, err := http.ParseTime(a.header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(at.Sub(now), 0), maxAsked)
}
