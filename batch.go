package sitewalk

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"sitewalk/internal/catalog"
	"sitewalk/internal/state"
	"sitewalk/mapper"
	"sitewalk/output"
	"sitewalk/scanner"
)

// batchResult is what becomes of a batch of files: its pages, rendered, and what
// is to be said of the others. It is made by a worker beside others, and used
// up in the order of the walk.
type batchResult struct {
	dir      string
	pages    []renderedPage
	xml      []byte // of all pages
	locs     []byte // of all pages, if somebody asks for them
	verdicts scanner.Verdicts
	findings []Finding // if somebody asks
	// noted are the files that are worth a warning: those that could not be read,
	// and those that would protect others.
	noted []noted
	// styled are the pages whose canonical names them in another style.
	styled []styledPage
	links  []pageLink // hreflang links, in the order of pages

	// What the state is to remember: the run as it was, or what is in memory.
	run        *state.Run
	memory     state.Batch
	remembered bool

	// files are all of the batch, if a watch is to keep them, and due is when, in
	// seconds since 1970, the first of them is to be judged again; 0 for never.
	files []catalog.File
	due   int64
}

// renderedPage is a page in a batchResult.
type renderedPage struct {
	name       string
	index      int // among the batch's files
	xmlEnd     int
	locEnd     int
	linkEnd    int
	section    int
	hash       uint64
	lastMod    int64
	namespaces output.Namespaces
	// keyLength is mapper.Page's, extra the index of the extra page with the same
	// URL, finding that of the finding about it, and styled that among the styled
	// pages; or -1.
	keyLength, extra, finding, styled int
	// rewritten says that the date is the file's own, as a build may have left it.
	rewritten bool
	// unbelievable and allowed are worth a warning.
	unbelievable, allowed bool
}

// noted is a file that is worth a warning.
type noted struct {
	code   warningCode
	path   string
	detail string
}

// walk takes the files from the docroot to the set.
func (b *builder) walk(ctx context.Context) error {
	results := &sync.Pool{New: func() any { return new(batchResult) }}
	newWork := func() func(*scanner.Batch) *batchResult { return b.newBatchWorker(results).work }
	emit := func(result *batchResult) error {
		defer results.Put(result)
		return b.add(result)
	}
	if b.ledger != nil {
		b.ledger.begin(nil)
	}
	err := scanner.Walk(ctx, b.docroot, b.scanner, newWork, emit)
	if err == nil {
		err = b.mayForget(b.memory.reader.Err())
	}
	if err == nil && b.ledger != nil {
		b.ledger.end()
	}
	return err
}

// Size returns roughly how many bytes the pages of the batch take.
func (r *batchResult) Size() int { return len(r.xml) + len(r.locs) + 16*len(r.links) }

func (r *batchResult) reset(dir string) {
	*r = batchResult{
		dir: dir, pages: r.pages[:0], xml: r.xml[:0], locs: r.locs[:0], findings: r.findings[:0],
		noted: r.noted[:0], styled: r.styled[:0], links: r.links[:0], memory: r.memory,
		files: r.files[:0],
	}
	r.memory.Reset(dir)
}

// note remembers a file that is worth a warning.
func (r *batchResult) note(code warningCode, name, detail string) {
	r.noted = append(r.noted, noted{code, scanner.Join(r.dir, name), detail})
}

// leave counts a file that is not listed. page is what is known of it as a page;
// it may be nil.
func (r *batchResult) leave(file *scanner.File, page *mapper.Page, tell bool) {
	r.verdicts[file.Verdict]++
	switch {
	case file.Verdict == scanner.Unreadable:
		r.note(warnUnreadable, file.Name, file.Err.Error())
	case file.Name == ".htaccess" && (file.Verdict == scanner.Symlink || file.Verdict == scanner.NotRegular):
		r.note(warnAccessIgnored, file.Name, "")
	case file.Name == ".htaccess" && file.Err != nil:
		r.note(warnAccessUnread, file.Name, file.Err.Error())
	}
	if tell {
		path := scanner.Join(r.dir, file.Name)
		if file.Folder {
			path += "/"
		}
		found := Finding{Path: path, Verdict: file.Verdict, Detail: file.Detail, Err: file.Err}
		if page != nil {
			found.URL, found.Rules = string(page.Loc), counted(page.Rules)
		}
		r.findings = append(r.findings, found)
	}
}

