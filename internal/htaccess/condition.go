package htaccess

import (
	"slices"
	"strconv"
	"strings"
)

// negated reports whether the condition of a section such as <IfModule> begins
// with an exclamation mark.
func negated(arguments string) bool {
	condition, _ := word(arguments)
	return strings.HasPrefix(condition, "!")
}

// served is the version of Apache that conditions see: some 2.4, with everything
// that was mended in it.
var served = [3]int{2, 4, 999}

// versionHolds reports whether the condition of an <IfVersion> holds, such as
// ">= 2.4" or "2.2.3", where "=" is left out. One with a regular expression, or
// with a mistake, counts as met.
func versionHolds(arguments string) bool {
	operator, text := word(arguments)
	if text == "" {
		operator, text = "=", operator
	}
	operator, negative := strings.CutPrefix(operator, "!")
	text, _ = word(text)
	var version [3]int
	for i, part := range strings.SplitN(text, ".", len(version)) {
		number, err := strconv.Atoi(part)
		if err != nil {
			return true
		}
		version[i] = number
	}
	var holds bool
	switch comparison := slices.Compare(served[:], version[:]); operator {
	case "=", "==", "":
		holds = comparison == 0
	case "<":
		holds = comparison < 0
	case "<=":
		holds = comparison <= 0
	case ">":
		holds = comparison > 0
	case ">=":
		holds = comparison >= 0
	default:
		return true
	}
	return holds != negative
}
