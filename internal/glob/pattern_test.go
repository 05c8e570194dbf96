package glob

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestPatternMatches(t *testing.T) {
	tests := []struct {
		pattern string
		yes, no []string
	}{
		{"index.html", []string{"index.html"}, []string{"Index.html", "index.htm", "a/index.html"}},
		{"*.html", []string{"a.html", ".html"}, []string{"a/b.html", "html"}},
		{"**/*.{html,htm,xhtml}", []string{"a.html", "a/b.htm", "a/b/c.xhtml", ".html"}, []string{"a.HTML", "a.html/b", "html"}},
		{"**", []string{"a", "a/b", "a/b/c"}, []string{""}},
		{"**/*", []string{"a", "a/b", "a/b/c"}, []string{""}},
		{"*/**", []string{"a", "a/b"}, nil},
		{"a/**", []string{"a", "a/b", "a/b/c"}, []string{"b", "b/a", "ab"}},
		{"a/**/*", []string{"a/b", "a/b/c"}, []string{"a"}},
		{"a/**/c", []string{"a/c", "a/b/c", "a/b/b/c"}, []string{"a", "c", "a/c/b"}},
		{"a/**c", []string{"a/c", "a/bc"}, []string{"a/b/c"}},
		{"a**/c", []string{"a/c", "ab/c"}, []string{"a/b/c"}},
		{"?.html", []string{"a.html", "é.html", "\xff.html"}, []string{"ab.html", ".html"}},
		{"{a,b/c}/d", []string{"a/d", "b/c/d"}, []string{"b/d", "c/d"}},
		{"a/{**,x}/c", []string{"a/c", "a/x/c", "a/b/b/c"}, []string{"a/x"}},
		{"{a,b{c,d/e}}", []string{"a", "bc", "bd/e"}, []string{"b", "bd"}},
		{"{*,a}*", []string{"a", "b", "b/c"}, nil}, // "**" comes of the brace
		{"{a/{**,**/x},b}", []string{"a", "a/x", "a/b/c", "b"}, []string{"x", "b/a"}},
		{"{,x}{,y}z", []string{"z", "xz", "yz", "xyz"}, []string{"yxz"}},
		{"a{}b", []string{"ab"}, []string{"a{}b"}},
		{"{a,b,c}.{x,y}", []string{"a.x", "c.y"}, []string{"a.z"}},
		{"a,b", []string{"a,b"}, []string{"a", "b"}},
		{`a\,b\*\{\}\\`, []string{`a,b*{}\`}, []string{"a,bx{}"}},
		{"[!a]b", []string{"bb", "éb"}, []string{"ab", "b"}},
		{"a[!x]b", []string{"acb"}, []string{"a/b", "axb"}}, // doublestar finds a/b
		{"a[+-9]b", []string{"a5b"}, []string{"a/b"}},       // the range holds '/'
		{"{[,],[}]}", []string{",", "}"}, []string{"[,]"}},
		{"\xff", []string{"\xff", "\xfe", "\uFFFD"}, []string{"a"}}, // as doublestar decodes
		{"*\xff", []string{"a\xfe"}, []string{"a"}},

		// Stars and "**" that match nothing at the end of a path, as doublestar
		// has them.
		{"a*", []string{"a", "ab"}, []string{"a/b"}},
		{"a***", []string{"ab"}, []string{"a"}},
		{"a***/b", []string{"a/b", "ab/b"}, nil},
		{"a*/**", []string{"ab", "a/x", "ab/x/y"}, []string{"a"}},
		{"a/**/**", []string{"a/b", "a/b/c"}, []string{"a"}},
		{"a/*/**/**", []string{"a/b/c"}, []string{"a", "a/b"}},
		{"a/***", []string{"a/b"}, []string{"a", "a/b/c"}},

		// Where doublestar contradicts itself, every alternative counts.
		{"a*{,b}", []string{"a", "ab"}, nil},
		{"a/{**,b}", []string{"a", "a/b", "a/c"}, nil},
		{"**/a*{,b}", []string{"ax/a", "x/a"}, nil},
	}
	for _, test := range tests {
		s := NewSet(Entry{0, mustCompile(t, test.pattern)})
		for _, path := range test.yes {
			if !s.MatchPath(path) {
				t.Errorf("%q does not match %q", test.pattern, path)
			}
		}
		for _, path := range test.no {
			if s.MatchPath(path) {
				t.Errorf("%q matches %q", test.pattern, path)
			}
		}
	}
}

func TestFoldTakesASCIILettersInEitherCase(t *testing.T) {
	tests := []struct {
		pattern string
		yes, no []string
	}{
		{"Index.html", []string{"index.HTML", "INDEX.html"}, []string{"index.htm"}},
		{"**/*.{html,HTM}", []string{"A/b.HTML", "a.htm", "a.Htm"}, []string{"html"}},
		{"Blog/*.x", []string{"bLOG/a.X"}, []string{"blog"}},
		{"éÉ", []string{"éÉ"}, []string{"ÉÉ", "éé"}},
		{"k?", []string{"Ka", "kA"}, []string{"\u212Aa"}}, // the Kelvin sign
		{`\A?`, []string{"ab", "AB"}, []string{`\ab`}},
		{"[a-c]x", []string{"bx", "BX"}, []string{"dx"}},
		{"[!a]x", []string{"bx", "BX"}, []string{"ax", "AX"}},
		{"[^A-Z]x", []string{"1x"}, []string{"ax", "QX"}},
		{"[Y-b]x", []string{"Zx", "yx", "Ax", "^x"}, []string{"cx", "xx"}}, // Y Z [ \ ] ^ _ ` a b
		{"[a-]x", []string{"ax", "AX", "-x"}, []string{"bx"}},
		{"[-a]x", []string{"ax", "AX", "-x"}, []string{"bx", "_x"}},
		{`[\a-\c]x`, []string{"bx", "BX"}, []string{`\x`}},
		{`[\]a]x`, []string{"]x", "Ax"}, []string{`\x`}},
		{"[z-a]x", nil, []string{"bx", "ax", "AX"}},
		{"[a-b-d]x", []string{"Bx", "-x", "Dx"}, []string{"cx", "Cx"}},
		{"[\U0010FFFF-a]x", []string{"Ax", "-x"}, []string{"bx"}},
		{"A*/**", []string{"ab", "a/x"}, []string{"a"}},
	}
	for _, test := range tests {
		s := NewSet(Entry{0, mustCompileFold(t, test.pattern)})
		for _, path := range test.yes {
			if !s.MatchPath(path) {
				t.Errorf("%q does not match %q", test.pattern, path)
			}
		}
		for _, path := range test.no {
			if s.MatchPath(path) {
				t.Errorf("%q matches %q", test.pattern, path)
			}
		}
	}
}

func TestPatternRefused(t *testing.T) {
	tests := []struct{ pattern, want string }{
		{"", "glob ``: the pattern is empty; write ** to match every file"},
		{"/", "nothing to match; write **"},
		{"/blog/**", "glob `/blog/**`: leading '/'; paths start at the docroot: write `blog/**`"},
		{"./blog/*", "leading './'; paths start at the docroot: write `blog/*`"},
		{"./", "the segment '.'; leave the dot out"},
		{"blog/", "trailing '/'; write `blog/**` for all that the folder holds"},
		{"a//b", "'//' with nothing between the slashes; write one slash"},
		{"a/./b", "the segment '.'; leave the dot out"},
		{".", "the segment '.'"},
		{"a/../b", "the segment '..'; write the path from the docroot"},
		{"..", "the segment '..'"},
		{`\../b`, "the segment '..'"},
		{"{a,b", "not a valid glob; close every [ and {"},
		{"a}", "not a valid glob"},
		{"[a", "not a valid glob"},
		{"[]", "not a valid glob"},
		{"[]a]", "not a valid glob"},
		{"[!]", "not a valid glob"},
		{`a\`, "not a valid glob"},
		{"a[b/c]", "a class cannot hold '/'; write the slash outside the brackets"},
		{"{a,[!/]}", "a class cannot hold '/'"},
		{`a\/b`, "'/' cannot be escaped; write / without the backslash"},
		{"{a,}", "nothing to match in the alternative ``; write ** to match every file, or leave the empty alternative out"},
		{"{}", "nothing to match"},
		{"{,a}/b", "leading '/' in the alternative `/b`"},
		{"a/{b,}/c", "'//' with nothing between the slashes in the alternative `a//c`"},
		{"{a,b/}", "trailing '/' in the alternative `b/`; write `b/**`"},
		{"{.,a}/b", "leading './' in the alternative `./b`"},
		{"a\n/", `glob "a\n/": trailing '/'; write "a\n/**"`},
	}
	for _, test := range tests {
		for _, compile := range []func(string) (*Pattern, error){Compile, CompileFold} {
			_, err := compile(test.pattern)
			var refusal *Error
			if !errors.As(err, &refusal) {
				t.Errorf("%q: got error %v", test.pattern, err)
				continue
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("%q: got %s\nwant %s", test.pattern, err, test.want)
			}
			if refusal.Pattern != test.pattern || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: got %#v", test.pattern, refusal)
			}
		}
	}
}

// numbered returns a brace of n alternatives.
func numbered(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint("n", i)
	}
	return "{" + strings.Join(names, ",") + "}"
}

func TestAlternativesAreLimited(t *testing.T) {
	tests := []struct {
		pattern string
		count   int // MaxAlternatives+1 for all that is too much
	}{
		{"a", 1},
		{"{a}", 1},
		{numbered(1024), 1024},
		{numbered(1025), 1025},
		{numbered(32) + "/x/" + numbered(32), 1024},
		{numbered(25) + numbered(41), 1025},
		{strings.Repeat("{a,b}", 10), 1024},
		{strings.Repeat("{a,b}", 11), 1025},
		{strings.Repeat("{a,b}", 5000), 1025},
		{"{" + numbered(1000) + "," + numbered(24) + "}", 1024},
		{"{" + numbered(1000) + "," + numbered(24) + ",x}", 1025},
		{"{" + numbered(31) + "{c,d}," + numbered(2) + numbered(481) + "}", 1024},
		{strings.Repeat("{", 5000) + "a" + strings.Repeat("}", 5000), 1},
		{strings.Repeat("{a,", 1023) + "a" + strings.Repeat("}", 1023), 1024},
		{strings.Repeat("{a,", 1024) + "a" + strings.Repeat("}", 1024), 1025},
		{strings.Repeat("{a}", 20000), 1},
	}
	for _, test := range tests {
		shown := test.pattern[:min(len(test.pattern), 30)]
		if got := int(measure(test.pattern).count); got != test.count {
			t.Errorf("%s: counted %d, want %d", shown, got, test.count)
		}
		_, err := Compile(test.pattern)
		if tooMany := test.count > MaxAlternatives; (err != nil) != tooMany {
			t.Errorf("%s: got error %v", shown, err)
		} else if tooMany {
			if !strings.Contains(err.Error(), "more than 1024 alternatives; write several patterns") {
				t.Errorf("%s: got error %v", shown, err)
			}
		} else if got := len(expand(test.pattern)); got != test.count {
			t.Errorf("%s: expanded to %d, want %d", shown, got, test.count)
		}
	}
}

func TestStringReturnsThePatternAsGiven(t *testing.T) {
	const text = `{B,a}/**/**/\*[x-z].{html,}`
	if got := mustCompile(t, text).String(); got != text {
		t.Errorf("got %q", got)
	}
	if got := mustCompileFold(t, text).String(); got != text {
		t.Errorf("got %q", got)
	}
}

// One matcher for the last segment is what makes the default include cheap.
func TestBraceInTheLastSegmentStaysOneChain(t *testing.T) {
	tests := []struct {
		pattern string
		chains  int
	}{
		{"**/*.{html,htm,xhtml}", 1},
		{"a/" + numbered(1024), 1},
		{"{a,a,a}", 1},
		{"{a,b}/c", 2},
		{"a/{**,x,y}", 2},
		{"a/{**,**/x,**/*}", 3}, // a/**, a/**/x, a/*/**
	}
	for _, test := range tests {
		if got := len(mustCompile(t, test.pattern).chains); got != test.chains {
			t.Errorf("%.30s: %d chains, want %d", test.pattern, got, test.chains)
		}
	}
}
