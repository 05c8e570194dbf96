// Package previous reads what a published sitemap says of its URLs, so that a
// build that starts from nothing can know when pages changed.
//
// Start at [Read], and for the URLs themselves at [Visit]. They take the sitemaps of
// any generator, of protocol 0.84 and 0.9 or of no namespace, compressed or not. Read
// keeps 16 bytes a URL, and Visit nothing. A URL is known only as it is spelled in
// the sitemap.
//
// A sitemap may be anybody's, so what it says decides nothing but dates: an
// index leads to files in its own folder, or to URLs of its own site, entities
// cannot be declared, and every file is bounded. A set that cannot be read as a
// whole is an error, because a page that is missing in it looks new.
package previous

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"
)

// MaxBytes is the length of the longest sitemap or index that is read, in bytes
// before compression: the protocol's limit.
// https://www.sitemaps.org/protocol.html#index
const MaxBytes = 50 << 20

// MaxSitemaps is the number of sitemaps that an index may name: the protocol's
// limit, as above.
const MaxSitemaps = 50_000

// DefaultMaxURLs is the number of URLs that are remembered unless [Options] say
// otherwise. They take 800 MB.
const DefaultMaxURLs = 50_000_000

// maxIndexes is the number of indexes that may continue each other.
const maxIndexes = 1000

// Options say how a published sitemap is read. The zero value works.
type Options struct {
	// Root is the name of the file that is looked for first when the location is
	// a folder, as it is or with .gz added: a name without slashes.
	Root string
	// MaxURLs is the number of URLs with a date, or of URLs that are visited, that
	// may be there at most; 0 stands for DefaultMaxURLs. More are an error.
	MaxURLs int
	// Client makes the requests, but for its CheckRedirect, which is not used. By
	// default it is one of its own that goes through the environment's proxy.
	Client *http.Client
	// Now is the time, past which no date is taken; the zero value stands for
	// the time at which Read is called.
	Now time.Time
}

// Read reads a published sitemap: a sitemap or an index in a file, in the
// folder at a path, or at an http or https URL, and all sitemaps that an index
// names. In a folder it is the first that is there of options.Root,
// sitemap.xml, sitemap.xml.gz, sitemap_index.xml and sitemap-index.xml.
//
// Of an index in a file the sitemaps are read that lie beside it and have the
// last segment of the URL for a name. Of an index on the web only sitemaps of
// the same scheme, host and port are read, and a redirect may lead only there,
// or from http to https.
//
// The error wraps [io/fs.ErrNotExist] if there is no sitemap at the location,
// as before a site is first published. One about a file's content begins with
// the file's name, line and column in bytes. Reading a sitemap that is slow to
// come takes as long as the context lets it.
func Read(ctx context.Context, location string, options Options) (*Dates, error) {
	now := options.Now
	if now.IsZero() {
		now = time.Now()
	}
	r := &reading{ctx: ctx, now: now.Unix(), maxURLs: options.MaxURLs, read: map[string]bool{}}
	if r.maxURLs == 0 {
		r.maxURLs = DefaultMaxURLs
	}
	var file *sitemapFile
	var err error
	if scheme, _, found := strings.Cut(location, "://"); found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")) {
		r.from, file, err = openWeb(ctx, location, options.Client)
	} else {
		r.from, file, err = openFolder(location, options.Root)
	}
	if err == nil {
		defer r.from.close()
		err = r.set(file)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return newDates(r.entries), nil
}

// A source is the place where a published set lies.
type source interface {
	// open opens the sitemap that an index names by its URL.
	open(ctx context.Context, loc string) (*sitemapFile, error)
	// openBeside opens the file of a name that lies beside the index.
	openBeside(ctx context.Context, name string) (*sitemapFile, error)
	close()
}

// reading is what one Read is at.
type reading struct {
	ctx     context.Context
	from    source
	now     int64 // in seconds since 1970
	maxURLs int
	entries []entry
	// visit, if not nil, is called for each URL, none of which is remembered then.
	visit   func(loc, lastmod []byte)
	visited int
	roots   []string // names of the indexes, or of the only sitemap, as in the folder
	// read are the names of the sitemaps that were read, and packed and plain the bytes
	// of all files before decompression and after.
	read          map[string]bool
	packed, plain int64
}

// A set may be far larger than what was read for it, but not without measure.
const (
	// freePlain is how many bytes of a set are read whatever it was compressed to.
	freePlain = 1 << 30
	// maxRatio is how many times as large as it was compressed what is beyond that may
	// be. Sitemaps in which hardly anything but a number differs come to a hundred.
	maxRatio = 200
)

var errExpands = fmt.Errorf("the set expands to more than %d times what it was compressed to", maxRatio)

// set reads a set from its root on, and closes the root.
func (r *reading) set(root *sitemapFile) error {
	seen := map[string]bool{}
	for index := root; ; {
		seen[index.name] = true
		r.roots = append(r.roots, filepath.Base(index.name))
		found, err := r.file(index)
		if err != nil {
			return err
		}
		for _, loc := range found.sitemaps {
			if err := r.sitemap(index.name, loc); err != nil {
				return err
			}
		}
		if found.next == "" {
			return nil
		}
		if index, err = r.from.openBeside(r.ctx, found.next); err != nil {
			return err
		}
		if seen[index.name] || len(seen) == maxIndexes {
			index.close()
			return fmt.Errorf("%s: is continued in a circle, or more than %d times", index.name, maxIndexes)
		}
	}
}

// sitemap reads a sitemap that an index names.
func (r *reading) sitemap(index, loc string) error {
	file, err := r.from.open(r.ctx, loc)
	if err != nil {
		return err
	}
	if r.read[file.name] { // it has nothing new to say
		file.close()
		return nil
	}
	r.read[file.name] = true
	found, err := r.file(file)
	if err != nil {
		return err
	}
	if found.isIndex {
		return fmt.Errorf("%s: is an index, which the index %s may not name", file.name, index)
	}
	return nil
}
