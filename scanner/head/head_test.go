package head

import (
	"strings"
	"time"
)

// allOptions wants everything that a head says, but not the body.
func allOptions() Options {
	return Options{
		Agents:     []string{"*", "googlebot"},
		ParseDate:  parseDate,
		Alternates: true,
		Hints:      true,
		Dates:      true,
	}
}

// parseDate knows the forms of dates that the tests use.
func parseDate(text string) (unix int64, dateOnly, ok bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly, time.RFC1123, time.RFC1123Z, time.RFC850, "January 2, 2006", "2 Jan 2006 15:04:05 MST"} {
		if t, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
			return t.Unix(), !strings.Contains(layout, "04"), true
		}
	}
	return 0, false, false
}
