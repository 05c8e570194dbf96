package mapper

import (
	"math/bits"
	"slices"

	"sitewalk/scanner/head"
)

// A Survey finds out in which style the canonicals of pages name them, which is what
// [PresetAuto] stands for. It belongs to one goroutine.
//
// Each page says for each way to spell URLs whether it agrees: whether its canonical
// would then be its own URL. So a page dir/index.html tells slash and index, and
// another tells extension. What they say depends on nothing but the page: not on
// which other files there are.
type Survey struct {
	worker   *Worker
	spelling []URLs // the ways, those nearest to the defaults first
	says     []saying
}

// saying is what the canonical of a page says.
type saying struct {
	name   OwnName
	agrees uint16 // a bit for each of Survey.spelling
}

// clearMajority is how many of a hundred pages must agree for it to be no matter of
// taste, or of which pages were asked.
const clearMajority = 90

// NewSurvey returns a survey in which nobody has been asked yet. What the mapper's
// configuration sets in urls is not asked about.
func (m *Mapper) NewSurvey() *Survey {
	s := &Survey{worker: m.NewWorker()}
	indexes := [][]string{m.urls.Index, {}}
	extensions := []Extension{m.urls.Extension, ExtensionStrip}
	slashes := []Slash{m.urls.Slash, SlashNever, SlashAlways}
	own := m.config.URLs.own()
	if own.index {
		indexes = indexes[:1]
	}
	if own.extension {
		extensions = extensions[:1]
	}
	if own.slash {
		slashes = slashes[:1]
	}
	for changes := range 4 {
		for i, index := range indexes {
			for j, extension := range extensions {
				for k, slash := range slashes {
					if min(i, 1)+min(j, 1)+min(k, 1) == changes {
						s.spelling = append(s.spelling, URLs{Index: index, Extension: extension, Slash: slash, Charset: m.urls.Charset})
					}
				}
			}
		}
	}
	return s
}

// Add asks a page, whose path is that of name in the folder dir, by its head. It
// reports whether the page has said anything: whether in one of the ways a canonical
// on the site's host, by either scheme, names the page itself. One that names it in no
// such way, such as by another extension, is no help.
func (s *Survey) Add(dir, name string, h *head.Head) bool {
	w := s.worker
	w.Enter(dir)
	said := saying{}
	for i := range s.spelling {
		url, _, ok := w.spell(&s.spelling[i], name)
		if !ok {
			return false
		}
		loc := string(url)
		page := newDocument(loc, h.Base)
		for _, href := range h.Canonicals {
			to, ok := page.resolve(href)
			if !ok || host(to.origin) != host(w.m.base.withoutDefaultPort()) {
				continue
			}
			if to.text[len(to.origin):] == loc[len(w.m.base.origin):] {
				said.agrees |= 1 << i
				said.name.Canonical = to.text
			}
		}
	}
	if said.agrees == 0 {
		return false
	}
	said.name.Path = w.join(name)
	s.says = append(s.says, said)
	return true
}

// Pages returns the number of pages that have said anything.
func (s *Survey) Pages() int { return len(s.says) }

// Surveyed is what a survey has found out.
type Surveyed struct {
	// URLs are those on which most pages agree, or, without a clear majority, what the
	// configuration says and the defaults. They have no preset.
	URLs URLs
	// Pages is the number of pages that said anything, and Agreeing that of those that
	// agree on one way to spell URLs.
	Pages, Agreeing int
	// Others are pages that do not agree with the most, at most ten; without a clear
	// majority the first is one that does.
	Others []OwnName
}

// OwnName is how a page names itself.
type OwnName struct {
	Path      string // relative to the docroot
	Canonical string
}

// maxOthers is the number of pages that are named.
const maxOthers = 10

// IsClear reports whether nine of ten pages agree.
func (s *Surveyed) IsClear() bool {
	return s.Pages > 0 && s.Agreeing*100 >= s.Pages*clearMajority
}

// Result returns what has been found out so far. Of several ways on which as many
// pages agree, it is the one nearest to the defaults.
func (s *Survey) Result() Surveyed {
	counts := make([]int, len(s.spelling))
	for _, said := range s.says {
		for rest := said.agrees; rest != 0; rest &= rest - 1 {
			counts[bits.TrailingZeros16(rest)]++
		}
	}
	best := 0
	for i, count := range counts {
		if count > counts[best] {
			best = i
		}
	}
	result := Surveyed{URLs: s.spelling[best], Pages: len(s.says), Agreeing: counts[best]}
	agrees := func(said saying) bool { return said.agrees>>best&1 != 0 }
	if !result.IsClear() {
		result.URLs = s.spelling[0]
		if i := slices.IndexFunc(s.says, agrees); i >= 0 {
			result.Others = append(result.Others, s.says[i].name)
		}
	}
	for _, said := range s.says {
		if !agrees(said) && len(result.Others) < maxOthers {
			result.Others = append(result.Others, said.name)
		}
	}
	return result
}
