package glob

import "strings"

// chain is a pattern as a row of segments, matched one folder at a time. No
// two "**" stand side by side, and none stands before a "*".
type chain []link

// link is one segment of a chain: "**", or a matcher of one name.
type link struct {
	doublestar bool

	// folder matches the name of a folder on the way to the rest of the chain.
	// It is nil for "**" and in the last link, where there is no rest.
	folder *matcher

	// end matches the last name of a path, with nothing left of the chain but
	// perhaps a final "**". It is nil if more is needed.
	//
	// It differs from folder because doublestar lets stars match nothing at
	// the end of a path only in certain positions: "a*/**" matches "a/x" and
	// "ab" but not "a", and "a***" matches "ab" but not "a".
	end *matcher

	// everything says that the chain matches every path from here on.
	everything bool
}

// newChains compiles patterns without braces, in their order. Those that
// differ in their last segment only become one chain, so that
// "**/*.{html,htm}" costs one matcher a file.
func newChains(patterns []string, fold bool) []chain {
	type branch struct {
		folders []string
		lasts   []string // without duplicates
	}
	var branches []*branch
	known := make(map[string]*branch)
	seen := make(map[string]bool)
	for _, pattern := range patterns {
		segments := normalize(strings.Split(pattern, "/"))
		normalized := strings.Join(segments, "/")
		if seen[normalized] {
			continue
		}
		seen[normalized] = true
		folders, last := segments[:len(segments)-1], segments[len(segments)-1]
		key := strings.Join(folders, "/")
		if last == "**" {
			key = normalized + "/" // on its own: no other key ends with a slash
		}
		b := known[key]
		if b == nil {
			b = &branch{folders: folders}
			known[key] = b
			branches = append(branches, b)
		}
		b.lasts = append(b.lasts, last)
	}
	chains := make([]chain, len(branches))
	for i, b := range branches {
		chains[i] = newChain(b.folders, b.lasts, fold)
	}
	return chains
}

func newChain(folders, lasts []string, fold bool) chain {
	c := make(chain, len(folders)+1)
	for i, segment := range folders {
		if segment == "**" {
			c[i].doublestar = true
		} else {
			c[i].folder = newMatcher([]string{collapseStars(segment)}, "", fold)
		}
	}
	final := len(folders)
	if lasts[0] != "**" {
		c[final].end = newMatcher(lasts, "", fold)
		return c
	}
	c[final].doublestar = true
	c[final].everything = true
	if final > 0 {
		// Normalized, so the link before is no "**".
		before := &c[final-1]
		before.end = newMatcher(folders[final-1:], "/**", fold)
		before.everything = before.end.everyName
	}
	return c
}

// normalize puts every run of "*" and "**" segments into one form: the
// segments that must be there as "*", then one "**" if there may be more. The
// form makes equal states look equal, and shows that "**/*" matches
// everything.
func normalize(segments []string) []string {
	var normalized []string
	for i := 0; i < len(segments); {
		run := i
		doublestars := 0
		for ; i < len(segments) && strings.Trim(segments[i], "*") == ""; i++ {
			if segments[i] == "**" {
				doublestars++
			} else {
				normalized = append(normalized, "*")
			}
		}
		// At the end of a path doublestar lets one "**" match nothing but not
		// two: "a/**" matches "a", "a/**/**" does not.
		if i == len(segments) && i-run > 1 && segments[i-1] == "**" && segments[i-2] == "**" {
			normalized = append(normalized, "*")
		}
		if doublestars > 0 {
			normalized = append(normalized, "**")
		}
		if i < len(segments) {
			normalized = append(normalized, segments[i])
			i++
		}
	}
	return normalized
}
