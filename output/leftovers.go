package output

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// leftovers are files of earlier sets, by what is to become of them.
type leftovers struct {
	left    []string  // they leave the set now, and their grace begins
	stale   []string  // their grace is over, and they are removed
	waiting []waiting // they are in their grace
	shared  []string  // they are of the set, and another index in the folder names them too
}

// leftovers finds the files of earlier sets: those that leave the set now, and
// those whose grace is over. Another tool's files are none of ours, whatever
// their names: only content tells.
//
// It fails if the folder cannot be listed: what leaves the set would be without its
// grace.
func (s *Set) leftovers(before *indexes, now time.Time) (found leftovers, err error) {
	current := map[string]bool{}
	for _, r := range s.staged {
		current[r.name] = true
	}
	if s.before != nil {
		return s.knownLeftovers(before, current, now)
	}
	var candidates []string
	err = s.folder.find(func(name string) bool {
		return !current[name] && (s.files.isOwnName(name) || isXMLName(name))
	}, func(name string) { candidates = append(candidates, name) })
	if err != nil {
		return found, fmt.Errorf("list the output folder: %w", err)
	}
	slices.Sort(candidates)
	others, unknown := s.folder.otherIndexes(s.files, candidates)
	for _, name := range candidates {
		if !others.has(name) {
			s.judge(name, before.mayHave(name), now, &found)
		}
	}
	for name := range current {
		if others.has(name) {
			found.shared = append(found.shared, name)
		}
	}
	slices.Sort(found.shared)
	if unknown != nil {
		found.stale = nil
	}
	return found, nil
}

// knownLeftovers finds, for an update, those that left the set before, and those
// that leave it now: what the set before had, or an index that somebody else
// has written since. The folder is listed only if one is to be removed, for an index
// of another set may name it. Where that cannot be known none is.
func (s *Set) knownLeftovers(before *indexes, current map[string]bool, now time.Time) (found leftovers, err error) {
	current[s.files.rootFile()] = true
	leaving := map[string]bool{}
	for _, file := range s.before.indexes {
		leaving[file.name] = true
	}
	for name := range s.replaced {
		leaving[name] = true
	}
	if before.fromDisk {
		for name := range before.shards {
			leaving[name] = true
		}
		for _, name := range before.files {
			leaving[name] = true
		}
		for _, m := range s.members() {
			current[m.name()] = true
		}
	}
	for _, w := range s.before.waiting {
		switch {
		case current[w.name] || leaving[w.name]:
		case now.Before(w.until):
			found.waiting = append(found.waiting, w)
		default:
			s.judge(w.name, false, now, &found)
		}
	}
	for name := range leaving {
		if !current[name] {
			s.judge(name, true, now, &found)
		}
	}
	slices.Sort(found.left)
	if len(found.stale) > 0 {
		var candidates []string
		if err := s.folder.find(isXMLName, func(name string) { candidates = append(candidates, name) }); err != nil {
			return found, fmt.Errorf("list the output folder: %w", err)
		}
		others, unknown := s.folder.otherIndexes(s.files, candidates)
		found.stale = slices.DeleteFunc(found.stale, others.has)
		slices.Sort(found.stale)
		if unknown != nil {
			found.stale = nil
		}
	}
	return found, nil
}

// judge finds out what is to become of a file that is not of the set. leaves says
// that it was until now.
func (s *Set) judge(name string, leaves bool, now time.Time, found *leftovers) {
	if s.folder.root == nil || !s.files.isOwnName(name) {
		return
	}
	info, err := s.folder.root.Lstat(name)
	if err != nil {
		return
	}
	if marked, err := s.folder.isMarked(name); err != nil || !marked {
		return
	}
	until := info.ModTime().Add(s.files.StaleGrace)
	// A grace that begins later than now was begun by a clock that has been corrected.
	switch {
	case s.files.StaleGrace > 0 && (leaves || info.ModTime().After(now)):
		found.left = append(found.left, name)
	case now.Before(until):
		found.waiting = append(found.waiting, waiting{name, until})
	default:
		found.stale = append(found.stale, name)
	}
}

// staleTexts returns the lists of URLs behind the last one of the set.
func (s *Set) staleTexts() []string {
	if s.text == nil || s.keepText {
		return nil
	}
	var stale []string
	for n := s.text.files + 1; s.folder.has(textFile(n)); n++ {
		stale = append(stale, textFile(n))
	}
	return stale
}

func isXMLName(name string) bool {
	return strings.HasSuffix(name, ".xml") || strings.HasSuffix(name, ".xml.gz")
}
