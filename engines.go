package sitewalk

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"time"

	"sitewalk/internal/indexnow"
	"sitewalk/mapper"
)

// SubmitConfig says whom to tell of changes, and when to do so without being asked.
type SubmitConfig struct {
	IndexNow IndexNow `yaml:"indexnow"`
	// Ping are URLs that are asked for when the set has changed. {sitemap} in them
	// stands for the percent-encoded URL of the sitemap; in one without it that is
	// added as the parameter sitemap. There may be ten.
	Ping []string `yaml:"ping"`
	// Auto has the command's build and watch submit by themselves. [Build] and [Watch]
	// never do.
	Auto bool `yaml:"auto"`
	// Quiet is how long a watched set must be unchanged before it is submitted.
	Quiet time.Duration `yaml:"quiet"`
}

// IndexNow says how to tell search engines by https://www.indexnow.org.
type IndexNow struct {
	// Key is what proves that the site is one's own: 8 to 128 letters, digits and
	// dashes. Empty, nobody is told.
	Key string `yaml:"key"`
	// KeyLocation is the URL of the file that holds the key. Empty, that is KEY.txt in
	// the docroot. Only URLs in its folder, or below, are submitted.
	KeyLocation string `yaml:"key_location"`
	// Endpoint is the URL to submit to: https, or http on this machine.
	Endpoint string `yaml:"endpoint"`
}

// asks reports whether there is anybody to tell.
func (s *SubmitConfig) asks() bool { return s.IndexNow.Key != "" || len(s.Ping) > 0 }

// checkSubmit checks what says whom to tell of changes.
func (c *Config) checkSubmit() error {
	s := &c.Submit
	if err := c.checkIndexNow(); err != nil {
		return err
	}
	for i, ping := range s.Ping {
		if i == maxPings {
			return c.mistake(fmt.Sprintf("submit.ping[%d]", i), fmt.Sprintf("is one too many: %d may be asked for", maxPings), "an engine needs one")
		}
		// A placeholder need not be where a URL takes braces.
		if u, err := url.Parse(strings.ReplaceAll(ping, sitemapMark, "")); err != nil || !isWeb(u) || u.Fragment != "" {
			return c.mistake(fmt.Sprintf("submit.ping[%d]", i), "must be an http or https URL", "such as https://engine.example/ping?sitemap={sitemap}")
		}
	}
	switch {
	case s.Auto && !s.asks():
		return c.mistake("submit.auto", "is set, but nobody is to be told", "set submit.indexnow.key, or submit.ping")
	case s.Quiet < minQuiet:
		return c.mistake("submit.quiet", "must be at least "+minQuiet.String(), "")
	}
	return nil
}

// maxPings is how many pings may be configured: a submission is not to hold up others,
// nor to be a way to send requests to everybody.
const maxPings = 10

// minQuiet keeps a watch from telling engines of each edit.
const minQuiet = time.Second

// checkIndexNow checks what says how to submit by IndexNow. The file's place is not to
// blame for what a flag has set.
func (c *Config) checkIndexNow() error {
	s := &c.Submit.IndexNow
	positions := c.positions
	if *s != c.loadedSubmit {
		positions = nil
	}
	fail := func(key, problem, hint string) error {
		key = "submit.indexnow." + key
		return &ConfigError{positions.Error(key, key+" "+problem, hint)}
	}
	if s.Key != "" && !indexnow.IsKey(s.Key) {
		return fail("key", "must be 8 to 128 letters, digits and dashes", "sitewalk submit --create-key-file makes one")
	}
	endpoint, err := url.Parse(s.Endpoint)
	switch {
	case err != nil || !isWeb(endpoint) || endpoint.Fragment != "":
		return fail("endpoint", "must be an https URL", "such as https://api.indexnow.org/indexnow")
	case endpoint.Scheme == "http" && !isLoopback(endpoint):
		return fail("endpoint", "must begin with https://", "http is for endpoints on this machine")
	case s.KeyLocation == "":
		return nil
	}
	location, err := url.Parse(s.KeyLocation)
	base, baseErr := url.Parse(c.Mapper.BaseURL)
	switch {
	case err != nil || !isWeb(location) || location.RawQuery != "" || location.Fragment != "" || strings.HasSuffix(location.Path, "/"):
		return fail("key_location", "must be the http or https URL of a file", "such as https://www.example.com/blog/KEY.txt")
	case baseErr == nil && !sameHost(location, base):
		return fail("key_location", "must be of the host of base_url", "engines take a key for its own host only")
	}
	return nil
}

