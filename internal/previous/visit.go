package previous

import (
	"context"
	"os"
)

// Visit reads the sitemap in a folder, as [Read] does of the folder at a path, and
// calls visit for each URL, in the order in which they stand there, with what stands
// there as its lastmod, which may be no date, or empty. Both slices are the caller's
// until it returns. Options.Client and Options.Now mean nothing here.
//
// It returns the names of the indexes, or of the only sitemap, in their order. The
// path is for messages. If Visit fails, some of the URLs may have been visited.
func Visit(ctx context.Context, root *os.Root, path string, options Options, visit func(loc, lastmod []byte)) (roots []string, err error) {
	from := &folder{root, path}
	r := &reading{ctx: ctx, from: from, maxURLs: options.MaxURLs, visit: visit, read: map[string]bool{}}
	if r.maxURLs == 0 {
		r.maxURLs = DefaultMaxURLs
	}
	file, err := from.find(options.Root)
	if err == nil {
		err = r.set(file)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return r.roots, err
}
