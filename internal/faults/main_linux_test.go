//go:build amd64 || arm64

package faults

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if os.Getenv(stageVariable) != "" {
		becomeCommand()
	}
	syscall.Umask(0o022)
	code := m.Run()
	if buildFolder != "" {
		os.RemoveAll(buildFolder)
	}
	os.Exit(code)
}

// everything says that no fault is to be left out.
var everything = os.Getenv("SITEWALK_FAULTS") == "all"

// lack skips a test for want of something, unless SITEWALK_E2E=1 forbids that.
func lack(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("SITEWALK_E2E") == "1" {
		t.Fatalf(format+" (SITEWALK_E2E=1 makes it a must)", args...)
	}
	t.Skipf(format, args...)
}

// buildFolder holds the command, once a test has asked for it.
var buildFolder string

// buildCommand builds the command, without the race detector: what is tested is how
// it deals with the system.
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
	return path, os.Chmod(buildFolder, 0o755)
})

// readSources looks at the sources of the command. The go command takes a result from its
// cache unless what the test has looked at is another, and knows nothing of what the
// test builds.
func readSources() error {
	return filepath.WalkDir(filepath.Join("..", ".."), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		_, err = os.Stat(path)
		return err
	})
}

// sitewalk returns the path of the command.
func sitewalk(t testing.TB) string {
	t.Helper()
	if path := os.Getenv(commandVariable); path != "" { // built by the test that started this one
		return path
	}
	path, err := buildCommand()
	if errors.Is(err, exec.ErrNotFound) {
		lack(t, "the go command, which builds the one that is tested, is not in PATH")
	}
	must(t, err)
	return path
}

// commandVariable names the command to tests that run in namespaces of their own.
const commandVariable = "SITEWALK_FAULTS_COMMAND"

// outcome is how a run of the command ended.
type outcome struct {
	stdout, stderr string
	code           int // -1 if a signal ended it
}

// foundNothingToDo reports whether a build found everything in place: then it says so,
// or nothing, if there is nothing to warn of either.
func (o *outcome) foundNothingToDo() bool {
	return o.code == 0 && (o.stdout == "" || strings.Contains(o.stdout, "nothing to change"))
}

// timeout bounds every process that a test starts.
const timeout = time.Minute

// cleanEnv is the same on every machine.
func cleanEnv() []string { return []string{"HOME=/no-home", "PATH=" + os.Getenv("PATH")} }

// execute runs the command undisturbed.
func execute(t testing.TB, args ...string) outcome {
	t.Helper()
	cmd := exec.Command(sitewalk(t), args...)
	cmd.Env = cleanEnv()
	return finish(t, cmd)
}

// finish runs a process to its end.
func finish(t testing.TB, cmd *exec.Cmd) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	must(t, cmd.Start())
	code := wait(t, cmd)
	return outcome{stdout.String(), stderr.String(), code}
}

// wait waits until a process has ended, has it say where it hangs if that takes too
// long, and returns its exit code.
func wait(t testing.TB, cmd *exec.Cmd) int {
	t.Helper()
	quit := time.AfterFunc(timeout, func() { _ = cmd.Process.Signal(syscall.SIGQUIT) })
	err := cmd.Wait()
	if !quit.Stop() {
		t.Errorf("%v did not end within %v", cmd.Args, timeout)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Error(err)
	}
	return cmd.ProcessState.ExitCode()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// tally counts what became of faults, by kind, for the table in docs/reliability.md.
type tally struct {
	mutex  sync.Mutex
	kinds  []string
	counts map[string]map[string]int
}

func (c *tally) add(kind, became string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.counts == nil {
		c.counts = map[string]map[string]int{}
	}
	if c.counts[kind] == nil {
		c.kinds = append(c.kinds, kind)
		c.counts[kind] = map[string]int{}
	}
	c.counts[kind][became]++
}

// log prints the counts, a row of a table a kind.
func (c *tally) log(t testing.TB) {
	t.Helper()
	var rows strings.Builder
	for _, kind := range sorted(c.kinds) {
		var seen []string
		total := 0
		for became, n := range c.counts[kind] {
			seen = append(seen, fmt.Sprintf("%s %d", became, n))
			total += n
		}
		fmt.Fprintf(&rows, "\n| %s | %d | %s |", kind, total, strings.Join(sorted(seen), ", "))
	}
	t.Log(rows.String())
}
