package indexnow

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"
)

// FuzzAnswer holds whatever a server says to this: it asks for a wait that is bounded
// and what it says it is, and is quoted on one line of printable text.
func FuzzAnswer(f *testing.F) {
	f.Add(429, "70", "", "slow down")
	f.Add(503, "18446744073709551616", "Sun, 06 Nov 1994 08:49:37 GMT", "\x1b]0;x\a\n\xff")
	f.Add(500, "Sun, 06 Nov 1994 08:59:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", strings.Repeat("ü", 150))
	f.Add(0, "Sunday, 06-Nov-94 08:49:37 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", " \u202e ")
	f.Fuzz(func(t *testing.T, status int, after, date, body string) {
		a := answer{status: status, header: http.Header{"Retry-After": {after}, "Date": {date}}, body: []byte(body)}
		wait := a.retryAfter()
		if wait < 0 || wait > maxAsked {
			t.Errorf("%q asks for %v", after, wait)
		}
		at, errAt := http.ParseTime(after)
		now, errNow := http.ParseTime(date)
		if errAt == nil && errNow == nil && wait != min(max(at.Sub(now), 0), maxAsked) {
			t.Errorf("%q at %q asks for %v", after, date, wait)
		}
		if digits := strings.Trim(after, "0123456789"); digits == "" && 0 < len(after) && len(after) < 8 {
			if want, err := time.ParseDuration(after + "s"); err != nil || wait != min(want, maxAsked) {
				t.Errorf("%q asks for %v", after, wait)
			}
		}
		text := a.failure().Error()
		if len(text) > 200+4*(maxQuoted+len("…")) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q is told as %q", body, text)
		}
	})
}
