package check

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
)

// maxRecords is how many URLs are remembered in memory, in 16 bytes each. Once there
// are more, they are sorted and written to a temporary file, run by run; at the end
// the runs are merged. A set of 50 million URLs takes 16 MiB of memory so, and 800 MB
// of disk.
const maxRecords = 1 << 20

// smallSet is a number of URLs for which no room is made ahead.
const smallSet = 1 << 15

// maxPairs is how many URLs that are listed twice are looked up again, to tell them.
const maxPairs = 1000

// record is the hash of a URL, and the entry that has it.
type record struct {
	hash uint64
	ref  reference
}

// reference is an entry: the number of its file and of the entry in the file.
type reference struct{ file, entry uint32 }

const recordSize = 16

func compareRecords(a, b record) int {
	if c := cmp.Compare(a.hash, b.hash); c != 0 {
		return c
	}
	return compareReferences(a.ref, b.ref)
}

func compareReferences(a, b reference) int {
	return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.entry, b.entry))
}

// pair is an entry, and an earlier one whose URL has the same hash.
type pair struct{ first, second reference }

// duplicates finds the URLs that a set lists twice.
type duplicates struct {
	limit int // of records in memory

	mutex   sync.Mutex
	records []record
	spill   *os.File // nil while all is in memory
	runs    []int64  // where each run in the file ends
	err     error    // of writing it
}

// newDuplicates returns one that keeps so many records in memory, or maxRecords.
func newDuplicates(limit int) *duplicates {
	if limit == 0 {
		limit = maxRecords
	}
	return &duplicates{limit: limit}
}

// add adds the URLs of some entries. Any goroutine may call it.
func (d *duplicates) add(records []record) error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for len(records) > 0 && d.err == nil {
		n := min(len(records), d.limit-len(d.records))
		if len(d.records) > smallSet && cap(d.records) < d.limit {
			// At once, because what is outgrown step by step is as much again.
			d.records = slices.Grow(d.records, d.limit-len(d.records))
		}
		d.records = append(d.records, records[:n]...)
		records = records[n:]
		if len(d.records) == d.limit {
			d.err = d.write()
		}
	}
	return d.err
}

// write sorts what is in memory and appends it to the file.
func (d *duplicates) write() error {
	slices.SortFunc(d.records, compareRecords)
	if d.spill == nil {
		file, err := os.CreateTemp("", "sitewalk-check-*.tmp")
		if err != nil {
			return fmt.Errorf("remember the URLs of a large set: %w", err)
		}
		d.spill = file
	}
	to := bufio.NewWriterSize(d.spill, chunk)
	var packed [recordSize]byte
	for _, r := range d.records {
		binary.BigEndian.PutUint64(packed[:], r.hash)
		binary.BigEndian.PutUint32(packed[8:], r.ref.file)
		binary.BigEndian.PutUint32(packed[12:], r.ref.entry)
		_, _ = to.Write(packed[:]) // Flush tells the error
	}
	if err := to.Flush(); err != nil {
		return fmt.Errorf("remember the URLs of a large set: %w", err)
	}
	end := int64(len(d.records)) * recordSize
	if len(d.runs) > 0 {
		end += d.runs[len(d.runs)-1]
	}
	d.runs = append(d.runs, end)
	d.records = d.records[:0]
	return nil
}

// close removes the file.
func (d *duplicates) close() {
	if d.spill != nil {
		d.spill.Close()
		os.Remove(d.spill.Name())
	}
}

// find returns the entries whose URLs have the same hash as those of earlier ones: how
// many there are, and the first of them by hash, in the order of the set.
func (d *duplicates) find() (count int64, pairs []pair, err error) {
	if d.err != nil {
		return 0, nil, d.err
	}
	slices.SortFunc(d.records, compareRecords)
	fail := func(err error) (int64, []pair, error) {
		return 0, nil, fmt.Errorf("read what was remembered of a large set: %w", err)
	}
	all, err := d.merge()
	if err != nil {
		return fail(err)
	}
	var first record
	any := false
	for {
		next, ok, err := all.next()
		if err != nil {
			return fail(err)
		}
		if !ok {
			break
		}
		if !any || next.hash != first.hash {
			first, any = next, true
			continue
		}
		if count++; len(pairs) < maxPairs {
			pairs = append(pairs, pair{first.ref, next.ref})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return compareReferences(a.second, b.second) })
	return count, pairs, nil
}

// sortedRun is a run that is being read: in memory, or a part of the file.
type sortedRun struct {
	head   record
	memory []record
	file   *bufio.Reader // nil for a run in memory
}

// advance reads the next record into head, and returns false after the last.
func (r *sortedRun) advance() (bool, error) {
	if r.file == nil {
		if len(r.memory) == 0 {
			return false, nil
		}
		r.head, r.memory = r.memory[0], r.memory[1:]
		return true, nil
	}
	var packed [recordSize]byte
	if _, err := io.ReadFull(r.file, packed[:]); err != nil {
		if err == io.EOF {
			return false, nil
		}
		return false, err
	}
	r.head = record{binary.BigEndian.Uint64(packed[:]), reference{
		binary.BigEndian.Uint32(packed[8:]), binary.BigEndian.Uint32(packed[12:])}}
	return true, nil
}

// merger returns the records of several runs in order. It is a heap of them.
type merger []*sortedRun

func (m merger) Len() int           { return len(m) }
func (m merger) Less(i, j int) bool { return compareRecords(m[i].head, m[j].head) < 0 }
func (m merger) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merger) Push(run any)      { *m = append(*m, run.(*sortedRun)) }
func (m *merger) Pop() any {
	last := len(*m) - 1
	run := (*m)[last]
	*m = (*m)[:last]
	return run
}

// mergeBuffer is how much of each run is read at a time, in bytes.
const mergeBuffer = 16 << 10

// merge returns all records in order.
func (d *duplicates) merge() (*merger, error) {
	runs := []*sortedRun{{memory: d.records}}
	start := int64(0)
	for _, end := range d.runs {
		section := io.NewSectionReader(d.spill, start, end-start)
		runs = append(runs, &sortedRun{file: bufio.NewReaderSize(section, mergeBuffer)})
		start = end
	}
	m := &merger{}
	for _, run := range runs {
		if more, err := run.advance(); err != nil {
			return nil, err
		} else if more {
			*m = append(*m, run)
		}
	}
	heap.Init(m)
	return m, nil
}

// next returns the next record, or false after the last.
func (m *merger) next() (found record, ok bool, err error) {
	if m.Len() == 0 {
		return record{}, false, nil
	}
	smallest := (*m)[0]
	found = smallest.head
	more, err := smallest.advance()
	if more {
		heap.Fix(m, 0)
	} else {
		heap.Pop(m)
	}
	return found, true, err
}
