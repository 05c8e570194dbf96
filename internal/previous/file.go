package previous

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// errTooLarge says that a file is longer than the protocol allows.
var errTooLarge = fmt.Errorf("is larger than %d bytes", MaxBytes)

// sitemapFile is a sitemap or an index, opened.
type sitemapFile struct {
	name    string // for messages: the path, or the URL without a password
	content io.ReadCloser
}

func (f *sitemapFile) close() { f.content.Close() }

// file reads a file and closes it.
func (r *reading) file(f *sitemapFile) (contents, error) {
	defer f.close()
	plain, err := inflate(&patientReader{r, f.content})
	if err != nil {
		return contents{}, fmt.Errorf("%s: %w", f.name, err)
	}
	found, err := r.document(bufio.NewReaderSize(&plainReader{r, plain}, bufferSize))
	var wrong *syntaxError
	switch {
	case errors.As(err, &wrong):
		return found, fmt.Errorf("%s:%d:%d: %s", f.name, wrong.line, wrong.column, wrong.problem)
	case err != nil:
		return found, fmt.Errorf("%s: %w", f.name, err)
	}
	return found, nil
}

// inflate returns the content of a file without its compression. Whether there
// is one shows in the first two bytes (RFC 1952, section 2.3.1), not in what
// the file is called or a server says of it. There may be a second one: some
// servers compress what is compressed on the way.
func inflate(file io.Reader) (*bufio.Reader, error) {
	plain := bufio.NewReaderSize(&limitedReader{file, MaxBytes}, bufferSize)
	for range 2 {
		magic, err := plain.Peek(2)
		if err != nil && err != io.EOF {
			return nil, err
		}
		if string(magic) != "\x1f\x8b" {
			break
		}
		inflated, err := gzip.NewReader(plain)
		if err != nil {
			return nil, err
		}
		plain = bufio.NewReaderSize(&limitedReader{inflated, MaxBytes}, bufferSize)
	}
	return plain, nil
}

// bufferSize is the size of the buffers that files are read by, in bytes.
const bufferSize = 64 << 10

// limitedReader reads at most so many bytes, and fails if there are more.
type limitedReader struct {
	from io.Reader
	left int64
}

func (r *limitedReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p[:min(int64(len(p)), r.left+1)])
	if r.left -= int64(n); r.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// patientReader reads as long as its context lasts, and counts.
type patientReader struct {
	reading *reading
	from    io.Reader
}

func (r *patientReader) Read(p []byte) (int, error) {
	if err := r.reading.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.from.Read(p)
	r.reading.packed += int64(n)
	return n, err
}

// plainReader counts what is read of a file without its compression, and fails if that is
// out of proportion.
type plainReader struct {
	reading *reading
	from    io.Reader
}

func (r *plainReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if r.reading.plain += int64(n); r.reading.plain > freePlain+maxRatio*r.reading.packed {
		return 0, errExpands
	}
	return n, err
}
