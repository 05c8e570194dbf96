package catalog

import (
	"strings"
	"sync"
)

// A walk sees the tree in batches, which begin small for walks that end soon.
// Between two of them others can change the tree.
const (
	firstBatch = 32
	lastBatch  = 1024
)

// Walk visits files in the order of the walk, from the first whose path is at or
// behind from, until visit returns false. From is any bytes, and need not be a
// path that there is; if it is empty the walk begins at the start. If wanted is
// 0 every file is visited, else only listed pages of the wanted sections, and
// what holds none of them is passed over without a look at its files.
//
// The *File is valid until visit returns. Its strings may be kept, but are
// pieces of a few KiB, or of all facts of a leaf; clone what is kept for long.
// What is changed during the walk, by visit or by others, is visited as it was
// or as it is.
func (t *Tree) Walk(from string, wanted Sections, visit func(dir string, f *File) bool) {
	w := walkers.Get().(*walker)
	defer walkers.Put(w)
	var last found
	for limit := firstBatch; ; limit = min(2*limit, lastBatch) {
		w.found = w.found[:0]
		w.reset("", wanted, func(dir string, f *File) bool {
			w.found = append(w.found, found{dir, *f})
			return len(w.found) < limit
		})
		t.mutex.RLock()
		atEnd := t.root == nil || w.walk(t.root, 0, from)
		t.mutex.RUnlock()

		batch := w.found
		// The file that ended the batch before may be gone by now.
		if len(batch) > 0 && batch[0].dir == last.dir && batch[0].file.Name == last.file.Name {
			batch = batch[1:]
		}
		if !atEnd {
			last = batch[len(batch)-1]
			from = last.file.Name
			if last.dir != "" {
				from = last.dir + "/" + from
			}
		}
		for i := range batch {
			if !visit(batch[i].dir, &batch[i].file) {
				return
			}
		}
		if atEnd {
			return
		}
	}
}

// found is a file that a walk came to.
type found struct {
	dir  string
	file File
}

var walkers = sync.Pool{New: func() any { return new(walker) }}

// A walker goes through a folder and all below it.
type walker struct {
	wanted Sections
	visit  func(dir string, f *File) bool

	path     []byte // of the folder that it is in
	text     text
	decoders []*decoder // for the folder that it is in, and for each above it
	found    []found    // for Walk
}

// reset prepares a walk that begins in the folder at dir.
func (w *walker) reset(dir string, wanted Sections, visit func(dir string, f *File) bool) {
	w.path = append(w.path[:0], dir...)
	w.wanted, w.visit = wanted, visit
}

// passes reports whether what has this mask holds nothing that is wanted.
func (w *walker) passes(mask Sections) bool { return w.wanted != 0 && w.wanted&mask == 0 }

// decoder returns the decoder for a folder so deep.
func (w *walker) decoder(depth int) *decoder {
	if depth == len(w.decoders) {
		w.decoders = append(w.decoders, new(decoder))
	}
	return w.decoders[depth]
}

// walk visits the files in the folder and below, from the path from, which is
// relative to the folder. It returns false if visit did.
func (w *walker) walk(f *folder, depth int, from string) bool {
	first, rest, below := strings.Cut(from, "/")
	subs := cursor{walker: w, folder: f, depth: depth, first: first, rest: rest}
	subs.group, subs.index = f.seek(first)
	d := w.decoder(depth)
	dir, named := "", false // few folders are named when few of their files are wanted
	at := 0
	if first != "" && len(f.leaves) > 0 {
		at = f.leafOf(first)
	}
	for ; at < len(f.leaves); at++ {
		if w.passes(f.leaves[at].mask) {
			continue
		}
		d.open(&f.leaves[at])
		for d.next() {
			// A file stands before all that is in the folder of its name.
			if string(d.name) <= first && (string(d.name) < first || below) {
				continue
			}
			if w.wanted != 0 && w.passes(d.file.sections()) {
				continue
			}
			for sub := subs.peek(); sub != nil && sub.name < string(d.name); sub = subs.peek() {
				if !subs.enter(sub) {
					return false
				}
			}
			if !named {
				dir, named = w.text.keep(w.path), true
			}
			d.file.Name = w.text.keep(d.name)
			if !w.visit(dir, &d.file) {
				return false
			}
		}
	}
	for sub := subs.peek(); sub != nil; sub = subs.peek() {
		if !subs.enter(sub) {
			return false
		}
	}
	return true
}

// A cursor goes through the subfolders of a folder.
type cursor struct {
	walker       *walker
	folder       *folder
	depth        int
	first, rest  string // where the walk begins: in the subfolder first, if there is one, at rest
	group, index int
}

// peek returns the next subfolder that is not passed over, or nil.
func (c *cursor) peek() *folder {
	for ; c.group < len(c.folder.groups); c.group, c.index = c.group+1, 0 {
		g := &c.folder.groups[c.group]
		if c.walker.passes(g.mask) {
			continue
		}
		for ; c.index < len(g.folders); c.index++ {
			if sub := g.folders[c.index]; !c.walker.passes(sub.mask) {
				return sub
			}
		}
	}
	return nil
}

// enter visits what is in the subfolder that peek returned, and goes on to the
// next. It returns false if visit did.
func (c *cursor) enter(sub *folder) bool {
	c.index++
	from := ""
	if sub.name == c.first {
		from = c.rest
	}
	w := c.walker
	length := len(w.path)
	if length > 0 {
		w.path = append(w.path, '/')
	}
	w.path = append(w.path, sub.name...)
	goOn := w.walk(sub, c.depth+1, from)
	w.path = w.path[:length]
	return goOn
}
