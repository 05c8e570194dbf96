package faults

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// All that runs the command stands in this file. It is built once for the package. A
// process begins as command, perhaps under another program; finish, execute, buildReport
// and measure run it to its end, which must come by itself, and what is then known of it is
// an outcome. What goes on beside the test is a watching (watching_linux_test.go); a
// process whose system calls fail is supervised (supervisor_linux_test.go); and a test
// that mounts runs inNamespace (namespace_linux_test.go).

func TestMain(m *testing.M) {
	syscall.Umask(0o022)
	code := m.Run()
	if buildFolder != "" {
		os.RemoveAll(buildFolder)
	}
	os.Exit(code)
}

// How much is tried of what there is.
const (
	briefly      = iota // some of each kind
	endToEnd            // what a commit is held to: SITEWALK_E2E=1
	exhaustively        // SITEWALK_FAULTS=all
)

// effort is how much this run tries, and everything says that nothing is to be left out.
var (
	effort = func() int {
		switch {
		case os.Getenv("SITEWALK_FAULTS") == "all":
			return exhaustively
		case os.Getenv("SITEWALK_E2E") == "1":
			return endToEnd
		}
		return briefly
	}()
	everything = effort == exhaustively
)

// passesOver reports whether a call that could fail is left out, by its number: each
// third is enough for a brief run.
func passesOver(number int) bool { return effort == briefly && number%3 > 0 }

// lack skips a test for want of a program or a right, unless SITEWALK_E2E=1 forbids that.
func lack(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("SITEWALK_E2E") == "1" {
		t.Fatalf(format+" (SITEWALK_E2E=1 makes it a must)", args...)
	}
	t.Skipf(format, args...)
}

// program returns the path of a program that a machine with only Go may lack. Some are in
// folders that only root has in PATH.
func program(t testing.TB, name string) string {
	t.Helper()
	for _, folder := range []string{"", "/usr/sbin", "/usr/local/sbin", "/sbin"} {
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path
		}
	}
	lack(t, "%s is not installed, and this test needs it", name)
	return ""
}

// buildFolder holds the command, once a test has asked for it.
var buildFolder string

// buildCommand builds the command, without the race detector: what is tested is how it
// deals with the system, and what it takes of it.
var buildCommand = sync.OnceValues(func() (path string, err error) {
	if buildFolder, err = os.MkdirTemp("", "sitewalk-faults-"); err != nil {
		return "", err
	}
	if err := readSources(); err != nil {
		return "", err
	}
	path = filepath.Join(buildFolder, "sitewalk")
	if said, err := exec.Command("go", "build", "-o", path, "sitewalk/cmd/sitewalk").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, said)
	}
	return path, os.Chmod(buildFolder, 0o755) // other users run it too
})

// readSources looks at the sources of the command. The go command takes a result from its
// cache unless what the test has looked at is another, and knows nothing of what the
// test builds.
func readSources() error {
	return filepath.WalkDir(filepath.Join("..", ".."), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "testdata"):
			return filepath.SkipDir
		case entry.IsDir() || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		_, err = os.Stat(path)
		return err
	})
}

// commandVariable names the command to a test that was started in a namespace of its own.
const commandVariable = "SITEWALK_FAULTS_COMMAND"

// sitewalk returns the path of the command.
func sitewalk(t testing.TB) string {
	t.Helper()
	if path := os.Getenv(commandVariable); path != "" {
		return path
	}
	program(t, "go")
	path, err := buildCommand()
	must(t, err)
	return path
}

// cleanEnv is the same on every machine.
func cleanEnv() []string {
	return []string{"HOME=/no-home", "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
}

// command returns the command, ready to start.
func command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(sitewalk(t), args...)
	cmd.Env, cmd.SysProcAttr = cleanEnv(), bound()
	return cmd
}

// bound ends a process with the test, whatever becomes of that: it may keep a file system
// busy. A group of its own is what it can be ended with all that it has started.
func bound() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// under has another program run a process: line is its path and its own arguments.
func under(line []string, cmd *exec.Cmd) *exec.Cmd {
	cmd.Path, cmd.Args = line[0], append(append([]string(nil), line...), cmd.Args...)
	return cmd
}

// An outcome is how a process ended, and what it took.
type outcome struct {
	stdout, stderr string
	code           int           // -1 if a signal ended it
	memory         int64         // resident at most, of it or of a program that it started, in bytes
	processor      time.Duration // with the programs that it started
}

func (o outcome) String() string {
	return fmt.Sprintf("exit code %d, %d MiB, %v\n%.2000s%.2000s", o.code, o.memory>>20, o.processor, o.stdout, o.stderr)
}

// foundNothingToDo reports whether a build found everything in place: then it says so,
// or nothing, if there is nothing to warn of either.
func (o *outcome) foundNothingToDo() bool {
	return o.code == 0 && (o.stdout == "" || strings.Contains(o.stdout, "nothing to change"))
}

// patience bounds all that a test waits for. What is waited for takes far less, also on a
// machine that has other things to do: only what hangs takes as long.
const patience = 3 * time.Minute

// wait waits until a process that was started has ended. One that hangs is made to say
// where, and then killed with all that it has started.
func wait(cmd *exec.Cmd) error {
	ask := time.AfterFunc(patience, func() { _ = cmd.Process.Signal(syscall.SIGQUIT) })
	kill := time.AfterFunc(patience+10*time.Second, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	err := cmd.Wait()
	kill.Stop()
	var exit *exec.ExitError
	switch {
	case !ask.Stop():
		return fmt.Errorf("%.300q did not end within %v: %v", cmd.Args, patience, cmd.Stderr)
	case err != nil && !errors.As(err, &exit):
		return err
	}
	return nil
}

// outcomeOf returns how a process ended for which wait has waited.
func outcomeOf(cmd *exec.Cmd, stdout, stderr *bytes.Buffer) outcome {
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return outcome{
		stdout.String(), stderr.String(), cmd.ProcessState.ExitCode(),
		int64(usage.Maxrss) << 10, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
	}
}

// run runs a process to its end, in any goroutine.
func run(cmd *exec.Cmd) (outcome, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		return outcome{}, err
	}
	if err := wait(cmd); err != nil {
		return outcome{}, err
	}
	return outcomeOf(cmd, &stdout, &stderr), nil
}

// finish runs a process to its end, however that is.
func finish(t testing.TB, cmd *exec.Cmd) outcome {
	t.Helper()
	done, err := run(cmd)
	must(t, err)
	return done
}

// execute runs the command undisturbed.
func execute(t testing.TB, args ...string) outcome {
	t.Helper()
	return finish(t, command(t, args...))
}

// measure is finish for a process whose memory is what matters. Until it is another
// program a new process counts this one's memory as its own, at its peak: proc(5),
// clear_refs.
func measure(t testing.TB, cmd *exec.Cmd) outcome {
	t.Helper()
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	return finish(t, cmd)
}

// buildReport runs a build --json, which must end with 0, and returns what it tells.
func buildReport(t testing.TB, cmd *exec.Cmd) report {
	t.Helper()
	done := finish(t, cmd)
	if done.code != 0 {
		t.Fatalf("%q: %v", cmd.Args, done)
	}
	return parseReport([]byte(done.stdout))
}
