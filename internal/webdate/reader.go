package webdate

import (
	"strings"
	"time"
)

// reader takes a date apart from the front. Its methods take what they are named
// after off the rest and store it. One that returns false did not find it, and
// leaves the reader of no use: who wants to try something else keeps a copy.
type reader struct {
	rest string

	year, month, day     int
	hour, minute, second int
	offset               int // of the zone, in seconds east of UTC

	timed    bool // a time of day was read
	numbered bool // the zone was given as an offset
}

// inRange reports whether the calendar has the day and the clock the time.
func (r *reader) inRange() bool {
	if r.year < 1 || r.month < 1 || r.month > 12 || r.day < 1 {
		return false
	}
	// time.Date carries the days that are too many for a month over to the next.
	day := time.Date(r.year, time.Month(r.month), r.day, 0, 0, 0, 0, time.UTC)
	return day.Day() == r.day && r.hour <= 23 && r.minute <= 59 && r.second <= 60
}

// take takes one byte, if it is the next.
func (r *reader) take(b byte) bool {
	if r.rest == "" || r.rest[0] != b {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

// spaces takes white space and reports whether there was any.
func (r *reader) spaces() bool {
	rest := strings.TrimLeft(r.rest, " \t\r\n")
	taken := len(rest) < len(r.rest)
	r.rest = rest
	return taken
}

// commaOrSpaces takes what parts two fields of a date in words.
func (r *reader) commaOrSpaces() bool {
	comma := r.take(',')
	return r.spaces() || comma
}

// word takes ASCII letters, perhaps none.
func (r *reader) word() string {
	end := 0
	for end < len(r.rest) && isLetter(r.rest[end]) {
		end++
	}
	word := r.rest[:end]
	r.rest = r.rest[end:]
	return word
}

// number takes digits and returns how many there were, perhaps none. The value
// of more than eight is of no use.
func (r *reader) number() (value, digits int) {
	for digits < len(r.rest) && isDigit(r.rest[digits]) {
		if digits < 8 {
			value = value*10 + int(r.rest[digits]-'0')
		}
		digits++
	}
	r.rest = r.rest[digits:]
	return value, digits
}

// shortNumber takes a number of one or two digits.
func (r *reader) shortNumber() (value int, ok bool) {
	value, digits := r.number()
	return value, digits == 1 || digits == 2
}

func isDigit(b byte) bool {
	return '0' <= b && b <= '9'
}

func isLetter(b byte) bool {
	return 'a' <= b|0x20 && b|0x20 <= 'z'
}
