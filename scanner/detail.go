package scanner

import (
	"fmt"

	"sitewalk/internal/glob"
)

// detail returns the evidence for the verdict of a file in a folder, or for its
// being allowed, where the verdict alone does not say all: what people are told
// who ask why.
func (s *Scanner) detail(f *folder, file *File) string {
	switch file.Verdict {
	case Symlink:
		if s.config.FollowSymlinks == FollowNone {
			return "is a link, and follow_symlinks is false"
		}
		return "leads outside the docroot, to no file or folder, or round in a circle"
	case Sensitive:
		if f.scope.concealed == Sensitive {
			return "a folder above has a sensitive name"
		}
		if pattern := sensitivePattern(file.Name, file.Folder); pattern != "" {
			return "the built-in list has " + pattern
		}
		return "the built-in list has what the link leads to"
	case Excluded:
		if detail := quoteMatch("exclude", s.config.Exclude, f.scope.exclude, file.Name); detail != "" {
			return detail
		}
		return "exclude matches what the link leads to"
	case Protected:
		return f.protection(file.Name)
	case Listed:
		if file.Allowed {
			return quoteMatch("allow", s.config.Allow, f.scope.allow, file.Name)
		}
	}
	return ""
}

// quoteMatch returns the place and the text of the first pattern that matches a
// name in a folder, or "".
func quoteMatch(key string, patterns Globs, state *glob.State, name string) string {
	if ids := state.AppendMatches(nil, name); len(ids) > 0 {
		return fmt.Sprintf("%s[%d]: %s", key, ids[0], patterns[ids[0]])
	}
	return ""
}
