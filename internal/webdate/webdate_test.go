package webdate

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseReadsTheFormsFoundInPages(t *testing.T) {
	tests := []struct {
		text string
		want string // RFC 3339 in UTC, or the date alone for dateOnly
	}{
		// RFC 3339 and ISO 8601.
		{"2024-05-01T10:11:12Z", "2024-05-01T10:11:12Z"},
		{"2024-05-01t10:11:12z", "2024-05-01T10:11:12Z"},
		{"2024-05-01T10:11:12+02:00", "2024-05-01T08:11:12Z"},
		{"2024-05-01T10:11:12-0730", "2024-05-01T17:41:12Z"},
		{"2024-05-01T10:11:12+02", "2024-05-01T08:11:12Z"},
		{"2024-05-01T10:11:12 +02:00", "2024-05-01T08:11:12Z"},
		{"2024-05-01T10:11:12-00:00", "2024-05-01T10:11:12Z"},
		{"2024-05-01T10:11:12.999Z", "2024-05-01T10:11:12Z"},
		{"2024-05-01T10:11:12,5+01:00", "2024-05-01T09:11:12Z"},
		{"2024-05-01T10:11:12.123456789012345", "2024-05-01T10:11:12Z"},
		{"2024-05-01T10:11", "2024-05-01T10:11:00Z"},
		{"2024-05-01T10:11Z", "2024-05-01T10:11:00Z"},
		{"2024-05-01 10:11:12", "2024-05-01T10:11:12Z"},
		{"2024-05-01  10:11", "2024-05-01T10:11:00Z"},
		{"2024-05-01 10:11:12 Z", "2024-05-01T10:11:12Z"},
		{"20240501T101112Z", "2024-05-01T10:11:12Z"},
		{"20240501T1011+0200", "2024-05-01T08:11:00Z"},
		{"20240501T101112.5Z", "2024-05-01T10:11:12Z"},
		{"20240501T10:11:12Z", "2024-05-01T10:11:12Z"},
		{"20240501", "2024-05-01"},
		{"2024-05-01", "2024-05-01"},
		{"2024-5-1", "2024-05-01"},
		{"0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
		{"9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"},
		{"1969-12-31T23:59:58.9Z", "1969-12-31T23:59:58Z"},

		// Mail, HTTP and Unix.
		{"Wed, 01 May 2024 10:11:12 GMT", "2024-05-01T10:11:12Z"},
		{"Wed, 1 May 2024 10:11:12 +0200", "2024-05-01T08:11:12Z"},
		{"Wed, 1 May 2024 10:11:12 +0200 (CEST)", "2024-05-01T08:11:12Z"},
		{"01 May 24 10:11 EDT", "2024-05-01T14:11:00Z"},
		{"Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"},
		{"06-Nov-70", "1970-11-06"},
		{"06-Nov-69", "2069-11-06"},
		{"Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z"},
		{"Sun Nov 16 08:49:37 1994", "1994-11-16T08:49:37Z"},
		{"Mon Jan  2 15:04:05 MST 2006", "2006-01-02T22:04:05Z"},
		{"Tue May 07 10:11:12 +0200 2024", "2024-05-07T08:11:12Z"},

		// Programming languages.
		{"2006-01-02 15:04:05 +0000 UTC", "2006-01-02T15:04:05Z"},
		{"2006-01-02 15:04:05.999999999 -0700 MST", "2006-01-02T22:04:05Z"},
		{"2006-01-02 15:04:05 -0300 -03", "2006-01-02T18:04:05Z"},
		{"Tue May 07 2024 10:11:12 GMT+0200 (CEST)", "2024-05-07T08:11:12Z"},
		{"Tue May 07 2024 10:11:12 GMT-0400 (Eastern Daylight Time)", "2024-05-07T14:11:12Z"},
		{"Tue May 07 2024 10:11:12 GMT+0000 (Coordinated Universal Time)", "2024-05-07T10:11:12Z"},
		{"Tue, 07 May 2024 10:11:12 UTC", "2024-05-07T10:11:12Z"},

		// People.
		{"25-Aug-2007 15:00:00 EST", "2007-08-25T20:00:00Z"},
		{"January 2, 2006", "2006-01-02"},
		{"January 2 2006", "2006-01-02"},
		{"2 January 2006", "2006-01-02"},
		{"2 January, 2006", "2006-01-02"},
		{"Jan. 2nd 2006", "2006-01-02"},
		{"1st Sept. 2006", "2006-09-01"},
		{"Thurs., Feb 23rd, 2006", "2006-02-23"},
		{"2 Jan 2006 15:04", "2006-01-02T15:04:00Z"},
		{"January 2, 2006, 3:04 PM", "2006-01-02T15:04:00Z"},
		{"Jan 2, 2006 12:04:05am PST", "2006-01-02T08:04:05Z"},
		{"2006/01/02", "2006-01-02"},
		{"2006/01/02 15:04:05", "2006-01-02T15:04:05Z"},
		{"02.01.2006", "2006-01-02"},
		{"2.1.2006", "2006-01-02"},
		{"02.01.2006 15:04", "2006-01-02T15:04:00Z"},
		{"02.01.2006, 15:04:05 CET", "2006-01-02T14:04:05Z"},
		{"MONDAY, 2 JANUARY 2006 15:04 gmt+2", "2006-01-02T13:04:00Z"},
		{"\t\u00a0 Fri, 2 Jan 2006 \n", "2006-01-02"}, // a Monday, in fact

		// The edges of the calendar.
		{"2024-02-29", "2024-02-29"},
		{"2000-02-29", "2000-02-29"},
		{"2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"},
		{"2024-12-31T23:30:00-01:00", "2025-01-01T00:30:00Z"},
	}
	for _, test := range tests {
		unix, dateOnly, ok := Parse(test.text)
		layout := time.RFC3339
		if dateOnly {
			layout = time.DateOnly
		}
		if got := time.Unix(unix, 0).UTC().Format(layout); got != test.want || !ok {
			t.Errorf("%q: got %s, %v, want %s", test.text, got, ok, test.want)
		}
		if dateOnly && unix%(24*60*60) != 0 {
			t.Errorf("%q: %d is not the beginning of a day", test.text, unix)
		}
	}
}

func TestParseRefusesWhatIsNoDateOrCannotBeTold(t *testing.T) {
	for _, text := range []string{
		// No such day or time.
		"2023-02-29",
		"1900-02-29",
		"Feb 30, 2024",
		"2024-04-31",
		"2024-00-01",
		"2024-13-01",
		"2024-01-00",
		"2024-01-32",
		"0000-00-00",
		"0000-01-01",
		"2024-05-01T24:00:00Z",
		"2024-05-01T10:60:00Z",
		"2024-05-01T10:11:61Z",
		"2024-05-01T10:11:12+24:00",
		"2024-05-01T10:11:12+10:60",
		"Jan 2, 2006 13:04 PM",
		"Jan 2, 2006 0:04 AM",

		// No such form.
		"",
		"   ",
		"now",
		"01/02/2006",
		"01-02-2006",
		"01.02.06",
		"Jan 2, 06",
		"06 Jan 2",
		"1714558272",
		"1714558272000",
		"20240501101112",
		"20240501 101112",
		"2024",
		"2024-05",
		"May 2024",
		"10:11:12",
		"2024-W18-3",
		"2024W183",
		"2024-122",
		"2024-05/01",
		"2024-05-01T",
		"2024-05-01T10",
		"2024-05-01T10:1",
		"2024-05-01T10:11:1",
		"2024-05-01T10:11:12.Z",
		"2024-05-01 10:11:12 XYZ",
		"2024-05-01 10:11:12 IST",
		"2024-05-01 10:11:12 A",
		"2024-05-01 10:11:12 GMTX",
		"2024-05-01 10:11:12 EST+5",
		"2024-05-01 10:11:12 (CEST)",
		"2024-05-01 10:11:12 02:00",
		"2024-05-01 10:11:12 +020",
		"2024-05-01 10:11:12 +02000",
		"2024-05-01 10:11:12 +",
		"2024-05-01 10:11:12 +0200 (CEST",
		"2024-05-01 10:11:12 +0200 ?",
		"2024-05-01 10:11:12 +0200CEST",
		"2024-05-01 10:11:12 +0200 +",
		"2024-05-01,",
		"2024-05-01Z",
		"2024-05-01 2024-05-02",
		"-2024-05-01",
		"12024-05-01",
		"202405-01",
		"Ja 2, 2006",
		"Januarys 2, 2006",
		"2 Janvier 2006",
		"2. Januar 2006",
		"2January2006",
		"2-Jan 2006",
		"Jan 2nt 2006",
		"Jan 2 15:04:05 XYZ 2006",
		"Jan 2 15:04:05 06",
		"Jan 2 15:04:05 2006 15:04",
		"\ufeff2024-05-01",
		"２０２４-05-01",
		"2024-05-01\x00",
		"ſun, 2 Jan 2006",
		"Jan 2, 2006 12:04 p",
	} {
		if unix, dateOnly, ok := Parse(text); ok || unix != 0 || dateOnly {
			t.Errorf("%q: got %d, %v, %v", text, unix, dateOnly, ok)
		}
	}
}

func TestTextOfAHundredBytesIsRead(t *testing.T) {
	text := "2024-05-01T10:11:12." + strings.Repeat("1", 80) + "Z"
	if _, _, ok := Parse(text[:len(text)-1]); !ok {
		t.Error("100 bytes are not read")
	}
	if _, _, ok := Parse(text); ok {
		t.Error("101 bytes are read")
	}
}

func TestZonesCountFromUTC(t *testing.T) {
	// Names and the time that is noon UTC there, from RFC 5322 and the tz database.
	for zone, local := range map[string]string{
		"GMT": "12:00", "UTC": "12:00", "UT": "12:00", "Z": "12:00",
		"EST": "07:00", "EDT": "08:00", "CST": "06:00", "CDT": "07:00",
		"MST": "05:00", "MDT": "06:00", "PST": "04:00", "PDT": "05:00",
		"WET": "12:00", "WEST": "13:00", "BST": "13:00", "CET": "13:00", "CEST": "14:00",
		"MET": "13:00", "MEST": "14:00", "EET": "14:00", "EEST": "15:00", "MSK": "15:00", "JST": "21:00",
	} {
		for _, name := range []string{zone, strings.ToLower(zone)} {
			text := "2024-05-01 " + local + " " + name
			want := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC).Unix()
			if unix, _, ok := Parse(text); !ok || unix != want {
				t.Errorf("%q: got %d, %v, want %d", text, unix, ok, want)
			}
		}
	}
}

