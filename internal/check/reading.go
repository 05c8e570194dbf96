package check

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
)

// reading is one file that is being checked.
type reading struct {
	*run
	file   *file
	number uint32
	tell   func(*Finding)
	// mayBeIndex says that the file is a root: what an index names may not be another.
	mayBeIndex bool

	isIndex, is084 bool
	here           place // folder of the file on the web
	known          bool
	locs           *locJudge
	current        *entry // that locs judges
	looked         int    // number of sitemaps that were looked at
	next           string // index that goes on where this one ends
	pages          int64
	records        []record
	priority       priorityRun
}

func newReading(r *run, f *file, number uint32, tell func(*Finding)) *reading {
	return &reading{run: r, file: f, number: number, tell: tell}
}

// read reads the file to its end and closes it.
func (r *reading) read() {
	r.file.body = &packedBody{r.file.body, &r.proportion}
	defer r.file.body.Close()
	for i := range r.file.notes {
		r.tell(&r.file.notes[i])
	}
	r.file.checkType(r.tellFile)
	content, err := r.file.plain(r.ctx, r.tellFile)
	if err != nil {
		r.tellFile(codeOf(err, Gzip), err.Error())
		return
	}
	content.from = &plainContent{content.from, &r.proportion}
	h := &handler{root: r.root, entry: r.entry, problem: r.problem, continued: func(name string) { r.next = name }}
	var entries int64
	if r.file.isList() {
		entries, err = readList(content, h)
	} else {
		entries, err = readDocument(content, h)
	}
	if err != nil && !errors.Is(err, errEnough) {
		r.fail(err)
		return
	}
	r.checkLimits(entries, content.read)
	if err := r.twice.add(r.records); err != nil {
		r.fail(err)
	}
	r.priorities.add(r.priority)
}

// codeOf returns the code under which an error is told.
func codeOf(err error, otherwise Code) Code {
	var opening *openError
	var damage *gzipError
	var read *readError
	var bound *boundError
	switch {
	case errors.As(err, &opening):
		return opening.code
	case errors.As(err, &damage):
		return Gzip
	case errors.As(err, &read), errors.As(err, &bound):
		return Unread
	}
	return otherwise
}

// tellFile tells what is wrong with the file as a whole.
func (r *reading) tellFile(code Code, message string) { r.problem(0, 0, "", code, message) }

// problem tells what is wrong at a place of the file.
func (r *reading) problem(line, column int, loc string, code Code, message string) {
	r.tell(&Finding{File: r.file.name, Line: line, Column: column, Loc: shortened(loc), Code: code, Message: message})
}

// shortened returns a URL that is not longer than one can be.
func shortened(loc string) string {
	if len(loc) > maxLoc {
		return loc[:maxLoc] + "…"
	}
	return loc
}

// root takes what the file is.
func (r *reading) root(isIndex, is084 bool) error {
	r.isIndex, r.is084, r.file.isIndex = isIndex, is084, isIndex
	if isIndex && !r.mayBeIndex {
		r.tellFile(NestedIndex, "is an index, which another index may not name; what it names was not looked at")
		return errEnough
	}
	r.here, r.known = parsePlace(r.file.url)
	r.locs = newLocJudge(r.here, r.known, r.vouched.by)
	r.locs.tell = func(code Code, message string) { r.about(r.current, code, message) }
	return nil
}

// about tells what is wrong with an entry.
func (r *reading) about(e *entry, code Code, message string) {
	r.problem(e.line, e.column, e.loc, code, message)
}

// entry takes an entry that has a URL.
func (r *reading) entry(e *entry) error {
	r.current = e
	checkValues(e, r.now, r.locs.tell)
	if r.isIndex {
		r.shard(e)
	} else {
		r.page(e)
	}
	return r.ctx.Err()
}

// recordsKept is how many URLs a reading remembers before it passes them on.
const recordsKept = 4096

