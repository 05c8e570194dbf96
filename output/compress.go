package output

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
)

const (
	// segmentSize is the length at which a run of pages is compressed on its
	// own. Larger ones compress no better: a sitemap repeats itself within a
	// few hundred bytes.
	segmentSize = 64 << 10
	// compressionLevel is klauspost/compress's fastest. By BenchmarkCompression
	// it makes files 16 % larger than its level 7 in a third of the time, and 3 %
	// smaller than the standard library's level 1 in two thirds of the time.
	compressionLevel = 1
)

// segment is a run of a section's pages, compressed apart from what is before
// and after it. That lets segments be compressed side by side, and be put
// together again however the section is cut.
type segment struct {
	data       []byte
	compressed bool          // whether data is a piece of a deflate stream
	ready      chan struct{} // closed when data is there
}

// compressor compresses segments side by side.
type compressor struct {
	jobs    chan compression
	workers sync.WaitGroup
	buffers sync.Pool // of *[]byte, for pages
	callers deflater  // for the goroutine that calls compress
}

type compression struct {
	segment *segment
	raw     *[]byte
}

func newCompressor(jobs int) *compressor {
	c := &compressor{jobs: make(chan compression, jobs)}
	c.buffers.New = func() any {
		buffer := make([]byte, 0, segmentSize+8<<10)
		return &buffer
	}
	for range jobs {
		c.workers.Go(c.run)
	}
	return c
}

func (c *compressor) run() {
	var d deflater
	for job := range c.jobs {
		c.do(&d, job)
	}
}

// do compresses one segment.
func (c *compressor) do(d *deflater, job compression) {
	job.segment.data = d.deflate(*job.raw)
	close(job.segment.ready)
	c.recycle(job.raw)
}

// deflater compresses segments, one at a time.
type deflater struct {
	out    bytes.Buffer
	writer *flate.Writer
}

func (d *deflater) deflate(raw []byte) []byte {
	d.out.Reset()
	if d.writer == nil {
		d.writer = newFlateWriter(&d.out)
	} else {
		d.writer.Reset(&d.out)
	}
	// A bytes.Buffer does not fail, and so neither do these.
	_, _ = d.writer.Write(raw)
	_ = d.writer.Flush()
	return bytes.Clone(d.out.Bytes())
}

// compress returns the segment of raw, which it takes over. When all workers are
// busy the caller does the work itself: where it is one of as many goroutines as
// there are processors, to wait for another would leave one idle.
func (c *compressor) compress(raw *[]byte) *segment {
	s := &segment{compressed: true, ready: make(chan struct{})}
	select {
	case c.jobs <- compression{s, raw}:
	default:
		c.do(&c.callers, compression{s, raw})
	}
	return s
}

// plain returns a segment of raw as it is, which it takes over.
func (c *compressor) plain(raw *[]byte) *segment {
	s := &segment{data: bytes.Clone(*raw), ready: make(chan struct{})}
	close(s.ready)
	c.recycle(raw)
	return s
}

func (c *compressor) buffer() *[]byte { return c.buffers.Get().(*[]byte) }

func (c *compressor) recycle(buffer *[]byte) {
	*buffer = (*buffer)[:0]
	c.buffers.Put(buffer)
}

func (c *compressor) close() {
	close(c.jobs)
	c.workers.Wait()
}

func newFlateWriter(w io.Writer) *flate.Writer {
	writer, err := flate.NewWriter(w, compressionLevel)
	if err != nil {
		panic(err) // the level is a constant
	}
	return writer
}

// deflateEnd returns the last piece of a deflate stream.
func deflateEnd(text string) []byte {
	var out bytes.Buffer
	writer := newFlateWriter(&out)
	_, _ = io.WriteString(writer, text)
	_ = writer.Close()
	return out.Bytes()
}

// gzipHeader is RFC 1952's, with neither time nor name and an unknown system:
// the same pages give the same bytes.
const gzipHeader = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

// appendGzipTrailer appends what follows the deflate stream: checksum and
// length of what was compressed.
func appendGzipTrailer(dst []byte, checksum uint32, length int64) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, checksum)
	return binary.LittleEndian.AppendUint32(dst, uint32(length))
}

// appendPlain appends a segment's pages, uncompressed.
func (s *segment) appendPlain(dst []byte) ([]byte, error) {
	<-s.ready
	if !s.compressed {
		return append(dst, s.data...), nil
	}
	// The segment ends at a byte boundary, but without the end of its stream.
	reader := flate.NewReader(io.MultiReader(bytes.NewReader(s.data), bytes.NewReader(streamEnd)))
	buffer := bytes.NewBuffer(dst)
	if _, err := buffer.ReadFrom(reader); err != nil {
		return nil, fmt.Errorf("inflate a segment: %w", err)
	}
	return buffer.Bytes(), nil
}

// streamEnd ends a deflate stream, and urlsetEndStream a shard's.
var (
	streamEnd       = deflateEnd("")
	urlsetEndStream = deflateEnd(urlsetEnd)
)

// compressWhole returns content as a gzip file.
func compressWhole(content []byte) []byte {
	out := append([]byte(gzipHeader), deflateEnd(string(content))...)
	return appendGzipTrailer(out, crc32.ChecksumIEEE(content), int64(len(content)))
}
