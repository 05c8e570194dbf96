package gitlog

import (
	"context"
	"path/filepath"
	"strings"
)

// Journals returns the paths of files that git writes when the commit of the work
// tree at docroot changes, none if there is no repository. They need not be there.
func Journals(ctx context.Context, docroot string) []string {
	g, err := newGit(docroot)
	if err != nil {
		return nil
	}
	answer, err := g.answer(ctx, "rev-parse", "--git-path", "logs/HEAD", "--git-path", "HEAD")
	if err != nil {
		return nil
	}
	var paths []string
	for path := range strings.Lines(answer) {
		path = filepath.FromSlash(strings.TrimSuffix(path, "\n"))
		if !filepath.IsAbs(path) {
			path = filepath.Join(docroot, path)
		}
		paths = append(paths, path)
	}
	return paths
}
