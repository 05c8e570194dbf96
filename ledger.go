package sitewalk

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"sitewalk/internal/catalog"
	"sitewalk/internal/state"
	"sitewalk/mapper"
	"sitewalk/output"
	"sitewalk/scanner"
)

// ledger is what a watch keeps of the docroot from one publication to the next: the
// files as they were last seen, and which pages have changed since. Walks of the
// docroot, or of parts of it, are merged into it as they go on; what a walk that
// failed has found so far is as true as the rest.
type ledger struct {
	watcher *scanner.Watcher
	tree    *catalog.Tree
	first   bool // the walk at hand is the first: there is nothing to compare with
	// restyled says that URLs are spelled otherwise than when pages were read: what was
	// made of their heads is to be made anew, until a walk has come to its end.
	restyled bool

	selection *scanner.Selection
	// open are the folders that the walk is in, and path that of the last of them. It
	// begins with the paths of the others, which together could be very long.
	open []*openFolder
	path string

	// pending are the positions of pages that have changed since the last
	// publication, by section. With too many of them, overfull, it is not worth
	// while to remember them one by one.
	pending                 []map[string]struct{}
	overfull                bool
	added, changed, removed int64
	// touched are the paths of files that came or went, or that now claim a URL or
	// no longer do: others may have to be judged anew. Beyond fewTouched they are no
	// longer added.
	touched map[string]struct{}
	// styled says that the head of some page names another, perhaps itself.
	styled bool
	due    int64 // when a page is to be judged again, in seconds since 1970; or 0
	// edits counts the files that were found to be other than they were known, of
	// which the state knows the first saved ones.
	edits, saved int64
	extras       *extras
	locOf        func(dir, name string) []byte // a page's URL, for extras

	mu    sync.Mutex
	links map[string]struct{} // paths of links that are followed
}

// openFolder is a folder whose content a walk has not come to the end of.
type openFolder struct {
	end     int      // of its path in ledger.path
	some    bool     // only names were looked at
	names   []string // sorted
	files   []catalog.File
	settled string              // the name of the last file that has been compared; those in files are behind it
	folders map[string]struct{} // subfolders that the walk entered
}

func newLedger() *ledger {
	return &ledger{
		tree: catalog.New(), first: true,
		touched: map[string]struct{}{}, links: map[string]struct{}{},
	}
}

// divide says how many sections there are, and which pages are not on disk.
func (l *ledger) divide(sections int, extras *extras, locOf func(dir, name string) []byte) {
	l.extras, l.locOf = extras, locOf
	if l.pending == nil { // else what has not been published yet stays
		l.pending = make([]map[string]struct{}, sections)
		l.clear()
	}
}

// enter has a folder watched before it is listed.
func (l *ledger) enter(dir string, id scanner.FolderID) { l.watcher.Enter(dir, id) }

// follow remembers a link: nothing tells of what changes behind it.
func (l *ledger) follow(path, _ string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.links[path] = struct{}{}
}

// begin begins to merge a walk of a part of the docroot.
func (l *ledger) begin(selection *scanner.Selection) {
	l.selection = selection
	l.open = l.open[:0]
	l.push("")
	if selection == nil {
		l.due = 0
		l.mu.Lock()
		clear(l.links)
		l.mu.Unlock()
	}
}

// push opens a folder that the walk has entered.
func (l *ledger) push(dir string) {
	f := &openFolder{end: len(dir)}
	f.names, f.some = l.selection.Names(dir)
	if len(l.open) > 0 {
		above := l.open[len(l.open)-1]
		if above.folders == nil {
			above.folders = map[string]struct{}{}
		}
		above.folders[strings.TrimPrefix(dir[above.end:], "/")] = struct{}{}
	}
	l.tree.AddFolder(dir)
	l.open, l.path = append(l.open, f), dir
}

// pathOf returns the path of an open folder.
func (l *ledger) pathOf(f *openFolder) string { return l.path[:f.end] }

// merge takes a batch, in the order of the walk.
func (l *ledger) merge(r *batchResult) {
	for {
		top := l.pathOf(l.open[len(l.open)-1])
		if r.dir == top {
			break
		}
		below, inside := cutFolder(r.dir, top)
		if !inside {
			l.pop()
			continue
		}
		name, _, _ := strings.Cut(below, "/")
		l.push(r.dir[:len(r.dir)-len(below)+len(name)])
	}
	if r.due != 0 && (l.due == 0 || r.due < l.due) {
		l.due = r.due
	}
	f := l.open[len(l.open)-1]
	f.files = append(f.files, r.files...)
	if !f.some && len(f.files) >= manyFiles {
		l.replace(f, f.files[len(f.files)-1].Name)
	}
}

