package output

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// gunzip returns what a gzip file holds, all in one member.
func gunzip(t testing.TB, content string) string {
	t.Helper()
	reader, err := gzip.NewReader(strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	reader.Multistream(false)
	if !reader.ModTime.IsZero() || reader.Name != "" || reader.Comment != "" || reader.OS != 255 {
		t.Fatalf("the header says %+v", reader.Header)
	}
	plain, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

func TestShardOfManySegmentsIsOneGzipMember(t *testing.T) {
	program(t, "gzip")
	s := newSite(t)
	pages := append(makePages(0, 5000), inSection(1, makePages(5000, 5001))...)
	s.publish(t, pages)
	s.config.Files.Gzip = GzipNone
	plain := s.with(t.TempDir())
	plain.publish(t, pages)
	for name, want := range files(t, plain.dir) {
		if name == "sitemap.xml" {
			continue
		}
		content := files(t, s.dir)[name+".gz"]
		if gunzip(t, content) != want {
			t.Errorf("%s.gz is not %s", name, name)
		}
		command := exec.Command("gzip", "-dc")
		command.Stdin = strings.NewReader(content)
		if out, err := command.Output(); err != nil || string(out) != want {
			t.Errorf("gzip does not make %s of %s.gz: %v", name, name, err)
		}
	}
	if first := files(t, plain.dir)["sitemap-pages.xml"]; len(first) < 4*segmentSize {
		t.Fatalf("the shard of %d bytes is of few segments", len(first))
	}
}

func TestGzipAllCompressesTheRootAsWell(t *testing.T) {
	s := newSite(t)
	s.config.Files.Gzip = GzipAll
	s.publish(t, append(makePages(0, 3), inSection(1, makePages(3, 5))...))
	index := decode[sitemapindex](t, gunzip(t, files(t, s.dir)["sitemap.xml.gz"]))
	if len(index.Sitemaps) != 2 {
		t.Fatalf("%d entries", len(index.Sitemaps))
	}
}

// A writer that is used again must not remember: the bytes would depend on which
// worker was free.
func TestCompressedBytesDoNotDependOnWhatWasCompressedBefore(t *testing.T) {
	renderer := NewRenderer(DateTime)
	var segments [][]byte
	for i := range 40 {
		var segment []byte
		for j := range 900 {
			page := onePage(i*700 + j) // overlaps with the one before
			segment = renderer.Append(segment, &page.Page)
		}
		segments = append(segments, segment)
	}
	var out bytes.Buffer
	compress := func(data []byte) string {
		out.Reset()
		writer := newFlateWriter(&out)
		writer.Write(data)
		writer.Flush()
		return out.String()
	}
	var used bytes.Buffer
	writer := newFlateWriter(&used)
	random := newRandom()
	for range 300 {
		data := segments[random.IntN(len(segments))]
		data = data[:1+random.IntN(len(data))]
		used.Reset()
		writer.Reset(&used)
		writer.Write(data)
		writer.Flush()
		if used.String() != compress(data) {
			t.Fatal("the same segment gave other bytes")
		}
	}
}

func TestSameBytesForAnyNumberOfJobs(t *testing.T) {
	pages := makePages(0, 20_000)
	var first map[string]string
	for _, jobs := range []int{1, 2, 8} {
		s := newSite(t)
		s.config.Files.MaxURLs = 5000
		folder, err := OpenFolder(s.dir, false)
		if err != nil {
			t.Fatal(err)
		}
		defer folder.Close()
		set, err := NewSet(folder, s.config, Options{URL: testURL, Sections: testSections, Jobs: jobs, IndexTime: s.now})
		if err != nil {
			t.Fatal(err)
		}
		defer set.Close()
		if err := addAll(set, pages); err != nil {
			t.Fatal(err)
		}
		if _, err := set.Publish(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := files(t, s.dir); first == nil {
			first = got
		} else if fmt.Sprint(got) != fmt.Sprint(first) {
			t.Fatalf("other bytes with %d jobs", jobs)
		}
	}
}

// wantGoroutines fails if more goroutines are left than there were.
func wantGoroutines(t testing.TB, before int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, there were %d", runtime.NumGoroutine(), before)
		}
	}
}
