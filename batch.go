package sitewalk

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

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
	locs     []byte // of all pages, if the set has a list of them
	verdicts scanner.Verdicts
	leftOut  []LeftOut // if somebody asks
	// noted are the files that are worth a warning: those that could not be read,
	// and those that would protect others.
	noted []LeftOut
}

// renderedPage is a page in a batchResult.
type renderedPage struct {
	name    string
	xmlEnd  int
	locEnd  int
	section int
	hash    uint64
	lastMod int64
	// keyLength is mapper.Page's, and extra the index of the extra page with the
	// same URL, or -1.
	keyLength int
	extra     int
	// unbelievable and allowed are worth a warning.
	unbelievable, allowed bool
}

// walk takes the files from the docroot to the set.
func (b *builder) walk(ctx context.Context) error {
	results := &sync.Pool{New: func() any { return new(batchResult) }}
	newWork := func() func(*scanner.Batch) *batchResult {
		w := &batchWorker{
			builder: b, results: results, mapper: b.mapper.NewWorker(),
			renderer: output.NewRenderer(b.config.Output.LastModFormat),
			withLocs: b.set.Text(), tell: b.config.LeftOut != nil,
		}
		return w.work
	}
	emit := func(result *batchResult) error {
		defer results.Put(result)
		return b.add(result)
	}
	return scanner.Walk(ctx, b.docroot, b.scanner, newWork, emit)
}

// batchWorker turns batches into results, for one goroutine.
type batchWorker struct {
	builder  *builder
	results  *sync.Pool
	mapper   *mapper.Worker
	renderer *output.Renderer
	withLocs bool // the set has a list of URLs
	tell     bool // somebody asks what is left out
}

func (w *batchWorker) work(batch *scanner.Batch) *batchResult {
	result := w.results.Get().(*batchResult)
	result.reset(batch.Dir)
	w.mapper.Enter(batch.Dir)
	for i := range batch.Files {
		file := &batch.Files[i]
		if file.Verdict == scanner.Listed {
			var page mapper.Page
			if page, file.Verdict = w.mapper.Map(file); file.Verdict == scanner.Listed {
				w.render(result, file, &page)
				continue
			}
		}
		result.leave(file, w.tell)
	}
	return result
}

func (w *batchWorker) render(result *batchResult, file *scanner.File, page *mapper.Page) {
	result.xml = w.renderer.Append(result.xml, &page.Page)
	if w.withLocs {
		result.locs = append(result.locs, page.Loc...)
	}
	result.pages = append(result.pages, renderedPage{
		name: file.Name, xmlEnd: len(result.xml), locEnd: len(result.locs),
		section: page.Section, hash: page.Hash(), lastMod: page.LastMod,
		keyLength: page.KeyLength, extra: w.builder.extras.find(page.Loc),
		unbelievable: page.Unbelievable, allowed: file.Allowed,
	})
}

func (r *batchResult) reset(dir string) {
	*r = batchResult{
		dir: dir, pages: r.pages[:0], xml: r.xml[:0], locs: r.locs[:0],
		leftOut: r.leftOut[:0], noted: r.noted[:0],
	}
}

// leave counts a file that is not listed.
func (r *batchResult) leave(file *scanner.File, tell bool) {
	r.verdicts[file.Verdict]++
	noted := file.Verdict == scanner.Unreadable || file.Name == ".htaccess" && !file.Folder
	if !noted && !tell {
		return
	}
	path := scanner.Join(r.dir, file.Name)
	if file.Folder {
		path += "/"
	}
	left := LeftOut{path, file.Verdict, file.Err}
	if noted {
		r.noted = append(r.noted, left)
	}
	if tell {
		r.leftOut = append(r.leftOut, left)
	}
}

// add adds a batch to the set, in the order of the walk.
func (b *builder) add(r *batchResult) error {
	xmlStart, locStart := 0, 0
	for i := range r.pages {
		page := &r.pages[i]
		xml, loc := r.xml[xmlStart:page.xmlEnd], r.locs[locStart:page.locEnd]
		xmlStart, locStart = page.xmlEnd, page.locEnd
		if page.keyLength >= 0 && !b.taken.Claim(r.dir, page.name, page.keyLength) {
			r.leave(&scanner.File{Name: page.name, Verdict: scanner.Duplicate}, b.config.LeftOut != nil)
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
		b.dates.add(page.lastMod)
		if err := b.set.Add(page.section, xml, page.hash, page.lastMod, loc); err != nil {
			return err
		}
	}
	b.verdicts.Add(&r.verdicts)
	for _, left := range r.noted {
		if left.Err != nil {
			b.warnings.add(warnUnreadable, left.Path, left.Err.Error())
		} else {
			b.warnings.add(warnProtected, left.Path, "")
		}
	}
	if b.config.LeftOut != nil {
		// The duplicates came last, but stand between the others.
		slices.SortStableFunc(r.leftOut, func(a, b LeftOut) int {
			return strings.Compare(strings.TrimSuffix(a.Path, "/"), strings.TrimSuffix(b.Path, "/"))
		})
		for _, left := range r.leftOut {
			b.config.LeftOut(left)
		}
	}
	if b.config.Progress != nil {
		if now := time.Now(); now.Sub(b.progress) > 50*time.Millisecond {
			b.progress = now
			b.config.Progress(b.verdicts.Total(), b.verdicts[scanner.Listed])
		}
	}
	return nil
}