// manyFiles is the number of files of a folder that are compared at once: a folder
// may have millions.
const manyFiles = 8192

// cutFolder returns a path relative to the folder at another, and false if it is not
// below that.
func cutFolder(path, folder string) (below string, inside bool) {
	if folder == "" {
		return path, true
	}
	return strings.CutPrefix(path, folder+"/")
}

// end ends the merging of a walk.
func (l *ledger) end() {
	for len(l.open) > 0 {
		l.pop()
	}
	l.first = false
	if l.selection == nil {
		l.restyled = false
	}
}

// pop closes the folder opened last: what was found in it is compared with what
// was known.
func (l *ledger) pop() {
	f := l.open[len(l.open)-1]
	l.open = l.open[:len(l.open)-1]
	if f.some {
		l.patch(f)
		return
	}
	l.replace(f, "")
	dir := l.pathOf(f)
	for _, name := range l.tree.Folders(dir) {
		if _, entered := f.folders[name]; !entered {
			l.removeFolder(scanner.Join(dir, name))
		}
	}
}

// notice notes what matters to other files.
func (l *ledger) notice(file *catalog.File) {
	if file.Page.Facts != "" && !l.styled {
		l.styled = mapper.NamesAnother(file.Page.Facts)
	}
}

// replace compares the files of a folder up to a name, or, if that is empty, all that
// are left.
func (l *ledger) replace(f *openFolder, upto string) {
	dir := l.pathOf(f)
	defer func() {
		clear(f.files)
		f.files, f.settled = f.files[:0], upto
	}()
	if l.first {
		for i := range f.files {
			l.notice(&f.files[i])
		}
		l.tree.Patch(dir, nil, f.files)
		return
	}
	before := l.tree.AppendFilesBetween(nil, dir, f.settled, upto)
	var remove []string
	var put []catalog.File
	i, k := 0, 0
	for i < len(before) || k < len(f.files) {
		var was, is *catalog.File
		if k == len(f.files) || i < len(before) && before[i].Name <= f.files[k].Name {
			was = &before[i]
			i++
		}
		if k < len(f.files) && (was == nil || was.Name == f.files[k].Name) {
			is = &f.files[k]
			k++
		}
		if was != nil && is != nil {
			keepClaim(was, is)
		}
		switch differs := l.compare(dir, was, is); {
		case differs && is != nil:
			put = append(put, *is)
		case differs:
			remove = append(remove, was.Name)
		}
	}
	l.tree.Patch(dir, remove, put)
}

// patch compares some names of a folder.
func (l *ledger) patch(f *openFolder) {
	dir := l.pathOf(f)
	var remove []string
	var put []catalog.File
	for _, name := range f.names {
		var file *catalog.File
		i, found := slices.BinarySearchFunc(f.files, name, func(f catalog.File, name string) int { return strings.Compare(f.Name, name) })
		if found {
			file = &f.files[i]
		}
		var before *catalog.File
		if known, found := l.tree.Lookup(dir, name); found {
			before = &known
		}
		if before != nil && file != nil {
			keepClaim(before, file)
		}
		switch differs := l.compare(dir, before, file); {
		case differs && file != nil:
			put = append(put, *file)
		case differs:
			remove = append(remove, name)
		}
		if _, entered := f.folders[name]; !entered {
			if path := scanner.Join(dir, name); l.tree.HasFolder(path) {
				l.removeFolder(path)
			}
		}
	}
	l.tree.Patch(dir, remove, put)
}

// keepClaim lets a file that another has the URL of stay so, though the walk, which
// does not see all files, knows of no other: what gives up the URL is noted apart.
func keepClaim(before, after *catalog.File) {
	if before.Verdict == scanner.Duplicate && after.Verdict == scanner.Listed {
		after.Verdict = scanner.Duplicate
	}
}

func (l *ledger) removeFolder(path string) {
	l.tree.RemoveFolder(path, func(dir string, file *catalog.File) { l.compare(dir, file, nil) })
}

// compare notes what it means that a file was as before and is as after, either of
// which may be nil, and reports whether there is any difference.
func (l *ledger) compare(dir string, before, after *catalog.File) bool {
	if before == after || before != nil && after != nil && *before == *after {
		return false
	}
	l.edits++
	if after != nil {
		l.notice(after)
	}
	name := nameOf(before, after)
	if len(l.touched) <= fewTouched && (isThere(before) != isThere(after) || claims(before) != claims(after)) {
		l.touched[scanner.Join(dir, name)] = struct{}{}
	}
	wasListed, isListed := before != nil && before.Verdict == scanner.Listed, after != nil && after.Verdict == scanner.Listed
	switch {
	case wasListed && isListed:
		if saysTheSame(before, after) {
			break
		}
		l.changed++
		l.mark(dir, name, before.Section)
		l.mark(dir, name, after.Section)
	case isListed:
		l.added++
		l.mark(dir, name, after.Section)
	case wasListed:
		l.removed++
		l.mark(dir, name, before.Section)
	}
	if wasListed != isListed {
		l.claimExtra(dir, name, isListed)
	}
	return true
}

