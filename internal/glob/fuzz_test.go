package glob

import (
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

// FuzzCompile looks for patterns on which compiling or matching panics, and
// for those that doublestar reads otherwise.
func FuzzCompile(f *testing.F) {
	for _, pattern := range []string{
		"", "**/*.{html,htm}", "a/{**,x}/c", "a***", "a*/**", "a/**/**", "{*,a}*", "[!a-c]*", "[a\xff-\xfe]", `\{a\}`,
		"{{a,b},{c/d,}}", "[", "{", `\`, "{[}],a}", "*\xff", "a//b", "{a,b}{a,b}{a,b}", "[\\]-a]?", "**/a*{,b}", "\xe2\\\x82",
	} {
		f.Add(pattern, "a/b")
		f.Add(pattern, "ab")
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		exact, err := Compile(pattern)
		folded, errFold := CompileFold(pattern)
		if (err == nil) != (errFold == nil) {
			t.Fatalf("Compile: %v, CompileFold: %v", err, errFold)
		}
		if err != nil {
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Fatalf("error of more than one line: %q", err)
			}
			return
		}
		got := NewSet(Entry{0, exact}).MatchPath(path)
		gotFold := NewSet(Entry{0, folded}).MatchPath(path)
		if got && !gotFold && !strings.ContainsRune(pattern, '[') {
			t.Fatalf("%q matches %q, but not with either case", pattern, path)
		}
		if path == "" || path[0] == '/' || path[len(path)-1] == '/' || strings.Contains(path, "//") {
			return // no path of ours
		}
		if strings.ContainsRune(pattern, '[') && strings.ContainsRune(path, '/') {
			return // doublestar's classes can match the slash
		}
		want := false
		for _, alternative := range expandPlainly(pattern) {
			want = want || doublestar.MatchUnvalidated(alternative, path)
		}
		if got != want {
			t.Fatalf("%q on %q: %v, doublestar says %v", pattern, path, got, want)
		}
	})
}
