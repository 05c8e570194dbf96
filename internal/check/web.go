package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"sitewalk/internal/display"
	"sitewalk/internal/robots"
)

// The bounds of what is asked of servers.
const (
	// maxRedirects is how many redirects are followed for one URL. Google follows ten
	// for a page; a sitemap that needs any is worth a word.
	maxRedirects = 5
	// maxFetches is how many requests one check makes at most.
	maxFetches  = 100_000
	defaultIdle = 30 * time.Second
)

// web is a set on the web.
type web struct {
	client  http.Client
	idle    time.Duration
	user    *url.Userinfo // for home, and for nobody else
	home    string        // origin that the user has named
	site    string        // origin of the set, where its root was found in the end
	said    *robotsFile   // nil if the server did not answer with one or with 404
	fetches atomic.Int64
}

// openWeb opens the set at a URL: at one that ends in a slash, what the site's
// robots.txt names.
func openWeb(ctx context.Context, options *Options) (source, []*file, error) {
	absent := func(err error) (source, []*file, error) { return nil, nil, &absentError{err} }
	target, err := url.Parse(options.Target)
	if err != nil || target.Host == "" {
		return absent(fmt.Errorf("%q is not the URL of a sitemap", display.Redacted(options.Target)))
	}
	w := &web{user: target.User, idle: options.Idle}
	if w.idle == 0 {
		w.idle = defaultIdle
	}
	if options.Client != nil {
		w.client = *options.Client
	} else {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.MaxResponseHeaderBytes = 64 << 10
		w.client.Transport = transport
	}
	w.client.Timeout = 0
	w.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	target.User, target.Fragment = nil, ""
	w.home = originOf(target.String())
	w.site = w.home
	var roots []*file
	if target.Path == "" || strings.HasSuffix(target.Path, "/") {
		roots, err = w.discover(ctx, target)
	} else {
		var root *file
		root, err = w.root(ctx, target.String(), anywhere)
		roots = []*file{root}
	}
	if err != nil {
		w.close()
		return absent(err)
	}
	w.site = originOf(roots[0].url)
	if w.said == nil || originOf(w.said.name) != w.site {
		w.said = w.askRobots(ctx, w.site, sameSite)
	}
	return w, roots, nil
}

// originOf returns scheme, host and port of a URL, or "".
func originOf(raw string) string {
	parts, _ := splitURL(raw)
	return parts.origin
}

// discover opens what robots.txt names in a folder of the web, or the first of the
// usual names.
func (w *web) discover(ctx context.Context, at *url.URL) ([]*file, error) {
	var roots []*file
	var lastErr error
	if at.Path == "" || at.Path == "/" {
		w.said = w.askRobots(ctx, w.site, anywhere)
		if w.said != nil {
			w.site = originOf(w.said.name)
		}
		for _, line := range w.said.first() {
			if origin := originOf(line.URL); origin != w.site && origin != safer(w.site) {
				continue
			}
			root, err := w.root(ctx, line.URL, sameSite)
			if err != nil {
				lastErr = err
				continue
			}
			roots = append(roots, root)
		}
	}
	if len(roots) > 0 {
		return roots, nil
	}
	for _, name := range rootNames {
		root, err := w.root(ctx, at.JoinPath(name).String(), anywhere)
		if err == nil {
			return []*file{root}, nil
		}
		var status *statusError
		if !errors.As(err, &status) {
			return nil, err // the next name would fare no better
		}
		lastErr = err
	}
	return nil, fmt.Errorf("no sitemap is at %s under a usual name, nor where robots.txt says; name its URL (%w)", at.Redacted(), lastErr)
}

// statusError says that a server answered, but not with the file.
type statusError struct {
	name string
	code int
}

func (e *statusError) Error() string { return fmt.Sprintf("%s: the server answers %d", e.name, e.code) }

// policy says where redirects may lead.
type policy int

const (
	anywhere policy = iota // for what the user has named
	sameSite               // for what a server names: it is not to make us ask others
)

// get requests a file and follows redirects. What is wrong with these is noted.
func (w *web) get(ctx context.Context, loc string, allowed policy) (*file, error) {
	first := loc
	for hops := 0; ; hops++ {
		response, err := w.request(ctx, loc)
		if err != nil {
			return nil, err
		}
		location := response.Header.Get("Location")
		if !isRedirect(response.StatusCode) || location == "" {
			if response.StatusCode != http.StatusOK {
				response.Body.Close()
				return nil, &statusError{display.Redacted(loc), response.StatusCode}
			}
			opened := &file{
				name: display.Redacted(first), url: loc, body: response.Body, fromWeb: true,
				encoding:    strings.ToLower(strings.TrimSpace(response.Header.Get("Content-Encoding"))),
				contentType: response.Header.Get("Content-Type"),
			}
			if opened.encoding == "identity" {
				opened.encoding = ""
			}
			if hops > 0 {
				opened.notes = append(opened.notes, Finding{File: opened.name, Code: Redirected,
					Message: "redirects to " + display.Redacted(loc) + "; name that URL itself"})
			}
			return opened, nil
		}
		response.Body.Close()
		if hops == maxRedirects {
			return nil, fmt.Errorf("%s: redirects more than %d times", display.Redacted(first), maxRedirects)
		}
		if loc, err = w.follow(loc, location, allowed); err != nil {
			return nil, err
		}
	}
}

