package sitewalk

import (
	"slices"
	"strings"

	"sitewalk/internal/catalog"
	"sitewalk/mapper"
	"sitewalk/output"
	"sitewalk/scanner"
)

// fewTouched is the number of files up to which those that depend on them are looked
// for one by one. With more it is quicker to judge all.
const fewTouched = 500

// rejudge judges the files anew whose verdicts depend on others that came or went.
func (b *builder) rejudge() {
	l := b.ledger
	if len(l.touched) == 0 {
		return
	}
	w := b.newBatchWorker(nil)
	for len(l.touched) > 0 { // to judge one may touch another
		if len(l.touched) > fewTouched {
			l.rejudgeAll(w)
			clear(l.touched)
			return
		}
		touched := l.touched
		l.touched = map[string]struct{}{}
		for path := range touched {
			if l.styled {
				for _, kin := range b.mapper.Kin(path, true) {
					l.rejudgeOne(w, kin)
				}
			}
			l.settleClaims(b.mapper.NewWorker(), path, b.mapper.Kin(path, false))
		}
	}
}

// rejudgeOne judges the file at a path, if there is one, by its own head.
func (l *ledger) rejudgeOne(w *batchWorker, path string) {
	dir, name := cutPath(path)
	if kept, found := l.tree.Lookup(dir, name); found && mapper.NamesAnother(kept.Page.Facts) {
		l.put(dir, &kept, w.rejudge(dir, &kept))
	}
}

// put replaces what is known of a file.
func (l *ledger) put(dir string, before *catalog.File, after catalog.File) {
	if l.compare(dir, before, &after) {
		l.tree.Patch(dir, nil, []catalog.File{after})
	}
}

// settleClaims has, of the file at a path and its kin, the first to claim the URL of
// that path get it.
func (l *ledger) settleClaims(w *mapper.Worker, path string, kin []string) {
	key, _ := keyOf(w, path)
	claimants := append(kin, path)
	slices.SortFunc(claimants, func(a, b string) int { return strings.Compare(positionOf(a), positionOf(b)) })
	taken := false
	for _, path := range claimants {
		dir, name := cutPath(path)
		kept, found := l.tree.Lookup(dir, name)
		if !found || !claims(&kept) {
			continue
		}
		// Kin of kin may claim another URL: of that not all claimants are known here.
		if other, shared := keyOf(w, path); other != key || !shared {
			continue
		}
		verdict := scanner.Listed
		if taken {
			verdict = scanner.Duplicate
		}
		taken = true
		after := kept
		after.Verdict = verdict
		l.put(dir, &kept, after)
	}
}

// keyOf returns the key of the URL that a file has or had; see [mapper.Page]. It
// reports false if no other file can have that.
func keyOf(w *mapper.Worker, path string) (key string, shared bool) {
	dir, name := cutPath(path)
	w.Enter(dir)
	page, _ := w.Map(&scanner.File{Name: name})
	if page.KeyLength < 0 {
		return path, false
	}
	return path[:page.KeyLength], true
}

// rejudgeAll judges all files anew that may depend on others.
func (l *ledger) rejudgeAll(w *batchWorker) {
	var taken mapper.Taken
	l.tree.Walk("", 0, func(dir string, f *catalog.File) bool {
		judged := *f
		if mapper.NamesAnother(f.Page.Facts) {
			judged = w.rejudge(dir, f)
		}
		if claims(&judged) {
			w.mapper.Enter(dir)
			page, ok := w.mapper.Map(&scanner.File{Name: f.Name})
			judged.Verdict = scanner.Listed
			if ok && page.KeyLength >= 0 && !taken.Claim(dir, f.Name, page.KeyLength) {
				judged.Verdict = scanner.Duplicate
			}
		}
		l.put(dir, f, judged)
		return true
	})
}

// positionOf returns the position of the page at a path.
func positionOf(path string) string {
	dir, name := cutPath(path)
	return output.Position(dir, name, false)
}

// cutPath cuts a path into folder and name.
func cutPath(path string) (dir, name string) {
	slash := strings.LastIndexByte(path, '/')
	return path[:max(slash, 0)], path[slash+1:]
}
