package webdate

import "strings"

const (
	minute = 60
	hour   = 60 * minute
)

// zones are the zones that are known by name. Those of North America are from
// RFC 5322, section 4.3, which settles whose CST and MST are meant. The others
// have the offsets of today in the tz database; BST is British Summer Time.
var zones = []struct {
	name   string
	offset int // in seconds east of UTC
}{
	{"GMT", 0}, {"UTC", 0}, {"UT", 0}, {"Z", 0},
	{"EST", -5 * hour}, {"EDT", -4 * hour},
	{"CST", -6 * hour}, {"CDT", -5 * hour},
	{"MST", -7 * hour}, {"MDT", -6 * hour},
	{"PST", -8 * hour}, {"PDT", -7 * hour},
	{"WET", 0}, {"WEST", 1 * hour}, {"BST", 1 * hour},
	{"CET", 1 * hour}, {"CEST", 2 * hour},
	{"MET", 1 * hour}, {"MEST", 2 * hour},
	{"EET", 2 * hour}, {"EEST", 3 * hour},
	{"MSK", 3 * hour},
	{"JST", 9 * hour},
}

// zoneAtEnd takes the zone behind a time, if there is one, and a remark behind
// an offset.
func (r *reader) zoneAtEnd() bool {
	if r.rest == "" {
		return true
	}
	r.spaces()
	if !r.zone() {
		return false
	}
	return !r.numbered || r.remark()
}

// zone takes the name of a zone, an offset, or an offset joined to a name of UTC
// as in GMT+0200. Behind another name an offset would be ambiguous: in POSIX the
// sign then says the opposite, and what the name says has to be added or not.
func (r *reader) zone() bool {
	name := r.word()
	switch strings.ToUpper(name) {
	case "":
		return r.zoneOffset()
	case "GMT", "UTC", "UT":
		before := *r
		if !r.zoneOffset() {
			*r = before
		}
		return true
	}
	for _, zone := range zones {
		if strings.EqualFold(name, zone.name) {
			r.offset = zone.offset
			return true
		}
	}
	return false
}

// zoneOffset takes +02:00, +0200, +02 and +2, and the like with a minus.
func (r *reader) zoneOffset() bool {
	sign := 1
	if !r.take('+') {
		sign = -1
		if !r.take('-') {
			return false
		}
	}
	hours, digits := r.number()
	minutes := 0
	switch {
	case digits == 4:
		hours, minutes = hours/100, hours%100
	case digits != 1 && digits != 2:
		return false
	case r.take(':'):
		if minutes, digits = r.number(); digits != 2 {
			return false
		}
	}
	if hours > 23 || minutes > 59 {
		return false
	}
	r.offset = sign * (hours*hour + minutes*minute)
	r.numbered = true
	return true
}

// remark takes what may stand behind an offset: a name, as in "+0200 CEST"; the
// "-03" that Go prints where a zone has no name; or anything in parentheses.
func (r *reader) remark() bool {
	switch {
	case r.rest == "":
		return true
	case !r.spaces():
		return false
	case r.take('('):
		closed := strings.HasSuffix(r.rest, ")")
		r.rest = ""
		return closed
	case r.take('+') || r.take('-'):
		_, digits := r.number()
		return digits > 0
	}
	return r.word() != ""
}
