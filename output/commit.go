package output

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// commit puts what is staged in place. The order is what keeps readers from
// ever seeing an index that names a shard which is not there: shards, durably;
// then the indexes, the root last; then what nothing names any more.
func (s *Set) commit(before indexes, outcome *Result) error {
	current := map[string]bool{}
	for _, r := range s.staged {
		current[r.name] = true
	}
	now := s.opts.Now()
	left, stale := s.leftovers(current, before, now, outcome)
	if s.opts.Dry {
		outcome.Removed = stale
		return nil
	}
	root := s.files.rootFile()
	isRoot := func(r *result) bool { return r.name == root || isIndexName(r.name) }
	if err := s.rename(func(r *result) bool { return !isRoot(r) }); err != nil {
		return err
	}
	// A shard's grace begins when the index that names it goes, not when it was
	// written. One of another user's, which cannot be marked, has had its grace:
	// that is no reason to hold the new set back.
	for _, name := range left {
		_ = s.folder.touch(name, now)
	}
	if err := s.rename(func(r *result) bool { return isRoot(r) && r.name != root }); err != nil {
		return err
	}
	if err := s.rename(func(r *result) bool { return r.name == root }); err != nil {
		return err
	}
	// Indexes go first: no index may name a shard that is gone.
	indexes, err := s.remove(stale, func(name string) bool { return !isShardName(name) })
	if err != nil {
		return err
	}
	shards, err := s.remove(stale, isShardName)
	outcome.Removed = slices.Sorted(slices.Values(append(indexes, shards...)))
	return err
}

// remove removes the files that are wanted, durably, and returns their names. The
// new set is in place by then: what cannot be removed is left to a later run.
func (s *Set) remove(names []string, wanted func(string) bool) (removed []string, err error) {
	for _, name := range names {
		if wanted(name) && s.folder.root.Remove(name) == nil {
			removed = append(removed, name)
		}
	}
	if len(removed) == 0 {
		return nil, nil
	}
	return removed, s.folder.sync()
}

// rename gives the staged files that are wanted their names, durably.
func (s *Set) rename(wanted func(*result) bool) error {
	renamed := false
	for i := range s.staged {
		r := &s.staged[i]
		if r.temp == "" || !wanted(r) {
			continue
		}
		if err := s.folder.root.Rename(r.temp, r.name); err != nil {
			return fmt.Errorf("publish %s: %w", r.name, err)
		}
		r.temp, renamed = "", true
	}
	if !renamed {
		return nil
	}
	if err := s.folder.sync(); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	return nil
}

// leftovers finds the files of earlier sets: those that leave the set now, and
// those whose grace is over. Another tool's files are none of ours, whatever
// their names: only content tells.
func (s *Set) leftovers(current map[string]bool, before indexes, now time.Time, outcome *Result) (left, stale []string) {
	var candidates []string
	_ = s.folder.find(func(name string) bool {
		return !current[name] && (s.files.isOwnName(name) || strings.HasSuffix(name, ".xml") || strings.HasSuffix(name, ".xml.gz"))
	}, func(name string) { candidates = append(candidates, name) })
	slices.Sort(candidates)
	others := s.folder.otherIndexes(s.files, candidates)
	for _, name := range candidates {
		if !s.files.isOwnName(name) || others.has(name) {
			continue
		}
		info, err := s.folder.root.Lstat(name)
		if err != nil || !s.folder.isMarked(name) {
			continue
		}
		switch {
		case s.files.StaleGrace > 0 && before.has(name):
			left = append(left, name)
		case now.Sub(info.ModTime()) >= s.files.StaleGrace:
			stale = append(stale, name)
		}
	}
	if s.text != nil {
		for n := s.text.files + 1; s.folder.has(textFile(n)); n++ {
			outcome.Stale = append(outcome.Stale, textFile(n))
		}
	}
	return left, stale
}
