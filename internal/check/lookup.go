package check

import (
	"fmt"
	"slices"
)

// maxAgain is how many sitemaps on the web are requested again, to tell which URLs
// are listed twice.
const maxAgain = 50

// located is an entry as it is found when its file is read again.
type located struct {
	file         string // its name for people
	line, column int
	loc          string
}

// checkDuplicates tells which pages are listed twice. Only hashes of URLs were kept,
// so that the files concerned are read again.
func (r *run) checkDuplicates() error {
	count, pairs, err := r.twice.find()
	if err != nil || count == 0 {
		return err
	}
	var wanted []reference
	for _, p := range pairs {
		wanted = append(wanted, p.first, p.second)
	}
	slices.SortFunc(wanted, compareReferences)
	found := r.lookUp(slices.Compact(wanted))
	for _, p := range pairs {
		first, second := found[p.first], found[p.second]
		switch {
		case first == nil || second == nil:
			r.emit(&Finding{File: r.files[p.second.file], Code: Duplicate,
				Message: fmt.Sprintf("URL number %d is listed already, as number %d of %.2048q", p.second.entry+1, p.first.entry+1, r.files[p.first.file])})
		case sameURL(first.loc, second.loc):
			spelled := ""
			if first.loc != second.loc {
				spelled = "as " + quote(first.loc) + ", "
			}
			r.emit(&Finding{File: second.file, Line: second.line, Column: second.column, Loc: shortened(second.loc), Code: Duplicate,
				Message: fmt.Sprintf("is listed already, %sin %.2048q, line %d", spelled, first.file, first.line)})
		}
	}
	r.result.MoreDuplicates = count - int64(len(pairs))
	return nil
}

// lookUp reads entries again, which are in order.
func (r *run) lookUp(wanted []reference) map[reference]*located {
	found := map[reference]*located{}
	for files := 0; len(wanted) > 0 && r.ctx.Err() == nil; files++ {
		number := wanted[0].file
		end := slices.IndexFunc(wanted, func(w reference) bool { return w.file != number })
		if end < 0 {
			end = len(wanted)
		}
		opened, err := r.reopen(number)
		if err == nil && opened.fromWeb && files >= maxAgain {
			opened.body.Close()
			break
		}
		if err == nil {
			r.lookUpIn(opened, wanted[:end], found)
		}
		wanted = wanted[end:]
	}
	return found
}

// reopen opens a file that was read before.
func (r *run) reopen(number uint32) (*file, error) {
	if root := r.first[number]; root != nil {
		return r.from.reopen(r.ctx, root)
	}
	return r.from.open(r.ctx, r.files[number])
}

// lookUpIn reads the entries of one file again.
func (r *run) lookUpIn(opened *file, wanted []reference, found map[reference]*located) {
	defer opened.body.Close()
	h := &handler{
		root:    func(bool, bool) error { return nil },
		problem: func(int, int, string, Code, string) {},
		entry: func(e *entry) error {
			if e.number == wanted[0].entry {
				found[wanted[0]] = &located{opened.name, e.line, e.column, e.loc}
				wanted = wanted[1:]
			}
			if len(wanted) == 0 {
				return errEnough
			}
			return nil
		},
	}
	content, err := opened.plain(r.ctx, func(Code, string) {})
	if err != nil {
		return
	}
	// What is wrong with it was told already.
	if opened.isList() {
		_, _ = readList(content, h)
	} else {
		_, _ = readDocument(content, h)
	}
}
