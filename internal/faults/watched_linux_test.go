//go:build amd64 || arm64

package faults

import (
	"sync"
	"testing"
)

// A watched is a watch whose system calls can be made to fail.
type watched struct {
	*watching
	supervisor *supervisor

	mutex  sync.Mutex
	decide func(*call) fault // nil for no faults
}

// watch starts a watch of the world, and returns when it is ready.
func (w *world) watch(t testing.TB, s stage) *watched {
	t.Helper()
	cmd := s.asking().prepare(t, append([]string{"watch", "--json"}, w.args...)...)
	p := &watched{watching: newWatching(t, cmd)}
	p.supervisor = supervise(t, cmd, func(c *call) fault {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		if p.decide == nil || !w.concerns(c) {
			return fault{}
		}
		return p.decide(c)
	})
	p.await(t, "ready")
	return p
}

// arm has the calls from now on fail as decide says, or succeed if it is nil.
func (p *watched) arm(decide func(*call) fault) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.decide = decide
}

// ended waits for the end of the watch, and of who was asked about its calls.
func (p *watched) ended(t testing.TB) outcome {
	t.Helper()
	done := p.watching.ended(t)
	p.supervisor.wait(t)
	return done
}
