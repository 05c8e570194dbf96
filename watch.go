package sitewalk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"sitewalk/mapper"
	"sitewalk/output"
	"sitewalk/scanner"
)

// Watch builds, and then keeps the published set equal to what a fresh build would
// write, until ctx ends. It calls tell from one goroutine: for the first
// publication, once every watch is set, for each publication that follows, and for
// what goes wrong meanwhile. It returns a *ConfigError for a mistake in the
// configuration, what makes the first publication impossible, or ctx.Err(). What
// cannot be published later, a site without a page, and a docroot that is not there
// (yet), are events, and Watch goes on. No temporary file and no goroutine of it is
// left when it returns.
//
// Run.DryRun and Run.IndexTime mean nothing to it; Run.Found is called for the first
// publication only, and Run.LeftOut later on for what changes.
func Watch(ctx context.Context, config Config, tell func(Event)) error {
	if err := config.Validate(); err != nil {
		return err
	}
	if config.FS != nil {
		return &ConfigError{errors.New("a file system cannot be watched: name a docroot")}
	}
	config.DryRun, config.IndexTime = false, time.Time{}
	config.fillIn()
	names, err := scanner.New(config.Scanner, scanner.Options{})
	if err != nil {
		return config.blame(err)
	}
	w := &watch{
		config: &config, tell: tell, resumes: config.Resumes, inputs: stamps{paths: config.Mapper.ExtraURLs},
		matters: func(path string) bool { return path == robotsFile || names.Reads(path) },
	}
	for {
		if err := w.follow(ctx); err != nil {
			return err
		}
		config.Found, config.Progress, config.Previous = nil, nil, "" // which are of the first publication
		w.resumes = true
	}
}

// watch is what outlives the docroot: another folder may take its place.
type watch struct {
	config *Config
	tell   func(Event)
	// begun says that something has been published, or that there was no page. From
	// then on ledger is what was in the docroot, also of one that is gone.
	begun  bool
	ledger *ledger
	// resumes says that what is published stays until the docroot has been quiet for a
	// while, even if nothing has been published yet; see [Run].
	resumes bool
	pages   int64 // listed in the last publication
	// tried is what publications wrote and removed that failed at their end, since the
	// last one that was told of.
	tried output.Result
	// published is what is on disk, in the folder at a path; nil if that is not known.
	published *output.Published
	folder    string
	folderID  scanner.FolderID
	inputs    stamps       // of extra_urls
	spelled   *mapper.URLs // as the pages were last found to spell theirs; nil if that is not asked
	said      string       // the last error that was told
	warned    bool         // of a base URL that only this machine can reach
	// matters reports whether it matters what is written to a file.
	matters func(path string) bool
}

// follow watches the folder that is the docroot now until another is, or something
// else makes it necessary to begin anew; then it returns nil.
func (w *watch) follow(ctx context.Context) error {
	place, err := w.find(ctx)
	if err != nil {
		return err
	}
	s := newSession(w, place)
	defer s.close()
	err = s.begin(ctx)
	s.tellAll()
	if err == nil {
		err = s.loop(ctx)
	}
	if w.begun {
		s.save()
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errAnew):
		return nil
	case !w.begun:
		return err
	}
	w.fail(untouched(err))
	return wait(ctx, retryAfter)
}

// errAnew says that watching has to begin anew, mostly because the docroot is another
// folder than before, or none.
var errAnew = errors.New("the docroot, or what else the watch goes by, has been replaced")

const (
	// heartbeat is the time between two looks at the docroot's place: nothing tells of
	// some of the ways in which another folder comes to be there.
	heartbeat = time.Second
	// absence is the time between two looks for a docroot that is not there.
	absence = 200 * time.Millisecond
)

// wait waits, unless ctx ends.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// place is a folder that is the docroot.
type place struct {
	given string // absolute
	real  string // without links
	id    scanner.FolderID
}

func (w *watch) locate() (p place, err error) {
	if p.given, err = filepath.Abs(w.config.Scanner.Docroot); err != nil {
		return p, err
	}
	if p.real, err = filepath.EvalSymlinks(p.given); err != nil {
		return p, err
	}
	p.id, err = scanner.FolderIDAt(p.real)
	return p, err
}

// isStill reports whether the docroot is the same folder as before.
func (p *place) isStill() bool {
	id, err := scanner.FolderIDAt(p.given)
	return err == nil && id == p.id
}

// find returns the docroot, and waits for it if it is not there: then it has mostly
// only begun to be filled.
func (w *watch) find(ctx context.Context) (place, error) {
	told := false
	for {
		p, err := w.locate()
		if err == nil {
			return p, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !w.begun {
			return p, w.config.docrootError(err)
		}
		if !told {
			told, w.resumes = true, true
			w.tell(Event{Kind: EventWaiting, Err: fmt.Errorf("the docroot is not there; what was published stays until it is: %w", err)})
		}
		if err := wait(ctx, absence); err != nil {
			return p, err
		}
	}
}

// untouched adds to an error what is done about it.
func untouched(err error) error {
	return fmt.Errorf("%w; what was published stays, and it is tried again", err)
}

// fail tells what went wrong, once.
func (w *watch) fail(err error) {
	if err == nil || err.Error() == w.said {
		return
	}
	w.said = err.Error()
	w.tell(Event{Kind: EventError, Err: err})
}

// isLocal reports whether a base URL is one that only this machine, or a private
// network, can reach.
func isLocal(baseURL string) bool {
	u, err := url.Parse(baseURL)
	if err != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if address, err := netip.ParseAddr(host); err == nil {
		return address.IsLoopback() || address.IsPrivate() || address.IsLinkLocalUnicast() || address.IsUnspecified()
	}
	// https://www.rfc-editor.org/rfc/rfc6761 and its like
	for _, domain := range [...]string{"localhost", "test", "local", "internal", "lan", "home.arpa"} {
		if host == domain || strings.HasSuffix(host, "."+domain) {
			return true
		}
	}
	return !strings.Contains(host, ".")
}
