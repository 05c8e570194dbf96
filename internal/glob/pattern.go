// Package glob matches doublestar globs while a tree is walked folder by
// folder, so that matching a file costs only the work on its own name.
//
// Start reading at [Compile], then [NewSet], then [State]. A walker keeps the
// State of the folder it is in: [Set.Enter] gives the State of a subfolder,
// [State.Any] and [State.AppendMatches] judge a file, and [State.Dead] tells
// when a folder need not be read at all.
//
// Paths are slash-separated and relative to the docroot, without a slash at
// either end. A name may hold any byte but '/' and NUL and is never empty.
//
// # What a pattern means
//
// A pattern with braces means all the patterns that come of choosing one
// alternative in each brace. A pattern without braces means what
// [doublestar.Match] of v4.10.4 says, except that a class never matches '/'.
// In particular "a/**" matches "a" itself, "**" that is not a whole segment
// acts as "*", and "*" matches names that start with a dot.
//
// Doublestar mostly agrees about braces. Where a path ends before a brace is
// reached it does not: its "a*{,b}" misses "a", "a/{**,b}" misses "a", and
// "**/a*{,b}" finds "ax/a" but misses "x/a". Here all four match.
//
// The package does not read the file system, clean paths or know of backslash
// as a separator.
package glob

import (
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Pattern is one compiled glob. It is made by [Compile] or [CompileFold], is
// immutable, and may be shared between Sets and goroutines.
type Pattern struct {
	text     string
	chains   []chain
	expanded int64 // length of all that it stands for, in bytes
}

// Compile compiles a case-sensitive glob. The error is an [*Error].
func Compile(pattern string) (*Pattern, error) {
	return compile(pattern, false)
}

// CompileFold compiles a glob whose ASCII letters match in either case. A
// class holds a letter when it holds either case of it, so "[!a]" matches
// neither "a" nor "A". Other letters match as they are written. The error is
// an [*Error].
func CompileFold(pattern string) (*Pattern, error) {
	return compile(pattern, true)
}

// String returns the pattern as it was given to Compile or CompileFold.
func (p *Pattern) String() string {
	return p.text
}

func compile(pattern string, fold bool) (*Pattern, error) {
	if err := checkSyntax(pattern); err != nil {
		return nil, err
	}
	alternatives := expand(pattern)
	for _, alternative := range alternatives {
		if err := checkAlternative(pattern, alternative); err != nil {
			return nil, err
		}
	}
	return &Pattern{text: pattern, chains: newChains(alternatives, fold), expanded: measure(pattern).length}, nil
}

// checkSyntax refuses what cannot be expanded safely: everything after it may
// rely on closed braces and classes, and on every '/' parting two segments.
func checkSyntax(pattern string) error {
	if pattern == "" {
		return &Error{pattern, "the pattern is empty", "write ** to match every file"}
	}
	if !doublestar.ValidatePattern(pattern) {
		return &Error{pattern, "not a valid glob",
			`close every [ and {, leave no [] empty, and write \[ \{ \} \\ for the characters themselves`}
	}
	for i := 0; i < len(pattern); {
		length := tokenLength(pattern[i:])
		switch token := pattern[i : i+length]; {
		case token[0] == '[' && strings.Contains(token, "/"):
			return &Error{pattern, "a class cannot hold '/'",
				"write the slash outside the brackets, or braces such as {a,b/c}"}
		case token == `\/`:
			return &Error{pattern, "'/' cannot be escaped", "write / without the backslash"}
		}
		i += length
	}
	switch stands := measure(pattern); {
	case stands.count > MaxAlternatives:
		return &Error{pattern, fmt.Sprintf("the braces stand for more than %d alternatives", MaxAlternatives),
			"write several patterns, or * in place of a brace"}
	case stands.length > MaxExpanded:
		return &Error{pattern, fmt.Sprintf("the braces stand for more than %d bytes of patterns", MaxExpanded),
			"write several patterns, or * in place of a brace"}
	}
	return nil
}

// checkAlternative refuses an expanded pattern that can match no path, which
// is always a slip: the hint says what was probably meant.
func checkAlternative(pattern, alternative string) error {
	refuse := func(problem, hint string) error {
		if alternative != pattern {
			problem += " in the alternative " + quote(alternative)
		}
		return &Error{pattern, problem, hint}
	}
	trimmed := strings.Trim(alternative, "/")
	switch {
	case trimmed == "":
		return refuse("nothing to match", "write ** to match every file, or leave the empty alternative out")
	case alternative[0] == '/':
		return refuse("leading '/'", "paths start at the docroot: write "+quote(trimmed))
	}
	segments := strings.Split(alternative, "/")
	for i, segment := range segments {
		switch literal, _ := literalText(segment); {
		case literal == "." && i == 0 && len(segments) > 1 && segments[1] != "":
			return refuse("leading './'", "paths start at the docroot: write "+quote(alternative[len(segment)+1:]))
		case literal == ".":
			return refuse("the segment '.'", "leave the dot out, or write ** for every file")
		case literal == "..":
			return refuse("the segment '..'", "write the path from the docroot")
		case segment == "" && i == len(segments)-1:
			return refuse("trailing '/'", "write "+quote(trimmed+"/**")+" for all that the folder holds")
		case segment == "":
			return refuse("'//' with nothing between the slashes", "write one slash, or /**/ for any number of folders")
		}
	}
	return nil
}