// What Go can print in these layouts is read as the moment that was printed.
func TestPrintedMomentsAreReadBack(t *testing.T) {
	layouts := []string{
		time.RFC3339, time.RFC3339Nano, time.RFC1123Z, "Mon, 2 Jan 2006 15:04:05 -07:00", "20060102T150405-0700",
		"2006-01-02 15:04:05.999999999 -0700 MST", "Mon Jan 2 15:04:05 -0700 2006", "January 2, 2006 3:04:05 PM -0700",
		"Mon Jan 02 2006 15:04:05 GMT-0700 (MST)", "2.1.2006 15:04:05 -07", "02-Jan-2006 15:04:05 -0700",
	}
	rapid.Check(t, func(t *rapid.T) {
		unix := rapid.Int64Range(-62135000000, 253402000000).Draw(t, "unix")
		zone := rapid.Int64Range(-23, 23).Draw(t, "hours east")
		layout := rapid.SampledFrom(layouts).Draw(t, "layout")
		nanoseconds := rapid.Int64Range(0, 999999999).Draw(t, "nanoseconds")
		text := time.Unix(unix, nanoseconds).In(time.FixedZone("", int(zone)*hour)).Format(layout)
		if got, dateOnly, ok := Parse(text); got != unix || dateOnly || !ok {
			t.Fatalf("%q: got %d, %v, %v, want %d", text, got, dateOnly, ok, unix)
		}
	})
}

