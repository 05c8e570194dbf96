package sitewalk

import (
	"sitewalk/internal/catalog"
	"sitewalk/mapper"
	"sitewalk/output"
	"sitewalk/scanner"
)

// eachPage calls visit for the pages of a section, or for -1 of all sections, in
// order, from a position on, until visit returns false or fails.
func (s *session) eachPage(section int, from string, visit func(*output.Rendered) (bool, error)) error {
	renderer := output.NewRenderer(s.config.Output.LastModFormat)
	wanted := ^catalog.Sections(0)
	if section >= 0 {
		wanted = catalog.SectionsOf(section)
	}
	var err error
	more := true
	page := output.Rendered{}
	if path, isFile := output.PathAt(from); isFile {
		s.ledger.tree.Walk(path, wanted, func(dir string, f *catalog.File) bool {
			if section >= 0 && f.Section != section || !s.render(&page, renderer, dir, f) {
				return true
			}
			more, err = visit(&page)
			return more && err == nil
		})
	}
	for _, extra := range s.builder.extras.left() {
		if err != nil || !more {
			break
		}
		if (section < 0 || int(extra.section) == section) && output.Position("", extra.loc, true) >= from {
			said := extra.page()
			page = output.Rendered{
				Section: int(extra.section), XML: renderer.Append(page.XML[:0], &said), Hash: said.Hash(),
				LastMod: said.LastMod, Loc: said.Loc, Name: extra.loc, Extra: true,
			}
			more, err = visit(&page)
		}
	}
	return err
}

// render makes a listed file of the ledger a page of the set, and reports false for
// one that has no place there.
func (s *session) render(rendered *output.Rendered, renderer *output.Renderer, dir string, f *catalog.File) bool {
	s.mapper.Enter(dir)
	page, ok := s.mapper.Map(&scanner.File{Name: f.Name})
	if !ok {
		return false
	}
	if f.Page.Facts != "" {
		if facts, ok := mapper.ParseFacts(f.Page.Facts); ok {
			page.Tell(&facts)
		}
	}
	page.LastMod, page.DateOnly = f.LastMod, f.DateOnly
	*rendered = output.Rendered{
		Section: page.Section, XML: renderer.Append(rendered.XML[:0], &page.Page), Hash: page.Hash(),
		LastMod: page.LastMod, Loc: page.Loc, Namespaces: page.Namespaces(), Dir: dir, Name: f.Name,
	}
	return true
}
