package state

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestEscapedTextIsPlainAndComesBack(t *testing.T) {
	for s, want := range map[string]string{
		"":                      "",
		"index.html":            "index.html",
		"a b\"'~.html":          "a b\"'~.html",
		"100%":                  "100%25",
		"tab\tnew\nline\r\x1b":  "tab%09new%0Aline%0D%1B",
		"\x7f":                  "%7F",
		"ü, 猫":                  "ü, 猫",
		"u\u0085":               "u%C2%85",
		"caf\xe9.html":          "caf%E9.html",
		"\xed\xa0\x80":          "%ED%A0%80",
		"\xff\xfe end":          "%FF%FE end",
		"\xc3":                  "%C3",
		"\ufffd":                "\ufffd",
		strings.Repeat("%", 10): strings.Repeat("%25", 10),
	} {
		escaped := string(appendEscaped([]byte("before"), s))
		if escaped != "before"+want {
			t.Errorf("%q is escaped as %q, want %q", s, escaped, want)
		}
		if back, err := unescape(want); err != nil || back != s {
			t.Errorf("%q comes back as %q, %v", s, back, err)
		}
	}
}

func TestBrokenEscapesAreRefused(t *testing.T) {
	for _, s := range []string{"%", "a%2", "%zz", "%0", "%a0", "%%25"} {
		if got, err := unescape(s); err == nil {
			t.Errorf("%q is taken for %q", s, got)
		}
	}
}

func FuzzEscaping(f *testing.F) {
	for _, seed := range []string{"", "a", "%", "%41", "\x00\t\n", "\xff", "ü\x85", "\u0085"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		escaped := string(appendEscaped(nil, s))
		back, err := unescape(escaped)
		if err != nil || back != s {
			t.Errorf("%q comes back as %q, %v", s, back, err)
		}
		if !utf8.ValidString(escaped) || strings.ContainsFunc(escaped, unicode.IsControl) {
			t.Errorf("%q is escaped as %q", s, escaped)
		}
		if plain, err := unescape(s); err == nil && len(plain) > len(s) {
			t.Errorf("%q grows to %q", s, plain)
		}
	})
}

func drawIdentity(t *rapid.T) Identity {
	// Few values, so that what changed is sometimes as it was.
	if rapid.IntRange(0, 3).Draw(t, "any identity") > 0 {
		n := rapid.Int64Range(0, 2).Draw(t, "identity")
		return Identity{Size: n, ModTime: 1732196343_000000000 + n, ChangeTime: 1732196343_000000005, Inode: 17}
	}
	return Identity{
		Size: rapid.Int64().Draw(t, "size"), ModTime: rapid.Int64().Draw(t, "modified"),
		ChangeTime: rapid.Int64().Draw(t, "changed"), Inode: rapid.Uint64().Draw(t, "inode"),
	}
}

func drawPage(t *rapid.T) Page {
	p := Page{Identity: drawIdentity(t)}
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0, 1:
		return p
	case 2: // as it is under the source content, until something is built anew
		p.Digest, p.Date = rapid.Uint64().Draw(t, "digest"), p.modSeconds()
		return p
	}
	p.Racy = rapid.IntRange(0, 3).Draw(t, "racy") == 0
	p.DateOnly = rapid.Bool().Draw(t, "date only")
	p.Date = rapid.Int64().Draw(t, "date")
	p.Digest, p.Masked = rapid.Uint64().Draw(t, "digest"), rapid.Uint64().Draw(t, "masked")
	p.Facts = string(rapid.SliceOfN(rapid.Byte(), 0, 10).Draw(t, "facts"))
	return p
}

func TestPagesComeBackFromTheirLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawPage(t)
		name := string(rapid.SliceOfN(rapid.Byte(), 1, 10).Draw(t, "name"))
		line := string(appendPage(nil, name, &want))
		if strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n") {
			t.Fatalf("%q is not a line", line)
		}
		line = strings.TrimSuffix(line, "\n")
		got := Page{Facts: "of another", Racy: true}
		if err := parsePage(line, &got); err != nil || got != want {
			t.Fatalf("got %+v, %v\nwant %+v\nfrom %q", got, err, want, line)
		}
		if got, err := pageName(line); err != nil || got != name {
			t.Fatalf("got the name %q, %v, want %q", got, err, name)
		}
	})
}

func TestLinesThatAreNoneAreRefused(t *testing.T) {
	for _, line := range []string{
		"", "a", "a\t1\t2\t3", "a\t1\t2\t3\t", "a\tx\t2\t3\t4", "a\t1\tx\t3\t4", "a\t1\t2\tx\t4", "a\t1\t2\t3\t-4",
		"a\t1\t2\t3\t4\tx", "a\t1\t2\t3\t4\tdr", "a\t1\t2\t3\t4\t\t12", "a\t1\t2\t3\t4\t\t\t000000000000000g",
		"a\t1\t2\t3\t4\t\t\t\tx", "a\t1\t2\t3\t4\t\t\t\t\t%0", "a\t1\t2\t3\t4\t\t\t\t\tb\tc", "a\t99999999999999999999\t2\t3\t4",
	} {
		if err := parsePage(line, &Page{}); err == nil {
			t.Errorf("%q is taken for a page", line)
		}
	}
	for _, line := range []string{
		"", "/", "a\t1\t0000000000000001\t\ta", "/a\t0\t0000000000000001\t\ta", "/a\t-1\t0000000000000001\t\ta", "/a\t1\t1\t\ta",
		"/a\t1\t0000000000000001\tx\ta", "/a\t1\t0000000000000001\t\ta\tb\tc", "/%\t1\t0000000000000001\t\ta",
		"/a\t1\t0000000000000001\t\t%", "/a\t1\t0000000000000001\t\ta\t%", "/a\t9999999999\t0000000000000001\t\ta",
	} {
		if err := parseRun(line, &Run{}); err == nil {
			t.Errorf("%q is taken for a run", line)
		}
	}
}
