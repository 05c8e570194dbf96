package check

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"path"
	"strings"
)

// file is a sitemap or an index that has been opened.
type file struct {
	name string // for people: the path, or the URL without a password
	path string // of a file in a folder: relative to that
	url  string // where it is on the web, or "" if that is not known
	body io.ReadCloser

	fromWeb     bool
	encoding    string // the server's Content-Encoding
	contentType string
	notes       []Finding // what was wrong on the way to it
	isIndex     bool      // once it has been read
}

// source is the place where a set lies.
type source interface {
	// open opens the sitemap that an index names by its URL.
	open(ctx context.Context, loc string) (*file, error)
	// beside opens the file of a name in the folder of another.
	beside(ctx context.Context, index *file, name string) (*file, error)
	// reopen opens a root of the set once more.
	reopen(ctx context.Context, root *file) (*file, error)
	// robots returns what the site's robots.txt says.
	robots() *robotsFile
	// otherRobots returns what another origin's robots.txt says, or nil if it is
	// not asked.
	otherRobots(ctx context.Context, origin string) *robotsFile
	// isThere reports whether a URL, of the set's own site, leads to a file; known is
	// false if it could not be found out.
	isThere(ctx context.Context, loc string) (there, known bool)
	close()
}

// openError says why a file could not be opened, under a code of its own.
type openError struct {
	code    Code
	problem string
}

func (e *openError) Error() string { return e.problem }

// isList reports whether a file is to be a list of URLs, by its name.
func (f *file) isList() bool {
	return strings.HasSuffix(strings.TrimSuffix(f.baseName(), ".gz"), ".txt")
}

// baseName returns the last segment of the file's path or URL, without a query.
func (f *file) baseName() string {
	if f.fromWeb {
		if parts, problem := splitURL(f.url); problem == "" {
			return path.Base(parts.path)
		}
	}
	return path.Base(f.path)
}

// gzipError says that compressed content is damaged.
type gzipError struct{ err error }

func (e *gzipError) Error() string { return "is damaged: " + e.err.Error() }

// isCompressed reports whether content begins as RFC 1952, section 2.3.1, has it.
func isCompressed(content *bufio.Reader) bool {
	magic, _ := content.Peek(2)
	return string(magic) == "\x1f\x8b"
}

// plain returns the content without compression, and tells where that is not as name
// and headers say.
func (f *file) plain(ctx context.Context, tell func(code Code, message string)) (*counter, error) {
	content := bufio.NewReaderSize(&bounded{ctx: ctx, from: f.body, left: maxRead}, chunk)
	named := strings.HasSuffix(f.baseName(), ".gz")
	unpacked := false
	var err error
	switch f.encoding {
	case "":
	case "gzip", "x-gzip":
		if !isCompressed(content) {
			tell(ContentEncoding, "the server says Content-Encoding: "+f.encoding+", and sends what is not compressed")
		} else if content, err = inflate(ctx, content); err != nil {
			return nil, err
		} else {
			unpacked = true
		}
	default:
		tell(ContentEncoding, fmt.Sprintf("the server sends it with Content-Encoding: %.40q, which was not asked for", f.encoding))
	}
	switch compressed := isCompressed(content); {
	case compressed:
		if !named && (!f.fromWeb || !strings.Contains(f.contentType, "gzip")) {
			tell(Gzip, "is compressed, but has no name that ends in .gz to say so")
		}
		if content, err = inflate(ctx, content); err != nil {
			return nil, err
		}
	case named && !unpacked:
		tell(Gzip, "has a name that ends in .gz, but is not compressed")
	}
	return &counter{from: content}, nil
}

// inflate returns the decompressed content.
func inflate(ctx context.Context, content *bufio.Reader) (*bufio.Reader, error) {
	inflated, err := gzip.NewReader(content)
	if err != nil {
		return nil, damage(err)
	}
	return bufio.NewReaderSize(&bounded{ctx: ctx, from: &gunzip{inflated}, left: maxRead}, chunk), nil
}

// gunzip tells damage from what else may end the reading.
type gunzip struct{ from *gzip.Reader }

func (g *gunzip) Read(p []byte) (int, error) {
	n, err := g.from.Read(p)
	if err != nil && err != io.EOF {
		err = damage(err)
	}
	return n, err
}

// damage makes a gzipError of an error that came with decompressing, unless it is the
// file below that could not be read.
func damage(err error) error {
	var read *readError
	var bound *boundError
	switch {
	case errors.As(err, &read), errors.As(err, &bound):
		return err
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		return &gzipError{errors.New("the compressed file is cut off")}
	}
	return &gzipError{err}
}

// bounded reads at most so many bytes, for as long as its context lasts.
type bounded struct {
	ctx  context.Context
	from io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, &readError{err}
	}
	n, err := b.from.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return 0, &boundError{fmt.Sprintf("has more than %d bytes", maxRead)}
	}
	var inner *gzipError
	var bound *boundError
	var read *readError
	if err != nil && err != io.EOF && !errors.As(err, &inner) && !errors.As(err, &bound) && !errors.As(err, &read) {
		err = &readError{err}
	}
	return n, err
}

// counter counts the bytes that are read.
type counter struct {
	from io.Reader
	read int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.read += int64(n)
	return n, err
}

// checkType tells of a Content-Type that does not suit a sitemap.
func (f *file) checkType(tell func(code Code, message string)) {
	if !f.fromWeb || f.contentType == "" {
		return
	}
	given, _, err := mime.ParseMediaType(f.contentType)
	if err != nil {
		given = f.contentType
	}
	switch {
	case given == "text/xml", given == "application/xml", strings.HasSuffix(given, "+xml"):
	case strings.HasSuffix(given, "gzip"), given == "application/octet-stream" && strings.HasSuffix(f.baseName(), ".gz"):
	case given == "text/plain" && f.isList():
	default:
		wanted := "text/xml or application/xml"
		if f.isList() {
			wanted = "text/plain"
		}
		tell(ContentType, fmt.Sprintf("is served as %.60q, not as %s", given, wanted))
	}
}
