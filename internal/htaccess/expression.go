package htaccess

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// expression is the pattern of a <FilesMatch>: tests that a name has to pass, all
// of them. Apache has PCRE, and here it is Go's regular expressions, which take
// linear time but look neither ahead nor behind.
//
// Lookaheads at the beginning become tests of their own. They are common, as
// they are how "all but" is written, for example ^(?!index\.html$). Lookarounds
// elsewhere are left out: the expression then matches the same names and perhaps
// more. Drupal's has one, to spare .well-known among the hidden names.
type expression []test

type test struct {
	negative bool // the name must not match
	regexp   *regexp.Regexp
}

func (e expression) match(name string) bool {
	for _, t := range e {
		if t.regexp.MatchString(name) == t.negative {
			return false
		}
	}
	return true
}

// newExpression returns an expression and the number of its instructions. It
// returns nil if Go cannot match it, and the section is then about no file.
func newExpression(pattern string) (matcher, int) {
	compiled, cost := compileExpression(withoutLookarounds(pattern))
	if compiled == nil {
		return nil, cost
	}
	e := expression{{regexp: compiled}}
	for _, lookahead := range leadingLookaheads(pattern) {
		if compiled, size := compileExpression("^(?:" + lookahead.content + ")"); compiled != nil {
			e = append(e, test{lookahead.negative, compiled})
			cost += size
		}
	}
	return e, cost
}

// lookahead is (?=content), or (?!content) if it is negative.
type lookahead struct {
	negative bool
	content  string
}

// leadingLookaheads returns the lookaheads right after the anchor at the beginning
// of a pattern, if they are about the whole of it.
func leadingLookaheads(pattern string) []lookahead {
	rest, anchored := strings.CutPrefix(pattern, "^")
	if _, alternatives := scanGroup(rest); !anchored || alternatives {
		return nil
	}
	var found []lookahead
	for strings.HasPrefix(rest, "(?=") || strings.HasPrefix(rest, "(?!") {
		end, _ := scanGroup(rest[3:])
		found = append(found, lookahead{rest[2] == '!', rest[3 : 3+end]})
		rest = rest[min(3+end+1, len(rest)):]
	}
	return found
}

// withoutLookarounds returns a pattern without what looks ahead or behind.
func withoutLookarounds(pattern string) string {
	var kept strings.Builder
	for i := 0; i < len(pattern); {
		if opening := lookaroundOpening(pattern[i:]); opening != "" {
			i += len(opening)
			end, _ := scanGroup(pattern[i:])
			i += end + 1
			continue
		}
		length := tokenLength(pattern[i:])
		kept.WriteString(pattern[i : i+length])
		i += length
	}
	return kept.String()
}

// lookaroundOpening returns what opens the lookaround that a text begins with,
// or "" if it begins with something else.
func lookaroundOpening(text string) string {
	for _, opening := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.HasPrefix(text, opening) {
			return opening
		}
	}
	return ""
}

// scanGroup returns the position of the parenthesis that closes the group whose
// content the text begins with, or the length of the text if there is none, and
// whether the content has several alternatives.
func scanGroup(text string) (end int, alternatives bool) {
	depth := 0
	for i := 0; i < len(text); i += tokenLength(text[i:]) {
		switch text[i] {
		case '|':
			alternatives = alternatives || depth == 0
		case '(':
			depth++
		case ')':
			if depth == 0 {
				return i, alternatives
			}
			depth--
		}
	}
	return len(text), alternatives
}

// tokenLength returns the length of the first token of an expression that is not
// empty: an escape, a class, or any other byte.
func tokenLength(text string) int {
	switch {
	case text[0] == '\\' && len(text) > 1:
		return 2
	case text[0] == '[':
		return classLength(text)
	}
	return 1
}

// classLength returns the length of the class that a text begins with, which is
// that of the text if nothing closes it. A bracket that comes first in a class is
// a member of it.
func classLength(text string) int {
	first := 1
	if strings.HasPrefix(text, "[^") {
		first = 2
	}
	for i := first; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == ']' && i > first:
			return i + 1
		}
	}
	return len(text)
}

// compileExpression returns a regular expression and the number of its
// instructions. The expression is nil if Go has none like it, or if it is larger
// than maxCost.
func compileExpression(pattern string) (*regexp.Regexp, int) {
	pattern = "(?s)" + pattern // as in Apache, where a dot is any byte
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, 0
	}
	size := treeSize(tree)
	if size > maxCost {
		return nil, size
	}
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return nil, 0
	}
	return compiled, size
}

// treeSize estimates the number of instructions without making them: a{1000} is
// short and makes a thousand. Parsing has bounded depth and repetition.
func treeSize(tree *syntax.Regexp) int {
	size := 1 + len(tree.Rune)
	for _, sub := range tree.Sub {
		size += treeSize(sub)
	}
	if tree.Op == syntax.OpRepeat {
		size *= max(tree.Min, tree.Max, 1)
	}
	return size
}
