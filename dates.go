package sitewalk

import "slices"

// dateSpread finds out whether the dates of a site's pages say anything: where a
// build or a checkout wrote nearly all files, they do not. It counts pages by
// minute, in a table of fixed size: what is crowded out of the table was rare
// (Misra and Gries, Finding repeated elements, 1982).
type dateSpread struct {
	pages       int64
	written     int64 // of these, the ones dated by when their files were written
	counted     int64 // in minutes
	first, last int64
	minutes     [64]minuteCount
	used        int
	lost        int64 // pages that each count may be short of
}

type minuteCount struct{ minute, pages int64 }

const (
	// uniformPages is the number of pages below which a common date is no wonder.
	uniformPages = 5
	// All pages are counted up to allCounted, and of a larger site one in sampled:
	// what nearly all pages have in common shows in an eighth of them.
	allCounted, sampled = 8192, 8
	// uniformSpan is the time, in seconds, within which nobody writes a whole site.
	uniformSpan = 10 * 60
)

// add counts a page by its lastmod; 0 stands for none. written says that it is the
// time at which the file was written: other dates may be the same for a reason.
func (d *dateSpread) add(lastMod int64, written bool) {
	if lastMod == 0 {
		return
	}
	if d.pages == 0 {
		d.first, d.last = lastMod, lastMod
	}
	d.pages++
	if written {
		d.written++
	}
	d.first, d.last = min(d.first, lastMod), max(d.last, lastMod)
	if d.pages > allCounted && d.pages%sampled != 0 {
		return
	}
	d.counted++
	minute := lastMod / 60
	for i := range d.minutes[:d.used] {
		if d.minutes[i].minute == minute {
			d.minutes[i].pages++
			return
		}
	}
	if d.used < len(d.minutes) {
		d.minutes[d.used] = minuteCount{minute, 1}
		d.used++
		return
	}
	d.lost++
	kept := 0
	for _, m := range d.minutes {
		if m.pages--; m.pages > 0 {
			d.minutes[kept] = m
			kept++
		}
	}
	d.used = kept
}

// uniform reports whether all dates fall into one short span, or nearly all, 19
// of 20, into one minute or two that follow each other.
func (d *dateSpread) uniform() bool {
	if d.pages < uniformPages || d.written*20 < d.pages*19 {
		return false
	}
	if d.last-d.first <= uniformSpan {
		return true
	}
	counts := slices.Clone(d.minutes[:d.used])
	slices.SortFunc(counts, func(a, b minuteCount) int { return int(a.minute - b.minute) })
	for i, m := range counts {
		pages := m.pages
		if i+1 < len(counts) && counts[i+1].minute == m.minute+1 {
			pages += counts[i+1].pages
		}
		if (pages+d.lost)*20 >= d.counted*19 {
			return true
		}
	}
	return false
}
