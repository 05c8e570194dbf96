package output

import (
	"fmt"
	"slices"
)

// Pages calls yield for the pages of a section, by its index, or of all sections
// for -1, in the order in which they would be added to a new set, from the first
// whose position is from or behind it, until yield returns false.
type Pages func(section int, from string, yield func(*Rendered) bool) error

// Update makes the set the one that follows a set on disk: Publish will leave the
// folder as if all pages had been added to a new set, but for the lastmods of
// shards in the index. It is called once, in place of Add, on a set that NewUpdate
// returned with the same configuration and the same options, but for their times,
// as those of the set before.
//
// changed are, for each section by its index, the sorted positions of pages that
// came, went, or are no longer what they were; a page that moved to another section
// stands in both. damaged are names of files of the set that somebody else changed
// or removed, as [Published.Changed] returns them: those are made anew. After an
// update that failed, the next must have its changes too.
//
// Only shards with a change, and what follows them until a boundary is where it was,
// are cut anew, from the pages of source. No other shard is opened, or even looked
// at. There are two exceptions. A section whose pages begin, or cease, to fit into one
// file is cut anew from its first page; so is one of a single shard. Lists of
// URLs are positional: if a URL came or went, or a list is damaged, all are made
// anew, from the pages of all sections.
//
// A file that left the set is removed by the first update after its grace. If that
// fails, or another index names the file, it is left to a set that NewSet returns;
// and so is a file that an update which failed had put in place already.
func (s *Set) Update(before *Published, changed [][]string, damaged []string, source Pages) error {
	if len(before.sections) != len(s.sections) {
		return fmt.Errorf("update: the set has %d sections, and had %d", len(s.sections), len(before.sections))
	}
	s.before, s.replaced = before, map[string]*publishedShard{}
	lost := map[string]bool{}
	for _, name := range damaged {
		lost[name] = true
	}
	for i, section := range s.sections {
		var positions []string
		if i < len(changed) {
			positions = changed[i]
		}
		if err := section.update(before.sections[i], withDamaged(positions, before.sections[i], lost), source); err != nil {
			return err
		}
	}
	if err := s.updateRoot(source); err != nil {
		return err
	}
	s.findReplaced()
	return s.updateText(lost, source)
}

// withDamaged returns changed positions together with those at which damaged shards
// begin.
func withDamaged(changed []string, shards []*publishedShard, damaged map[string]bool) []string {
	if len(damaged) == 0 {
		return changed
	}
	all := slices.Clone(changed)
	for _, shard := range shards {
		if damaged[shard.name] {
			all = append(all, shard.position)
		}
	}
	slices.Sort(all)
	return all
}

// update makes the section the one that follows the given shards.
func (s *section) update(before []*publishedShard, changed []string, source Pages) error {
	if len(changed) == 0 {
		s.keep(before)
		return nil
	}
	if len(before) <= 1 { // which may be divided from now on, or still not
		return s.addAll(source)
	}
	replay := replay{section: s, before: before, changed: changed, source: source}
	if err := replay.run(); err != nil {
		return err
	}
	if s.isWithinLimits(sums{}) || !s.isNamed(before) {
		return s.again(source)
	}
	return nil
}

// addAll adds all pages of the section.
func (s *section) addAll(source Pages) error {
	return visit(source, s.index, "", s.add)
}

// again gives up what has become of the section, and adds all its pages.
func (s *section) again(source Pages) error {
	s.set.staging.Wait()
	for _, m := range s.members {
		if m.staged != nil {
			s.set.discard(m.staged)
		}
	}
	s.set.staged = slices.DeleteFunc(s.set.staged, func(r *result) bool { return r.section == s.name })
	*s = *s.set.newSection(s.index, s.name)
	return s.addAll(source)
}

// isNamed reports whether all shards have the ids that a new set would give them.
func (s *section) isNamed(before []*publishedShard) bool {
	if slices.EqualFunc(s.members, before, func(m member, old *publishedShard) bool {
		run := m.run()
		return run.before == old.before && run.id == old.id
	}) {
		return true
	}
	ids := shardIDs{}
	for _, m := range s.members {
		if run := m.run(); run.id != ids.next(run.before) {
			return false
		}
	}
	return true
}

// updateRoot adds the pages of a section again whose only shard has been kept, but
// is to be the root from now on, or no longer.
func (s *Set) updateRoot(source Pages) error {
	pages := s.pages()
	for _, section := range s.sections {
		if len(section.members) != 1 || section.members[0].kept == nil {
			continue
		}
		isRoot := section.members[0].kept.name == s.files.rootFile()
		if isRoot != (section.pages == pages) {
			if err := section.again(source); err != nil {
				return err
			}
		}
	}
	return nil
}

// findReplaced finds the shards of the set before that are not kept.
func (s *Set) findReplaced() {
	for i, section := range s.sections {
		at := 0
		for _, old := range s.before.sections[i] {
			for at < len(section.members) && section.members[at].kept == nil {
				at++
			}
			if at < len(section.members) && section.members[at].kept == old {
				at++
			} else {
				s.replaced[old.name] = old
			}
		}
	}
}

// updateText makes the lists of URLs anew if they are no longer right.
func (s *Set) updateText(damaged map[string]bool, source Pages) error {
	if s.text == nil {
		return nil
	}
	places := uint64(0)
	for _, section := range s.sections {
		places += section.places
	}
	s.keepText = places == s.before.places && !slices.ContainsFunc(s.before.texts, func(list publishedFile) bool { return damaged[list.name] })
	if s.keepText {
		return nil
	}
	return visit(source, -1, "", func(page *Rendered) error { return s.text.add(page.Loc) })
}

// visit calls use for pages until it fails.
func visit(source Pages, section int, from string, use func(*Rendered) error) error {
	var failed error
	err := source(section, from, func(page *Rendered) bool {
		failed = use(page)
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}
