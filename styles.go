package sitewalk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sitewalk/mapper"
	"sitewalk/scanner"
)

// styledPage is a page whose canonical names it in another style than the
// sitemap does.
type styledPage struct {
	name, loc string
	style     mapper.Style
}

// maxStyles bounds the settings that are counted: a site has one or two.
const maxStyles = 64

// styleCount counts the pages whose canonicals are in another style, by the
// setting under which the sitemap would agree with them.
type styleCount struct {
	total int64
	by    []settingCount
}

type settingCount struct {
	setting              string
	pages                int64
	path, loc, canonical string // an example
}

func (s *styleCount) add(dir string, page *styledPage) {
	s.total++
	i := slices.IndexFunc(s.by, func(c settingCount) bool { return c.setting == page.style.Setting })
	if i < 0 {
		if len(s.by) == maxStyles {
			return
		}
		i = len(s.by)
		s.by = append(s.by, settingCount{
			setting: page.style.Setting, path: scanner.Join(dir, page.name), loc: page.loc,
			// The text may be part of a large piece of the state, which a part would keep
			// in memory.
			canonical: strings.Clone(page.style.Canonical),
		})
	}
	s.by[i].pages++
}

// warning returns what to tell the user who lists a number of pages, and whether
// it concerns nearly all of them: then nothing else matters as much.
func (s *styleCount) warning(listed int64) (w Warning, first bool) {
	slices.SortStableFunc(s.by, func(a, b settingCount) int { return cmp.Compare(b.pages, a.pages) })
	w.Code = "canonical-style"
	first = s.total*10 >= listed*9
	pages := fmt.Sprintf("%d of %d pages say", s.total, listed)
	switch {
	case first && s.total > 1:
		pages = fmt.Sprintf("nearly every page (%d of %d) says", s.total, listed)
	case s.total == 1:
		pages = fmt.Sprintf("1 of %d pages says", listed)
	}
	most := &s.by[0]
	if i := slices.IndexFunc(s.by, func(c settingCount) bool { return c.setting != "" }); i > 0 {
		most = &s.by[i] // of which there is something to say
	}
	w.Message = fmt.Sprintf("%s a canonical in another style than the sitemap's, such as %s, listed as %s", pages, most.canonical, most.loc)
	if most.setting != "" {
		w.Message += "; to list what they say, set " + most.setting
		if most.pages < s.total {
			w.Message += fmt.Sprintf(" (%d of them)", most.pages)
		}
	}
	for _, c := range s.by[:min(len(s.by), maxExamples)] {
		w.Paths = append(w.Paths, c.path)
		w.Details = append(w.Details, c.canonical)
	}
	return w, first
}
