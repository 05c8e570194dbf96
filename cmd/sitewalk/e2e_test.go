//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The end-to-end tests run the command as a process of its own, which
// testscript.Main has put into PATH, and other programs beside it.

// program returns the path of a program that a machine with only Go may lack:
// then the test is skipped, or fails where SITEWALK_E2E=1 says that all must be
// there.
func program(t *testing.T, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	folders := []string{"/usr/sbin", "/usr/local/sbin"}
	if home, err := os.UserHomeDir(); err == nil {
		folders = append(folders, filepath.Join(home, "go", "bin"))
	}
	for _, folder := range folders {
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path
		}
	}
	lack(t, "%s is not installed, and this test needs it", name)
	return ""
}

// lack skips a test for want of something, unless SITEWALK_E2E=1 forbids that.
func lack(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("SITEWALK_E2E") == "1" {
		t.Fatalf(format+" (SITEWALK_E2E=1 makes it a must)", args...)
	}
	t.Skipf(format, args...)
}

// outcome is how a run of the command ended.
type outcome struct {
	stdout, stderr string
	code           int // -1 if a signal ended it
}

// timeout bounds every process that a test starts.
const timeout = 2 * time.Minute

// execute runs the command in an environment that is the same on every machine.
func execute(t *testing.T, args ...string) outcome {
	t.Helper()
	return finish(t, newCommand(args...))
}

// newCommand returns the command, ready to start.
func newCommand(args ...string) *exec.Cmd {
	cmd := exec.Command("sitewalk", args...)
	cmd.Env = cleanEnv()
	return cmd
}

// noRaceSleep takes away the second that a process under the race detector
// sleeps before it ends.
const noRaceSleep = "atexit_sleep_ms=0"

func cleanEnv() []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=/no-home", "XDG_CACHE_HOME=" + cache, "GORACE=" + noRaceSleep}
	if dir, ok := os.LookupEnv("GOCOVERDIR"); ok {
		env = append(env, "GOCOVERDIR="+dir)
	}
	return env
}

// finish runs a command to its end.
func finish(t *testing.T, cmd *exec.Cmd) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	code := wait(t, cmd)
	return outcome{stdout.String(), stderr.String(), code}
}

// wait waits until a process has ended, kills it if that takes too long, and
// returns its exit code.
func wait(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	kill := time.AfterFunc(timeout, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	if !kill.Stop() {
		t.Errorf("%v did not end within %v", cmd.Args, timeout)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Error(err)
	}
	return cmd.ProcessState.ExitCode()
}

// build runs sitewalk build and fails the test unless it ends with code 0.
func build(t *testing.T, args ...string) outcome {
	t.Helper()
	return builds(t, exitDone, args...)
}

// builds is build for another exit code.
func builds(t *testing.T, code int, args ...string) outcome {
	t.Helper()
	done := execute(t, append([]string{"build", "--no-read"}, args...)...)
	if done.code != code {
		t.Fatalf("exit code is %d, not %d\n%s%s", done.code, code, done.stdout, done.stderr)
	}
	return done
}

// publicDir returns a temporary folder that every user may pass through, as
// those of t.TempDir are not.
func publicDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sitewalk-e2e-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// firstDate is the date of the first page that a test makes.
var firstDate = time.Date(2021, 3, 1, 12, 0, 0, 0, time.UTC)

// writePage writes a page whose bytes are like no other's.
func writePage(t *testing.T, docroot, name string, modified time.Time) {
	t.Helper()
	path := filepath.Join(docroot, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, fmt.Sprintf("<!doctype html><title>%q</title>\n", name))
	if err := os.Chtimes(path, modified, modified); err != nil {
		t.Fatal(err)
	}
}

// writePages writes pages, each with a date of its own.
func writePages(t *testing.T, docroot string, names ...string) {
	t.Helper()
	for i, name := range names {
		writePage(t, docroot, name, firstDate.Add(time.Duration(i)*time.Hour))
	}
}

// numbered returns n names of pages in folders of a hundred.
func numbered(folder string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s/%02d/page-%04d.html", folder, i/100, i)
	}
	return names
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// folderBytes returns the files of a folder that is not descended into, by name.
func folderBytes(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, entry := range entries {
		if !entry.IsDir() {
			files[entry.Name()] = readFile(t, filepath.Join(folder, entry.Name()))
		}
	}
	return files
}

// temps returns the temporary files in a folder.
func temps(t *testing.T, folder string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, ".sitewalk-*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// until waits for a condition that another process brings about.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(timeout); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not come about within %v", what, timeout)
		}
	}
}

// shared returns the path of a file in the folder shared beside the project.
func shared(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not there: it is no part of the project", path)
	}
	return path
}

// sorted returns a sorted copy.
func sorted(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return names
}

// missing returns what is in want but not in have.
func missing(want, have []string) []string {
	there := map[string]bool{}
	for _, name := range have {
		there[name] = true
	}
	return slices.DeleteFunc(slices.Clone(want), func(name string) bool { return there[name] })
}

// lines returns the lines of a text, without the last, empty one.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
