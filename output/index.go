package output

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// indexes are the indexes of the set on disk: what they say of each shard, and
// when they were written.
type indexes struct {
	shards map[string]indexed // by file name
	files  []string           // their names
	// unread says that one is there and cannot be read: what it names is not known.
	unread bool
	// fromDisk says, in an update, that they are not as the set before had them.
	fromDisk bool
}

// indexed is what an index says of a shard.
type indexed struct {
	lastMod string    // as it stands there, or empty
	written time.Time // when the index was
}

// continued begins a comment, at the end of an index, that names the next one.
// It tells the indexes of a set from those that an earlier set left.
const continued = "<!-- continued in "

// maxKnown bounds what is remembered of indexes that somebody else may have
// written: far more shards than a set has.
const maxKnown = 1 << 20

// maxName is the length of the longest name that a file may have, in bytes, on the
// file systems that docroots are on.
const maxName = 255

// has reports whether a file is one of the set on disk: an index, or a shard
// that an index names.
func (x *indexes) has(name string) bool {
	_, named := x.shards[name]
	return named || slices.Contains(x.files, name)
}

// mayHave reports whether a file is, or may be, one of the set on disk: what an index
// named that cannot be read, or that somebody damaged or removed, is not known.
func (x *indexes) mayHave(name string) bool {
	return x.unread || len(x.files) == 0 || x.has(name)
}

// missed reports whether a shard is newer than the index that names it, because
// a run ended between the two. One that is dated later than now says nothing of that:
// it was written by a clock that has been corrected.
func (x *indexes) missed(shard *result, now time.Time) bool {
	old, known := x.shards[shard.name]
	written := shard.identity.written()
	return known && shard.state == same && written.After(old.written) && !written.After(now)
}

// readIndexes returns the indexes of the set on disk. An update knows what they say
// of its shards, and reads them only if they are no longer as they were written;
// shards that they do not know then keep what is known.
func (s *Set) readIndexes() (found indexes, err error) {
	if s.before == nil {
		return s.folder.readIndexes(s.files)
	}
	found.shards = map[string]indexed{}
	var written time.Time // the last one was
	for _, index := range s.before.indexes {
		if !found.fromDisk && !s.folder.is(index.name, index.identity) {
			if found, err = s.folder.readIndexes(s.files); err != nil {
				return found, err
			}
			found.fromDisk = true
		}
		if at := index.identity.written(); at.After(written) {
			written = at
		}
	}
	for name, old := range s.replaced {
		if _, known := found.shards[name]; !known {
			found.shards[name] = indexed{old.lastMod, written}
		}
	}
	return found, nil
}

// readIndexes reads the indexes of the set on disk, as far as sitewalk wrote
// them. What cannot be read counts as not there: it is about to be replaced. It fails
// if one may be read in a while.
func (f *Folder) readIndexes(files *Files) (found indexes, err error) {
	found.shards = map[string]indexed{}
	root := files.rootFile()
	more, err := found.read(f, root)
	if err == nil && len(found.files) == 0 { // the set may have been compressed, or not
		root = files.otherRoot()
		more, err = found.read(f, root)
	}
	for n := 2; more && err == nil; n++ {
		more, err = found.read(f, indexFile(n, strings.HasSuffix(root, ".gz")))
	}
	return found, err
}

// otherIndexes reads the indexes under names that the set cannot have: those of
// another set in the same folder, or of this one under an earlier configuration.
// What they name is not to be removed while they are there. It fails if it cannot be
// known what they name.
func (f *Folder) otherIndexes(files *Files, names []string) (found indexes, err error) {
	found.shards = map[string]indexed{}
	for _, name := range names {
		if files.isOwnName(name) {
			continue
		}
		marked, err := f.isMarked(name)
		if marked && err == nil {
			_, err = found.read(f, name)
		}
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

// read reads an index, or a root that is the only shard, and reports whether
// another index follows. It fails if the file may be read in a while.
func (x *indexes) read(f *Folder, name string) (more bool, err error) {
	content, info, err := f.read(name, MaxBytes)
	switch {
	case isPassing(err):
		return false, fmt.Errorf("read %s: %w", name, err)
	case err != nil:
		x.unread = x.unread || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrForeign) && !errors.Is(err, errFolder)
		return false, nil
	case content == nil:
		return false, nil
	}
	if strings.HasSuffix(name, ".gz") {
		inflated, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			return false, nil
		}
		if content, err = io.ReadAll(io.LimitReader(inflated, MaxBytes+1)); err != nil {
			return false, nil
		}
	}
	if !bytes.Contains(content[:min(len(content), 128)], []byte(marker)) {
		return false, nil
	}
	x.files = append(x.files, name)
	_, entries, _ := bytes.Cut(content, []byte("<sitemap>"))
	for entry := range bytes.SplitSeq(entries, []byte("<sitemap>")) {
		if len(x.shards) > maxKnown {
			break
		}
		// The file may have been damaged, or forged: what is taken from it goes into
		// the next index.
		name := path.Base(between(entry, "<loc>", "</loc>"))
		if len(name) > maxName || !isShardName(name) {
			continue
		}
		lastMod := between(entry, "<lastmod>", "</lastmod>")
		if !isLastMod(lastMod) {
			lastMod = ""
		}
		x.shards[strings.Clone(name)] = indexed{lastMod, info.ModTime()} // without the URL
	}
	return bytes.Contains(entries, []byte(continued)), nil
}

