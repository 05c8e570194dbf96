package state

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/gzip"

	"sitewalk/internal/durable"
)

// compressionLevel is klauspost/compress's. By BenchmarkCompression level 2 is
// both faster and 3 % smaller than 1; 3 is 6 % smaller again and takes a third
// longer, and what is above takes longer for nothing.
const compressionLevel = 2

// A draft is a state being written, beside the one that it will replace.
type draft struct {
	folder *os.Root
	name   string // of the state
	temp   string // of the draft; empty once it was published
	file   *os.File
	offset int64 // of what is written next
	hash   *xxhash.Digest
	hasty  bool // see Writer

	gzip   *gzip.Writer
	member bytes.Buffer
}

// newDraft begins a draft of the state at path.
func newDraft(path string, h *header) (*draft, error) {
	folder, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("write state: %w", err)
	}
	d := &draft{folder: folder, name: filepath.Base(path), hash: xxhash.New()}
	if d.gzip, err = gzip.NewWriterLevel(&d.member, compressionLevel); err != nil {
		panic(err) // the level is a constant
	}
	temp := draftPrefix(d.name) + strings.ToLower(rand.Text()) + draftSuffix
	if d.file, err = folder.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		folder.Close()
		return nil, fmt.Errorf("write state: %w", err)
	}
	d.temp = temp
	if _, err = d.writeMember(append(h.append(nil), columns...)); err != nil {
		d.discard()
		return nil, err
	}
	return d, nil
}

// write writes bytes as they are.
func (d *draft) write(content []byte) error {
	_, _ = d.hash.Write(content)
	n, err := d.file.Write(content)
	d.offset += int64(n)
	if err != nil {
		return fmt.Errorf("write state: %w", err)
	}
	return nil
}

// writeMember writes text as a gzip member.
func (d *draft) writeMember(text []byte) (member, error) {
	d.member.Reset()
	d.gzip.Reset(&d.member)
	// A bytes.Buffer does not fail, and so neither do these.
	_, _ = d.gzip.Write(text)
	_ = d.gzip.Close()
	return member{int64(d.member.Len()), int64(len(text))}, d.write(d.member.Bytes())
}

// finish ends the draft with the index, and makes it durable.
func (d *draft) finish(index []byte) error {
	offset := d.offset
	if _, err := d.writeMember(index); err != nil {
		return err
	}
	trailer := appendTrailer(nil, offset, d.hash)
	if err := d.write(trailer); err != nil {
		return err
	}
	if !d.hasty {
		if err := d.file.Sync(); err != nil {
			return fmt.Errorf("write state: %w", err)
		}
	}
	if err := d.file.Close(); err != nil {
		return fmt.Errorf("write state: %w", err)
	}
	return nil
}

// publish puts the finished draft in the state's place: a link there is
// replaced, not followed.
func (d *draft) publish() error {
	if err := d.folder.Rename(d.temp, d.name); err != nil {
		return fmt.Errorf("write state: %w", err)
	}
	d.temp = ""
	if d.hasty {
		return nil
	}
	if err := durable.Folder(d.folder); err != nil {
		return fmt.Errorf("write state: %w", err)
	}
	return nil
}

// discard ends the draft. Unless it was published, nothing is left of it.
func (d *draft) discard() {
	d.file.Close() // for the second time if it is finished, which does no harm
	if d.temp != "" {
		_ = d.folder.Remove(d.temp)
	}
	d.folder.Close()
}

// Drafts are named so that the next run knows those of a killed one.
const draftSuffix = ".tmp"

func draftPrefix(name string) string { return "." + name + "." }

// draftRandom is the length of the random part of a draft's name.
var draftRandom = len(rand.Text())

func isDraft(temp, name string) bool {
	random, begins := strings.CutPrefix(temp, draftPrefix(name))
	random, ends := strings.CutSuffix(random, draftSuffix)
	return begins && ends && len(random) == draftRandom && strings.Trim(random, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// removeDrafts removes the drafts that killed runs left of the state at path.
// One that cannot be removed is in nobody's way.
func removeDrafts(path string) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return
	}
	defer root.Close()
	folder, err := root.Open(".")
	if err != nil {
		return
	}
	defer folder.Close()
	var drafts []string
	for {
		names, err := folder.Readdirnames(1024)
		for _, name := range names {
			if isDraft(name, filepath.Base(path)) {
				drafts = append(drafts, name)
			}
		}
		if err != nil {
			if err != io.EOF {
				return
			}
			break
		}
	}
	for _, name := range drafts {
		if info, err := root.Lstat(name); err == nil && info.Mode().IsRegular() {
			_ = root.Remove(name)
		}
	}
}
