package submitted

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/gzip"
)

// An UnusableError says that there is something in the record's place, but that it is
// not a whole record of this site and this version. [SetAside] keeps it for somebody
// to look at.
type UnusableError struct {
	Path   string
	Reason string // such as "is damaged"
}

func (e *UnusableError) Error() string { return e.Path + " " + e.Reason }

// Open reads the record at path of the site with a base URL. If there is none it
// returns one that knows nothing, and so it does with an *UnusableError.
func Open(ctx context.Context, path, base string) (*Record, error) {
	r := newRecord(path, base)
	err := r.each(ctx, func(loc, lastmod []byte) {
		hash := xxhash.Sum64(loc)
		r.entries = append(r.entries, entry{hash, xxhash.Sum64(lastmod)})
		if string(lastmod) == inDoubt {
			r.doubts[hash] = true
		}
	})
	if err != nil {
		r = newRecord(path, base)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return r, err
	}
	r.exists = true
	// Of a URL that is there twice the last line counts: it says that there is doubt.
	slices.SortStableFunc(r.entries, func(a, b entry) int { return cmp.Compare(b.loc, a.loc) })
	slices.Reverse(r.entries)
	r.entries = slices.CompactFunc(r.entries, func(a, b entry) bool { return a.loc == b.loc })
	return r, nil
}

func newRecord(path, base string) *Record {
	return &Record{Pings: map[uint64]uint64{}, doubts: map[uint64]bool{}, path: path, base: base}
}

// SetAside renames an unusable record to path + ".unusable", and replaces what was
// set aside before. Anything but a regular file stays where it is.
func SetAside(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return &fs.PathError{Op: "set aside", Path: path, Err: errNotRegular}
	}
	return os.Rename(path, path+".unusable")
}

var errNotRegular = errors.New("is no regular file")

// each reads the record, and calls visit for each URL with the lastmod as it is kept.
// It sets Pings.
func (r *Record) each(ctx context.Context, visit func(loc, lastmod []byte)) error {
	// Not blocking, should there be a FIFO.
	file, err := os.OpenFile(r.path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && !info.Mode().IsRegular() {
		return &fs.PathError{Op: "read", Path: r.path, Err: errNotRegular}
	}
	err = r.read(ctx, file, visit)
	var unusable *UnusableError
	var failed *fs.PathError // of the disk
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil, errors.As(err, &unusable), errors.As(err, &failed):
		return err
	}
	return &UnusableError{r.path, "is damaged: " + err.Error()}
}

// checkInterval is the number of lines after which it is asked whether to stop.
const checkInterval = 10_000

func (r *Record) read(ctx context.Context, file io.Reader, visit func(loc, lastmod []byte)) error {
	compressed, err := gzip.NewReader(bufio.NewReaderSize(file, 64<<10))
	if err != nil {
		var failed *fs.PathError
		if errors.As(err, &failed) {
			return err
		}
		return &UnusableError{r.path, "is no record of sitewalk's"}
	}
	text := bufio.NewReaderSize(compressed, maxLine)
	if err := r.readHead(text); err != nil {
		return err
	}
	for count := 0; ; count++ {
		line, err := readLine(text)
		if err != nil {
			return unexpected(err)
		}
		if number, isEnd := bytes.CutPrefix(line, []byte(endLabel)); isEnd {
			if string(number) != strconv.Itoa(count) {
				return fmt.Errorf("it has %d URLs and says that it has %.20q", count, number)
			}
			return checkEnd(text)
		}
		loc, lastmod, err := parseURL(line)
		switch {
		case err != nil:
			return err
		case count == MaxURLs:
			return fmt.Errorf("it has more than %d URLs", MaxURLs)
		case count%checkInterval == 0 && ctx.Err() != nil:
			return ctx.Err()
		}
		visit(loc, lastmod)
	}
}

// readHead reads the lines before those of URLs.
func (r *Record) readHead(text *bufio.Reader) error {
	line, err := readLine(text)
	if err != nil || string(line) != firstLine {
		return &UnusableError{r.path, "is no record of this version of sitewalk"}
	}
	line, err = readLine(text)
	base, isBase := bytes.CutPrefix(line, []byte(baseLabel))
	if err != nil || !isBase {
		return unexpected(cmp.Or(err, errLine))
	}
	if string(base) != r.base {
		return &UnusableError{r.path, fmt.Sprintf("is of another site, %.200q", base)}
	}
	for {
		if line, err = readLine(text); err != nil {
			return unexpected(err)
		}
		ping, isPing := bytes.CutPrefix(line, []byte(pingLabel))
		switch {
		case string(line) == columns:
			return nil
		case !isPing || len(r.Pings) == maxPings:
			return errLine
		}
		url, set, err := parsePing(ping)
		if err != nil {
			return err
		}
		r.Pings[url] = set
	}
}

// checkEnd fails unless nothing follows, and what was read was as it was written.
func checkEnd(text *bufio.Reader) error {
	_, err := text.ReadByte()
	switch {
	case err == nil:
		return errLine
	case err != io.EOF:
		return err
	}
	return nil
}

// unexpected makes the end of the file an error of its own.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
