package faults

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	_ "sitewalk" // results of these tests are not to be kept when it has changed
)

// The tests of power cuts and of readers run the command as a process of its own, and
// other programs beside it.

// cutLack skips a test for want of something, unless SITEWALK_E2E=1 forbids that.
func cutLack(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("SITEWALK_E2E") == "1" {
		t.Fatalf(format+" (SITEWALK_E2E=1 makes it a must)", args...)
	}
	t.Skipf(format, args...)
}

// cutProgram returns the path of a program that a machine with only Go may lack.
func cutProgram(t *testing.T, name string) string {
	t.Helper()
	for _, folder := range []string{"", "/usr/sbin", "/usr/local/sbin", "/sbin"} {
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path
		}
	}
	cutLack(t, "%s is not installed, and this test needs it", name)
	return ""
}

// cutTimeout bounds every process that a test starts.
const cutTimeout = 60 * time.Second

// A cutCommand is the command, built for a test.
type cutCommand struct{ path, cache string }

// cutBuildCommand builds the command.
func cutBuildCommand(t *testing.T) *cutCommand {
	t.Helper()
	if path := os.Getenv(cutCommandKey); path != "" {
		return &cutCommand{path, t.TempDir()}
	}
	path := filepath.Join(t.TempDir(), "sitewalk")
	build := exec.Command(cutProgram(t, "go"), "build", "-o", path, "sitewalk/cmd/sitewalk")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return &cutCommand{path, t.TempDir()}
}

// cutEpoch is the time, in the index, of every change, so that the bytes of a set
// depend on its pages alone.
const cutEpoch = "SOURCE_DATE_EPOCH=1700000000"

// command returns the command, ready to start, perhaps under another program.
func (c *cutCommand) command(under []string, args ...string) *exec.Cmd {
	line := append(append([]string{}, under...), append([]string{c.path}, args...)...)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/no-home", "XDG_CACHE_HOME=" + c.cache, cutEpoch}
	// Whatever becomes of the test, nothing may keep its file systems busy.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL}
	return cmd
}

// cutOutcome is how a process ended.
type cutOutcome struct {
	stdout, stderr string
	code           int // -1 if a signal ended it
}

// cutFinish runs a process to its end.
func cutFinish(t *testing.T, cmd *exec.Cmd) cutOutcome {
	t.Helper()
	done, err := cutRun(cmd)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// cutRun is cutFinish for any goroutine.
func cutRun(cmd *exec.Cmd) (cutOutcome, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		return cutOutcome{}, err
	}
	kill := time.AfterFunc(cutTimeout, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	var exit *exec.ExitError
	switch {
	case !kill.Stop():
		return cutOutcome{}, fmt.Errorf("%v did not end within %v", cmd.Args, cutTimeout)
	case err != nil && !errors.As(err, &exit):
		return cutOutcome{}, err
	}
	return cutOutcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}, nil
}

// cutReport is what the tests ask of a report.
type cutReport struct {
	Event    string
	Pages    int
	Written  []string
	Removed  []string
	Warnings []struct{ Code string }
}

// warned reports whether a warning is there.
func (r *cutReport) warned(code string) bool {
	for _, warning := range r.Warnings {
		if warning.Code == code {
			return true
		}
	}
	return false
}

// build runs a build that must end with 0, and returns what it says.
func (c *cutCommand) build(t *testing.T, args ...string) cutReport {
	t.Helper()
	done := cutFinish(t, c.command(nil, append([]string{"build", "--json"}, args...)...))
	if done.code != 0 {
		t.Fatalf("%q: exit code %d: %s", args, done.code, done.stderr)
	}
	var report cutReport
	if err := json.Unmarshal([]byte(done.stdout), &report); err != nil {
		t.Fatalf("%v: %q", err, done.stdout)
	}
	return report
}

// A cutWatching is a watch that publishes one set after the other.
type cutWatching struct {
	cmd    *exec.Cmd
	stderr bytes.Buffer
	events chan cutReport
}

