package check

import (
	"cmp"
	"context"
	"errors"
	"path"
	"path/filepath"
	"strings"
)

// maxInferred is how many entries of a root are looked at to find out where it is.
const maxInferred = 100

// errEnough ends a reading early.
var errEnough = errors.New("enough was read")

// inferPlace finds out where on the web root is, by what the set's root lists. The
// files that an index names are looked for: where they are on disk tells how much of
// their URLs' paths is that of the folder. Of pages only the host counts, and the
// folder is taken for what it serves as /.
func (f *folder) inferPlace(ctx context.Context, root *file) (place, bool) {
	isIndex, locs := f.firstLocs(ctx, root)
	votes := map[place]int{}
	var first place
	found := false
	for _, loc := range locs {
		at, ok := parsePlace(loc)
		switch {
		case !ok:
			continue
		case !isIndex:
			return place{at.origin, "/"}, true
		case !found:
			first, found = at, true
		}
		for _, candidate := range f.candidates(loc, root) {
			votes[candidate]++
		}
	}
	best, most := place{}, 0
	for candidate, n := range votes {
		// Of two that explain as much, the one that takes the folder for more of the site.
		if n > most || n == most && compareDepth(candidate, best) < 0 {
			best, most = candidate, n
		}
	}
	switch {
	case most > 0:
		return best, true
	case f.dir != ".":
		return place{}, false // where root is, the folder of the set does not tell
	}
	return first, found
}

// compareDepth orders places by how far below their host's / they are.
func compareDepth(a, b place) int {
	return cmp.Or(cmp.Compare(len(a.path), len(b.path)), cmp.Compare(a.String(), b.String()))
}

// candidates returns where root may be if the file at a URL is in it, at the end of
// the URL's path. The index does not name itself.
func (f *folder) candidates(loc string, index *file) []place {
	parts, problem := splitURL(loc)
	if problem != "" {
		return nil
	}
	var found []place
	for end := strings.LastIndexByte(parts.path, '/'); end >= 0; end = strings.LastIndexByte(parts.path[:end], '/') {
		below, ok := unescapedPath(parts.path[end+1:])
		if !ok || below == "" || !filepath.IsLocal(filepath.FromSlash(below)) {
			continue
		}
		name, folder := path.Join(f.dir, below), parts.path[:end+1]
		if info, err := f.root.Stat(name); err != nil || !info.Mode().IsRegular() || name == index.path {
			continue
		}
		if f.dir != "." {
			above, isBelow := strings.CutSuffix(folder, "/"+f.dir+"/")
			if !isBelow {
				continue
			}
			folder = above + "/"
		}
		found = append(found, place{parts.origin, folder})
	}
	return found
}

// firstLocs returns the first URLs of a root, and whether it is an index.
func (f *folder) firstLocs(ctx context.Context, root *file) (isIndex bool, locs []string) {
	opened, err := f.openPath(root.path)
	if err != nil {
		return false, nil
	}
	defer opened.body.Close()
	h := &handler{
		root: func(index, _ bool) error { isIndex = index; return nil },
		entry: func(e *entry) error {
			if len(e.loc) <= maxLoc {
				locs = append(locs, e.loc)
			}
			if len(locs) == maxInferred {
				return errEnough
			}
			return nil
		},
		problem: func(int, int, string, Code, string) {},
	}
	content, err := opened.plain(ctx, func(Code, string) {})
	if err != nil {
		return false, nil
	}
	// What is wrong with it, the check itself will say.
	if opened.isList() {
		_, _ = readList(content, h)
	} else {
		_, _ = readDocument(content, h)
	}
	return isIndex, locs
}
