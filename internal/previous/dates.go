package previous

import (
	"cmp"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"
)

// Dates are the dates that a published set gives its URLs. They do not change,
// so that any number of goroutines may ask.
type Dates struct {
	entries []entry // sorted by loc, each of which is there once
}

// entry is a URL with its date. The URL is kept as a hash: of a million two
// share one with a probability of 1 in 37 million.
type entry struct {
	loc  uint64
	date int64 // packed
}

// pack returns a date as a number of its own, which is greater for a later
// date, and for the same date with a time of day.
func pack(seconds int64, dateOnly bool) int64 {
	if dateOnly {
		return seconds << 1
	}
	return seconds<<1 | 1
}

// newDates sorts the entries. Of a URL that is there several times, the latest
// date counts.
func newDates(entries []entry) *Dates {
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.loc, b.loc), cmp.Compare(b.date, a.date))
	})
	entries = slices.CompactFunc(entries, func(a, b entry) bool { return a.loc == b.loc })
	return &Dates{entries}
}

// Find returns the lastmod of a URL, spelled as in the sitemap but without
// entities, in seconds since 1970, UTC, and always positive. If dateOnly is
// set, the sitemap gives no time of day, and seconds is where that day begins
// in UTC. It is not ok if the URL is not listed, or has no date that was taken.
func (d *Dates) Find(loc []byte) (seconds int64, dateOnly, ok bool) {
	i, found := slices.BinarySearchFunc(d.entries, xxhash.Sum64(loc), func(e entry, hash uint64) int { return cmp.Compare(e.loc, hash) })
	if !found {
		return 0, false, false
	}
	date := d.entries[i].date
	return date >> 1, date&1 == 0, true
}

// Len returns the number of URLs that have a date.
func (d *Dates) Len() int { return len(d.entries) }

// parseDate reads a date by https://www.w3.org/TR/NOTE-datetime, as far as it
// names a day: a year or a month alone is none. A fraction of a second is
// rounded down.
func parseDate(text string) (seconds int64, dateOnly, ok bool) {
	if len(text) == len(time.DateOnly) {
		day, err := time.Parse(time.DateOnly, text)
		return day.Unix(), true, err == nil
	}
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
		if moment, err := time.ParseInLocation(layout, text, time.UTC); err == nil {
			return moment.Unix(), false, true
		}
	}
	return 0, false, false
}
