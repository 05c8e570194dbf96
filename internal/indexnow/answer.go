package indexnow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// RequestLimit is how long a request may take, with its answer.
	RequestLimit = 30 * time.Second
	// maxAnswer is how much of an answer is read, in bytes.
	maxAnswer = 64 << 10
)

// answer is what a server said.
type answer struct {
	status int
	header http.Header
	body   []byte // its beginning
}

// request makes a request once.
func (c *Client) request(ctx context.Context, method, url string, body []byte) (*answer, error) {
	limited, cancel := context.WithTimeout(ctx, RequestLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, cause(err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	request.Header.Set("User-Agent", c.UserAgent)
	response, err := c.client().Do(request)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			return nil, fmt.Errorf("no answer within %v", RequestLimit)
		}
		return nil, cause(err)
	}
	defer response.Body.Close()
	got := &answer{status: response.StatusCode, header: response.Header}
	// Of a success the status is all that counts; what is short is read all the same,
	// so that the connection can be used again.
	if length := response.ContentLength; got.status < 200 || got.status > 299 || length >= 0 && length <= maxAnswer {
		got.body, _ = io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	}
	return got, nil
}

// client returns the client to make requests with.
func (c *Client) client() *http.Client {
	if c.HTTP == nil {
		c.HTTP = &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	}
	plain := *c.HTTP
	plain.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &plain
}

// Close gives up the connections that are not in use.
func (c *Client) Close() { c.client().CloseIdleConnections() }

// mayPass reports whether the same request may be answered otherwise later.
func (a *answer) mayPass() bool {
	return a.status == http.StatusTooManyRequests || a.status >= 500
}

// maxQuoted is how much of an answer an error quotes, in bytes.
const maxQuoted = 200

// failure returns the answer as an error, with what it says.
func (a *answer) failure() error {
	text := fmt.Sprintf("the server answers %d", a.status)
	if name := http.StatusText(a.status); name != "" {
		text += " (" + name + ")"
	}
	if said := strings.Join(strings.Fields(string(a.body)), " "); said != "" {
		if len(said) > maxQuoted {
			said = said[:maxQuoted] + "…"
		}
		text += fmt.Sprintf(": %q", said)
	}
	return errors.New(text)
}

// cause strips an error of the URL, whose query may hold what is nobody's business.
func cause(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// withoutQuery returns a URL for people: without its query and a password.
func withoutQuery(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "its URL"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}
