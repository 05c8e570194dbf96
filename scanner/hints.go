package scanner

import (
	"sync"
	"time"
)

// hints are what has been noted and not been taken. Their lock is never held while
// anything is waited for.
type hints struct {
	some chan struct{} // has room for one

	mu          sync.Mutex
	all, place  bool
	size        int // of the noted paths, in bytes
	paths       map[string]struct{}
	outputs     map[string]struct{}
	first, last time.Time // of the noting; zero if nothing is noted
}

func (h *hints) reset() {
	h.all, h.place, h.size = false, false, 0
	h.paths, h.outputs = map[string]struct{}{}, map[string]struct{}{}
	h.first, h.last = time.Time{}, time.Time{}
}

// noted remembers when something was noted, and says so.
func (h *hints) noted() {
	h.last = time.Now()
	if h.first.IsZero() {
		h.first = h.last
	}
	select {
	case h.some <- struct{}{}:
	default:
	}
}

// maxHints is the length of all noted paths, in bytes, beyond which everything is to
// be walked: whoever writes in the docroot can make events of long paths more quickly
// than they are taken.
const maxHints = 32 << 20

func (h *hints) note(path string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.all {
		h.paths[path] = struct{}{}
		if h.size += len(path); h.size > maxHints {
			h.all, h.paths = true, map[string]struct{}{}
		}
	}
	h.noted()
}

func (h *hints) noteOutput(path string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.outputs[path] = struct{}{}
	h.noted()
}

// noteAll says that hints were lost. What else is noted then adds nothing.
func (h *hints) noteAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = true
	clear(h.paths)
	h.noted()
}

func (h *hints) notePlace() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.place = true
	h.noted()
}

func (h *hints) take() Changes {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := Changes{All: h.all, Place: h.place}
	for path := range h.paths {
		c.Paths = append(c.Paths, path)
	}
	for path := range h.outputs {
		c.Outputs = append(c.Outputs, path)
	}
	h.reset()
	return c
}

func (h *hints) giveBack(c Changes) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all = h.all || c.All; h.all {
		clear(h.paths)
	} else {
		for _, path := range c.Paths {
			h.paths[path] = struct{}{}
		}
	}
	for _, path := range c.Outputs {
		h.outputs[path] = struct{}{}
	}
	h.place = h.place || c.Place
	h.noted()
}

// Due returns when what was gathered is to be dealt with: when nothing more has come
// for settle, but no later than delay after the first came. It is zero if nothing
// has been gathered.
func (w *Watcher) Due(settle, delay time.Duration) time.Time { return w.hints.due(settle, delay) }

func (h *hints) due(settle, delay time.Duration) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.first.IsZero() {
		return time.Time{}
	}
	quiet, latest := h.last.Add(settle), h.first.Add(delay)
	if latest.Before(quiet) {
		return latest
	}
	return quiet
}
