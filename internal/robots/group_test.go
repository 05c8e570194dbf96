package robots

import (
	"strings"
	"sync"
	"testing"
)

// rules makes a file of one group from rules written as "+/allowed" and
// "-/disallowed".
func rules(rules ...string) string {
	var file strings.Builder
	file.WriteString("user-agent: *\n")
	for _, rule := range rules {
		if rule[0] == '+' {
			file.WriteString("allow: " + rule[1:] + "\n")
		} else {
			file.WriteString("disallow: " + rule[1:] + "\n")
		}
	}
	return file.String()
}

func TestPatterns(t *testing.T) {
	for pattern, verdicts := range map[string][]string{
		"/fish":          {"-/fish", "-/fish.html", "-/fish/salmon", "-/fishheads", "-/fish?id=1", "+/Fish", "+/catfish", "+/?id=fish", "+/fis"},
		"/fish*":         {"-/fish", "-/fish.html", "-/fish/salmon", "+/Fish", "+/?id=fish"},
		"/fish/":         {"-/fish/", "-/fish/?id=1", "-/fish/salmon", "+/fish", "+/fish.html"},
		"/*.php":         {"-/x.php", "-/a/x.php", "-/x.php?y", "-/x.php/", "-/?f=x.php", "+/php/", "+/x.PHP"},
		"/*.php$":        {"-/x.php", "-/a/x.php", "-/x.php.php", "+/x.php?y", "+/x.php/", "+/x.php5", "+/.php5"},
		"/fish*.php":     {"-/fish.php", "-/fishheads/catfish.php?y", "+/Fish.php", "+/fish"},
		"/fish$":         {"-/fish", "+/fish/", "+/fis"},
		"/fish*$":        {"-/fish", "-/fish/", "+/fis"},
		"/$":             {"-/", "+/a"},
		"$":              {"+/", "+/$"},
		"*":              {"-/", "-/a"},
		"*$":             {"-/", "-/a"},
		"**":             {"-/", "-/a"},
		"*.html":         {"-/a.html", "+/a.htm"},
		"a":              {"+/a", "+/"},
		"/a$b":           {"-/a$b", "-/a$bc", "+/a"},
		"/a$$":           {"-/a$", "+/a$$", "+/a"},
		"/a$*":           {"-/a$", "-/a$b", "+/a"},
		"/*a*b*c":        {"-/abc", "-/1a2b3c4", "-/cabac/b/c", "+/acb", "+/ab"},
		"/*ab*ba$":       {"-/abba", "-/ab/ba", "-/abbaba", "+/aba", "+/abbab"},
		"/*/*/x":         {"-/a/b/x", "-///x", "+/a/x", "+/a/b/y"},
		"/a***b":         {"-/ab", "-/a/b", "+/a"},
		"/a*b*":          {"-/ab", "-/acbd", "+/a"},
		"/*a$":           {"-/a", "-/ba", "+/ab", "+/"},
		"/aa*a$":         {"-/aaa", "+/aa"},
		"/?x":            {"-/?x", "-/?xy", "+/x"},
		"/a b":           {"-/a b", "+/a%20b"},
		"/%7Eme":         {"-/%7Eme", "+/~me", "+/%7eme"},
		"/%aa%2f%zz%a":   {"-/%AA%2F%zz%a", "+/%aa%2f%zz%a"},
		"/é":             {"-/%C3%A9", "+/é"},
		"/\x80\x7F":      {"-/%80\x7F", "+/\x80\x7F", "+/%80%7F"},
		"/*\xFF$":        {"-/%FF", "-/a%FF", "+/\xFF"},
		"/a\xEF\xBB\xBF": {"-/a%EF%BB%BF", "+/a"},
	} {
		check(t, rules("-"+pattern), "*", verdicts...)
	}
}

