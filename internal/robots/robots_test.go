package robots

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// check parses a file and compares verdicts with those expected: each of
// verdicts is "+" or "-" and a path.
func check(t *testing.T, file, agent string, verdicts ...string) {
	t.Helper()
	group := Parse([]byte(file)).Group(agent)
	for _, verdict := range verdicts {
		path := verdict[1:]
		if allowed, rule := group.Allowed([]byte(path)); allowed != (verdict[0] == '+') {
			t.Errorf("%.300q: %s on %.100s: %v by %.100v", file, agent, path, allowed, rule)
		}
	}
}

func TestDirectiveNamesAreReadAsTheyOccur(t *testing.T) {
	for _, name := range []string{
		"User-agent", "USER-AGENT", "user agent", "UserAgent", "user-agents", "useragent\t", " \vuser-agent",
	} {
		check(t, name+": bot\ndisallow: /\n", "bot", "-/")
	}
	for _, name := range []string{"user", "agent", "user_agent", "user  agent", "u\u017Fer-agent"} {
		check(t, name+": bot\ndisallow: /\n", "bot", "+/")
	}
	for _, name := range []string{
		"Disallow", "DISALLOW", "dissallow", "dissalow", "disalow", "diasllow", "disallaw", "disallowed", "dIsAlLoWs",
	} {
		check(t, "user-agent: bot\n"+name+": /\n", "bot", "-/")
	}
	for _, name := range []string{"dis-allow", "disalllow", "dissaalow", "noindex", "di\u017Fallow", ""} {
		check(t, "user-agent: bot\n"+name+": /\n", "bot", "+/")
	}
	for name, sign := range map[string]string{"allow": "+", "ALLOWED": "+", "alow": "-", "allo": "-"} {
		check(t, "user-agent: bot\ndisallow: /\n"+name+": /a\n", "bot", sign+"/a", "-/b")
	}
}

func TestSpaceStandsForColonBetweenTwoWords(t *testing.T) {
	for line, sign := range map[string]string{
		"disallow /a":         "-",
		" disallow \t /a ":    "-",
		"disallow /a # why":   "-",
		"disallow /a b":       "+",
		"disallow a\v/a":      "+",
		"dis allow /a":        "+",
		"disallow":            "+",
		"disallow/a":          "+",
		"disallow\v/a":        "+",
		"disallow /a:80":      "+", // the name is "disallow /a"
		"disallow : /a":       "-",
		": /a":                "+",
		"disallow: /a b":      "+",
		"disallow:\v\f/a\v\f": "-",
	} {
		check(t, "user-agent bot\n"+line, "bot", sign+"/a")
	}
}

func TestCommentsEndLines(t *testing.T) {
	check(t, "# disallow: /\nuser-agent: bot # me\ndisallow: /a#b\n#\ndisallow#: /c", "bot", "-/a", "+/b", "+/c")
	check(t, "user-agent: bot\ndisallow: /a\x00b\ndisallow\x00: /c\n\x00\ndisallow: /d", "bot", "-/a", "+/c", "-/d")
}

func TestLinesAreCountedWhateverTheirEnding(t *testing.T) {
	for _, ending := range []string{"\n", "\r", "\r\n"} {
		file := strings.Join([]string{"user-agent: bot", "", "", "sitemap: https://bakery.example/s.xml", "disallow: /"}, ending)
		for _, final := range []string{"", ending} {
			f := Parse([]byte(file + final))
			if sitemaps := f.Sitemaps(); len(sitemaps) != 1 || sitemaps[0].Line != 4 {
				t.Errorf("ending %q: %+v", ending, sitemaps)
			}
			if allowed, rule := f.Group("bot").Allowed([]byte("/")); allowed || rule.Line != 5 {
				t.Errorf("ending %q: %v by %+v", ending, allowed, rule)
			}
		}
	}
	check(t, "user-agent: bot\n\rallow: /b\r\n\r\rdisallow: /\n\n", "bot", "-/a", "+/b")
}

