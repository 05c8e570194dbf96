package check

import (
	"cmp"
	"context"
	"fmt"
	"sync"
)

// run is one check. A goroutine reads the roots of the set and starts one for each
// sitemap that an index names, a few at a time; what these find comes to Run's own
// goroutine in the order of the set.
type run struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	options Options
	now     int64 // in seconds since 1970
	from    source
	vouched vouching
	twice   *duplicates
	queue   chan *task
	slots   chan struct{} // as many as sitemaps may be read at a time
	readers sync.WaitGroup
	failure failure

	// The following are the first goroutine's until the queue is closed.

	roots []*file          // that were read, one after the other: indexes, or a sitemap
	files []string         // what sitemaps are opened by: the URL that an index names
	named map[uint64]bool  // hashes of these
	first map[uint32]*file // the roots by their numbers in files

	priorities priorityTally
	proportion proportion
	result     Result
}

// task is a finding of the first goroutine's, or a sitemap that is being read.
type task struct {
	finding  *Finding
	findings chan *Finding // closed when the sitemap is read
	pages    int64         // then
	isShard  bool
}

// set checks a set from its roots on.
func (r *run) set(roots []*file) (Result, error) {
	r.slots = make(chan struct{}, workers)
	r.named, r.first = map[uint64]bool{}, map[uint32]*file{}
	r.vouched = vouching{own: originOf(roots[0].url), said: r.from.robots(), known: map[string]bool{},
		ask: func(origin string) *robotsFile { return r.from.otherRobots(r.ctx, origin) }}
	for _, root := range roots {
		r.vouched.roots = append(r.vouched.roots, root.url)
	}
	r.result.Root = roots[0].name
	if r.options.Began != nil {
		r.options.Began(roots[0].name, roots[0].url)
	}
	go func() {
		defer close(r.queue)
		for i, root := range roots {
			if r.ctx.Err() != nil {
				closeAll(roots[i:])
				break
			}
			if r.wasRead(root) {
				root.body.Close() // robots.txt names it too
				continue
			}
			r.readChain(root)
		}
		r.readers.Wait()
	}()
	for t := range r.queue {
		r.finish(t)
	}
	if err := r.ctx.Err(); err != nil {
		return r.result, cmp.Or(r.failure.get(), err)
	}
	if err := r.checkDuplicates(); err != nil {
		return r.result, err
	}
	if message := r.priorities.message(); message != "" {
		r.emit(&Finding{File: r.roots[0].name, Code: PriorityUniform, Message: message})
	}
	r.checkRobots()
	return r.result, r.ctx.Err()
}

// finish waits for a task and tells what it found.
func (r *run) finish(t *task) {
	if t.finding != nil {
		r.emit(t.finding)
		return
	}
	for found := range t.findings {
		r.emit(found)
	}
	r.result.Pages += t.pages
	if t.isShard {
		r.result.Shards++
	}
	<-r.slots
}

// emit tells of a finding.
func (r *run) emit(found *Finding) {
	if r.options.Found != nil && r.ctx.Err() == nil {
		r.options.Found(found)
	}
}

// fail ends the check for want of what it needs itself. Any goroutine may call it.
func (r *run) fail(err error) {
	r.failure.set(err)
	r.cancel(err)
}

// failure is why a check cannot go on.
type failure struct {
	mutex sync.Mutex
	err   error
}

func (f *failure) set(err error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.err = cmp.Or(f.err, err)
}

func (f *failure) get() error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.err
}

// put puts a task in the queue, and reports false if the check has ended.
func (r *run) put(t *task) bool {
	select {
	case r.queue <- t:
		return true
	case <-r.ctx.Done():
		return false
	}
}

// wasRead reports whether a file was read already, as a root or as what an index
// names.
func (r *run) wasRead(f *file) bool {
	return f.url != "" && (r.rootAt(f.url) != nil || r.named[hashOf(f.url)])
}

// rootAt returns the root that was read from a URL, or nil.
func (r *run) rootAt(loc string) *file {
	for _, root := range r.roots {
		if root.url != "" && sameURL(root.url, loc) {
			return root
		}
	}
	return nil
}

// readChain reads a root, and the indexes in which it goes on.
func (r *run) readChain(root *file) {
	tell := func(found *Finding) { r.put(&task{finding: found}) }
	seen := map[string]bool{}
	for index := root; ; {
		seen[index.name] = true
		next := r.readRoot(index, tell)
		if next == "" || r.ctx.Err() != nil {
			return
		}
		before := index.name
		following, err := r.from.beside(r.ctx, index, next)
		if err != nil {
			tell(&Finding{File: before, Code: MissingIndex, Message: err.Error()})
			return
		}
		if !seen[following.name] && r.wasRead(following) {
			following.body.Close()
			return
		}
		if index = following; seen[index.name] || len(seen) == maxIndexes {
			index.body.Close()
			tell(&Finding{File: before, Code: MissingIndex,
				Message: fmt.Sprintf("goes on in %.60q, in a circle or for more than %d times", next, maxIndexes)})
			return
		}
	}
}

// readRoot reads an index, or a sitemap that is the root of a set, and returns the
// name of the index that goes on where it ends.
func (r *run) readRoot(root *file, tell func(*Finding)) (next string) {
	r.roots = append(r.roots, root)
	number := r.number(root.name)
	r.first[number] = root
	if !r.takeSlot() {
		root.body.Close()
		return ""
	}
	reading := newReading(r, root, number, tell)
	reading.mayBeIndex = true
	reading.read()
	// Its findings are told already, its pages are still to be counted.
	counted := &task{findings: make(chan *Finding), pages: reading.pages, isShard: !reading.isIndex}
	close(counted.findings)
	r.put(counted)
	return reading.next
}

// number returns a new number for a file that is opened by a name.
func (r *run) number(name string) uint32 {
	r.files = append(r.files, name)
	return uint32(len(r.files) - 1)
}

// takeSlot waits until another file may be read, and reports false if the check has
// ended.
func (r *run) takeSlot() bool {
	select {
	case r.slots <- struct{}{}:
		return true
	case <-r.ctx.Done():
		return false
	}
}

// isNew reports whether no index has named a URL before.
func (r *run) isNew(loc string) bool {
	hash := hashOf(loc)
	known := r.named[hash]
	r.named[hash] = true
	return !known
}

// isNewFile reports whether no index has named the file on disk that a URL leads to: URLs
// that differ, as by a query, can lead to one.
func (r *run) isNewFile(loc string) bool {
	folder, isFolder := r.from.(*folder)
	if !isFolder {
		return true
	}
	name, err := folder.fileOf(loc)
	return err != nil || r.isNew("file "+name)
}

// startShard reads a sitemap that an index names in an entry, in a goroutine of its
// own.
func (r *run) startShard(index *file, e *entry) {
	if !r.takeSlot() {
		return
	}
	number := r.number(e.loc)
	t := &task{findings: make(chan *Finding, 64), isShard: true}
	at := Finding{File: index.name, Line: e.line, Column: e.column, Loc: e.loc}
	tell := func(found *Finding) {
		select {
		case t.findings <- found:
		case <-r.ctx.Done():
		}
	}
	r.readers.Go(func() {
		defer close(t.findings)
		opened, err := r.from.open(r.ctx, at.Loc)
		if err != nil {
			at.Code, at.Message = codeOf(err, MissingShard), err.Error()
			tell(&at)
			t.isShard = false
			return
		}
		reading := newReading(r, opened, number, tell)
		reading.read()
		t.pages, t.isShard = reading.pages, !reading.isIndex
	})
	r.put(t)
}