// between returns the text of an element that sitewalk wrote.
func between(entry []byte, open, end string) string {
	_, after, found := bytes.Cut(entry, []byte(open))
	if !found {
		return ""
	}
	text, _, found := bytes.Cut(after, []byte(end))
	if !found {
		return ""
	}
	return string(text)
}

// stageIndexes stages the index, or the indexes when one is full, and none for
// a set of one shard, which is itself the root.
func (s *Set) stageIndexes(before *indexes) error {
	shards := s.members()
	if len(shards) == 1 && shards[0].name() == s.files.rootFile() {
		return nil
	}
	compressed := s.files.Gzip == GzipAll
	head := s.files.fileHead("sitemapindex", 0)
	url := appendEntities(nil, s.opts.URL)
	var entry []byte
	dates := newDateWriter(s.format)
	name, order, next := s.files.rootFile(), 1, indexFile(2, compressed)
	link := continued + next + " -->\n"
	const entryLength = 110 // of an index, about, beside the folder's URL
	content := make([]byte, 0, min(s.maxIndex, int64(len(head)+len(shards)*(len(url)+entryLength))))
	content = append(content, head...)
	entries, newer := 0, false
	end := func() {
		content = append(content, indexEnd...)
		if compressed {
			content = compressWhole(content)
		}
		s.finish(&result{name: name, order: order, renew: newer}, content, nil)
	}
	for _, shard := range shards {
		lastMod := s.indexLastMod(shard, before, &dates)
		entry = appendIndexEntry(entry[:0], url, shard.name(), lastMod)
		full := entries == s.files.indexEntries() || int64(len(content)+len(entry)+len(link)+len(indexEnd)) > s.maxIndex
		if full && entries > 0 {
			content = append(content, link...)
			end()
			order++
			name, next = next, indexFile(order+1, compressed)
			link = continued + next + " -->\n"
			content, entries, newer = []byte(head), 0, false
		}
		content = append(content, entry...)
		entries++
		// The index must not be older than what it names, or the next run would
		// take that for interrupted; its bytes can be the same within a day.
		if r := shard.staged; r != nil {
			newer = newer || r.state != same || before.missed(r, s.opts.Now())
		}
	}
	end()
	return s.err
}

// indexLastMod finds out, and notes, what the index is to say of a shard: when it
// changed. Unchanged bytes keep what the index on disk says, unless the shard is
// newer than that, because a run ended between the two, or that is a date yet to come,
// by a clock that has been corrected; a changed shard gets the current time; and one
// with nothing to compare with the newest lastmod of its pages, so that a first build
// does not claim that all changed.
//
// An update knows more: a shard that it does not touch keeps what the index says or,
// if that does not know the shard, said; and so does one that has the bytes which
// that was said of, whatever became of them on disk.
func (s *Set) indexLastMod(shard *member, before *indexes, dates *dateWriter) string {
	if shard.kept != nil {
		if said := before.shards[shard.kept.name]; said.lastMod != "" && said.lastMod != shard.kept.lastMod {
			other := *shard.kept
			other.lastMod = said.lastMod
			shard.kept = &other
		}
		return shard.kept.lastMod
	}
	r := shard.staged
	said, now := before.shards[r.name], s.opts.Now()
	interrupted := before.missed(r, now) || r.state == same && isYetToCome(said.lastMod, now)
	old := s.replaced[r.name]
	switch {
	case old != nil && old.sum == r.sum && old.lastMod == said.lastMod:
		r.lastMod = said.lastMod
	case r.state == same && said.lastMod != "" && !interrupted:
		r.lastMod = said.lastMod
	case r.state == changed || interrupted:
		r.lastMod = string(dates.append(nil, s.opts.IndexTime.Unix()))
	case r.run.newest != 0:
		r.lastMod = string(dates.append(nil, r.run.newest))
	}
	return r.lastMod
}

// isYetToCome reports whether a lastmod is later than now.
func isYetToCome(lastMod string, now time.Time) bool {
	said := now.UTC().Format(secondsLayout)
	return lastMod > said[:min(len(lastMod), len(said))]
}

// appendIndexEntry appends what an index says of a shard. Names of shards need no
// entities, url has them.
func appendIndexEntry(dst, url []byte, name, lastMod string) []byte {
	dst = append(dst, "<sitemap><loc>"...)
	dst = append(dst, url...)
	dst = append(dst, name...)
	dst = append(dst, "</loc>"...)
	if lastMod != "" {
		dst = append(dst, "<lastmod>"...)
		dst = append(dst, lastMod...)
		dst = append(dst, "</lastmod>"...)
	}
	return append(dst, "</sitemap>\n"...)
}
