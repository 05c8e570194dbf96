package previous

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"

	"sitewalk/internal/display"
)

// maxRedirects is the number of redirects that are followed for one URL.
const maxRedirects = 10

// web is a set on the web.
type web struct {
	client http.Client
	index  *url.URL // where the index was found in the end
	user   *url.Userinfo
}

// openWeb opens the sitemap at a URL.
func openWeb(ctx context.Context, location string, client *http.Client) (source, *sitemapFile, error) {
	u, err := url.Parse(location)
	if err != nil || u.Host == "" {
		return nil, nil, fmt.Errorf("%q is not the URL of a sitemap", display.Redacted(location))
	}
	w := &web{user: u.User}
	if client != nil {
		w.client = *client
	} else {
		w.client.Transport = http.DefaultTransport.(*http.Transport).Clone()
	}
	w.client.CheckRedirect = checkRedirect
	file, response, err := w.get(ctx, u)
	if err != nil {
		w.close()
		if response != nil && (response.StatusCode == http.StatusNotFound || response.StatusCode == http.StatusGone) {
			err = fmt.Errorf("%w: %w", err, fs.ErrNotExist)
		}
		return nil, nil, err
	}
	w.index = response.Request.URL
	return w, file, nil
}

// get requests a sitemap. The response comes without its body.
func (w *web) get(ctx context.Context, u *url.URL) (*sitemapFile, *http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set("User-Agent", "sitewalk")
	// What is compressed all the same shows in the content.
	request.Header.Set("Accept-Encoding", "identity")
	response, err := w.client.Do(request)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", u.Redacted(), errors.Unwrap(err))
	}
	if response.StatusCode != http.StatusOK {
		response.Body.Close()
		return nil, response, fmt.Errorf("%s: the server answers %d", u.Redacted(), response.StatusCode)
	}
	return &sitemapFile{u.Redacted(), response.Body}, response, nil
}

func (w *web) open(ctx context.Context, loc string) (*sitemapFile, error) {
	u, err := url.Parse(loc)
	if err != nil {
		return nil, fmt.Errorf("%s: names %q, which is not a URL", w.index.Redacted(), loc)
	}
	if site(u) != site(w.index) {
		return nil, fmt.Errorf("%s: names %q, which is on another site", w.index.Redacted(), loc)
	}
	u.User = w.user
	file, _, err := w.get(ctx, u)
	return file, err
}

func (w *web) openBeside(ctx context.Context, name string) (*sitemapFile, error) {
	if !isFileName(name) {
		return nil, fmt.Errorf("%s: %q is not the name of a file", w.index.Redacted(), name)
	}
	u := *w.index
	u.Path, u.RawPath, u.RawQuery, u.User = path.Join("/", path.Dir(u.Path), name), "", "", w.user
	file, _, err := w.get(ctx, &u)
	return file, err
}

func (w *web) close() { w.client.CloseIdleConnections() }

// checkRedirect lets a redirect lead to the same site, or from http to https.
func checkRedirect(request *http.Request, via []*http.Request) error {
	from, to := via[len(via)-1].URL, request.URL
	safer := from.Scheme == "http" && to.Scheme == "https" && strings.EqualFold(from.Hostname(), to.Hostname())
	switch {
	case len(via) > maxRedirects:
		return fmt.Errorf("redirects more than %d times", maxRedirects)
	case !safer && site(from) != site(to):
		return fmt.Errorf("redirects to another site, %s", site(to))
	}
	return nil
}

// site returns scheme, host and port of a URL, all of them spelled out.
func site(u *url.URL) string {
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}
