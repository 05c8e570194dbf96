package htmlreport

import (
	"slices"
	"testing"
	"time"
)

func TestBarsAreOfTheUnitThatSuitsTheSpan(t *testing.T) {
	for _, test := range []struct {
		name        string
		dates       []string
		unit        string
		bars        int
		first, last string
	}{
		{"one day", []string{"2024-02-29"}, "day", minBars, "2024-02-09", "2024-02-29"},
		{"a leap year's February", []string{"2024-02-01", "2024-03-02"}, "day", 31, "2024-02-01", "2024-03-02"},
		{"as many days as there are bars", []string{"2024-01-01", "2024-03-02"}, "day", maxDays, "2024-01-01", "2024-03-02"},
		{"a day more", []string{"2024-01-01", "2024-03-03"}, "week", 9, "week of 2024-01-01", "week of 2024-02-26"},
		{"from Sunday", []string{"2023-01-01", "2023-12-31"}, "week", 53, "week of 2022-12-26", "week of 2023-12-25"},
		{"two years, from the end of a month", []string{"2022-01-31", "2023-12-31"}, "month", 24, "2022-01", "2023-12"},
		{"ten years", []string{"2014-01-31", "2023-12-01"}, "month", maxMonths, "2014-01", "2023-12"},
		{"a month more", []string{"2013-12-31", "2023-12-01"}, "year", 11, "2013", "2023"},
		{"since 1970", []string{"1970-01-02T00:00:00+00:00", "2026-11-21T23:59:59+00:00"}, "year", 57, "1970", "2026"},
	} {
		counts := newDateCounts()
		for _, date := range test.dates {
			counts.add(date)
			counts.add(date)
		}
		h := counts.histogram()
		if h.Unit != test.unit || len(h.Bars) != test.bars || h.Bars[0].Label != test.first || h.Bars[len(h.Bars)-1].Label != test.last {
			t.Errorf("%s: %d bars by %s, from %s to %s", test.name, len(h.Bars), h.Unit, h.Bars[0].Label, h.Bars[len(h.Bars)-1].Label)
		}
		if want := int64(2 * len(test.dates)); h.Pages != want || h.Oldest != test.dates[0][:10] || h.Newest != test.dates[len(test.dates)-1][:10] {
			t.Errorf("%s: %d pages from %s to %s", test.name, h.Pages, h.Oldest, h.Newest)
		}
	}
}

func TestEveryDayIsInOneBar(t *testing.T) {
	for _, span := range []int{1, 20, 62, 63, 300, 434, 435, 3000, 3653, 3700, 20000} {
		counts := newDateCounts()
		last := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
		for i := range span {
			counts.add(last.AddDate(0, 0, -i).Format(time.DateOnly))
		}
		h := counts.histogram()
		if h.Pages != int64(span) || len(h.Bars) > maxMonths {
			t.Errorf("of %d days, %d are in %d bars", span, h.Pages, len(h.Bars))
		}
		labels := map[string]bool{}
		for _, bar := range h.Bars {
			labels[bar.Label] = true
		}
		if len(labels) != len(h.Bars) || h.Highest != slices.MaxFunc(h.Bars, func(a, b bar) int { return int(a.Pages - b.Pages) }).Pages {
			t.Errorf("of %d days, %d bars have %d labels, the highest %d", span, len(h.Bars), len(labels), h.Highest)
		}
	}
}

func TestWhatIsNoDateIsNotCounted(t *testing.T) {
	counts := newDateCounts()
	for _, date := range []string{"", "2024", "2024-13-01", "not a date at all"} {
		counts.add(date)
	}
	if h := counts.histogram(); h.Pages != 0 || len(h.Bars) != 0 {
		t.Errorf("%+v", h)
	}
}
