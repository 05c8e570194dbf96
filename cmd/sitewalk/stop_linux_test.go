package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A stuckBuild is a build that has staged shards and cannot go on: it wants to
// tell of more left out files than the pipe to its standard error takes.
type stuckBuild struct {
	cmd    *exec.Cmd
	stderr *os.File
}

const stuckConfig = "output: {max_urls: 20, gzip: none}\n"

// stuckDocroot makes a docroot in which builds with stuckConfig get stuck if
// they are told to be verbose, has a set published there, and changes the pages.
func stuckDocroot(t *testing.T) (docroot, config string) {
	t.Helper()
	docroot, config = publicDir(t), siteConfig(t, stuckConfig)
	writePages(t, docroot, numbered("a", 200)...)
	build(t, "-c", config, "--docroot", docroot)
	writePages(t, docroot, numbered("b", 200)...)
	for i := range 800 {
		writePage(t, docroot, fmt.Sprintf("z/%s-%04d.txt", strings.Repeat("x", 200), i), firstDate)
	}
	return docroot, config
}

// startStuck starts a build and returns when it is in the middle of its work.
func startStuck(t *testing.T, docroot, config string, args ...string) *stuckBuild {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := newCommand(append([]string{"build", "--no-read", "-v", "-c", config, "--docroot", docroot}, args...)...)
	cmd.Stderr = write
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		read.Close()
	})
	until(t, "a build with temporary files", func() bool { return len(temps(t, docroot)) >= 5 })
	return &stuckBuild{cmd, read}
}

// signal sends a signal and waits until the process has acted on it. One thread takes
// it, and another does what it is for: until then some thread has something to do.
func (b *stuckBuild) signal(t *testing.T, signal os.Signal) {
	t.Helper()
	if err := b.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	idle := 0 // looks in a row, as threads may wake each other between two that are looked at
	until(t, "what the signal is for", func() bool {
		status := readFile(t, fmt.Sprintf("/proc/%d/status", b.cmd.Process.Pid))
		if idle++; !strings.Contains(status, "ShdPnd:\t0000000000000000") || b.isBusy(t) {
			idle = 0
		}
		return idle == 20
	})
}

// isBusy reports whether a thread of the process runs, or would if it could.
func (b *stuckBuild) isBusy(t *testing.T) bool {
	t.Helper()
	folder := fmt.Sprintf("/proc/%d/task", b.cmd.Process.Pid)
	for _, thread := range glob(t, folder, "*") {
		stat, err := os.ReadFile(filepath.Join(folder, thread, "stat"))
		if err != nil {
			continue // it has just ended
		}
		switch _, state, _ := strings.Cut(string(stat), ") "); state[0] { // proc(5)
		case 'R', 'D':
			return true
		}
	}
	return false
}

// end reads what the build has to say, and returns its exit code.
func (b *stuckBuild) end(t *testing.T) (stderr string, code int) {
	t.Helper()
	said := make(chan string)
	go func() {
		text, _ := io.ReadAll(b.stderr)
		said <- string(text)
	}()
	code = wait(t, b.cmd)
	return <-said, code
}

func TestASignalInTheMiddleOfABuildLeavesTheOldSet(t *testing.T) {
	for signal, want := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143} {
		docroot, config := stuckDocroot(t)
		before := snapshot(t, docroot)
		stuck := startStuck(t, docroot, config)
		stuck.signal(t, signal)
		stderr, code := stuck.end(t)
		if code != want {
			t.Errorf("%v: exit code is %d, not %d", signal, code, want)
		}
		if last := lines(stderr)[len(lines(stderr))-1]; !strings.HasPrefix(last, "sitewalk: "+signal.String()) || !strings.Contains(last, "intact") {
			t.Errorf("%v: the last line is %q", signal, last)
		}
		if after := snapshot(t, docroot); !maps.Equal(before, after) {
			t.Errorf("%v: the old set has changed:\n%v\n%v", signal, before, after)
		}
	}
}

