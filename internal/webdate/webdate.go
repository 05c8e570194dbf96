// Package webdate reads the dates that stand in the heads of web pages, in the
// forms that generators, editors and programming languages write them.
//
// [Parse] is all of it. It takes a date only where everyone would read the same
// moment: day and month as bare numbers between slashes, a number of seconds or
// an unknown zone are no dates. Month names are English. It does not judge
// whether a date is believable, and knows no clock.
package webdate

import (
	"strings"
	"time"
)

// maxLength is the length in bytes of the longest text that may be a date. The
// longest real one, JavaScript's with a zone's name spelled out, has about 80.
const maxLength = 100

// Parse reads a date and returns it in seconds since the Unix epoch, rounded
// down and negative before 1970. If dateOnly is set the text gives no time of
// day, and unix is where that day begins in UTC. A time without a zone counts as
// UTC.
//
// These are the forms; brackets hold what may be missing:
//
//	2006-01-02, 2006/01/02, 20060102, 02.01.2006
//	2 January[,] 2006, 02-Jan-2006, January 2[,] 2006
//	any of these, then T, a space or a comma, then 15:04[:05[.999]] [AM|PM] [zone]
//	any of these, then T, then 1504[05[.999]] [zone]
//	Jan  2 15:04:05 [zone] 2006
//
// They cover RFC 3339, the calendar dates of ISO 8601, the dates of mail from
// RFC 822 to RFC 5322, RFC 850, asctime, the date command, and what Go's
// Time.String and JavaScript's Date.toString return. Case does not matter, nor
// does space around the text, nor a weekday in front, not even a wrong one. The
// names of months and weekdays may be cut to three letters or more, and a day
// may be an ordinal such as 2nd.
//
// A zone is a name that this package knows, or an offset such as +02:00, +0200
// or +02, alone or joined to GMT or UTC. What stands behind an offset, as its
// name or in parentheses, is a remark and not read.
//
// Years have four digits, or two behind the name of a month that follows the
// day: 70 to 99 are in the twentieth century and 00 to 69 in the next, as in
// RFC 6265, section 5.1.1. The second 60 is read as 59. A text of more than 100
// bytes is no date.
func Parse(text string) (unix int64, dateOnly, ok bool) {
	if len(text) > maxLength {
		return 0, false, false
	}
	r := reader{rest: strings.TrimSpace(text)}
	r.weekday()
	if !r.date() || !r.timeOfDay() || r.rest != "" || !r.inRange() {
		return 0, false, false
	}
	moment := time.Date(r.year, time.Month(r.month), r.day, r.hour, r.minute, min(r.second, 59), 0, time.UTC)
	return moment.Unix() - int64(r.offset), !r.timed, true
}