func TestLongestMatchWins(t *testing.T) {
	for _, c := range []struct {
		rules    []string
		verdicts []string
	}{
		{[]string{"-/x/page.html", "+/x/"}, []string{"-/x/page.html", "+/x/", "+/x/page.htm", "+/y"}},
		{[]string{"+/x/page.html", "-/x/"}, []string{"+/x/page.html", "-/x/", "+/x"}},
		{[]string{"-", "+"}, []string{"+/"}},
		{[]string{"-/", "+"}, []string{"-/"}},
		{[]string{"-/", "+/"}, []string{"+/a"}},
		{[]string{"-/x", "+/x/"}, []string{"-/x", "+/x/"}},
		{[]string{"-/x", "+/x$"}, []string{"+/x", "-/xy"}},
		{[]string{"+/page", "-/*.html"}, []string{"-/page.html", "+/page", "-/x.html"}},
		{[]string{"+/x/page.", "-/*.html"}, []string{"+/x/page.html", "-/x/y.html"}},
		{[]string{"+/p", "-/"}, []string{"+/page", "-/q"}},
		{[]string{"+/page", "-/*.htm"}, []string{"-/page.htm"}},
		{[]string{"+/$", "-/"}, []string{"+/", "-/page.html"}},
		{[]string{"-/*****", "+/abcd"}, []string{"-/abcd"}}, // stars count too
		{[]string{"-/é", "+/*****"}, []string{"-/%C3%A9"}},  // escapes count as three
		{[]string{"-/ab", "+/a*"}, []string{"+/ab"}},
		{[]string{"-/a", "-/abcd", "-/ab", "+/abc"}, []string{"-/a", "-/ab", "+/abc", "-/abcd", "+/b"}},
		{[]string{"+/aa", "-/ab", "+/ac"}, []string{"+/aa", "-/ab", "+/ac"}},
		{[]string{"+/aa*b", "-/ab"}, []string{"-/abb", "+/aab"}},
		{[]string{"-/a/b/", "-/a/c", "-/b"}, []string{"+/a/bb", "+/a/", "-/a/b/c", "-/a/cc"}},
	} {
		check(t, rules(c.rules...), "*", c.verdicts...)
	}
}

func TestAllowedIndexPageAllowsItsFolder(t *testing.T) {
	check(t, rules("+/a/index.html", "-/"), "*", "+/a/", "+/a/index.html", "-/a/index.htm", "-/a/b", "-/a", "-/")
	check(t, rules("+/a/index.htm", "-/"), "*", "+/a/", "+/a/index.htm", "+/a/index.html", "-/a/b")
	check(t, rules("+/*/index.htmx$", "-/"), "*", "+/a/", "+/a/b/", "+/a/index.htmx", "-/a/b", "-/")
	check(t, rules("+/index.html", "-/*"), "*", "+/", "-/a")
	check(t, rules("+/a/Index.html", "+/b/index.html/", "+/c/index.ht", "-/"), "*", "-/a/", "-/b/", "-/c/")
	check(t, rules("-/a/index.html"), "*", "+/a/", "-/a/index.html")
	// The folder weighs what it would if it were written so.
	check(t, rules("+/a/index.html", "-/a/$"), "*", "+/a/")
	check(t, rules("+/a/index.html", "-/*a/$"), "*", "-/a/")
}

func TestVerdictNamesItsRule(t *testing.T) {
	f := Parse([]byte("user-agent: *\n\n disAllow /a\x01 # é \r\nAllow: /b/index.html\ndisallow: /b\nallow: /b\ndisallow: /a\x01\ndisallow: /b*\n"))
	for path, want := range map[string]Rule{
		"/a\x01": {Line: 3, Text: "disAllow /a\x01 # é"},
		"/b/":    {Line: 4, Text: "Allow: /b/index.html", Allow: true},
		"/bc":    {Line: 8, Text: "disallow: /b*"},
	} {
		allowed, rule := f.Group("*").Allowed([]byte(path))
		if rule == nil || allowed != rule.Allow || rule.Line != want.Line || rule.Text != want.Text || rule.Allow != want.Allow {
			t.Errorf("%s: %v by %+v, want %+v", path, allowed, rule, want)
		}
	}
}

func TestAllowedIsSafeForConcurrentUse(t *testing.T) {
	f := Parse([]byte(rules("-/a", "+/a/b", "-/*.php$")))
	group := f.Group("*")
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			for range 100 {
				if allowed, _ := group.Allowed([]byte("/a/x.php")); allowed {
					t.Error("allowed by the shared group")
				}
				if allowed, _ := f.Group("*").Allowed([]byte("/a/b")); !allowed {
					t.Error("disallowed by a group of its own")
				}
			}
		})
	}
	running.Wait()
}

func TestAllowedDoesNotAllocate(t *testing.T) {
	group := Parse([]byte(rules("-/a", "+/a/b", "-/*.php$", "-/a*b*c"))).Group("*")
	path := []byte("/a/b/c.php")
	if n := testing.AllocsPerRun(100, func() { group.Allowed(path) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
