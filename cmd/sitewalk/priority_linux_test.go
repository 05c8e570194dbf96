package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// ioPriority returns the I/O class and level of a thread (ioprio_set(2)).
func ioPriority(t *testing.T, thread int) (class, level int) {
	t.Helper()
	value, _, errno := unix.Syscall(unix.SYS_IOPRIO_GET, 1, uintptr(thread), 0)
	if errno != 0 {
		t.Fatalf("ioprio_get: %v", errno)
	}
	return int(value) >> 13, int(value) & 7
}

// niceValue returns the nice value of a thread: field 19 of its stat, counted
// from behind its name, which may hold anything (proc(5)).
func niceValue(t *testing.T, stat string) int {
	t.Helper()
	text := readFile(t, stat)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	nice, err := strconv.Atoi(fields[19-3])
	if err != nil {
		t.Fatal(err)
	}
	return nice
}

// givesWay checks every thread of a build that is stuck, and has it end.
func (b *stuckBuild) givesWay(t *testing.T, nice, class, level int) {
	t.Helper()
	folder := fmt.Sprintf("/proc/%d/task", b.cmd.Process.Pid)
	threads := glob(t, folder, "*")
	if len(threads) < 3 {
		t.Fatalf("the build has but %d threads", len(threads))
	}
	for _, name := range threads {
		thread, err := strconv.Atoi(name)
		if err != nil {
			t.Fatal(err)
		}
		if has := niceValue(t, filepath.Join(folder, name, "stat")); has != nice {
			t.Errorf("thread %d has the nice value %d, not %d", thread, has, nice)
		}
		if hasClass, hasLevel := ioPriority(t, thread); hasClass != class || hasLevel != level {
			t.Errorf("thread %d has the I/O class %d, level %d, not %d, level %d", thread, hasClass, hasLevel, class, level)
		}
	}
	if _, code := b.end(t); code != exitDone {
		t.Errorf("exit code is %d", code)
	}
}

func TestEveryThreadOfABuildGivesWay(t *testing.T) {
	docroot, config := stuckDocroot(t)
	startStuck(t, docroot, config, "--nice", "7", "--ionice", "best-effort:6", "-j", "8").givesWay(t, 7, 2, 6)
}

func TestAPriorityOutlastsRootsBecomingTheDocrootsOwner(t *testing.T) {
	needRoot(t)
	// Only a higher priority than it came with shows; containers' roots may not give it.
	_, capabilities, _ := strings.Cut(readFile(t, "/proc/self/status"), "\nCapEff:\t")
	capabilities, _, _ = strings.Cut(capabilities, "\n")
	if bits, err := strconv.ParseUint(capabilities, 16, 64); err != nil || bits&(1<<unix.CAP_SYS_NICE) == 0 {
		t.Skip("needs a root who may raise priorities (CAP_SYS_NICE)")
	}
	docroot, _ := stuckDocroot(t)
	give(t, nobody, docroot)
	config := publicConfig(t, 0, stuckConfig)
	startStuck(t, docroot, config, "--nice", "-3", "--ionice", "idle", "-j", "8").givesWay(t, -3, 3, 0)
}

// Only the terminal of who looks makes the difference, be it of the one output or
// the other.
func TestATerminalShowsThatNothingHadToChange(t *testing.T) {
	docroot := publicDir(t)
	writePages(t, docroot, "index.html")
	args := []string{"build", "--no-read", "--docroot", docroot, "--base-url", exampleBase}
	execute(t, args...)
	if done := execute(t, args...); done.stdout+done.stderr != "" || done.code != exitDone {
		t.Errorf("without a terminal: %d, %q, %q", done.code, done.stdout, done.stderr)
	}
	for _, which := range []string{"standard output", "standard error"} {
		person, program := openTerminal(t)
		cmd := newCommand(args...)
		file, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
		if err != nil {
			t.Fatal(err)
		}
		if cmd.Stdout, cmd.Stderr = program, nil; which == "standard error" {
			cmd.Stdout, cmd.Stderr = file, program
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		program.Close()
		buffer := make([]byte, 1024)
		n, _ := person.Read(buffer) // of a terminal that nothing was written to, an error at its end
		wait(t, cmd)
		if said := string(buffer[:n]) + readFile(t, file.Name()); !strings.Contains(said, "nothing to change") {
			t.Errorf("with a terminal for %s: %q", which, said)
		}
		file.Close()
	}
}
