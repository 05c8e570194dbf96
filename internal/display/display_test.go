package display

import (
	"strings"
	"testing"
	"unicode"
)

func TestTextIsOnePrintableLine(t *testing.T) {
	for text, want := range map[string]string{
		"plain text, ~":          "plain text, ~",
		"Käse \u2028 line":       `Käse \u2028 line`,
		"a\nb\t\x1b[31m":         `a\nb\t\x1b[31m`,
		"bidi \u202e mark":       `bidi \u202e mark`,
		"not UTF-8 \xff\xc3":     `not UTF-8 \xff\xc3`,
		"'quoted' \"twice\" \\":  `'quoted' "twice" \`,
		"no-break\u00a0space":    `no-break\u00a0space`,
		"beyond \U000e0001 sign": `beyond \U000e0001 sign`,
	} {
		if got := Text(text); got != want {
			t.Errorf("Text(%q) is %s, want %s", text, got, want)
		}
	}
}

// FuzzName: a name is shown as one printable line, and no two names as the same.
func FuzzName(f *testing.F) {
	f.Add("a\nb", `a\nb`)
	f.Add("\xff", `\xff`)
	f.Fuzz(func(t *testing.T, a, b string) {
		shown := Name(a)
		if strings.IndexFunc(shown, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
			t.Errorf("%q is shown as %q", a, shown)
		}
		if a != b && shown == Name(b) {
			t.Errorf("%q and %q are both shown as %s", a, b, shown)
		}
	})
}

func TestNumbersHaveCommas(t *testing.T) {
	for n, want := range map[int64]string{0: "0 pages", 1: "1 page", 999: "999 pages", 1000: "1,000 pages", 1234567: "1,234,567 pages"} {
		if got := Count(n, "page"); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestRedactedHasNoPassword(t *testing.T) {
	for raw, want := range map[string]string{
		"https://www.example.com/a b?c=ä": "https://www.example.com/a b?c=ä",
		"https://me@www.example.com/":     "https://me@www.example.com/",
		"https://me:secret@example.com/a": "https://me:xxxxx@example.com/a",
		"https://me:sec%ret@example.com/": "https://example.com/",
		"https://me:s/e@c@example.com/":   "https://example.com/",
		"https://[::1/":                   "https://[::1/",
		"public/100%/me@home":             "public/100%/me@home",
		"":                                "",
	} {
		if got := Redacted(raw); got != want {
			t.Errorf("Redacted(%q) is %q, want %q", raw, got, want)
		}
	}
}
