package sitewalk_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sitewalk"
)

// hear checks each publication when it is told: the watch waits meanwhile.
func (r *modelRun) hear(e sitewalk.Event, ready chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	line := time.Now().Format("05.000 ") + string(e.Kind)
	if e.Err != nil {
		line += ": " + e.Err.Error()
	}
	if e.Kind == sitewalk.EventReady && !r.working {
		r.working = true
		close(ready)
	}
	if e.Kind == sitewalk.EventPublished || e.Kind == sitewalk.EventUnchanged {
		line += fmt.Sprintf(" %d pages, written %s, removed %s", e.Report.Pages, e.Report.Written, e.Report.Removed)
		now := readSet(r.out, r.setting.root())
		if r.last.files != nil && !r.ahead {
			r.compare(&now, e.Report.Written)
		}
		r.last, r.listed, r.ahead = now, e.Report.Pages, false
	}
	r.events = append(r.events, line)
}

// compare checks that a publication has left what did not change untouched.
func (r *modelRun) compare(now *publishedSet, written []string) {
	restarted := r.harmed[0].restarts || r.harmed[1].restarts
	for _, name := range slices.Sorted(maps.Keys(now.files)) {
		is := now.files[name]
		was, found := r.last.files[name]
		if r.isHarmed(name) {
			continue
		}
		if found && is.bytes == was.bytes && !is.isSame(&was) && !(isIndex(&is) && now.hasNewShard(&r.last)) {
			r.wrong = append(r.wrong, fmt.Sprintf("%s was written, though nothing in it has changed", name))
		}
		if found && !restarted && is.isSame(&was) == slices.Contains(written, name) {
			r.wrong = append(r.wrong, fmt.Sprintf("%s: written is %v, and the event says %s", name, !is.isSame(&was), written))
		}
	}
	for name, dated := range now.dates {
		was, found := r.last.dates[name]
		if restarted && (r.isHarmed(name) || r.isHarmed(r.setting.root())) || r.harmedAll() {
			continue
		}
		same := now.files[name].content == r.last.files[name].content
		switch {
		case found && same && dated != was:
			r.wrong = append(r.wrong, fmt.Sprintf("the index gives %s the date %s, which had %s and has not changed", name, dated, was))
		case found && !same && !r.isHarmed(name) && dated.Before(r.began.Add(-time.Second)):
			r.wrong = append(r.wrong, fmt.Sprintf("the index gives %s the date %s, though it has just changed", name, dated))
		}
	}
}

// isIndex reports whether a file of a set is an index.
func isIndex(f *publishedFile) bool { return strings.Contains(f.content, "<sitemap>") }

// hasNewShard reports whether a shard of the set was written since another was: then its index is written again, though perhaps with the same bytes.
func (s *publishedSet) hasNewShard(other *publishedSet) bool {
	for name, is := range s.files {
		if was := other.files[name]; !listName.MatchString(name) && name != s.root && !is.isSame(&was) {
			return true
		}
	}
	return false
}
