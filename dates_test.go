package sitewalk

import (
	"math/rand/v2"
	"testing"
	"time"
)

// spread is the number of pages dated in each minute of a list, the pages of one
// minute spread over its seconds.
type spread []struct {
	minute int64
	pages  int
}

var someDay = time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC).Unix()

func uniformIn(dates []int64, seed uint64) bool {
	random := rand.New(rand.NewPCG(seed, seed))
	random.Shuffle(len(dates), func(i, j int) { dates[i], dates[j] = dates[j], dates[i] })
	var d dateSpread
	for _, date := range dates {
		d.add(date, true)
	}
	return d.uniform()
}

func (s spread) dates() []int64 {
	var dates []int64
	for _, m := range s {
		for i := range m.pages {
			dates = append(dates, someDay+m.minute*60+int64(i%60))
		}
	}
	return dates
}

func TestDatesAreUniformWhenTheySayNothing(t *testing.T) {
	const day = 24 * 60
	for name, c := range map[string]struct {
		spread spread
		want   bool
	}{
		"no page":                          {nil, false},
		"four pages at once":               {spread{{0, 4}}, false},
		"five pages at once":               {spread{{0, 5}}, true},
		"a site at once":                   {spread{{0, 5000}}, true},
		"five pages over days":             {spread{{0, 1}, {day, 1}, {2 * day, 1}, {3 * day, 1}, {4 * day, 1}}, false},
		"a site within ten minutes":        {spread{{0, 20}, {3, 20}, {6, 20}, {9, 20}}, true},
		"a site within twenty":             {spread{{0, 20}, {6, 20}, {12, 20}, {18, 20}}, false},
		"95 of 100 in one minute":          {spread{{0, 95}, {day, 2}, {2 * day, 3}}, true},
		"94 of 100 in one minute":          {spread{{0, 94}, {day, 3}, {2 * day, 3}}, false},
		"95 of 100 in two, side by side":   {spread{{0, 40}, {1, 55}, {day, 5}}, true},
		"94 of 100 in two, side by side":   {spread{{0, 40}, {1, 54}, {day, 6}}, false},
		"95 of 100 in two, hours apart":    {spread{{0, 40}, {60, 55}, {day, 5}}, false},
		"950 of 1000, the rest everywhere": {append(spread{{0, 950}}, scattered(50)...), true},
		"940 of 1000, the rest everywhere": {append(spread{{0, 940}}, scattered(60)...), false},
		"half a site":                      {append(spread{{0, 500}}, scattered(500)...), false},
	} {
		for seed := range uint64(5) {
			if got := uniformIn(c.spread.dates(), seed); got != c.want {
				t.Errorf("%s: uniform %v, order %d", name, got, seed)
				break
			}
		}
	}
}

// scattered is pages of a minute each, far from each other.
func scattered(pages int) spread {
	var s spread
	for i := range pages {
		s = append(s, struct {
			minute int64
			pages  int
		}{int64(i+1) * 1000, 1})
	}
	return s
}

func TestMoreMinutesThanTheTableHoldsHideNoUniformDate(t *testing.T) {
	for seed := range uint64(20) {
		if !uniformIn(append(spread{{0, 9_600}}, scattered(400)...).dates(), seed) {
			t.Error("96 % in one minute, 400 minutes beside it: not uniform")
		}
		if !uniformIn(append(spread{{0, 4_800}, {1, 4_800}}, scattered(400)...).dates(), seed) {
			t.Error("96 % in two minutes, 400 minutes beside them: not uniform")
		}
		if uniformIn(append(spread{{0, 9_400}}, scattered(600)...).dates(), seed) {
			t.Error("94 % in one minute, 600 minutes beside it: uniform")
		}
		if uniformIn(scattered(10_000).dates(), seed) {
			t.Error("10,000 minutes: uniform")
		}
	}
}

func TestPagesWithoutADateSayNothingOfDates(t *testing.T) {
	var d dateSpread
	for range 100 {
		d.add(0, true)
	}
	if d.uniform() {
		t.Error("no dates are uniform")
	}
	for i := range int64(4) {
		d.add(someDay+i, true)
	}
	if d.uniform() {
		t.Error("four dates are uniform")
	}
}

func TestTenMinutesIsTheLongestShortSpan(t *testing.T) {
	for last, want := range map[int64]bool{uniformSpan: true, uniformSpan + 1: false} {
		var d dateSpread
		for i := range int64(6) {
			d.add(someDay+i*last/5, true)
		}
		if got := d.uniform(); got != want {
			t.Errorf("six pages within %d seconds: uniform %v", last, got)
		}
	}
}
