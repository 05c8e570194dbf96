package webdate

import "strings"

// timeOfDay takes the time and the zone behind a date, if there are any.
func (r *reader) timeOfDay() bool {
	if r.timed || r.rest == "" {
		return true
	}
	if r.take('T') || r.take('t') {
		before := *r
		if r.compactClock() {
			return r.zoneAtEnd()
		}
		*r = before
	} else if !r.commaOrSpaces() {
		return false
	}
	return r.clock() && r.zoneAtEnd()
}

// compactClock takes 1504 and 150405, with or without a fraction.
func (r *reader) compactClock() bool {
	switch number, digits := r.number(); digits {
	case 4:
		r.hour, r.minute = number/100, number%100
	case 6:
		r.hour, r.minute, r.second = number/10000, number/100%100, number%100
	default:
		return false
	}
	r.timed = true
	return r.fraction()
}

// clock takes 15:04 and 15:04:05, the latter with or without a fraction, and
// AM or PM after them.
func (r *reader) clock() bool {
	var ok bool
	if r.hour, ok = r.shortNumber(); !ok || !r.take(':') {
		return false
	}
	var digits int
	if r.minute, digits = r.number(); digits != 2 {
		return false
	}
	if r.take(':') {
		if r.second, digits = r.number(); digits != 2 || !r.fraction() {
			return false
		}
	}
	r.timed = true
	return r.halfOfDay()
}

// fraction takes the digits after a decimal point or comma, which say nothing in
// seconds. It returns false if there is a point without digits.
func (r *reader) fraction() bool {
	if !r.take('.') && !r.take(',') {
		return true
	}
	_, digits := r.number()
	return digits > 0
}

// halfOfDay takes AM or PM, if it is there, and corrects the hour. It returns
// false if there is no such hour in half a day.
func (r *reader) halfOfDay() bool {
	before := *r
	r.spaces()
	word := r.word()
	afternoon := strings.EqualFold(word, "pm")
	if !afternoon && !strings.EqualFold(word, "am") {
		*r = before
		return true
	}
	if r.hour < 1 || r.hour > 12 {
		return false
	}
	r.hour %= 12
	if afternoon {
		r.hour += 12
	}
	return true
}
