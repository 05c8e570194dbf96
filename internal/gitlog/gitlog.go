// Package gitlog tells when the files of a docroot were last committed, for a
// docroot in a git work tree.
//
// Start at [Read]. It asks the git program, once however many files there are,
// and keeps 16 bytes a file.
//
// The last commit of a file is the first, in the order of git log, that changed
// the file and left it with the content that it has in HEAD. So a file that
// came with a merged branch has the date of the commit on the branch, as with
// git log for that file alone; a file that differs from all parents of a merge
// has the merge's; and what a merge threw away, or a skewed clock put in front,
// dates nothing. Renames are not followed: a file is as old as its path.
//
// Only what is certain is told. No date has a file that is not tracked, that
// differs from HEAD in the work tree or the index, that is a link, or that lies
// in a submodule below the docroot; a docroot inside a submodule is as good as
// any other. In a shallow clone the oldest commits stand for all that is cut
// off, and seem to touch every file: they date nothing either.
//
// The docroot alone says which repository is read. The variables by which git
// tells its hooks, such as GIT_DIR, are not passed on, so a folder that only
// --work-tree connects to a repository elsewhere counts as being in none.
//
// Package gitlog never writes to the repository, not even to its index, never
// fetches, and starts no program that the repository's own configuration names:
// it switches off hooks, file system monitors, filters, diff drivers and the
// checking of signatures. A filter that the owner of the repository adds between two of
// git's runs would be started, with the rights that git has and without a terminal.
// Configuration of the user and the system is trusted,
// and whose repositories may be read is for git's safe.directory to say.
package gitlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// ErrNoRepository says that the docroot is not in the work tree of a repository.
var ErrNoRepository = errors.New("not in a git work tree")

// ErrNoGit says that there is no git program to ask.
var ErrNoGit = errors.New("git is not installed")

// Read finds the last commit of each file of a docroot, which is a folder in a
// work tree, or a link to one. A repository without commits gives no dates.
//
// Errors are ErrNoRepository, ErrNoGit, the context's own, or say what git
// complained of. Read takes as long as git takes to walk the history until
// every file has its date, but ten minutes at most, and git no more than 1 GiB of
// memory on Linux; the context ends it.
func Read(ctx context.Context, docroot string) (*Dates, error) {
	g, err := newGit(docroot)
	if err != nil {
		return nil, err
	}
	return g.read(ctx)
}

func (g *git) read(ctx context.Context) (*Dates, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, maxReading, errSlow)
	defer cancel()
	place, err := g.place(ctx)
	if err != nil {
		return nil, err
	}
	if err := g.switchFiltersOff(ctx); err != nil {
		return nil, err
	}
	s := search{prefix: place.prefix}
	// The work tree comes first: whoever commits a change meanwhile then makes a
	// file go without its date, and not with an older one.
	if err := g.run(ctx, s.readStatus, "status", "--porcelain=v1", "-z", "--untracked-files=no", "--ignore-submodules=all",
		"--no-renames", "--", "."); err != nil {
		return nil, err
	}
	dates := &Dates{shallow: place.shallow}
	head, err := g.head(ctx)
	if head == "" || err != nil {
		return dates, err
	}
	if err := g.run(ctx, s.readTree, "ls-tree", "-r", "-z", head); err != nil {
		return nil, err
	}
	s.begin()
	if s.pending == 0 {
		return dates, nil
	}
	if place.shallow {
		if s.boundary, err = g.boundary(ctx); err != nil {
			return nil, err
		}
	}
	// Each option is against a setting that would change the output, but for -c:
	// of a merge it mentions what differs from all parents, where -m would mention
	// what came with a branch as well.
	if err := g.run(ctx, s.readLog, "log", "-z", "--format=%H %ct", "--raw", "-c", "--root", "--no-abbrev", "--encoding=none",
		"--no-follow", "--no-relative", "--no-renames", "--no-color", "--no-ext-diff", "--no-textconv", "--no-show-signature",
		"--no-notes", "--no-mailmap", head, "--", "."); err != nil {
		return nil, err
	}
	if place.shallow {
		dates.withheld = int64(s.pending)
	}
	dates.files = s.found()
	return dates, nil
}

// place is where a docroot lies.
type place struct {
	prefix  string // path of the docroot in the work tree, empty or ending in a slash
	shallow bool
}

// place asks git for the repository that the docroot is in.
func (g *git) place(ctx context.Context) (place, error) {
	answer, err := g.answer(ctx, "rev-parse", "--is-inside-work-tree", "--is-shallow-repository", "--show-prefix")
	var refused *refusal
	if errors.As(err, &refused) && strings.HasPrefix(refused.complaint, "not a git repository (or any") {
		return place{}, ErrNoRepository
	}
	if err != nil {
		return place{}, err
	}
	// The prefix comes last because it may hold line ends of its own.
	lines := strings.SplitN(answer, "\n", 3)
	if len(lines) < 3 || lines[0] != "true" {
		return place{}, ErrNoRepository // a bare one, or the folder .git itself
	}
	return place{prefix: strings.TrimSuffix(lines[2], "\n"), shallow: lines[1] == "true"}, nil
}

// head returns the id of the commit that is checked out, and "" before the
// first commit. What is asked afterwards is asked of this commit, so that the
// answers agree when somebody commits meanwhile.
func (g *git) head(ctx context.Context) (string, error) {
	answer, err := g.answer(ctx, "rev-parse", "--verify", "--quiet", "HEAD")
	var refused *refusal
	if errors.As(err, &refused) && refused.code == 1 {
		return "", nil
	}
	return strings.TrimSuffix(answer, "\n"), err
}

// boundary returns the ids of the commits at which a shallow clone is cut off.
// See "Shallow commits" in https://git-scm.com/docs/shallow.
func (g *git) boundary(ctx context.Context) (map[string]bool, error) {
	answer, err := g.answer(ctx, "rev-parse", "--git-path", "shallow")
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(answer, "\n")
	if !filepath.IsAbs(name) {
		name = filepath.Join(g.docroot, name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading where the history is cut off: %w", err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("reading where the history is cut off: %w", err)
	}
	ids := map[string]bool{}
	for id := range strings.FieldsSeq(string(content)) {
		ids[id] = true
	}
	return ids, nil
}
