package submitted

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/gzip"

	"sitewalk/internal/durable"
)

// Save makes the first of some changes, of which accepted says how many, part of the
// record, durably and at once. Of the next, of which doubtful says how many, it notes
// that they may have been submitted or not: each will be once more, whatever becomes of
// it, unless a later Save knows better. If it fails, what is in place is whole all the
// same.
//
// The changes must be the same at each Save of a record, and accepted may only grow.
func (r *Record) Save(changes *Changes, accepted, doubtful int) error {
	if len(r.Pings) > maxPings {
		return fmt.Errorf("write %s: there are %d pings, and a record knows %d at most", r.path, len(r.Pings), maxPings)
	}
	folder, err := os.OpenRoot(filepath.Dir(r.path))
	if err != nil {
		return fmt.Errorf("write %s: %w", r.path, err)
	}
	defer folder.Close()
	if err := r.replace(folder, changes, accepted, doubtful); err != nil {
		return fmt.Errorf("write %s: %w", r.path, err)
	}
	r.exists = true
	return nil
}

// replace writes a draft and puts it in the record's place: a link there is replaced,
// not followed. The draft has one name, so that a killed run leaves one at most, which
// the next removes.
func (r *Record) replace(folder *os.Root, changes *Changes, accepted, doubtful int) (err error) {
	name := filepath.Base(r.path)
	draft := "." + name + ".tmp"
	if err := folder.Remove(draft); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := folder.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		file.Close() // for the second time if all went well, which does no harm
		if err != nil {
			_ = folder.Remove(draft)
		}
	}()
	if err = r.write(file, changes, accepted, doubtful); err != nil {
		return err
	}
	if err = errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	if err = folder.Rename(draft, name); err != nil {
		return err
	}
	return durable.Folder(folder)
}

// write writes the record: what is there and not among the first changes, and these.
func (r *Record) write(file io.Writer, changes *Changes, accepted, doubtful int) error {
	compressed, err := gzip.NewWriterLevel(file, compressionLevel)
	if err != nil {
		panic(err) // the level is a constant
	}
	pings := r.Pings // which reading replaces
	w := lineWriter{to: compressed}
	w.line(append([]byte(firstLine+"\n"+baseLabel), r.base...))
	for _, url := range slices.Sorted(maps.Keys(pings)) {
		ping := append(appendHash([]byte(pingLabel), url), ' ')
		w.line(appendHash(ping, pings[url]))
	}
	w.line([]byte(columns))
	if r.exists {
		r.Pings = map[uint64]uint64{}
		err = r.each(context.Background(), func(loc, lastmod []byte) {
			// Doubts of this submission are noted below, as far as there still are any.
			ours := string(lastmod) == inDoubt && !r.doubts[xxhash.Sum64(loc)]
			if !ours && !changes.isAmong(accepted, loc) {
				w.url(loc, lastmod)
			}
		})
		r.Pings = pings
		if err != nil {
			return err
		}
	}
	reader := changes.Read()
	for i := range accepted + doubtful {
		switch change, loc, lastmod := reader.Next(); {
		case i >= accepted:
			if !r.doubts[xxhash.Sum64(loc)] {
				w.url(loc, []byte(inDoubt))
			}
		case change != Deleted:
			w.url(loc, lastmod)
		}
	}
	w.line(fmt.Appendf(nil, "%s%d", endLabel, w.urls))
	return errors.Join(w.err, compressed.Close())
}

// lineWriter writes lines until the first error.
type lineWriter struct {
	to     io.Writer
	buffer []byte
	urls   int
	err    error
}

func (w *lineWriter) line(text []byte) {
	w.write(append(text, '\n'))
}

func (w *lineWriter) url(loc, lastmod []byte) {
	w.urls++
	w.buffer = appendURL(w.buffer[:0], loc, lastmod)
	w.write(w.buffer)
}

func (w *lineWriter) write(text []byte) {
	if w.err == nil {
		_, w.err = w.to.Write(text)
	}
}
