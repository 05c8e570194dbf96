package display

import (
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
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

// FuzzText holds whatever a name or a message holds to this: people see one line of
// printable text, printable text stays as it is, and a name can be had back.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"a.html", `a\nb`, "a\nb", "\xff\xfe", "\x1b]0;x\a", "ü\u0085\u2028\u202e", "\ufffd", `"'\\x41`, "\U0010ffff\u00ad\ufeff", "\xed\xa0\x80", "\xf4\x90\x80\x80"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, escaped := range []string{Text(text), Name(text)} {
			if !utf8.ValidString(escaped) || strings.ContainsFunc(escaped, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Fatalf("%q is printed as %q", text, escaped)
			}
			if again := Text(escaped); again != escaped {
				t.Fatalf("%q is printed as %q the second time", escaped, again)
			}
		}
		// What is printed is Go's notation, but for quotes, which stand as they are.
		quoted := `"` + strings.ReplaceAll(Name(text), `"`, `\"`) + `"`
		if back, err := strconv.Unquote(quoted); err != nil || back != text {
			t.Fatalf("%q is printed as %s, which is %q, %v", text, quoted, back, err)
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
