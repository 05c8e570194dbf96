package output

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// result is what becomes of a file of the set.
type result struct {
	name    string
	section string // of a shard, or empty
	order   int    // among the files of the section
	temp    string
	renew   bool // write it even if its bytes are the same
	state   fileState
	foreign bool // the file on disk is another tool's
	unread  bool // the file on disk cannot be read

	identity identity // of the file on disk, if same, or of the one that was written
	run      *pageRun // of a shard
	sum      uint64   // of a shard's content
	size     int64    // of a shard
	lastMod  string   // of a shard, as it stands in the index
}

type fileState uint8

const (
	fresh   fileState = iota // not on disk before
	changed                  // on disk with other bytes
	same
)

// stageAll ends the sections and waits until all their files are staged.
func (s *Set) stageAll(ctx context.Context) error {
	if s.pages() == 0 {
		return ErrNoPages
	}
	for _, section := range s.sections {
		only, err := section.end()
		switch {
		case err != nil:
		case only == nil || only.pages == 0:
		case only.pages == s.pages(): // which makes it the only shard of the set
			err = s.stage(section, only, s.files.rootFile(), s.files.Gzip == GzipAll)
		default:
			err = s.stageShard(section, only)
		}
		if err != nil {
			return err
		}
	}
	if s.text != nil && !s.keepText {
		s.text.end()
	}
	s.staging.Wait()
	if s.err != nil {
		return s.err
	}
	slices.SortFunc(s.staged, func(a, b *result) int {
		if c := strings.Compare(a.section, b.section); c != 0 {
			return c
		}
		return a.order - b.order
	})
	return ctx.Err()
}

// stageShard stages a shard under a name of its own.
func (s *Set) stageShard(of *section, ended *shard) error {
	compressed := s.files.Gzip != GzipNone
	return s.stage(of, ended, shardFile(of.name, ended.id, compressed), compressed)
}

// stage compares what a shard becomes with what is on disk, and writes it to a
// temporary file if they differ, while the caller goes on.
func (s *Set) stage(of *section, ended *shard, name string, compressed bool) error {
	if err := s.failed(); err != nil {
		return err
	}
	run := ended.pageRun
	r := &result{name: name, section: of.name, order: len(of.members), run: &run}
	of.members = append(of.members, member{staged: r})
	s.room <- struct{}{}
	s.staging.Go(func() {
		defer func() { <-s.room }()
		content, err := s.assemble(ended, compressed)
		s.finish(r, content, err)
	})
	return nil
}

// finish compares a file's content with what is on disk, and stages it.
func (s *Set) finish(r *result, content []byte, err error) {
	if err == nil {
		err = s.compare(r, content)
	}
	if r.run != nil {
		r.sum, r.size = xxhash.Sum64(content), int64(len(content))
	}
	if r.renew && r.state == same {
		r.state = changed
	}
	if err == nil && r.state != same && !s.opts.Dry {
		var info fs.FileInfo
		if r.temp, info, err = s.folder.stage(content); err != nil {
			err = fmt.Errorf("write %s: %w", r.name, cause(err))
		} else {
			r.identity = identityOf(info)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && s.err == nil {
		s.err = err
	}
	s.staged = append(s.staged, r)
}

// assemble returns the file that a shard becomes.
func (s *Set) assemble(ended *shard, compressed bool) ([]byte, error) {
	head := &s.heads[ended.namespaces]
	if !compressed {
		content := make([]byte, 0, int64(len(head.text))+ended.length+int64(len(urlsetEnd))+bytes.MinRead)
		content = append(content, head.text...)
		for _, segment := range ended.segments {
			var err error
			if content, err = segment.appendPlain(content); err != nil {
				return nil, err
			}
		}
		return append(content, urlsetEnd...), nil
	}
	size := len(gzipHeader) + len(head.stream) + len(urlsetEndStream) + 8
	for _, segment := range ended.segments {
		<-segment.ready
		size += len(segment.data)
	}
	content := append(make([]byte, 0, size), gzipHeader...)
	content = append(content, head.stream...)
	for _, segment := range ended.segments {
		content = append(content, segment.data...)
	}
	content = append(content, urlsetEndStream...)
	checksum := crc32.Update(ended.checksums[ended.namespaces], crc32.IEEETable, []byte(urlsetEnd))
	return appendGzipTrailer(content, checksum, int64(len(head.text))+ended.length+int64(len(urlsetEnd))), nil
}

// compare fills in the state of a file that is to have the given content.
func (s *Set) compare(r *result, content []byte) error {
	old, info, err := s.folder.read(r.name, int64(len(content)))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrForeign):
		r.state = fresh
	case errors.Is(err, errFolder), isPassing(err):
		return fmt.Errorf("compare %s: %w", r.name, err)
	case err != nil:
		r.state, r.unread = changed, true // but a rename replaces it
	case string(old) == string(content):
		r.state, r.identity = same, identityOf(info)
	default:
		r.state = changed
		marked, err := s.folder.isMarked(r.name)
		r.foreign = err == nil && !marked
	}
	return nil
}

// failed returns the error of a file being staged, if there was one.
func (s *Set) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// discard removes the temporary file of what is not published.
func (s *Set) discard(r *result) {
	if r.temp != "" {
		s.folder.discard(r.temp)
		r.temp = ""
	}
}

// cause strips an error of the name of a temporary file, which tells nobody anything
// and is another each time.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