// isWeb reports whether a URL is one to ask a web server for.
func isWeb(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}

// sameHost reports whether two URLs are of one host, as engines see it.
func sameHost(a, b *url.URL) bool {
	scopeA, scopeB := indexnow.NewScope(a), indexnow.NewScope(b)
	return scopeA.Host() == scopeB.Host()
}

// isLoopback reports whether a URL is of this machine.
func isLoopback(u *url.URL) bool {
	address, err := netip.ParseAddr(u.Hostname())
	return err == nil && address.IsLoopback() || strings.EqualFold(u.Hostname(), "localhost")
}

// CheckSubmit reports, as a *ConfigError, why [Submit] would not even try with this
// configuration: nobody is to be told, or nothing can be remembered of it, or it is of
// a site that no engine can reach. It looks at no file.
func (c *Config) CheckSubmit() error {
	if err := c.Validate(); err != nil {
		return err
	}
	fail := func(text string) error { return &ConfigError{errors.New(text)} }
	switch {
	case !c.Submit.asks():
		return fail("nobody is to be told of changes: set submit.indexnow.key, which sitewalk submit --create-key-file makes, or submit.ping")
	case c.State == "" && c.NoState != nil:
		return fail("what was submitted cannot be remembered: " + c.NoState.Error() + "; name a file with --state")
	case c.State == "":
		return fail("what was submitted is remembered beside the state, and there is none: leave --no-state out, or name a file with --state")
	case isLocal(c.Mapper.BaseURL) && !c.tellsOnlyHere():
		return fail("base_url is of this machine or a private network, where no search engine can look: submit with the address that the site has for everybody")
	}
	return nil
}

// tellsOnlyHere reports whether all who are told are on this machine, as in a test.
func (c *Config) tellsOnlyHere() bool {
	told := c.Submit.Ping
	if c.Submit.IndexNow.Key != "" {
		told = append([]string{c.Submit.IndexNow.Endpoint}, told...)
	}
	for _, raw := range told {
		if u, err := url.Parse(strings.ReplaceAll(raw, sitemapMark, "")); err != nil || !isLoopback(u) {
			return false
		}
	}
	return true
}

// keyLocation returns the URL of the key file, which by default is in the docroot.
func (c *Config) keyLocation() (*url.URL, error) {
	s := &c.Submit.IndexNow
	if s.KeyLocation != "" {
		return url.Parse(s.KeyLocation)
	}
	base, err := c.canonicalBase()
	if err != nil {
		return nil, err
	}
	return url.Parse(base + s.Key + ".txt")
}

// canonicalBase returns the base URL as the URLs of a set begin.
func (c *Config) canonicalBase() (string, error) {
	m, err := mapper.New(c.Mapper, mapper.Options{})
	if err != nil {
		return "", c.blame(err)
	}
	return m.BaseURL(), nil
}

// sitemapMark stands in a ping's URL for that of the sitemap.
const sitemapMark = "{sitemap}"

// pingURL returns the URL by which to tell of a sitemap.
func pingURL(ping, sitemap string) string {
	encoded := url.QueryEscape(sitemap)
	if strings.Contains(ping, sitemapMark) {
		return strings.ReplaceAll(ping, sitemapMark, encoded)
	}
	separator := "?"
	switch {
	case strings.HasSuffix(ping, "?"), strings.HasSuffix(ping, "&"):
		separator = ""
	case strings.Contains(ping, "?"):
		separator = "&"
	}
	return ping + separator + "sitemap=" + encoded
}

// keyFile returns the path of the key file in the docroot, slash-separated.
func (c *Config) keyFile() (dir, name string, err error) {
	s := &c.Submit.IndexNow
	if s.KeyLocation == "" {
		return "", s.Key + ".txt", nil
	}
	base, err := c.canonicalBase()
	if err != nil {
		return "", "", err
	}
	location, errLocation := url.Parse(s.KeyLocation)
	root, errRoot := url.Parse(base)
	if err := errors.Join(errLocation, errRoot); err != nil {
		return "", "", err
	}
	below, inside := strings.CutPrefix(location.Path, root.Path)
	dir, name = path.Split(below)
	if !inside || !sameHost(location, root) || !strings.HasSuffix(name, ".txt") || path.Clean("/"+below) != "/"+below {
		return "", "", c.mistake("submit.indexnow.key_location", "is not the URL of a .txt file in the docroot", "put a file with the key there by hand")
	}
	return strings.TrimSuffix(dir, "/"), name, nil
}
