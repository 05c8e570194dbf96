package output

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The names of a set's files, beside the root's:
//
//	sitemap-SECTION.xml         the only shard of a section
//	sitemap-SECTION-first.xml   the first of several
//	sitemap-SECTION-ID.xml      another; ID is the hash of the page before it
//	sitemap-index-N.xml         an index beside the root, N from 2
//	sitemap-N.txt               a list beside sitemap.txt, N from 2
//
// Compressed files end in .gz.
var (
	shardName = regexp.MustCompile(`^sitemap-[a-z0-9]+(-[a-z0-9]+)*\.xml(\.gz)?$`)
	otherName = regexp.MustCompile(`^sitemap-index(-[0-9]+)?\.xml(\.gz)?$`)
	indexName = regexp.MustCompile(`^sitemap-index-([2-9]|[1-9][0-9]+)\.xml(\.gz)?$`)
	textName  = regexp.MustCompile(`^sitemap(-([2-9]|[1-9][0-9]{1,2}))?\.txt$`)
	tempName  = regexp.MustCompile(`^\.sitewalk-[0-9a-z]{26}\.tmp$`)
)

const (
	firstShard = "first"
	tempPrefix = ".sitewalk-"
)

func isShardName(name string) bool {
	return shardName.MatchString(name) && !otherName.MatchString(name)
}
func isIndexName(name string) bool { return indexName.MatchString(name) }
func isTextName(name string) bool  { return textName.MatchString(name) }

// IsTemp reports whether a file is one that a run writes before it renames it.
func IsTemp(name string) bool { return tempName.MatchString(name) }

// shardFile returns the name of a section's shard; id is empty for an only one.
func shardFile(section, id string, gzip bool) string {
	name := "sitemap-" + section
	if id != "" {
		name += "-" + id
	}
	return name + xmlEnding(gzip)
}

func indexFile(n int, gzip bool) string {
	return "sitemap-index-" + strconv.Itoa(n) + xmlEnding(gzip)
}

func xmlEnding(gzip bool) string {
	if gzip {
		return ".xml.gz"
	}
	return ".xml"
}

func textFile(n int) string {
	if n == 1 {
		return "sitemap.txt"
	}
	return "sitemap-" + strconv.Itoa(n) + ".txt"
}

// shardID returns what the name of a shard says of its place: the hash of the
// page at which the shard before was cut. long makes two shards of one section
// that meet in a short one differ.
func shardID(hash uint64, long bool) string {
	if long {
		return fmt.Sprintf("%016x", hash)
	}
	// The cutter chooses by the hash's high bits, so that only the low ones
	// tell two cuts apart.
	return fmt.Sprintf("%010x", hash&(1<<40-1))
}

// shardIDs are the ids of a section's shards so far.
type shardIDs map[string]bool

// next returns the id of the next shard. before is the hash of the page before it.
func (ids shardIDs) next(before uint64) string {
	id := firstShard
	if len(ids) > 0 {
		id = shardID(before, false)
		for hash := before; ids[id]; hash++ {
			id = shardID(hash, true)
		}
	}
	ids[id] = true
	return id
}

// isOwnName reports whether a name is one that a set with this root could have,
// now or under other settings. Whether sitewalk wrote the file, its content
// must tell.
func (f *Files) isOwnName(name string) bool {
	return f.IsIndex(name) || isShardName(name)
}

// IsIndex reports whether the set's root, or another index, can be called name,
// now or with other compression.
func (f *Files) IsIndex(name string) bool {
	root := strings.TrimSuffix(f.Root, ".gz")
	return name == root || name == root+".gz" || isIndexName(name)
}