// root requests an index, or a sitemap that may be one.
func (w *web) root(ctx context.Context, loc string, allowed policy) (*file, error) {
	opened, err := w.get(ctx, loc, allowed)
	if err == nil {
		err = opened.spool(ctx)
	}
	return opened, err
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// follow returns where a redirect leads, if it may.
func (w *web) follow(from, location string, allowed policy) (string, error) {
	base, err := url.Parse(from)
	if err != nil {
		return "", err
	}
	target, err := base.Parse(location)
	if err != nil {
		return "", &openError{RedirectHost, fmt.Sprintf("redirects to %.120q, which is no URL", location)}
	}
	target.User, target.Fragment = nil, ""
	to := target.String()
	origin := originOf(to)
	if origin == "" || allowed == sameSite && origin != originOf(from) && origin != safer(originOf(from)) {
		return "", &openError{RedirectHost, "redirects to another site, " + quote(to)}
	}
	return to, nil
}

// safer returns the https origin of an http one's host, at the scheme's own port, or
// "".
func safer(origin string) string {
	host, isPlain := strings.CutPrefix(origin, "http://")
	if !isPlain {
		return ""
	}
	return "https://" + host
}

// request makes one request. The body of the answer must be closed.
func (w *web) request(ctx context.Context, loc string) (*http.Response, error) {
	if w.fetches.Add(1) > maxFetches {
		return nil, fmt.Errorf("%s: was not asked for, because %d requests were made already", display.Redacted(loc), maxFetches)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	silence := time.AfterFunc(w.idle, func() { cancel(errSilence) })
	end := func() {
		silence.Stop()
		cancel(nil)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, loc, nil)
	if err != nil {
		end()
		return nil, fmt.Errorf("%s: %w", display.Redacted(loc), cause(err))
	}
	if origin := originOf(loc); w.user != nil && (origin == w.home || origin == safer(w.home)) {
		password, _ := w.user.Password()
		request.SetBasicAuth(w.user.Username(), password)
	}
	request.Header.Set("User-Agent", "sitewalk")
	// Asked for here, it is not undone behind our back: damage is to be told.
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := w.client.Do(request)
	if err != nil {
		silent := context.Cause(ctx) == errSilence
		end()
		if silent {
			err = &url.Error{Err: errSilence}
		}
		return nil, fmt.Errorf("%s: %w", display.Redacted(loc), cause(err))
	}
	silence.Stop()
	response.Body = &patientBody{response.Body, ctx, silence, w.idle, end}
	return response, nil
}

var errSilence = errors.New("the server sent nothing for too long")

// patientBody is a body that must not be silent for too long when it is read.
type patientBody struct {
	io.ReadCloser
	ctx     context.Context
	silence *time.Timer
	idle    time.Duration
	end     func()
}

func (b *patientBody) Read(p []byte) (int, error) {
	b.silence.Reset(b.idle)
	n, err := b.ReadCloser.Read(p)
	b.silence.Stop() // until more is wanted, silence is no fault of the server's
	if err != nil && err != io.EOF && context.Cause(b.ctx) == errSilence {
		err = errSilence
	}
	return n, err
}

func (b *patientBody) Close() error {
	b.end()
	return b.ReadCloser.Close()
}

func (w *web) open(ctx context.Context, loc string) (*file, error) {
	if originOf(loc) != w.site {
		return nil, &openError{ShardHost, "is not of " + w.site + ", and was not asked for"}
	}
	opened, err := w.get(ctx, loc, sameSite)
	var already *openError
	if err != nil && !errors.As(err, &already) {
		err = &openError{MissingShard, "names " + err.Error()}
	}
	return opened, err
}

func (w *web) beside(ctx context.Context, index *file, name string) (*file, error) {
	if !isFileName(name) {
		return nil, &openError{MissingIndex, fmt.Sprintf("goes on in %.60q, which is not the name of a file", name)}
	}
	u, err := url.Parse(index.url)
	if err == nil {
		u.Path, u.RawPath, u.RawQuery = path.Join("/", path.Dir(u.Path), name), "", ""
		var opened *file
		if opened, err = w.root(ctx, u.String(), sameSite); err == nil {
			return opened, nil
		}
	}
	return nil, &openError{MissingIndex, fmt.Sprintf("goes on in %.60q: %v", name, err)}
}

func (w *web) reopen(ctx context.Context, root *file) (*file, error) {
	return w.get(ctx, root.url, sameSite)
}

func (w *web) isThere(ctx context.Context, loc string) (there, known bool) {
	opened, err := w.get(ctx, loc, sameSite)
	if err == nil {
		opened.body.Close()
		return true, true
	}
	var status *statusError
	known = errors.As(err, &status) && (status.code == http.StatusNotFound || status.code == http.StatusGone)
	return false, known
}

func (w *web) robots() *robotsFile { return w.said }

func (w *web) otherRobots(ctx context.Context, origin string) *robotsFile {
	return w.askRobots(ctx, origin, sameSite)
}

// askRobots requests the robots.txt of an origin. It returns nil if it could not be
// found out what it says; where there is none, it says nothing.
func (w *web) askRobots(ctx context.Context, origin string, allowed policy) *robotsFile {
	loc := origin + "/" + robotsName
	said := &robotsFile{name: loc}
	opened, err := w.get(ctx, loc, allowed)
	if err != nil {
		var status *statusError
		if errors.As(err, &status) && status.code/100 == 4 {
			return said
		}
		return nil
	}
	defer opened.body.Close()
	said.name = opened.url
	plain, err := opened.plain(ctx, func(Code, string) {})
	if err != nil {
		return nil
	}
	content, err := io.ReadAll(io.LimitReader(plain, robots.MaxSize+1))
	if err != nil {
		return nil
	}
	said.lines = robots.Parse(content).Sitemaps()
	return said
}

func (w *web) close() { w.client.CloseIdleConnections() }
