package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// openTerminal returns the two ends of a new terminal: the one that a person
// would look at, and the one that a program writes to.
func openTerminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminal is to be had: %v", err)
	}
	t.Cleanup(func() { person.Close() })
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Skipf("no terminal is to be had: %v", err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminal is to be had: %v", err)
	}
	return person, program
}

// onTerminal runs a build with its standard error on a terminal that shows
// nothing for a while, by which time a verbose build is stuck, and returns what
// the terminal showed then.
func onTerminal(t *testing.T, pause time.Duration, env []string, args ...string) string {
	t.Helper()
	person, program := openTerminal(t)
	cmd := newCommand(append([]string{"build", "--no-read"}, args...)...)
	cmd.Env = append(append(cmd.Env, "TERM=xterm"), env...)
	cmd.Stderr = program
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	program.Close()
	time.Sleep(pause)
	shown := make(chan string)
	go func() {
		var text bytes.Buffer
		_, _ = text.ReadFrom(person) // ends with an error when the program has
		shown <- text.String()
	}()
	if code := wait(t, cmd); code != exitDone {
		t.Errorf("exit code is %d", code)
	}
	return <-shown
}

var (
	progressLine = regexp.MustCompile(`[0-9,]+ files?, [0-9,]+ pages?`)
	colour       = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

func TestATerminalShowsProgressAfterASecond(t *testing.T) {
	docroot, config := stuckDocroot(t)
	for _, test := range []struct {
		pause time.Duration
		env   []string
		args  []string
		want  bool
	}{
		{0, nil, []string{"-v"}, false},
		{1100 * time.Millisecond, nil, []string{"-v"}, true},
		{1100 * time.Millisecond, []string{"NO_COLOR=1"}, []string{"-v"}, true},
		{1100 * time.Millisecond, []string{"TERM=dumb"}, []string{"-v"}, false},
		{1100 * time.Millisecond, nil, []string{"-v", "--progress", "never"}, false},
		{0, nil, []string{"-q"}, false},
	} {
		out := t.TempDir()
		shown := onTerminal(t, test.pause, test.env, append(test.args, "-c", config, "--docroot", docroot, "--out", out)...)
		if progressLine.MatchString(shown) != test.want {
			t.Errorf("%v after %v: progress is not as wanted: %v\n%.500q", test.args, test.pause, test.want, shown)
		}
		if len(test.env) > 0 && colour.MatchString(shown) {
			t.Errorf("%v: colours are shown", test.env)
		}
		// What stays to be read begins on lines of its own.
		for line := range strings.SplitSeq(shown, "\r\n") {
			line = line[strings.LastIndexAny(line, "\r\x1b")+1:]
			if strings.Contains(line, "left out: ") && !strings.HasPrefix(strings.TrimPrefix(line, "[2K"), "left out: ") {
				t.Errorf("%v: a line begins with progress: %q", test.args, line)
			}
		}
	}
}
