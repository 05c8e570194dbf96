//go:build amd64 || arm64

package faults

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"
)

// An event is a line that watch --json prints.
type event struct {
	Event   string `json:"event"`
	Message string `json:"message"`
}

// A watched is a watch that runs as a process, whose calls can be made to fail.
type watched struct {
	cmd        *exec.Cmd
	supervisor *supervisor
	events     chan event // closed when standard output ends
	stderr     bytes.Buffer

	mutex  sync.Mutex
	decide func(*call) fault // nil for no faults
}

// watch starts a watch of the world, and returns when it is ready.
func (w *world) watch(t testing.TB, s stage) *watched {
	t.Helper()
	p := &watched{events: make(chan event, 1000)}
	start := func(cmd *exec.Cmd) error {
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		cmd.Stderr = &p.stderr
		if err := cmd.Start(); err != nil {
			return err
		}
		go func() {
			defer close(p.events)
			for lines := bufio.NewScanner(stdout); lines.Scan(); {
				var e event
				if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
					e = event{"no JSON", lines.Text()}
				}
				p.events <- e
			}
		}()
		return nil
	}
	p.cmd, p.supervisor = supervise(t, func(c *call) fault {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		if p.decide == nil || !w.concerns(c) {
			return fault{}
		}
		return p.decide(c)
	}, s, start, append([]string{"watch", "--json"}, w.args...)...)
	t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait()
		}
	})
	for p.next(t).Event != "ready" {
	}
	return p
}

// arm has the calls from now on fail as decide says, or succeed if it is nil.
func (p *watched) arm(decide func(*call) fault) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.decide = decide
}

// next returns the next event.
func (p *watched) next(t testing.TB) event {
	t.Helper()
	select {
	case e, more := <-p.events:
		if !more {
			t.Fatal("the watch has ended: ", p.ended(t))
		}
		return e
	case <-time.After(timeout):
		t.Fatalf("no event within %v", timeout)
	}
	panic("not reached")
}

// stop ends the watch by SIGTERM, and fails the test unless it ends as it should.
func (p *watched) stop(t testing.TB) {
	t.Helper()
	must(t, p.cmd.Process.Signal(syscall.SIGTERM))
	if done := p.ended(t); done.code != 128+int(syscall.SIGTERM) {
		t.Errorf("a watch that was stopped ends with %d: %s", done.code, done.stderr)
	}
}

// ended waits for the end of the watch, whose events nobody asks for any more.
func (p *watched) ended(t testing.TB) outcome {
	t.Helper()
	for range p.events {
	}
	code := wait(t, p.cmd)
	p.supervisor.wait(t)
	return outcome{"", p.stderr.String(), code}
}
