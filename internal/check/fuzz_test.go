package check

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzCheck gives any bytes for the root of a set: a check must end, take what it
// finds from the file, and find the same again.
func FuzzCheck(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join(corpus, "*", "*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		if content, err := os.ReadFile(path); err == nil {
			f.Add(content, strings.HasSuffix(path, ".txt"))
		}
	}
	for _, document := range xmlCases {
		f.Add([]byte(strings.NewReplacer("NS", namespace09, "LOC", "https://www.example.com/").Replace(document)), false)
	}
	f.Fuzz(func(t *testing.T, content []byte, list bool) {
		name := "sitemap.xml"
		if list {
			name = "sitemap.txt"
		}
		target := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(target, content, 0o644); err != nil {
			t.Fatal(err)
		}
		check := func() (Result, []Finding) {
			var found []Finding
			result, err := Run(t.Context(), Options{Target: target, Now: now, Found: func(f *Finding) { found = append(found, *f) }, records: 3})
			if err != nil {
				t.Fatal(err)
			}
			return result, found
		}
		result, found := check()
		again, foundAgain := check()
		if result != again || len(found) != len(foundAgain) {
			t.Errorf("%+v and then %+v", result, again)
		}
		lines := bytes.Count(content, []byte("\n")) + 1
		for i, f := range found {
			switch {
			case f != foundAgain[i]:
				t.Errorf("%+v and then %+v", f, foundAgain[i])
			case f.Line < 0 || f.Line > lines || f.Column < 0 || f.File == "" || f.Message == "":
				t.Errorf("%+v is nowhere in %d lines", f, lines)
			case !utf8.ValidString(f.Message), len(f.Message) > 8<<10, len(f.Loc) > maxLoc+len("…"):
				t.Errorf("%+v is not to be shown", f)
			}
		}
		if isGood := len(found) == 0 || found[0].Code == RobotsMissing; isGood && result.Pages == 0 && !bytes.Contains(content, []byte("sitemapindex")) {
			t.Error("a set without a page is good")
		}
	})
}

// FuzzLastMod compares with what the forms say in words.
func FuzzLastMod(f *testing.F) {
	for _, text := range []string{"2004-09-22", "2004-09-22T14:12:14+00:00", "2004-09-22T14:12:14.123Z", "2004", "2004-09-22T14:12:14-23:59", "\xff", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, problem := parseLastMod(text)
		if problem != "" {
			return
		}
		form := "dddd-dd-dd"
		if !d.dayOnly {
			form = "dddd-dd-ddTdd:dd:dd"
		}
		if !strings.HasPrefix(shapeOf(text), form) || d.dayOnly != (len(text) == len(form) && len(text) == 10) {
			t.Errorf("%q is taken for %+v", text, d)
		}
	})
}

// FuzzLoc holds URLs that are found to be good to what makes a good one.
func FuzzLoc(f *testing.F) {
	for _, loc := range []string{"https://www.example.com/", "http://[::1]:80/a%20b?c=d&e#f", "https://a/%zz", "HTTPS://A.B:443/../x", "//", "https://a@b/", "http://a/[", "\xff"} {
		f.Add(loc)
	}
	f.Fuzz(func(t *testing.T, loc string) {
		wrong := false
		j := newLocJudge(place{"https://www.example.com", "/"}, true, func(string) bool { return true })
		j.tell = func(Code, string) { wrong = true }
		j.check(loc)
		if wrong {
			return
		}
		for _, b := range []byte(loc) {
			if b <= ' ' || b >= 0x7f || strings.IndexByte(`"<>\^`+"`{|}#", b) >= 0 {
				t.Fatalf("%q is found to be good", loc)
			}
		}
		if lower := strings.ToLower(loc); !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://") || len(loc) >= maxLoc || len(loc) < minLoc {
			t.Errorf("%q is found to be good", loc)
		}
	})
}
