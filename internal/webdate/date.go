package webdate

import "strings"

var (
	months = []string{
		"january", "february", "march", "april", "may", "june", "july",
		"august", "september", "october", "november", "december",
	}
	weekdays = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
)

// nameIndex returns the position of the name that the word is, or abbreviates
// with at least three letters, or -1.
func nameIndex(names []string, word string) int {
	if len(word) >= 3 {
		for i, name := range names {
			if len(word) <= len(name) && strings.EqualFold(word, name[:len(word)]) {
				return i
			}
		}
	}
	return -1
}

// weekday takes a weekday and what parts it from the date. It takes nothing if
// there is no weekday.
func (r *reader) weekday() {
	before := *r
	if nameIndex(weekdays, r.word()) < 0 {
		*r = before
		return
	}
	r.take('.')
	r.commaOrSpaces()
}

// date takes a date in any form. In the form of asctime, which has the year
// last, it takes the time and the zone too.
func (r *reader) date() bool {
	number, digits := r.number()
	switch {
	case digits == 0:
		return r.monthFirst()
	case digits == 8:
		r.year, r.month, r.day = number/10000, number/100%100, number%100
		return true
	case digits == 4:
		r.year = number
		return r.yearFirst()
	case digits <= 2:
		r.day = number
		return r.dayFirst()
	}
	return false
}

// yearFirst takes what follows the year in 2006-01-02 and 2006/01/02.
func (r *reader) yearFirst() bool {
	separator := byte('-')
	if !r.take(separator) {
		separator = '/'
		if !r.take(separator) {
			return false
		}
	}
	return r.monthNumber() && r.take(separator) && r.dayNumber()
}

// dayFirst takes what follows the day in 02.01.2006, "2nd January 2006" and
// "02-Jan-06".
func (r *reader) dayFirst() bool {
	switch {
	case r.take('.'):
		return r.monthNumber() && r.take('.') && r.fullYear()
	case r.take('-'):
		return r.monthName() && r.take('-') && r.anyYear()
	}
	r.ordinal()
	return r.spaces() && r.monthName() && r.commaOrSpaces() && r.anyYear()
}

// monthFirst takes "January 2, 2006", "Jan  2 15:04:05 2006" and
// "Jan  2 15:04:05 MST 2006".
func (r *reader) monthFirst() bool {
	if !r.monthName() || !r.spaces() || !r.dayNumber() {
		return false
	}
	r.ordinal()
	if !r.commaOrSpaces() {
		return false
	}
	before := *r
	if !r.clock() {
		*r = before
		return r.fullYear()
	}
	before = *r
	if !r.spaces() || !r.zone() {
		*r = before
	}
	return r.spaces() && r.fullYear()
}

func (r *reader) monthName() bool {
	r.month = nameIndex(months, r.word()) + 1
	r.take('.')
	return r.month > 0
}

func (r *reader) monthNumber() (ok bool) {
	r.month, ok = r.shortNumber()
	return ok
}

func (r *reader) dayNumber() (ok bool) {
	r.day, ok = r.shortNumber()
	return ok
}

// ordinal takes the ending of an ordinal number, if there is one.
func (r *reader) ordinal() {
	before := *r
	switch strings.ToLower(r.word()) {
	case "st", "nd", "rd", "th":
	default:
		*r = before
	}
}

// fullYear takes a year of four digits.
func (r *reader) fullYear() bool {
	var digits int
	r.year, digits = r.number()
	return digits == 4
}

// anyYear takes a year of four or two digits.
func (r *reader) anyYear() bool {
	var digits int
	r.year, digits = r.number()
	switch {
	case digits == 2 && r.year >= 70:
		r.year += 1900
	case digits == 2:
		r.year += 2000
	}
	return digits == 4 || digits == 2
}