func TestASecondSignalEndsABuildThatIsStuck(t *testing.T) {
	docroot, config := stuckDocroot(t)
	before := snapshot(t, docroot)
	stuck := startStuck(t, docroot, config)
	stuck.signal(t, os.Interrupt)
	// The first signal has its effect in another thread: the second may come
	// before that, and then counts as the first.
	until(t, "the end", func() bool {
		_ = stuck.cmd.Process.Signal(os.Interrupt)
		status := readFile(t, fmt.Sprintf("/proc/%d/status", stuck.cmd.Process.Pid))
		return strings.Contains(status, "State:\tZ")
	})
	wait(t, stuck.cmd)
	for _, name := range temps(t, docroot) {
		_ = os.Remove(name)
	}
	if after := snapshot(t, docroot); !maps.Equal(before, after) {
		t.Error("the old set has changed")
	}
}

func TestTheRunAfterAKilledOneCompletesTheSet(t *testing.T) {
	docroot, config := stuckDocroot(t)
	stuck := startStuck(t, docroot, config)
	if err := stuck.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = stuck.cmd.Process.Wait()
	p := protocol09
	p.scope = exampleBase
	if set := checkSet(t, docroot, p); len(set.pages) != 200 {
		t.Errorf("after the kill %d pages are listed, not the old 200", len(set.pages))
	}
	if len(temps(t, docroot)) == 0 {
		t.Fatal("the killed run left nothing: it was not in the middle")
	}
	build(t, "-c", config, "--docroot", docroot)
	if left := temps(t, docroot); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
	if set := checkSet(t, docroot, p); len(set.pages) != 400 {
		t.Errorf("%d pages are listed, not 400", len(set.pages))
	}
}

func TestASecondRunWaitsForTheFirstOrSaysLocked(t *testing.T) {
	docroot, config := stuckDocroot(t)
	stuck := startStuck(t, docroot, config)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(docroot, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{docroot, link} {
		done := builds(t, exitFailed, "-c", config, "--docroot", path, "--lock-wait", "0s")
		if !strings.Contains(done.stderr, "locked") {
			t.Errorf("the second run says %q", done.stderr)
		}
	}
	// Who only looks need not wait.
	build(t, "-c", config, "--docroot", docroot, "--lock-wait", "0s", "--dry-run")

	second := newCommand("build", "--no-read", "-c", config, "--docroot", docroot, "--lock-wait", "20s")
	var said strings.Builder
	second.Stdout, second.Stderr = &said, &said
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	if _, code := stuck.end(t); code != exitDone {
		t.Errorf("the first run ends with %d", code)
	}
	if code := wait(t, second); code != exitDone {
		t.Errorf("the run that waited ends with %d: %s", code, said.String())
	}
}

// TestRunningOutOfDescriptorsFails and must not look as if files were unreadable
// and their pages gone.
func TestRunningOutOfDescriptorsFails(t *testing.T) {
	docroot := publicDir(t)
	names := []string{strings.Repeat("deep/", 50) + "index.html"}
	for i := range 50 {
		names = append(names, fmt.Sprintf("wide/%d/index.html", i))
	}
	writePages(t, docroot, names...)
	failed := false
	for _, limit := range []int{12, 14, 16, 20, 30, 100} {
		cmd := exec.Command(program(t, "sh"), "-c", `ulimit -n "$0" && exec sitewalk build --no-read -j 8 --docroot "$1" --base-url `+exampleBase, fmt.Sprint(limit), docroot)
		cmd.Env = cleanEnv()
		switch done := finish(t, cmd); done.code {
		case exitFailed:
			failed = true
			if !strings.Contains(done.stderr, "too many open files") || len(lines(done.stderr)) != 1 {
				t.Errorf("%d descriptors: says %q", limit, done.stderr)
			}
		case exitDone:
			p := protocol09
			p.scope = exampleBase
			if set := checkSet(t, docroot, p); len(set.pages) != len(names) {
				t.Errorf("%d descriptors: %d pages of %d", limit, len(set.pages), len(names))
			}
		default:
			t.Errorf("%d descriptors: exit code %d\n%.2000s", limit, done.code, done.stderr)
		}
		if left := temps(t, docroot); len(left) > 0 {
			t.Errorf("%d descriptors: %q are left", limit, left)
		}
	}
	if !failed {
		t.Error("there were always enough descriptors: the test shows nothing")
	}
}

// snapshot returns for each file of a set, and each temporary file, what would
// tell that it was touched.
func snapshot(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range glob(t, folder, "sitemap*", ".sitewalk*") {
		info, err := os.Lstat(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		system := info.Sys().(*syscall.Stat_t)
		files[name] = fmt.Sprintf("inode %d, %v, %d bytes", system.Ino, info.ModTime().UnixNano(), info.Size())
	}
	return files
}
