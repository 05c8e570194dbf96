package scanner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
)

const (
	// BatchFiles is the number of files of one folder that are worked on as one, at
	// most.
	BatchFiles = 512
	// aheadFiles and aheadBatches bound what is finished before its turn has
	// come, and with it the memory of a walk.
	aheadFiles   = 16 * BatchFiles
	aheadBatches = 128
	// sizePerFile is how many bytes of a result count as another file that is ahead.
	// Most results take a tenth of it for a file.
	sizePerFile = 4 << 10
)

// sized is a result that says how many bytes it takes.
type sized interface{ Size() int }

// Walk walks the docroot and calls emit with a result for every batch, in
// order, one at a time. The results are made side by side: newWork is called
// once for each goroutine, and the function that it returns turns a batch into
// a result. Results with a method Size, which returns how many bytes they take, are made
// less far ahead of their turn the larger they are.
//
// A file or folder that cannot be read is a file of verdict Unreadable, and the
// walk goes on. Walk fails if the docroot itself cannot be read, if the process
// runs out of descriptors or memory, if emit fails, or with ctx.Err(). All its
// goroutines have ended when it returns.
func Walk[R any](ctx context.Context, docroot *Docroot, s *Scanner, newWork func() func(*Batch) R, emit func(R) error) error {
	return WalkSelected(ctx, docroot, s, nil, newWork, emit)
}

// WalkSelected is Walk for a part of the docroot: folders of which only some names
// are selected are not listed, and a selected name that is not there is passed over
// in silence. What is emitted is what Walk would emit of the selected files, though
// perhaps in other batches. There is a batch of each folder that is entered, the
// docroot's own aside, if only an empty one.
func WalkSelected[R any](ctx context.Context, docroot *Docroot, s *Scanner, selection *Selection, newWork func() func(*Batch) R, emit func(R) error) error {
	files, err := docroot.tree(s.options.Portable)
	if err != nil {
		return err
	}
	defer files.close()
	return walk(ctx, files, docroot, s, selection, newWork, emit)
}

func walk[R any](ctx context.Context, files tree, docroot *Docroot, s *Scanner, selection *Selection, newWork func() func(*Batch) R, emit func(R) error) error {
	w := &walker[R]{ctx: ctx, scanner: s, files: files, docroot: docroot, emit: emit}
	w.changed.L = &w.mu
	root, err := w.readRoot(selection)
	if err != nil {
		return err
	}
	if root.count() > 0 {
		w.first = &slot[R]{state: waiting, folder: root}
		w.active = w.first
	}

	told := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(told)
		w.fail(ctx.Err())
	})
	var workers sync.WaitGroup
	for range s.options.Jobs {
		workers.Go(func() { w.run(newWork()) })
	}
	workers.Wait()
	if !stop() {
		<-told
	}
	if w.err == nil {
		w.err = ctx.Err()
	}
	if w.err == nil {
		w.err = files.intact()
	}
	return w.err
}

// walker is the sequencer of a walk: a list of slots in the order of emission.
// Workers take the first slot that waits, so that what is needed soonest is
// done first, and whoever completes the slot at the head emits from there.
type walker[R any] struct {
	ctx     context.Context
	scanner *Scanner
	files   tree
	docroot *Docroot
	emit    func(R) error

	mu       sync.Mutex
	changed  sync.Cond
	sleeping int
	first    *slot[R] // head of the list in the order of emission
	active   *slot[R] // head of the list of the slots that are not done
	ahead    int      // files in slots taken or done, not yet emitted
	slots    int      // such slots
	emitting bool
	err      error
}

type slotState uint8

const (
	waiting slotState = iota // to be taken by a worker
	taken                    // being worked on
	done                     // its result waits for its turn
)

// slot is a place in the order of emission. A waiting slot stands for the rest
// of a folder, from one of its entries on; a taken or done one for a single
// batch of files.
type slot[R any] struct {
	next               *slot[R] // in the order of emission
	before, nextActive *slot[R] // among the slots that are not done
	state              slotState
	folder             *folder
	from               int // first entry of folder that the slot stands for
	files              int // counted in walker.ahead
	result             R
}

