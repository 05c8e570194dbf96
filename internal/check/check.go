// Package check holds a published sitemap, of any generator's making, to what the
// sitemap protocol demands, and to what its schemas and the limits of crawlers do.
//
// Start at [Run]. It reads a set from its root on: a sitemap or an index, in a
// folder or at a URL, XML or a list of URLs, compressed or not, and every sitemap
// that an index names. Nothing of a set is kept in memory but the URLs of its
// sitemaps: files are read as streams, an entry at a time, and what must be known of
// all pages to find those that are listed twice goes to temporary files once it is
// more than fits (see duplicates.go).
//
// A set may be anybody's and hostile. So every file, entry, line and answer of a
// server is bounded, entities are never expanded, an index leads only to files below
// its site's folder or to URLs of its own host, and temporary files are removed when
// Run returns, however it does.
//
// Run does not judge whether pages exist or what is in them: [Options.Page] is for
// callers who know.
package check

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
)

// The protocol's limits of one file, by https://www.sitemaps.org/protocol.html#index
// and, for 0.84, Google's documentation of 2005.
const (
	maxURLs        = 50_000
	maxShards      = 50_000
	maxShards084   = 1_000
	maxBytes       = 52_428_800
	maxBytes084    = 10_485_760
	maxLoc         = 2_048 // characters that a URL must stay under
	minLoc         = 12    // that the schema wants at least
	namespace09    = "http://www.sitemaps.org/schemas/sitemap/0.9"
	namespace084   = "http://www.google.com/schemas/sitemap/0.84"
	namespaceXSI   = "http://www.w3.org/2001/XMLSchema-instance"
	namespaceXHTML = "http://www.w3.org/1999/xhtml"
	namespaceImage = "http://www.google.com/schemas/sitemap-image/1.1"
)

// The bounds of this package's own, up to which a set that breaks the protocol's is
// read all the same.
const (
	// maxRead is the length in bytes up to which a file is read, before and after
	// decompression: five times what the protocol allows.
	maxRead = 256 << 20
	// maxMarkup is the length in bytes of the longest tag, text or comment, and of
	// the longest entry.
	maxMarkup = 1 << 20
	// maxDepth is how many elements may stand in each other. Sitemaps with
	// extensions have about six.
	maxDepth = 100
	// maxNamed is the number of sitemaps of one index that are looked at, and
	// maxFiles of all of them.
	maxNamed = 200_000
	maxFiles = 1_000_000
	// maxIndexes is the number of indexes that may continue each other.
	maxIndexes = 1_000
	// workers is the number of sitemaps read at a time.
	workers = 4
)

// Options say what is checked, and how. Only Target is required.
type Options struct {
	// Target is a folder, a file, or an http or https URL. In a folder the root of
	// the set is the first that is there of Root, sitemap.xml, sitemap_index.xml,
	// sitemap.xml.gz, sitemap-index.xml, sitemap-0.xml, what robots.txt names, and
	// sitemap.txt. At a URL that ends in a slash it is what robots.txt names, or the
	// first of these names.
	Target string
	// Root is the name of the file that is looked for first in a folder.
	Root string
	// BaseURL is the URL of Docroot or, where that is empty, of the folder that the
	// root of the set lies in. If it is empty too it is inferred from what the set
	// lists, and nothing above that folder is opened. At a URL both are unused.
	BaseURL string
	// Docroot is the folder that the web server serves: sitemaps anywhere in it can
	// be opened, and robots.txt is there.
	Docroot string
	// Client makes the requests, but for its CheckRedirect and Timeout, which are not
	// used. By default it is one of its own that goes through the environment's proxy.
	Client *http.Client
	// Idle is how long a server may send nothing; 0 stands for half a minute. How long
	// all takes is up to the context.
	Idle time.Duration
	// Now is the time after which no page can have changed; zero is when Run is called.
	Now time.Time

	// Began, if not nil, is told what is checked before anything is found: the root's
	// path or URL, and the URL that it has, or "" if that cannot be known.
	Began func(root, url string)
	// Found, if not nil, is called for each finding, in the order of the set, from the
	// goroutine that called Run.
	Found func(*Finding)
	// Page, if not nil, is asked about every page, from several goroutines at once. A
	// code that is not empty makes a finding of the page.
	Page func(*Page) (Code, string)

	// records bounds, for tests, what is kept in memory to find duplicates; 0 stands
	// for maxRecords.
	records int
}

// A Page is what a set says of one URL.
type Page struct {
	Loc     string
	LastMod string // as it is written, or ""
}

// A Result sums a check up.
type Result struct {
	// Root is the path or URL of the sitemap or index that the set begins with.
	Root string
	// Pages is the number of entries with a URL, and Shards that of sitemaps.
	Pages, Shards int64
	// MoreDuplicates is the number of pages that are listed twice beyond those that
	// Found was told of.
	MoreDuplicates int64
}

// ErrAbsent says that the set cannot be had at all: nothing is there, it cannot be
// opened, or the server does not answer with it.
var ErrAbsent = errors.New("there is no sitemap to check")

// absentError is an ErrAbsent with its cause.
type absentError struct{ cause error }

func (e *absentError) Error() string   { return e.cause.Error() }
func (e *absentError) Unwrap() []error { return []error{ErrAbsent, e.cause} }

// Run checks a set. It fails with an error that wraps ErrAbsent if there is none,
// with ctx.Err(), or if it cannot do its own work, such as writing a temporary file.
// What is wrong with the set is no error. All goroutines have ended when it returns.
func Run(ctx context.Context, options Options) (Result, error) {
	if options.Now.IsZero() {
		options.Now = time.Now()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &run{
		ctx: ctx, cancel: cancel, options: options, now: options.Now.Unix(),
		twice: newDuplicates(options.records), queue: make(chan *task, workers),
	}
	defer r.twice.close()
	var roots []*file
	var err error
	if isURL(options.Target) {
		r.from, roots, err = openWeb(ctx, &options)
	} else {
		r.from, roots, err = openFolder(ctx, &options)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return Result{}, err
	}
	defer r.from.close()
	return r.set(roots)
}

// isURL reports whether a target is one on the web.
func isURL(target string) bool {
	scheme, _, found := strings.Cut(target, "://")
	return found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}
