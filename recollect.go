package sitewalk

import (
	"slices"
	"strings"

	"sitewalk/internal/catalog"
	"sitewalk/scanner"
)

// recollect finds what the ledger says of the candidates of a batch, and looks at
// those files.
func (w *batchWorker) recollect(batch *scanner.Batch) {
	for i := range w.candidates {
		w.candidates[i].old = nil
	}
	switch {
	case len(w.candidates) == 0 || w.ledger.first || !w.ledger.tree.HasFolder(w.dir):
		return
	case len(w.candidates) <= fewCandidates:
		for i := range w.candidates {
			if f, found := w.ledger.tree.Lookup(w.dir, batch.Files[w.candidates[i].index].Name); found {
				w.hold(i, &f)
			}
		}
	default:
		for next := 0; next < len(w.candidates); {
			next = w.recollectFrom(batch, next)
		}
	}
	for i := range w.candidates {
		if c := &w.candidates[i]; c.old != nil {
			batch.Stat(c.index)
		}
	}
}

// fewCandidates is the number up to which it is quicker to look for each by itself.
const fewCandidates = 4

// hold takes what the ledger says of the candidate at an index.
func (w *batchWorker) hold(i int, f *catalog.File) {
	if f.Known {
		page := f.Page
		page.Facts = strings.Clone(page.Facts)
		w.pages = append(w.pages, page)
		w.candidates[i].old = &w.pages[len(w.pages)-1]
	}
}

// recollectFrom does so from one candidate on, up to one behind a subfolder that the
// ledger knows, and returns that one's index. Both the candidates and what the ledger
// says of them are in the order of the walk.
func (w *batchWorker) recollectFrom(batch *scanner.Batch, next int) int {
	name := func() string { return batch.Files[w.candidates[next].index].Name }
	ended := true
	w.ledger.tree.Walk(scanner.Join(w.dir, name()), 0, func(dir string, f *catalog.File) bool {
		if dir != w.dir {
			// The next candidate lies behind this subfolder, if the walk is still in
			// the candidates' own folder.
			below, inside := cutFolder(dir, w.dir)
			ended = !inside || next == len(w.candidates)
			subfolder, _, _ := strings.Cut(below, "/")
			for !ended && name() <= subfolder {
				next++
				ended = next == len(w.candidates)
			}
			return false
		}
		for next < len(w.candidates) && name() < f.Name {
			next++
		}
		if next < len(w.candidates) && name() == f.Name {
			w.hold(next, f)
			next++
		}
		return next < len(w.candidates)
	})
	if ended {
		return len(w.candidates)
	}
	return next
}

// enter hands on all files of a batch as the ledger is to keep them.
func (w *batchWorker) enter(batch *scanner.Batch, result *batchResult) {
	for i := range batch.Files {
		file := &batch.Files[i]
		result.files = append(result.files, catalog.File{Name: file.Name, Verdict: file.Verdict, Folder: file.Folder})
	}
	for i := range w.candidates {
		c := &w.candidates[i]
		file, kept := &batch.Files[c.index], &result.files[c.index]
		switch {
		case c.known:
			kept.Known, kept.Page = true, w.pageOf(file, c)
		case c.old != nil: // when it can be read again, the date of its content still counts
			kept.Known, kept.Page = true, *c.old
			kept.Page.Racy, kept.Page.Facts = true, ""
		}
		if file.Verdict == scanner.Listed {
			kept.Section, kept.LastMod, kept.DateOnly = c.page.Section, c.page.LastMod, c.page.DateOnly
		}
		w.plan(result, file, c)
		if w.renders {
			continue // and warns of what is listed
		}
		if c.unbelievable {
			result.note(warnUnbelievable, file.Name, "")
		}
		if file.Verdict == scanner.Listed && file.Allowed {
			result.note(warnAllowed, file.Name, "")
		}
	}
}

// plan notes when a candidate is to be judged again although nothing about it
// changes: what is yet to come, comes.
func (w *batchWorker) plan(result *batchResult, file *scanner.File, c *candidate) {
	now := w.builder.now
	for _, at := range [...]int64{c.facts.Expires, c.facts.Modified, file.ModSeconds()} {
		if at > now && (result.due == 0 || at < result.due) {
			result.due = at
		}
	}
}

// rejudge returns what becomes of a file of the ledger, of which nothing but other
// files has changed: its verdict and, if it is listed, its date.
func (w *batchWorker) rejudge(dir string, kept *catalog.File) catalog.File {
	judged := *kept
	if !kept.Known || kept.Page.Racy && kept.Page.Facts == "" && kept.Verdict == scanner.Unreadable {
		return judged
	}
	w.dir = dir
	w.mapper.Enter(dir)
	file := scanner.File{Name: kept.Name, ModTime: kept.Page.ModTime}
	page, ok := w.mapper.Map(&file)
	if !ok {
		return judged // as before
	}
	c := candidate{page: page, old: &kept.Page, changed: changed{kept.Page.Date, kept.Page.DateOnly}}
	if !c.recallFacts() {
		return judged
	}
	c.page.Loc = slices.Clone(page.Loc)
	if !w.mapper.Judge(&file, &c.page, c.facts, w.builder.now) {
		return catalog.File{Name: kept.Name, Verdict: file.Verdict, Known: true, Page: kept.Page}
	}
	if judged.Verdict != scanner.Duplicate {
		judged.Verdict = scanner.Listed
	}
	w.lastMod(&c, kept.Name, file.ModSeconds())
	judged.Section, judged.LastMod, judged.DateOnly = c.page.Section, c.page.LastMod, c.page.DateOnly
	return judged
}
