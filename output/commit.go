package output

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// commit puts what is staged in place. The order is what keeps readers from
// ever seeing an index that names a shard which is not there: shards, durably;
// then the indexes, the root last; then what nothing names any more.
//
// It returns the files that left the set and wait for their grace.
func (s *Set) commit(before *indexes, outcome *Result) ([]waiting, error) {
	now := s.opts.Now()
	found, err := s.leftovers(before, now)
	if err != nil {
		return nil, err
	}
	outcome.Stale, outcome.Shared = s.staleTexts(), found.shared
	if s.opts.Dry {
		outcome.Removed = found.stale
		return nil, nil
	}
	if s.before == nil && len(before.files) == 0 { // the folder may be new
		if err := s.folder.syncAbove(); err != nil {
			return nil, fmt.Errorf("publish: %w", err)
		}
	}
	root := s.files.rootFile()
	isRoot := func(r *result) bool { return r.name == root || isIndexName(r.name) }
	if err := s.rename(func(r *result) bool { return !isRoot(r) }); err != nil {
		return nil, err
	}
	// A shard's grace begins when the index that names it goes, not when it was
	// written. One of another user's, which cannot be marked, has had its grace:
	// that is no reason to hold the new set back.
	for _, name := range found.left {
		if err := s.folder.touch(name, now); isPassing(err) {
			return nil, fmt.Errorf("mark %s: %w", name, err)
		}
		found.waiting = append(found.waiting, waiting{name, now.Add(s.files.StaleGrace)})
	}
	if err := s.rename(func(r *result) bool { return isRoot(r) && r.name != root }); err != nil {
		return nil, err
	}
	if err := s.rename(func(r *result) bool { return r.name == root }); err != nil {
		return nil, err
	}
	// Indexes go first: no index may name a shard that is gone.
	for _, wanted := range [...]func(string) bool{func(name string) bool { return !isShardName(name) }, isShardName} {
		removed, err := s.remove(found.stale, wanted)
		outcome.Removed = append(outcome.Removed, removed...)
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(outcome.Removed)
	return found.waiting, nil
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

// rename gives the staged files that are wanted their names, durably. A file that is
// there already may have its name from a run that was killed before that was durable.
func (s *Set) rename(wanted func(*result) bool) error {
	unsure := false
	for _, r := range s.staged {
		if !wanted(r) {
			continue
		}
		unsure = unsure || !s.durable
		if r.temp == "" {
			continue
		}
		if err := s.folder.root.Rename(r.temp, r.name); err != nil {
			hint := ""
			if errors.Is(err, fs.ErrPermission) { // the folder is not the reason: there are temporary files in it
				hint = "; the file is in the way: remove it, or let this user replace it"
			}
			return fmt.Errorf("publish %s: %w%s", r.name, cause(err), hint)
		}
		r.temp, unsure = "", true
		// A rename changes when the inode changed. A file that was replaced already
		// has no identity: it will not be taken for the one that was written.
		if info, err := s.folder.root.Lstat(r.name); err == nil {
			r.identity = r.identity.renamed(info)
		} else {
			r.identity = identity{}
		}
	}
	if !unsure {
		return nil
	}
	if err := s.folder.sync(); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	s.durable = true
	return nil
}
