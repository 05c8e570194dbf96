package mapper

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"
	"pgregory.net/rapid"
)

func TestCharsetSpellsNamesAsTheServerKnowsThem(t *testing.T) {
	for _, c := range []struct{ charset, path, want string }{
		{"bytes", "ü.html", "%C3%BC.html"},
		{"utf-8", "ü.html", "%C3%BC.html"},
		{"UTF-8", "ü.html", "%C3%BC.html"},
		{"iso-8859-1", "ü.html", "%FC.html"},
		{"ISO-8859-1", "ü/ü/index.html", "%FC/%FC/"},
		{"latin1", "ü.html", "%FC.html"},
		{"iso-8859-15", "€.html", "%A4.html"},
		{"windows-1252", "€.html", "%80.html"},
		{"windows-1251", "привет.html", "%EF%F0%E8%E2%E5%F2.html"},
		{"koi8-r", "привет.html", "%D0%D2%C9%D7%C5%D4.html"},
		{"shift_jis", "表.html", "%95%5C.html"}, // the second byte is a backslash
		{"euc-jp", "日本.html", "%C6%FC%CB%DC.html"},
		{"gb18030", "€.html", "%A2%E3.html"},
		{"big5", "中.html", "%A4%A4.html"},
		{"iso-8859-1", "a b.html", "a%20b.html"},

		// Never normalised: NFC and NFD are two names.
		{"bytes", "u\u0308.html", "u%CC%88.html"},
		{"utf-8", "u\u0308.html", "u%CC%88.html"},

		{"bytes", "\xfc.html", "%FC.html"},
		{"utf-8", "\xfc.html", "[unencodable]"},
		{"utf-8", "\xed\xa0\x80.html", "[unencodable]"}, // half of a surrogate pair
		{"utf-8", "\xff/a.html", "[unencodable]"},
		{"utf-8", "\ufffd.html", "%EF%BF%BD.html"},
		{"iso-8859-1", "\xfc.html", "[unencodable]"},
		{"iso-8859-1", "u\u0308.html", "[unencodable]"},
		{"iso-8859-1", "€.html", "[unencodable]"},
		{"iso-8859-1", "日/a.html", "[unencodable]"},
		{"iso-8859-1", "a/日/b/index.html", "[unencodable]"},
		{"us-ascii", "ü.html", "[unencodable]"},
		{"windows-1251", "日.html", "[unencodable]"},
		{"shift_jis", "¥.html", "[unencodable]"}, // would come out as a backslash
	} {
		w := newMapper(t, func(config *Config) { config.URLs.Charset = c.charset }).NewWorker()
		if got := strings.TrimPrefix(locOf(w, c.path), "https://h.test/"); got != c.want {
			t.Errorf("%s: %q became %s, want %s", c.charset, c.path, got, c.want)
		}
	}
}

func TestPathsInACharsetDecodeToNamesOnDisk(t *testing.T) {
	for _, c := range []struct{ charset, path, want string }{
		{"bytes", "\xfc/\xff.html", "\xfc/\xff.html"},
		{"utf-8", "ü/日.html", "ü/日.html"},
		{"iso-8859-1", "\xfc/a.html", "ü/a.html"},
		{"shift_jis", "\x95\\.html", "表.html"},
	} {
		if got, err := DecodePath(c.path, c.charset); err != nil || got != c.want {
			t.Errorf("%s: %q became %q, %v, want %q", c.charset, c.path, got, err, c.want)
		}
	}
	if got, err := DecodePath("a", "klingon"); err == nil {
		t.Errorf("a charset that is none: %q", got)
	}
}

func TestCharsetsThatBreakPathsAreRefused(t *testing.T) {
	for _, charset := range []string{
		"", "klingon", "utf-16", "utf-16le", "UTF-16BE", "utf-7", "utf-32", "ibm037", "ibm1047", "hz-gb-2312", "replacement", "bytes ", "Bytes",
	} {
		_, err := tryMapper("", func(c *Config) { c.URLs.Charset = charset })
		if err == nil {
			t.Errorf("charset %q was taken", charset)
			continue
		}
		if bad := configError(t, err); bad.Key != "urls.charset" || bad.Hint == "" {
			t.Errorf("charset %q: %#v", charset, bad)
		}
	}
}

// TestNoTwoNamesMeetInOneURL holds every charset to it, the ones that switch
// alphabets included.
func TestNoTwoNamesMeetInOneURL(t *testing.T) {
	charsets := []string{"utf-8", "iso-8859-1", "windows-1251", "windows-1252", "shift_jis", "euc-jp", "iso-2022-jp", "gb18030", "gbk", "big5", "euc-kr"}
	runes := []rune("aB.\\~¥‾\x1b$(B@JF|K日本語ｱカ表ソäöüßéпривет€中文한글\u0308\u2028\ue5e5\U0001F600Ω−－～〜∥‖¢￠")
	for _, charset := range charsets {
		if _, err := htmlindex.Get(charset); err != nil {
			t.Fatal(err)
		}
		m := newMapper(t, func(c *Config) { c.URLs.Charset = charset })
		seen := map[string]string{}
		check := func(name string) {
			page, _ := mapPath(m.NewWorker(), name)
			if len(page.Loc) == 0 {
				return
			}
			checkLoc(t, string(page.Loc), "https://h.test/")
			if other, found := seen[string(page.Loc)]; found && other != name {
				t.Errorf("%s: %q and %q both became %s", charset, other, name, page.Loc)
			}
			seen[string(page.Loc)] = name
		}
		for _, a := range runes {
			check(string(a))
			for _, b := range runes {
				check(string([]rune{a, b}))
			}
		}
		// What a Japanese name becomes is, as ASCII, a name of its own.
		check("\x1b$BF|K\\\x1b(B.html")
		check("日本.html")
		check("\x1b$BF|K\\")
		check("日本")
	}
	rapid.Check(t, func(t *rapid.T) {
		m, _ := tryMapper("", func(c *Config) { c.URLs.Charset = rapid.SampledFrom(charsets).Draw(t, "charset") })
		names := rapid.SliceOfNDistinct(rapid.StringOfN(rapid.SampledFrom(runes), 1, 6, -1), 2, 8, rapid.ID).Draw(t, "names")
		seen := map[string]string{}
		for _, name := range names {
			page, _ := mapPath(m.NewWorker(), name)
			if other, found := seen[string(page.Loc)]; found && len(page.Loc) > 0 {
				t.Fatalf("%q and %q both became %s", other, name, page.Loc)
			}
			seen[string(page.Loc)] = name
		}
	})
}
