package check

import (
	"strings"
	"time"
)

// date is a lastmod.
type date struct {
	unix    int64 // in seconds since 1970; of a day, when it begins in UTC
	dayOnly bool
}

// The bounds of what a page's date can be.
const (
	// clockSkew is how far ahead of this machine's clock another's may be.
	clockSkew = 60
	// farthestEast is how much earlier than in UTC a day begins on the other side of
	// the earth.
	farthestEast = 14 * 60 * 60
)

// firstYear is when there was no page yet: the first was put on the web in 1990.
var firstYear = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC).Unix()

// parseLastMod reads a date in the forms that both the protocol and its schema take:
// 2004-09-22, or 2004-09-22T14:12:14 with or without a fraction and then Z or an
// offset such as +02:00. Otherwise it says what is wrong.
// https://www.w3.org/TR/NOTE-datetime
func parseLastMod(text string) (d date, problem string) {
	const forms = "write it as 2004-09-22 or 2004-09-22T14:12:14+00:00"
	switch shape := shapeOf(text); {
	case text == "":
		return d, "is empty; leave it out"
	case shape == "dddd" || shape == "dddd-dd":
		return d, "names no day, which W3C Datetime allows but the schema refuses; " + forms
	case strings.HasPrefix(shape, "dddd-dd-ddTdd:ddZ"), strings.HasPrefix(shape, "dddd-dd-ddTdd:dd+"), strings.HasPrefix(shape, "dddd-dd-ddTdd:dd-"):
		return d, "has no seconds, which W3C Datetime allows but the schema refuses; " + forms
	case shape == "dddd-dd-ddTdd:dd:dd" || strings.HasPrefix(shape, "dddd-dd-ddTdd:dd:dd.") && !strings.ContainsAny(shape[len("dddd-dd-ddT"):], "Z+-"):
		return d, "has a time but no zone; add Z or an offset such as +02:00"
	case shape == "dddd-dd-dd":
		day, err := time.Parse(time.DateOnly, text)
		if err != nil || text[:4] == "0000" {
			return d, "is no day of the calendar"
		}
		return date{day.Unix(), true}, ""
	case !strings.HasPrefix(shape, "dddd-dd-ddTdd:dd:dd"):
		return d, "is not a date of the W3C's; " + forms
	}
	moment, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || text[:4] == "0000" || strings.Contains(text, ",") || !zoneInRange(text) {
		return d, "is no time of the calendar and the clock; " + forms
	}
	return date{moment.Unix(), false}, ""
}

// shapeOf returns a text with d for each digit. It is for telling forms apart, of
// which the longest has 40 bytes.
func shapeOf(text string) string {
	var shape [40]byte
	n := copy(shape[:], text)
	for i, b := range shape[:n] {
		if '0' <= b && b <= '9' {
			shape[i] = 'd'
		}
	}
	return string(shape[:n])
}

// zoneInRange reports whether the offset of a time is within the 14 hours of the
// schema.
func zoneInRange(text string) bool {
	if strings.HasSuffix(text, "Z") {
		return true
	}
	zone := text[len(text)-len("00:00"):]
	return zone <= "14:00"
}

// believable says why a date cannot be when a page changed: a code, or "".
func (d date) believable(now int64) (Code, string) {
	latest := now + clockSkew
	if d.dayOnly {
		latest = now + farthestEast
	}
	switch {
	case d.unix > latest:
		return LastModFuture, "is in the future"
	case d.unix < firstYear:
		return LastModEarly, "is before 1990, when there was no page on the web; a copy or an image may have lost the date"
	}
	return "", ""
}

// ParseLastMod reads a lastmod. It returns seconds since 1970, of a day when it begins
// in UTC, and false if the form is not one that sitemaps may have.
func ParseLastMod(text string) (unix int64, dayOnly, ok bool) {
	d, problem := parseLastMod(text)
	return d.unix, d.dayOnly, problem == ""
}
