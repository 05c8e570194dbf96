package sitewalk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"sitewalk/internal/submitted"
)

// SubmitOptions say how to submit. The zero value is fine.
type SubmitOptions struct {
	// DryRun says to find out what would be submitted. No request is made, and nothing
	// is written.
	DryRun bool
	// Baseline says to take the published set for submitted, without a request: for a
	// site that the engines know already.
	Baseline bool
	// MaxWait is how much time may be lost in all to requests that fail and to waiting
	// between them. 0 stands for [DefaultMaxWait], and less for not waiting at all. In
	// all a submission takes no longer than that, 30 seconds more, and 10 more for each
	// 10,000 URLs and for each ping.
	MaxWait time.Duration
	// Client makes the requests, but for its CheckRedirect: redirects are not followed.
	// By default it is one of its own that goes through the environment's proxy.
	Client *http.Client
	// UserAgent says who asks; empty, it is sitewalk.
	UserAgent string
	// Found, if not nil, is called for each URL that is to be submitted, before that.
	Found func(Change, string)
	// Waiting, if not nil, is called before a request is made again, with what went
	// wrong and how long that will take.
	Waiting func(error, time.Duration)

	batch int // URLs in a batch, in tests; 0 stands for the protocol's limit
}

// DefaultMaxWait is how much time may be lost in a submission unless [SubmitOptions]
// say otherwise.
const DefaultMaxWait = 2 * time.Minute

// Change is what became of a URL since it was submitted, by the sign that a dry run
// shows.
type Change byte

// The kinds of changes.
const (
	URLAdded   = Change(submitted.Added)   // + it was not submitted before
	URLChanged = Change(submitted.Changed) // ~ it has another lastmod
	URLDeleted = Change(submitted.Deleted) // - it is not in the set any more
)

// A SubmitReport says what was submitted. As JSON it is the object that submit --json
// prints.
type SubmitReport struct {
	// Event is submitted, unchanged (there was nothing to submit), dry-run, baseline,
	// or error.
	Event string `json:"event"`
	// Root is the name of the published index, or of the only sitemap, and URLs the
	// number of URLs in the set.
	Root string `json:"root"`
	URLs int64  `json:"urls"`
	// First says that nothing was known to have been submitted by IndexNow: then all
	// URLs count as added.
	First bool `json:"first"`
	// Added, Changed and Deleted are the numbers of URLs that engines were told of by
	// IndexNow, or in a dry run would be, and in a baseline are from now on taken to
	// have been.
	Added   int `json:"added"`
	Changed int `json:"changed"`
	Deleted int `json:"deleted"`
	// Left is the number of URLs that are still to be submitted, after a failure.
	Left int `json:"left"`
	// Outside is the number of URLs of the set that are not submitted, because the key
	// file does not vouch for them.
	Outside int64 `json:"outside"`
	// Endpoint and KeyLocation are what the URLs are submitted to and with; empty
	// without a key.
	Endpoint    string `json:"endpoint,omitempty"`
	KeyLocation string `json:"key_location,omitempty"`
	// KeyPending says that the endpoint is yet to look at the key file.
	KeyPending bool `json:"key_pending"`
	// Requests is the number of requests made, pings and those that failed included; in
	// a dry run that of those that would be, if none fails.
	Requests int `json:"requests"`
	// Pings are the pings that were asked for, or in a dry run would be: those that do
	// not know of the set as it is.
	Pings []PingReport `json:"pings"`
	// Warnings are what the user should hear of, at most one of each kind.
	Warnings []Warning `json:"warnings"`
	// Seconds is how long the submission took.
	Seconds float64 `json:"seconds"`
}

// A PingReport says what came of a ping.
type PingReport struct {
	URL string `json:"url"`
	// Status is the last answer's, and 0 if there was none.
	Status int `json:"status"`
}

// Submit tells those whom config.Submit names what changed in the published set since
// they were told last, and remembers what they have accepted in the file that is called
// as config.State, with .submitted added. It reads the set that is in the output folder,
// whoever published it, and does not look at the pages.
//
// It fails with a *ConfigError, [ErrLocked], ctx.Err(), or what the system or a server
// says; the report says all the same what was submitted until then, and the next
// submission goes on there. A URL is sent again only if it has changed, or if it is not
// known whether it was accepted: because the answer was lost, or the process died, in
// which case it may be more than one batch. config.Now is not used: engines' time is
// the system's.
func Submit(ctx context.Context, config Config, options SubmitOptions) (SubmitReport, error) {
	start := time.Now()
	s := &submission{config: &config, options: &options}
	s.report = SubmitReport{Event: "error", Pings: []PingReport{}, Warnings: []Warning{}}
	err := s.run(ctx)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = ctx.Err()
	}
	s.report.Seconds = time.Since(start).Seconds()
	return s.report, err
}

// The warnings of a submission.
const (
	warnSubmitUndated   = "submit-undated"
	warnSubmitOutside   = "submit-outside"
	warnSubmittedUnused = "submitted-unusable"
)

// warn adds a warning. A number before it counts something.
func (s *submission) warn(code, message string, paths ...string) {
	s.report.Warnings = append(s.report.Warnings, Warning{Code: code, Message: message, Paths: list(paths)})
}

// warnOfURLs warns of what is there of some URLs, or not.
func (s *submission) warnOfURLs(undated int64, outside string) {
	if s.changes != nil && undated > 0 {
		s.warn(warnSubmitUndated, fmt.Sprintf("%s without lastmod: that they come and go can be known, and not that they change", urlCount(undated)))
	}
	if s.report.Outside > 0 {
		s.warn(warnSubmitOutside, urlCount(s.report.Outside)+" not submitted: they are not of the key file's host, or not in its folder; "+
			"the key file belongs at the root of the site", outside)
	}
}

func urlCount(n int64) string {
	if n == 1 {
		return "1 URL"
	}
	return fmt.Sprintf("%d URLs", n)
}