func nameOf(before, after *catalog.File) string {
	if after != nil {
		return after.Name
	}
	return before.Name
}

// isThere reports whether there is a regular file.
func isThere(f *catalog.File) bool {
	return f != nil && !f.Folder && f.Verdict != scanner.Symlink && f.Verdict != scanner.NotRegular
}

// claims reports whether a file would be listed if its URL were free.
func claims(f *catalog.File) bool {
	return f != nil && (f.Verdict == scanner.Listed || f.Verdict == scanner.Duplicate)
}

// saysTheSame reports whether the sitemap says the same of two states of a page.
func saysTheSame(a, b *catalog.File) bool {
	return a.Section == b.Section && a.LastMod == b.LastMod && a.DateOnly == b.DateOnly && a.Page.Facts == b.Page.Facts
}

// mark notes that a section has to be cut anew where a page is, or was.
func (l *ledger) mark(dir, name string, section int) {
	if l.overfull {
		return
	}
	l.pending[section][output.Position(dir, name, false)] = struct{}{}
	if len(l.pending[section]) > maxPending {
		l.forget()
		l.overfull = true
	}
}

// maxPending is the number of pages of a section up to which a publication goes by
// what has changed: with more, most shards would be cut anew in any case.
const maxPending = 50_000

// claimExtra notes that a page came or went, whose URL an extra page may have.
func (l *ledger) claimExtra(dir, name string, listed bool) {
	if l.extras == nil || len(l.extras.pages) == 0 {
		return
	}
	i := l.extras.find(l.locOf(dir, name))
	if i < 0 {
		return
	}
	if listed {
		l.extras.take(i)
	} else {
		l.extras.release(i)
	}
	page := &l.extras.pages[i]
	l.pending[page.section][output.Position("", page.loc, true)] = struct{}{}
}

// takeExtras finds the extra pages whose URLs files have.
func (l *ledger) takeExtras() {
	if len(l.extras.pages) == 0 {
		return
	}
	for i := range l.extras.pages {
		l.extras.pages[i].taken = 0
	}
	l.tree.Walk("", ^catalog.Sections(0), func(dir string, f *catalog.File) bool {
		if i := l.extras.find(l.locOf(dir, f.Name)); i >= 0 {
			l.extras.take(i)
		}
		return true
	})
}

// differences returns a number that grows with each page that changes until it is
// published.
func (l *ledger) differences() int64 { return l.added + l.changed + l.removed }

// isPending reports whether anything has changed since the last publication.
func (l *ledger) isPending() bool {
	return l.overfull || slices.ContainsFunc(l.pending, func(positions map[string]struct{}) bool { return len(positions) > 0 })
}

// positions returns what has changed since the last publication, by section.
func (l *ledger) positions() [][]string {
	all := make([][]string, len(l.pending))
	for i, positions := range l.pending {
		all[i] = slices.Sorted(maps.Keys(positions))
	}
	return all
}

// clear forgets what has changed: it is published.
func (l *ledger) clear() {
	l.forget()
	l.added, l.changed, l.removed = 0, 0, 0
}

// forget forgets where something has changed.
func (l *ledger) forget() {
	for i := range l.pending {
		l.pending[i] = map[string]struct{}{}
	}
	l.overfull = false
}

// linkPaths returns the links that are followed.
func (l *ledger) linkPaths() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Keys(l.links))
}

// write hands all that a state is to remember to its writer.
func (l *ledger) write(w *state.Writer) error {
	var batch state.Batch
	var err error
	files, within := 0, ""
	l.tree.Walk("", 0, func(dir string, f *catalog.File) bool {
		// Runs as a walk has them are found again most quickly.
		if files == 0 || dir != within || files == scanner.BatchFiles {
			if err = w.Append(&batch); err != nil {
				return false
			}
			within, files = dir, 0
			batch.Reset(strings.Clone(dir))
		}
		files++
		if f.Known && !f.Folder {
			page := f.Page
			batch.Add(f.Name, &page)
		}
		return true
	})
	if err != nil {
		return err
	}
	return w.Append(&batch)
}