func (w *walker[R]) readRoot(selection *Selection) (*folder, error) {
	handle, err := w.files.root()
	if err != nil {
		return nil, err
	}
	root := &folder{handle: handle, scope: w.scanner.rootScope(), selection: selection}
	if err := w.read(root); err != nil {
		return nil, fmt.Errorf("read docroot: %w", err)
	}
	return root, nil
}

// run is the life of one worker.
func (w *walker[R]) run(work func(*Batch) R) {
	batch := Batch{files: w.files}
	for {
		s := w.take()
		if s == nil {
			return
		}
		f, from, to := s.folder, s.from, 0
		if f.descends(from) {
			e := f.entry(from)
			opened, err := w.open(f, &e)
			if err != nil {
				if fatal(err) {
					w.fail(err)
					return
				}
				batch.Dir, batch.folder = f.path(), nil
				batch.Files = append(batch.Files[:0], File{Name: e.name, Folder: true, Verdict: Unreadable, Err: err})
				if opened == nil {
					w.complete(s, nil, 0, work(&batch))
					f.handle.release()
					continue
				}
				// Part of the folder was read: it counts once as unreadable,
				// and what was read of it is walked all the same.
				f.handle.release()
				w.complete(s, opened, 0, work(&batch))
				continue
			}
			f.handle.release()
			// The first files of a folder are needed next, and by nobody else.
			f, from = opened, 0
			to = f.run(0)
		} else {
			to = f.run(from)
		}
		w.judge(f, from, to, &batch)
		result := work(&batch)
		if err := batch.end(); err != nil {
			w.fail(err)
			return
		}
		if s.folder == f {
			f.handle.release()
			w.complete(s, nil, 0, result)
		} else {
			w.complete(s, f, to, result)
		}
	}
}

// take returns the first waiting slot, cut down to one batch and marked as
// taken, or nil when there is nothing left to do. It waits while only slots
// that others work on are left, or while too much is finished ahead of time.
func (w *walker[R]) take() *slot[R] {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.err == nil && w.active != nil {
		s := w.active
		for s != nil && s.state != waiting {
			s = s.nextActive
		}
		if s != nil && (s == w.first || w.ahead < aheadFiles && w.slots < aheadBatches) {
			w.split(s)
			return s
		}
		w.sleeping++
		w.changed.Wait()
		w.sleeping--
	}
	return nil
}

// split takes the first batch of a waiting slot and leaves the rest of its
// folder in a slot of its own.
func (w *walker[R]) split(s *slot[R]) {
	to := s.folder.run(s.from)
	s.files = to - s.from
	if to == s.from {
		to++ // a folder to descend into
		s.files = 1
	}
	s.state = taken
	w.ahead += s.files
	w.slots++
	s.folder.handle.retain()
	if to < s.folder.count() {
		w.insert(s, s.folder, to)
	} else {
		s.folder.handle.release()
	}
}

// insert adds a waiting slot behind s.
func (w *walker[R]) insert(s *slot[R], f *folder, from int) {
	rest := &slot[R]{state: waiting, folder: f, from: from, next: s.next, before: s, nextActive: s.nextActive}
	if rest.nextActive != nil {
		rest.nextActive.before = rest
	}
	s.next, s.nextActive = rest, rest
	w.wake()
}

// complete stores a slot's result, adds the rest of the folder that the slot
// opened, if any, and emits what has its turn.
func (w *walker[R]) complete(s *slot[R], opened *folder, from int, result R) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.result, s.state, s.folder = result, done, nil
	if r, ok := any(result).(sized); ok {
		more := r.Size() / sizePerFile
		w.ahead += more
		s.files += more
	}
	if opened != nil {
		w.ahead += from
		s.files += from
		if from < opened.count() {
			w.insert(s, opened, from)
		} else {
			opened.handle.release()
		}
	}
	if s.before == nil {
		w.active = s.nextActive
	} else {
		s.before.nextActive = s.nextActive
	}
	if s.nextActive != nil {
		s.nextActive.before = s.before
	}
	if w.active == nil {
		w.wake()
	}
	if w.emitting {
		return
	}
	w.emitting = true
	for w.first != nil && w.first.state == done && w.err == nil {
		head := w.first
		w.mu.Unlock()
		err := w.emit(head.result)
		w.mu.Lock()
		w.first = head.next
		w.ahead -= head.files
		w.slots--
		if err != nil {
			w.failLocked(err)
		}
		w.wake()
	}
	w.emitting = false
}