// watch starts a watch.
func (c *cutCommand) watch(t *testing.T, args ...string) *cutWatching {
	t.Helper()
	w := &cutWatching{cmd: c.command(nil, append([]string{"watch", "--json"}, args...)...), events: make(chan cutReport, 10_000)}
	stdout, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.cmd.Stderr = &w.stderr
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	wait.Go(func() {
		defer close(w.events)
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			var event cutReport
			if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
				event.Event = err.Error()
			}
			w.events <- event
		}
	})
	t.Cleanup(func() {
		_ = w.cmd.Process.Kill() // unless stop has ended it
		wait.Wait()
		_ = w.cmd.Wait()
	})
	return w
}

// await waits for an event, and returns it.
func (w *cutWatching) await(t *testing.T, kind string) cutReport {
	t.Helper()
	limit := time.After(cutTimeout)
	for {
		select {
		case event, more := <-w.events:
			if !more || event.Event == "error" {
				t.Fatalf("the watch ended or failed: %+v", event)
			}
			if event.Event == kind {
				return event
			}
		case <-limit:
			t.Fatalf("no event %s within %v", kind, cutTimeout)
		}
	}
}

// stop ends the watch.
func (w *cutWatching) stop(t *testing.T) {
	t.Helper()
	if err := w.cmd.Process.Signal(unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for event := range w.events {
		if event.Event == "error" {
			t.Errorf("the watch has failed: %+v", event)
		}
	}
	_ = w.cmd.Wait()
	if code := w.cmd.ProcessState.ExitCode(); code != 128+int(unix.SIGTERM) {
		t.Errorf("the watch ends with %d: %s", code, &w.stderr)
	}
}

// The environment of a test that runs in a process of its own.
const (
	cutInnerKey   = "SITEWALK_CUT_INNER"
	cutCommandKey = "SITEWALK_CUT_COMMAND"
)

// cutAlone runs a test again, in a process that has a mount namespace of its own, and
// reports whether this is that process. What is mounted there is seen nowhere else,
// and is gone with the process, however it ends. The test that starts it returns.
func cutAlone(t *testing.T) bool {
	t.Helper()
	if os.Getenv(cutInnerKey) == t.Name() {
		return true
	}
	if os.Getuid() != 0 {
		cutLack(t, "only root can mount a file system to cut the power of")
	}
	if _, err := os.Stat("/dev/loop-control"); err != nil {
		cutLack(t, "there are no loop devices: %v", err)
	}
	cutProgram(t, "mkfs.ext4")
	command := cutBuildCommand(t)
	limit := 10 * time.Minute
	if end, bounded := t.Deadline(); bounded {
		limit = time.Until(end) - time.Second
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.v", "-test.run=^"+t.Name()+"$", "-test.timeout="+limit.String())
	cmd.Env = append(os.Environ(), cutInnerKey+"="+t.Name(), cutCommandKey+"="+command.path)
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS, Pdeathsig: unix.SIGKILL}
	said, err := cmd.CombinedOutput()
	switch text := string(said); {
	case errors.Is(err, unix.EPERM):
		cutLack(t, "a mount namespace cannot be had: %v", err)
	case err != nil || !strings.Contains(text, "--- "):
		t.Errorf("%v\n%s", err, text)
	case strings.Contains(text, "--- SKIP: "+t.Name()+" "):
		t.Skip(text)
	default:
		t.Log(text)
	}
	return false
}

// cutMount mounts the file system of a disk by a loop device, which goes with it.
func cutMount(t *testing.T, file, folder, kind, options string) error {
	t.Helper()
	if options != "" {
		options = "," + options
	}
	done := cutFinish(t, exec.Command(cutProgram(t, "mount"), "-t", kind, "-o", "loop"+options, file, folder))
	if done.code != 0 {
		return fmt.Errorf("mount: %s", strings.TrimSpace(done.stderr))
	}
	return nil
}

// cutUnmount unmounts a folder once nothing holds it.
func cutUnmount(folder string) error {
	var err error
	for end := time.Now().Add(cutTimeout); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if err = unix.Unmount(folder, 0); !errors.Is(err, unix.EBUSY) {
			break
		}
	}
	return err
}
