// Package indexnow tells search engines which URLs of a site changed, by the protocol
// of https://www.indexnow.org/documentation, and asks for ping URLs.
//
// Start at [Client.Submit], which sends one batch, and [NewScope], which says what
// URLs a batch may hold. A request that fails for a reason that may pass is tried
// again, as long and as late as the engine asks for within [Client.MaxWait];
// any other failure says what it means and how to mend it.
//
// A server may be anybody's: redirects are not followed, no more than 64 KiB of an
// answer is read, and what an error quotes of it is printable. No request takes more
// than [RequestLimit]; what many may take is the caller's to bound. What was submitted,
// and what is to be, the package does not know.
package indexnow

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"time"
)

// MaxURLs is the number of URLs that a batch may hold: the protocol's limit.
// https://www.indexnow.org/documentation
const MaxURLs = 10_000

// A Site is what a batch is of.
type Site struct {
	// Endpoint is the URL of the engine's, or of the service's that tells all.
	Endpoint string
	// Key is what the key file holds, and KeyLocation its URL.
	Key, KeyLocation string
	// Host is the host of all URLs, with the port if it has one of its own.
	Host string
}

// A Client tells engines. It is for one submission, and for one goroutine at a time.
type Client struct {
	// HTTP makes the requests, but for its CheckRedirect, which is not used. By
	// default it is a client of its own that goes through the environment's proxy.
	HTTP *http.Client
	// UserAgent says who asks.
	UserAgent string
	// MaxWait is how much time may be lost in all to requests that fail and to waiting
	// between them.
	MaxWait time.Duration
	// Waiting, if not nil, is called with what went wrong before the client waits, and
	// with how long it will.
	Waiting func(err error, wait time.Duration)
	// Requests is the number of requests made so far.
	Requests int

	// Doubtful says of the batch that was sent last that the engine may have accepted
	// it, although Submit failed: there was no answer, or one of a server that was at
	// fault.
	Doubtful bool

	lost time.Duration // of MaxWait
}

// Submit sends a batch of at most MaxURLs URLs. If pending is set, the engine has
// accepted it and will look at the key file later.
func (c *Client) Submit(ctx context.Context, site *Site, urls []string) (pending bool, err error) {
	c.Doubtful = false
	body, err := json.Marshal(struct {
		Host        string   `json:"host"`
		Key         string   `json:"key"`
		KeyLocation string   `json:"keyLocation"`
		URLList     []string `json:"urlList"`
	}{site.Host, site.Key, site.KeyLocation, urls})
	if err != nil {
		return false, err
	}
	got, err := c.insist(ctx, http.MethodPost, site.Endpoint, body)
	if err != nil {
		return false, fmt.Errorf("IndexNow, %s: %w", withoutQuery(site.Endpoint), err)
	}
	switch got.status {
	case http.StatusOK, http.StatusAccepted:
		return got.status == http.StatusAccepted, nil
	}
	return false, fmt.Errorf("IndexNow, %s: %w; %s", withoutQuery(site.Endpoint), got.failure(), site.meaning(got))
}

// meaning says what an answer that is no success means, and how to mend it.
func (s *Site) meaning(got *answer) string {
	switch status := got.status; {
	case status == http.StatusBadRequest:
		return "it did not understand the request: submit.indexnow.endpoint must be the URL that an engine names for IndexNow"
	case status == http.StatusForbidden:
		return "the key file " + s.KeyLocation + " is not to be had, or holds another key: " +
			"make it with sitewalk submit --create-key-file, and deploy it"
	case status == http.StatusUnprocessableEntity:
		return "URLs are not of the host " + s.Host + ", or not in the key file's folder, or the key is not of the right form: " +
			"look at base_url, submit.indexnow.key and key_location"
	case status >= 300 && status < 400:
		return fmt.Sprintf("it redirects to %.200q, which is not followed: set submit.indexnow.endpoint to the right URL", got.header.Get("Location"))
	}
	return "look at submit.indexnow.endpoint"
}

// Ping asks for a URL, and fails unless the answer is a success. The status is 0 if
// there was no answer.
func (c *Client) Ping(ctx context.Context, url string) (status int, err error) {
	got, err := c.insist(ctx, http.MethodGet, url, nil)
	if err == nil && (got.status < 200 || got.status > 299) {
		err = got.failure()
	}
	if got != nil {
		status = got.status
	}
	if err != nil {
		return status, fmt.Errorf("ping %s: %w", withoutQuery(url), err)
	}
	return status, nil
}

var keyForm = regexp.MustCompile(`^[A-Za-z0-9-]{8,128}$`)

// IsKey reports whether a text can be a key.
// https://www.indexnow.org/documentation
func IsKey(text string) bool { return keyForm.MatchString(text) }

// NewKey returns a key that nobody has.
func NewKey() string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	return hex.EncodeToString(random[:])
}

var newKeyForm = regexp.MustCompile(`^[0-9a-f]{32}$`)

// IsNewKey reports whether a text has the form of what [NewKey] returns.
func IsNewKey(text string) bool { return newKeyForm.MatchString(text) }