// page takes a page.
func (r *reading) page(e *entry) {
	r.pages++
	parts := r.locs.check(e.loc)
	r.priority.add(e)
	if r.records == nil {
		r.records = make([]record, 0, recordsKept)
	}
	r.records = append(r.records, record{parts.hash(e.loc), reference{r.number, e.number}})
	if len(r.records) == recordsKept {
		if err := r.twice.add(r.records); err != nil {
			r.fail(err)
		}
		r.records = r.records[:0]
	}
	if r.options.Page != nil {
		if code, message := r.options.Page(&Page{Loc: e.loc, LastMod: e.lastMod}); code != "" {
			r.about(e, code, message)
		}
	}
}

// shard takes a sitemap that the index names, and starts to read it.
func (r *reading) shard(e *entry) {
	parts, ok := r.locs.form(e.loc)
	if !ok {
		return
	}
	at := place{parts.origin, parts.path}
	switch {
	case r.known && at.origin != r.here.origin:
		r.about(e, ShardHost, "is not of "+r.here.origin+", where the index is, and was not looked at: scheme, host and port must agree")
		return
	case r.known && !at.isBelow(r.here):
		r.about(e, ShardFolder, "is outside the folder of the index, "+r.here.String()+", where Google wants it")
	}
	switch root := r.rootAt(e.loc); {
	case root != nil && root.isIndex:
		r.about(e, NestedIndex, "is an index, which another index may not name")
	case root != nil: // robots.txt names it too
	case !r.isNew(e.loc):
		r.about(e, DuplicateShard, "is named by an index already")
	case !r.isNewFile(e.loc):
		r.about(e, DuplicateShard, "leads to a file that an index has named already")
	case r.looked == maxNamed || len(r.files) >= maxFiles:
		r.about(e, Unread, fmt.Sprintf("was not looked at, nor what follows: so many sitemaps (%d) were named before", r.looked))
		r.looked++
	case r.looked < maxNamed:
		r.looked++
		r.startShard(r.file, e)
	}
}

// checkLimits tells where a file goes beyond what the protocol allows.
func (r *reading) checkLimits(entries, bytes int64) {
	size, urls, shards, of := int64(maxBytes), int64(maxURLs), int64(maxShards), ""
	if r.is084 {
		size, shards, of = maxBytes084, maxShards084, " in protocol 0.84"
	}
	switch {
	case r.isIndex && entries > shards:
		r.tellFile(TooManyShards, fmt.Sprintf("names %d sitemaps, and an index may name %d%s", entries, shards, of))
	case !r.isIndex && entries > urls:
		r.tellFile(TooManyURLs, fmt.Sprintf("lists %d URLs, and a sitemap may list %d%s", entries, urls, of))
	}
	if bytes > size {
		r.tellFile(TooLarge, fmt.Sprintf("has %d bytes before compression, and may have %d%s", bytes, size, of))
	}
}

// priorityRun is what the pages of a file have in common.
type priorityRun struct {
	pages int64
	value string // of the first
	mixed bool   // not all have that one
}

func (p *priorityRun) add(e *entry) {
	if p.pages++; p.pages == 1 {
		p.value = e.priority
	}
	p.mixed = p.mixed || e.priority != p.value || p.value == ""
}

// priorityTally is the same of all files.
type priorityTally struct {
	mutex sync.Mutex
	all   priorityRun
}

func (t *priorityTally) add(p priorityRun) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	switch {
	case p.pages == 0:
	case t.all.pages == 0:
		t.all = p
	default:
		t.all.pages += p.pages
		t.all.mixed = t.all.mixed || p.mixed || p.value != t.all.value
	}
}

// fewPages is a number of pages of which it says nothing that they are alike.
const fewPages = 10

// message says that all pages have one priority, or "".
func (t *priorityTally) message() string {
	if t.all.mixed || t.all.pages < fewPages {
		return ""
	}
	return "all " + strconv.FormatInt(t.all.pages, 10) + " pages have the priority " + shortened(t.all.value) +
		", which says nothing: it is relative to the other pages of the site"
}
