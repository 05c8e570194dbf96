package faults

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A report is what the tests ask of what build --json tells, and watch --json in a line.
type report struct {
	Event      string
	Message    string
	Pages      int
	Unreadable int
	Excluded   map[string]int
	Written    []string
	Removed    []string
	Warnings   []struct{ Code string }
}

// parseReport returns an event of its own for what is no JSON.
func parseReport(line []byte) report {
	var told report
	if err := json.Unmarshal(line, &told); err != nil {
		return report{Event: "no JSON", Message: string(line)}
	}
	return told
}

// warned reports whether a warning is there.
func (r *report) warned(code string) bool {
	return slices.ContainsFunc(r.Warnings, func(warning struct{ Code string }) bool { return warning.Code == code })
}

// A watching is a watch that runs as a process.
type watching struct {
	cmd    *exec.Cmd
	events chan report // closed when standard output ends
	stderr bytes.Buffer
}

// newWatching listens to a watch that is about to be started, and ends it with the test.
func newWatching(t testing.TB, cmd *exec.Cmd) *watching {
	t.Helper()
	w := &watching{cmd: cmd, events: make(chan report, 10_000)}
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	cmd.Stderr = &w.stderr
	go func() {
		defer close(w.events)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			w.events <- parseReport(lines.Bytes())
		}
	}()
	t.Cleanup(func() {
		if cmd.Process != nil && cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			w.ended(t)
		}
	})
	return w
}

// startWatch starts a watch.
func startWatch(t testing.TB, args ...string) *watching {
	t.Helper()
	w := newWatching(t, command(t, append([]string{"watch", "--json"}, args...)...))
	must(t, w.cmd.Start())
	return w
}

// receive waits for an event, and reports false if the watch has ended instead.
func (w *watching) receive(t testing.TB) (told report, more bool) {
	t.Helper()
	select {
	case told, more = <-w.events:
		return told, more
	case <-time.After(patience):
		t.Fatalf("no event within %v", patience)
	}
	panic("not reached")
}

// next returns the next event.
func (w *watching) next(t testing.TB) report {
	t.Helper()
	told, more := w.receive(t)
	if !more {
		t.Fatal("the watch has ended: ", w.ended(t))
	}
	return told
}

// await waits for an event, and returns it. Nothing may fail meanwhile.
func (w *watching) await(t testing.TB, event string) report {
	t.Helper()
	for {
		switch told := w.next(t); told.Event {
		case event:
			return told
		case "error", "no JSON":
			t.Fatalf("the watch tells %+v", told)
		}
	}
}

// paused has something done while the watch is stopped: it then finds all of it at once,
// and never half of it, however slowly it is done.
func (w *watching) paused(t testing.TB, do func()) {
	t.Helper()
	must(t, w.cmd.Process.Signal(syscall.SIGSTOP))
	// It is stopped only when its last thread is. Whether it has ended is not asked here.
	for {
		err := unix.Waitid(unix.P_PID, w.cmd.Process.Pid, nil, unix.WSTOPPED, nil)
		if err == nil {
			break
		}
		if err != unix.EINTR {
			t.Fatalf("stop the watch: %v", err)
		}
	}
	do()
	must(t, w.cmd.Process.Signal(syscall.SIGCONT))
}

// stop ends the watch by SIGTERM, and fails the test unless it ends as it should.
func (w *watching) stop(t testing.TB) {
	t.Helper()
	must(t, w.cmd.Process.Signal(syscall.SIGTERM))
	for told, more := w.receive(t); more; told, more = w.receive(t) {
		if told.Event == "error" || told.Event == "no JSON" {
			t.Errorf("the watch tells %+v", told)
		}
	}
	if done := w.ended(t); done.code != 128+int(syscall.SIGTERM) {
		t.Errorf("a watch that was stopped: %v", done)
	}
}

// ended waits for the end of the watch, whose events nobody asks for any more.
func (w *watching) ended(t testing.TB) outcome {
	t.Helper()
	go func() {
		for range w.events {
		}
	}()
	if err := wait(w.cmd); err != nil {
		t.Error(err)
	}
	return outcomeOf(w.cmd, new(bytes.Buffer), &w.stderr)
}