func TestByteOrderMarkCountsOnlyAtTheBeginning(t *testing.T) {
	for mark, sign := range map[string]string{
		"":                         "-",
		"\xEF":                     "-",
		"\xEF\xBB":                 "-",
		"\xEF\xBB\xBF":             "-",
		"\xBB\xBF":                 "+",
		"\xEF\xBF":                 "+",
		"\xEF\xBB\xBF\xEF\xBB\xBF": "+",
		"\xEF\x11\xBF":             "+",
		"\n\xEF\xBB\xBF":           "+",
	} {
		check(t, mark+"user-agent: bot\ndisallow: /", "bot", sign+"/")
	}
}

func TestLongLinesAreCut(t *testing.T) {
	const limit = 8*2083 - 1
	long := "/" + strings.Repeat("a", limit-len("disallow: ")-1)
	check(t, "user-agent: bot\ndisallow: "+long+"b\n", "bot", "-"+long, "-"+long+"c", "+"+long[1:])
	check(t, "user-agent: bot\nallow: /\ndisallow: "+long[:len(long)-1]+"bc\n", "bot", "-"+long[:len(long)-1]+"bd", "+"+long)
	check(t, "user-agent: bot\n"+strings.Repeat(" ", limit)+"disallow: /\n", "bot", "+/")
	check(t, "user-agent: bot\n"+strings.Repeat("\x00", limit)+"\ndisallow: /\n", "bot", "-/")
}

func TestParseReadsNoMoreThanMaxSize(t *testing.T) {
	head := "user-agent: bot\n"
	rule := "disallow: /a"
	pad := strings.Repeat("#", MaxSize-len(head)-len("\n")-len(rule))
	full := head + pad + "\n" + rule // of MaxSize bytes
	for after, sign := range map[string]string{
		"":                    "-",
		"\n":                  "-",
		"\r\ndisallow: /":     "-",
		"b\n":                 "+", // the rule is cut in two
		"\nuser-agent: bot\n": "-",
	} {
		check(t, full+after, "bot", sign+"/a", "+/b")
	}
	check(t, strings.Repeat("x", MaxSize+1), "bot", "+/")
}

func TestGroupsEndAtUserAgentAfterRule(t *testing.T) {
	const file = `
disallow: /nobody
user-agent: foo
crawl-delay: 1

# still the same group
sitemap: https://bakery.example/sitemap.xml
user-agent: bar
disallow:
user-agent: baz
disallow: /baz
nonsense
user-agent: bar
disallow: /bar
user-agent: foo
`
	check(t, file, "foo", "+/nobody", "+/baz", "+/bar")
	check(t, file, "bar", "+/nobody", "+/baz", "-/bar")
	check(t, file, "baz", "+/nobody", "-/baz", "+/bar")
	check(t, file, "*", "+/nobody", "+/baz", "+/bar")
}

func TestGroupIsTheAgentsOwnElseEveryones(t *testing.T) {
	const file = `
user-agent: *
disallow: /everyone
user-agent: Foo
disallow: /foo
user-agent: Empty/2.0
user-agent: *also
user-agent: With Words # nothing for Words
allow: /nothing
user-agent: * and more
user-agent: foo-image
user-agent: both
disallow: /several
user-agent: Numbered7
disallow: /numbered
user-agent: Empty
user-agent:
`
	everyone := []string{"-/everyone", "-/several", "+/foo", "+/numbered"}
	for _, agent := range []string{
		"*", "unheard-of", "foo-news", "foo_", "Foo Bar", "Words", " foo", "numbered7", "*also", "fooé", "\u212Afoo", "", "/1.0",
	} {
		check(t, file, agent, everyone...)
	}
	for _, agent := range []string{"foo", "FOO", "Foo/1.0", "foo/2.1 (+https://foo.example/)"} {
		check(t, file, agent, "-/foo", "+/everyone", "+/several")
	}
	for _, agent := range []string{"Foo-Image/1.0", "both"} {
		check(t, file, agent, "+/foo", "+/everyone", "-/several")
	}
	check(t, file, "numbered", "-/numbered", "+/everyone")
	for _, agent := range []string{"empty", "with"} {
		check(t, file, agent, "+/foo", "+/everyone", "+/several")
	}
}

