package htmlreport

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// dateCounts counts pages by the day of their lastmod, in UTC.
type dateCounts struct {
	days map[int64]int64 // pages by day since 1970
	// Neighbours often share their day: last is the text of it, and lastDay what it is.
	last    string
	lastDay int64
}

func newDateCounts() dateCounts { return dateCounts{days: map[int64]int64{}} }

const secondsPerDay = 24 * 60 * 60

// add counts a page by its lastmod as the sitemap has it. One without is not counted.
func (d *dateCounts) add(lastMod string) {
	if len(lastMod) < len(time.DateOnly) {
		return
	}
	if day := lastMod[:len(time.DateOnly)]; day != d.last {
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			return
		}
		d.last, d.lastDay = day, at.Unix()/secondsPerDay
	}
	d.days[d.lastDay]++
}

// A histogram shows pages over time.
type histogram struct {
	Unit           string // of a bar: day, week, month or year
	Pages          int64  // with a lastmod
	Bars           []bar
	Highest        int64
	Oldest, Newest string // days
}

// bar is a stretch of time, and the pages whose lastmod falls into it.
type bar struct {
	Label string
	Pages int64
}

// The histogram has a bar a day up to maxDays days, then a bar a week up to as many
// weeks, a bar a month up to maxMonths, and a bar a year beyond.
const (
	maxDays, maxWeeks = 62, 62
	maxMonths         = 120
	// Fewer bars than minBars would look like walls: days before the first fill them up.
	minBars = 21
)

// histogram returns the pages over time, empty stretches included.
func (d *dateCounts) histogram() histogram {
	if len(d.days) == 0 {
		return histogram{}
	}
	days := slices.Sorted(maps.Keys(d.days))
	first, last := days[0], days[len(days)-1]
	unit, begin, next, label := unitFor(first, last)
	h := histogram{Unit: unit, Oldest: dayOf(first).Format(time.DateOnly), Newest: dayOf(last).Format(time.DateOnly)}
	i := 0
	for at := begin(dayOf(min(first, last-minBars+1))); !at.After(dayOf(last)); {
		after := next(at)
		b := bar{Label: label(at)}
		for ; i < len(days) && dayOf(days[i]).Before(after); i++ {
			b.Pages += d.days[days[i]]
		}
		h.Pages += b.Pages
		h.Highest = max(h.Highest, b.Pages)
		h.Bars = append(h.Bars, b)
		at = after
	}
	return h
}

func dayOf(day int64) time.Time { return time.Unix(day*secondsPerDay, 0).UTC() }

// unitFor returns the unit of time that suits a span of days: its name, how to find
// the beginning of the one that a day is in, the next one, and what to call it.
func unitFor(first, last int64) (unit string, begin, next func(time.Time) time.Time, label func(time.Time) string) {
	from, to := dayOf(first), dayOf(last)
	months := (to.Year()-from.Year())*12 + int(to.Month()-from.Month()) + 1
	add := func(years, months, days int) func(time.Time) time.Time {
		return func(at time.Time) time.Time { return at.AddDate(years, months, days) }
	}
	format := func(layout string) func(time.Time) string {
		return func(at time.Time) string { return at.Format(layout) }
	}
	switch span := last - first + 1; {
	case span <= maxDays:
		return "day", add(0, 0, 0), add(0, 0, 1), format(time.DateOnly)
	case span <= maxWeeks*7:
		// A week begins with Monday, as ISO 8601 has it.
		monday := func(at time.Time) time.Time { return at.AddDate(0, 0, -(int(at.Weekday())+6)%7) }
		return "week", monday, add(0, 0, 7), func(at time.Time) string { return fmt.Sprintf("week of %s", at.Format(time.DateOnly)) }
	case months <= maxMonths:
		return "month", func(at time.Time) time.Time { return at.AddDate(0, 0, 1-at.Day()) }, add(0, 1, 0), format("2006-01")
	}
	return "year", func(at time.Time) time.Time { return at.AddDate(0, 1-int(at.Month()), 1-at.Day()) }, add(1, 0, 0), format("2006")
}