// FuzzParse looks for texts on which Parse panics, for results outside what four
// digits of years can say, for dates that depend on case or space, and for those that
// package time reads otherwise.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"2024-05-01T10:11:12.5+02:00", "20240501T1011Z", "Sunday, 06-Nov-94 08:49:37 GMT", "Mon Jan  2 15:04:05 MST 2006",
		"Tue May 07 2024 10:11:12 GMT+0200 (CEST)", "Jan. 2nd, 2006, 3:04 PM", "02.01.2006", "2006/01/02 15:04:05 -0300 -03",
	} {
		f.Add(text)
	}
	first := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Unix() - 24*hour
	last := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).Unix() + 24*hour
	f.Fuzz(func(t *testing.T, text string) {
		unix, dateOnly, ok := Parse(text)
		if !ok {
			if unix != 0 || dateOnly {
				t.Fatalf("%q: not ok, but %d, %v", text, unix, dateOnly)
			}
			return
		}
		if unix < first || unix > last {
			t.Fatalf("%q: %d", text, unix)
		}
		if want, reads := standardDate(text); reads && unix != want {
			t.Fatalf("%q: %d, and by package time %d", text, unix, want)
		}
		if len(text) > maxLength-2 || !isASCII(text) {
			return
		}
		again, _, _ := Parse(" " + strings.ToLower(text) + "\n")
		if again != unix {
			t.Fatalf("%q: %d, in lower case %d", text, unix, again)
		}
	})
}

// standardDate returns what package time reads in one of the forms that standards have,
// rounded down as here, and false if it is in none. Left out are names of zones, of which
// package time takes any, and years of two digits, which it divides at another one.
func standardDate(text string) (unix int64, ok bool) {
	for _, layout := range []string{
		time.RFC3339, time.DateOnly, "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05", "20060102", "20060102T150405Z0700",
		time.RFC1123Z, http.TimeFormat, "02 Jan 2006 15:04:05 -0700", time.ANSIC, time.RubyDate, "January 2, 2006", "2 January 2006",
	} {
		if moment, err := time.ParseInLocation(layout, text, time.UTC); err == nil {
			return moment.Unix(), true
		}
	}
	return 0, false
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > 127 }) < 0
}

func BenchmarkParse(b *testing.B) {
	for _, text := range []string{"2024-05-01T10:11:12+02:00", "Wed, 01 May 2024 10:11:12 GMT", "no date at all"} {
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse(text)
			}
		})
	}
}