func (w *walker[R]) wake() {
	if w.sleeping > 0 {
		w.changed.Broadcast()
	}
}

func (w *walker[R]) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failLocked(err)
}

func (w *walker[R]) failLocked(err error) {
	if w.err == nil {
		w.err = err
	}
	w.changed.Broadcast()
}

// open opens and reads a subfolder. With both a folder and an error, part of
// it was read.
func (w *walker[R]) open(parent *folder, e *entry) (*folder, error) {
	f := &folder{name: e.name, parent: parent, links: parent.links, selection: parent.selection.below(e.name)}
	f.scope, _ = w.scanner.enter(parent.scope, e.name)
	var err error
	if e.kind == kindLink {
		f.target = e.rare.target
		f.links++
		f.scope.target = w.scanner.excludeAt(f.target)
		f.handle, err = w.files.lookup(f.target)
	} else {
		f.handle = parent.handle.child(e.name)
	}
	if err == nil {
		err = w.read(f)
	}
	switch {
	case err == nil:
		return f, nil
	case f.count() > 0 && !fatal(err):
		return f, err
	case f.handle != nil:
		f.handle.release()
	}
	return nil, err
}

// read reads a folder's entries, sorts them, and decides which of them to
// descend into. With an error, entries hold what was read before it.
func (w *walker[R]) read(f *folder) error {
	if enter := w.scanner.options.Enter; enter != nil {
		id, err := f.handle.id()
		if err != nil {
			return err
		}
		enter(f.real(), id)
	}
	err := f.list()
	if err != nil && fatal(err) {
		return err
	}
	f.sort()
	if f.parent != nil {
		f.policy = f.parent.policy
	}
	if f.selection.isPart() || err != nil && f.count() > 0 {
		// What protects the files that were read may be among the names that were not.
		accessErr := f.readUnseenAccess()
		if fatal(accessErr) {
			return accessErr
		}
		err = cmp.Or(err, accessErr)
	}
	for i := range f.entries {
		e := f.entry(i)
		if e.kind == kindUnknown {
			var kindErr error
			if e.kind, kindErr = f.handle.kind(e.name); kindErr != nil {
				if fatal(kindErr) {
					return kindErr
				}
				f.leaveUnknown(&e, kindErr)
			}
		}
		switch e.kind {
		case kindFile:
			if e.name == accessFile {
				accessErr := f.readAccess(&e)
				if fatal(accessErr) {
					return accessErr
				}
				err = cmp.Or(err, accessErr)
			}
		case kindFolder:
			_, e.left = w.scanner.enter(f.scope, e.name)
		case kindLink:
			if err := w.follow(f, &e); err != nil {
				return err
			}
		case kindOther:
			e.left = NotRegular
		}
		f.set(i, &e)
	}
	return err
}

// judge makes a range of a folder's entries a batch: each file with the verdict
// that its name and its folder give it.
func (w *walker[R]) judge(f *folder, from, to int, batch *Batch) {
	batch.Dir, batch.folder, batch.from = f.path(), f, from
	real := batch.Dir
	if f.links > 0 {
		real = f.real()
	}
	batch.Files = batch.Files[:0]
	for i := from; i < to; i++ {
		e := f.entry(i)
		batch.Files = append(batch.Files, File{Name: e.name, Verdict: e.left, Folder: e.kind == kindFolder})
		file := &batch.Files[len(batch.Files)-1]
		switch {
		case e.kind == kindFile && w.scanner.isOwn(real, e.name):
			file.Verdict = OwnOutput
			continue
		case e.rare != nil:
			file.Err = e.rare.err
		}
		if file.Verdict == Listed {
			file.Verdict, file.Allowed = f.scope.judge(f.name, e.name)
		}
		if file.Verdict == Listed && f.policy != nil && f.protects(e.name) {
			file.Verdict = Protected
		}
		if w.scanner.options.Details {
			file.Detail = w.scanner.detail(f, file)
		}
	}
}

// fatal reports whether an error is the process's and not the file's: to go on
// would leave out files that are there.
func fatal(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) ||
		errors.Is(err, syscall.ENOMEM)
}

// passing reports whether an error of a file may be gone when it is next read.
func passing(err error) bool {
	return errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ESTALE)
}

// errGone says that what the walk saw is no longer anybody's docroot.
var errGone = errors.New("the docroot was removed during the walk")