func TestAgentFoldsASCIIOnly(t *testing.T) {
	check(t, "user-agent: kiosk\ndisallow: /\n", "\u212Aiosk", "+/")
	check(t, "user-agent: kiosk\ndisallow: /\n", "KIOSK", "-/")
}

func TestFileWithoutRulesAllowsEverything(t *testing.T) {
	for _, file := range []string{"", "\n", "disallow: /", "<html>404: not found</html>", "user-agent: *", "user-agent: *\ndisallow:", "\xFF\xFE\x00"} {
		for _, agent := range []string{"*", "bot", ""} {
			allowed, rule := Parse([]byte(file)).Group(agent).Allowed([]byte("/"))
			if !allowed || rule != nil {
				t.Errorf("%q for %q: %v by %+v", file, agent, allowed, rule)
			}
		}
	}
	if allowed, rule := new(Group).Allowed([]byte("/")); !allowed || rule != nil {
		t.Errorf("zero Group: %v by %+v", allowed, rule)
	}
}

func TestFileKeepsNoReferenceToContent(t *testing.T) {
	content := []byte("user-agent: bot\ndisallow: /a*b\nsitemap: /s")
	f := Parse(content)
	clear(content)
	allowed, rule := f.Group("bot").Allowed([]byte("/a/b"))
	if allowed || rule.Text != "disallow: /a*b" || f.Sitemaps()[0].URL != "/s" {
		t.Errorf("%v by %+v, sitemaps %+v", allowed, rule, f.Sitemaps())
	}
}

func TestSitemapsOfAllSpellings(t *testing.T) {
	file := "\xEF\xBB\xBFSitemap: https://a.example/1.xml\r\n" +
		"user-agent: *\r\n" +
		"SITEMAP :\thttps://a.example/2.xml # the second\r\n" +
		"site-map: 3.xml\r\n" +
		"sitemaps 4.xml\r\n" +
		"sitemap:\r\n" +
		"sitemap https://a.example/5.xml\r\n" + // the name is "sitemap https"
		"# sitemap: https://a.example/6.xml\r\n" +
		"sitemap: https://ä.example/7%aa.xml"
	want := []Sitemap{
		{1, "https://a.example/1.xml"}, {3, "https://a.example/2.xml"}, {4, "3.xml"}, {5, "4.xml"},
		{7, "//a.example/5.xml"}, {9, "https://ä.example/7%aa.xml"},
	}
	if got := Parse([]byte(file)).Sitemaps(); !slices.Equal(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

func TestHostileFilesEndSoon(t *testing.T) {
	for name, line := range map[string]func(i int) string{
		"stars":      func(i int) string { return "disallow:/" + strings.Repeat("*a", 8000) + fmt.Sprint("*", i, "$\n") },
		"rules":      func(i int) string { return fmt.Sprintf("allow:/*%x\n", i) },
		"nested":     func(i int) string { return "allow:/" + strings.Repeat("a", i%2000) + "\n" },
		"sections":   func(i int) string { return "user-agent:*\nallow /\n" },
		"agents":     func(i int) string { return "user-agent bot\n" },
		"no newline": func(i int) string { return "user-agent:" },
	} {
		var file strings.Builder
		file.WriteString("user-agent: bot\n")
		for i := 0; file.Len() < MaxSize; i++ {
			file.WriteString(line(i))
		}
		group := Parse([]byte(file.String())).Group("bot")
		for _, path := range []string{"/" + strings.Repeat("a", 2047), "/" + strings.Repeat("/", 2047), "/"} {
			if allowed, rule := group.Allowed([]byte(path)); !allowed {
				t.Errorf("%s: %.20s is disallowed by line %d", name, path, rule.Line)
			}
		}
	}
}