// add adds a batch to the set, in the order of the walk.
func (b *builder) add(r *batchResult) error {
	xmlStart, locStart, linkStart := 0, 0, 0
	for i := range r.pages {
		page := &r.pages[i]
		xml, loc, links := r.xml[xmlStart:page.xmlEnd], r.locs[locStart:page.locEnd], r.links[linkStart:page.linkEnd]
		xmlStart, locStart, linkStart = page.xmlEnd, page.locEnd, page.linkEnd
		if page.keyLength >= 0 && !b.taken.Claim(r.dir, page.name, page.keyLength) {
			b.leaveDuplicate(r, page, loc)
			if b.ledger != nil {
				r.files[page.index].Verdict = scanner.Duplicate
			}
			continue
		}
		if page.extra >= 0 {
			b.extras.take(page.extra)
		}
		if page.unbelievable {
			b.warnings.add(warnUnbelievable, scanner.Join(r.dir, page.name), "")
		}
		if page.allowed {
			b.warnings.add(warnAllowed, scanner.Join(r.dir, page.name), "")
		}
		r.verdicts[scanner.Listed]++
		b.dates.add(page.lastMod, page.rewritten)
		if page.styled >= 0 {
			b.styles.add(r.dir, &r.styled[page.styled])
		}
		for _, link := range links {
			b.links.add(link, r.dir, page.name)
		}
		err := b.set.Add(&output.Rendered{
			Section: page.section, XML: xml, Hash: page.hash, LastMod: page.lastMod, Loc: loc,
			Namespaces: page.namespaces, Mark: b.mark(r, page), Dir: r.dir, Name: page.name,
		})
		if err != nil {
			return err
		}
	}
	b.verdicts.Add(&r.verdicts)
	for _, n := range r.noted {
		b.warnings.add(n.code, n.path, n.detail)
	}
	b.remember(r)
	if b.ledger != nil {
		b.ledger.merge(r)
	}
	b.tell(r)
	if b.config.Progress != nil {
		if now := time.Now(); now.Sub(b.progress) > 50*time.Millisecond {
			b.progress = now
			b.config.Progress(b.verdicts.Total(), b.verdicts[scanner.Listed])
		}
	}
	return nil
}

// leaveDuplicate counts a page whose URL another file has.
func (b *builder) leaveDuplicate(r *batchResult, page *renderedPage, loc []byte) {
	file := scanner.File{Name: page.name, Verdict: scanner.Duplicate}
	if b.config.wantsFindings() {
		file.Detail = "another file has " + string(loc)
	}
	if page.finding < 0 {
		r.leave(&file, nil, b.config.LeftOut != nil)
		return
	}
	r.leave(&file, nil, false)
	found := &r.findings[page.finding]
	*found = Finding{Path: found.Path, Verdict: file.Verdict, Detail: file.Detail, URL: found.URL, Rules: found.Rules}
}

// tell hands on what became of the batch's files, in order.
func (b *builder) tell(r *batchResult) {
	// The pages came last, but stand between the others.
	slices.SortStableFunc(r.findings, func(a, b Finding) int {
		return strings.Compare(strings.TrimSuffix(a.Path, "/"), strings.TrimSuffix(b.Path, "/"))
	})
	for i := range r.findings {
		found := &r.findings[i]
		if found.Verdict != scanner.Listed && b.config.LeftOut != nil {
			b.config.LeftOut(found)
		}
		if b.config.Found != nil {
			b.config.Found(found)
		}
	}
}
