// Package submitted remembers what search engines were told of a site: each URL
// with the lastmod that it had then.
//
// Start at [Open], which reads the record that the last submission left. The
// published set is then compared with it, URL by URL, by [Record.Compare], and
// [Record.Gone] names what the set has no more. The [Changes] that come of it are
// sent in their order, and [Record.Save] keeps as many of them as were accepted, so
// that a submission that ends in the middle goes on there the next time.
//
// The record is text in gzip, so that zcat shows it: what it is, the site that it is
// of, the set of which each ping told, a line for each URL, and their number. It is
// replaced as a whole, by rename, readable for its owner alone.
//
// While sets are compared, a URL takes 16 bytes of memory, and one that has changed
// some 30 more. URLs are told apart by hashes of 64 bits: of a million, two share
// one with a probability of 1 in 37 million, and a change of one of them is missed
// then. Package submitted knows nothing of the network, and leaves it to the caller
// that no two runs use one record at a time.
package submitted

import (
	"cmp"
	"context"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// MaxURLs is the number of URLs that a record may hold.
const MaxURLs = 50_000_000

// A Change is what a URL has gone through since it was submitted.
type Change byte

// The kinds of changes, by the signs under which a dry run shows them.
const (
	None    Change = 0   // it is as it was, or was compared already
	Added   Change = '+' // it was not submitted before
	Changed Change = '~' // it has another lastmod, or one more, or one less
	Deleted Change = '-' // it is not in the set any more
)

// A Record is what was submitted. It is used by one goroutine at a time.
type Record struct {
	// Pings are, by the hash of a ping's URL, the digests of the sets that the ping
	// told of.
	Pings map[uint64]uint64

	path    string
	base    string
	entries []entry // sorted by loc, each of which is there once
	exists  bool    // there is a file
	// doubts are the hashes of the URLs that were in doubt when the record was opened.
	doubts map[uint64]bool
}

// entry is a URL that was submitted.
type entry struct {
	loc     uint64
	lastmod uint64 // its digest, which is seen once the URL was compared
}

// seen takes the place of a digest that is no longer wanted. That a digest has this
// value of its own is as unlikely as that any other two are the same.
const seen = 0

// Len returns the number of URLs that were submitted.
func (r *Record) Len() int { return len(r.entries) }

// IsNew reports whether nothing is known to have been submitted: there is no record,
// or it was not usable.
func (r *Record) IsNew() bool { return !r.exists }

// Compare returns what a URL of the published set has gone through: Added, Changed or
// None. Of a URL that is there several times only the first counts; of one that
// was not submitted before the caller has to see to that, as [Changes.Add] does.
func (r *Record) Compare(loc, lastmod []byte) Change {
	i, found := r.find(xxhash.Sum64(loc))
	if !found {
		return Added
	}
	before := r.entries[i].lastmod
	r.entries[i].lastmod = seen
	if before == seen || before == digest(lastmod) {
		return None
	}
	return Changed
}

// Gone calls visit for each URL that was submitted and has not been compared since
// the record was opened. The slices are the caller's until it returns.
func (r *Record) Gone(ctx context.Context, visit func(loc, lastmod []byte)) error {
	if !slices.ContainsFunc(r.entries, func(e entry) bool { return e.lastmod != seen }) {
		return nil
	}
	return r.each(ctx, func(loc, lastmod []byte) {
		if i, found := r.find(xxhash.Sum64(loc)); found && r.entries[i].lastmod != seen {
			r.entries[i].lastmod = seen
			visit(loc, lastmod)
		}
	})
}

// Forget frees the memory that comparing takes. The record can still be saved.
func (r *Record) Forget() { r.entries = nil }

func (r *Record) find(loc uint64) (i int, found bool) {
	return slices.BinarySearchFunc(r.entries, loc, func(e entry, hash uint64) int { return cmp.Compare(e.loc, hash) })
}

// Digest returns a digest of a URL and its lastmod. The sum of those of a set does
// not depend on their order, and changes with the set.
func Digest(loc, lastmod []byte) uint64 {
	return xxhash.Sum64(loc) ^ digest(lastmod)*0x9E3779B97F4A7C15
}

// Hash returns the hash by which Record.Pings knows a URL.
func Hash(url string) uint64 { return xxhash.Sum64String(url) }

// digest returns what is kept of a lastmod for comparing.
func digest(lastmod []byte) uint64 { return xxhash.Sum64(plain(lastmod)) }
