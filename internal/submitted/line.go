package submitted

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// The lines of a record. The first three kinds stand before, in this order; the last
// says how many URLs there are, so that what was cut short shows.
const (
	firstLine = "sitewalk submitted 1"
	baseLabel = "base "
	pingLabel = "ping " // hash of the ping's URL, digest of the set
	columns   = "# lastmod (? if in doubt), URL: what search engines were told last"
	endLabel  = "end "
)

// inDoubt stands for the lastmod of a URL that may have been submitted since or not. No
// URL of a set has it. Its line follows that of what was submitted before, if anything.
const inDoubt = "?"

const (
	// maxLoc is the length of the longest URL that is kept, in bytes; a sitemap's
	// are shorter: https://www.sitemaps.org/protocol.html#xmlTagDefinitions
	maxLoc = 2048
	// maxLastMod is the length of the longest lastmod that is kept as it is.
	maxLastMod = 40
	maxLine    = maxLoc + maxLastMod + 64
	// maxPings is the number of pings that a record may know.
	maxPings = 1000
)

// IsStorable reports whether a URL can be kept: it is short enough, and has no byte
// that a URL must not have, or that would break a line or a terminal.
func IsStorable(loc []byte) bool {
	for _, b := range loc {
		if b <= ' ' || b >= 0x7f {
			return false
		}
	}
	return len(loc) > 0 && len(loc) <= maxLoc
}

// plain returns a lastmod as it is kept: as it is, or, where that is no date that a
// line could hold, a hash of it.
func plain(lastmod []byte) []byte {
	if len(lastmod) == 0 || len(lastmod) <= maxLastMod && IsStorable(lastmod) && lastmod[0] != '#' && string(lastmod) != inDoubt {
		return lastmod
	}
	return appendHash([]byte{'#'}, xxhash.Sum64(lastmod))
}

func appendHash(line []byte, hash uint64) []byte { return fmt.Appendf(line, "%016x", hash) }

// appendURL appends the line of a URL.
func appendURL(line, loc, lastmod []byte) []byte {
	line = append(line, lastmod...)
	line = append(line, '\t')
	line = append(line, loc...)
	return append(line, '\n')
}

var errLine = errors.New("a line is not one of a record")

// parseURL returns what the line of a URL says.
func parseURL(line []byte) (loc, lastmod []byte, err error) {
	lastmod, loc, found := bytes.Cut(line, []byte{'\t'})
	if !found || !IsStorable(loc) || len(lastmod) > 0 && (len(lastmod) > maxLastMod || !IsStorable(lastmod)) {
		return nil, nil, errLine
	}
	return loc, lastmod, nil
}

// parsePing returns what the line of a ping says.
func parsePing(line []byte) (url, set uint64, err error) {
	first, second, found := bytes.Cut(line, []byte{' '})
	if !found {
		return 0, 0, errLine
	}
	if url, err = strconv.ParseUint(string(first), 16, 64); err != nil {
		return 0, 0, errLine
	}
	if set, err = strconv.ParseUint(string(second), 16, 64); err != nil {
		return 0, 0, errLine
	}
	return url, set, nil
}

// readLine returns the next line without its newline. It is valid until the next
// call. The end of the file is an error, as a record says itself where it ends.
func readLine(from *bufio.Reader) ([]byte, error) {
	line, err := from.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, errLine
	}
	return bytes.TrimSuffix(line, []byte{'\n'}), err
}
