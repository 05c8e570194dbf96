package mapper

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

// maxMaskSize bounds the size of all masks together. Each takes memory, and each byte of
// a page may take as many steps.
const maxMaskSize = 4096

// compileMasks compiles the regular expressions of lastmod_ignore, and returns their
// size as well. Its error is a *ConfigError.
func compileMasks(patterns []string) (masks []*regexp.Regexp, size int, err error) {
	for i, pattern := range patterns {
		key := fmt.Sprintf("lastmod_ignore[%d]", i)
		tree, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			return nil, 0, &ConfigError{key, "is no regular expression: " + err.Error(), "https://pkg.go.dev/regexp/syntax says what is"}
		}
		if size += maskSize(tree); size > maxMaskSize {
			return nil, 0, &ConfigError{key, fmt.Sprintf("makes the expressions too large, which may have %d steps together", maxMaskSize),
				`a{1000} counts as a thousand, and \pL as each range of letters: write a+ and \w`}
		}
		masks = append(masks, regexp.MustCompile(pattern))
	}
	return masks, size, nil
}

// maskSize estimates the number of steps without making them. Parsing has bounded how
// deep an expression is nested, and how often a part is repeated.
func maskSize(tree *syntax.Regexp) int {
	size := 1 + len(tree.Rune)
	for _, sub := range tree.Sub {
		size += maskSize(sub)
	}
	if tree.Op == syntax.OpRepeat {
		size *= max(tree.Min, tree.Max, 1)
	}
	return size
}
