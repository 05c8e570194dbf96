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

// onTerminal runs a build with its standard error on a terminal, and returns what the
// terminal showed, and how long the build took at most. With a pause the terminal
// shows nothing for so long once the build has begun to write its set: a verbose
// build is stuck by then.
func onTerminal(t *testing.T, pause time.Duration, env []string, args ...string) (text string, took time.Duration) {
	t.Helper()
	person, program := openTerminal(t)
	out := publicDir(t)
	cmd := newCommand(append([]string{"build", "--no-read", "--out", out}, args...)...)
	begun := time.Now()
	cmd.Env = append(append(cmd.Env, "TERM=xterm"), env...)
	cmd.Stderr = program
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	program.Close()
	if pause > 0 {
		until(t, "a build with temporary files", func() bool { return len(temps(t, out)) > 0 })
		time.Sleep(pause)
	}
	shown := make(chan string)
	go func() {
		var text bytes.Buffer
		_, _ = text.ReadFrom(person) // ends with an error when the program has
		shown <- text.String()
	}()
	if code := wait(t, cmd); code != exitDone {
		t.Errorf("exit code is %d", code)
	}
	return <-shown, time.Since(begun)
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
		args := append(test.args, "-c", config, "--docroot", docroot)
		shown, took := onTerminal(t, test.pause, test.env, args...)
		if test.pause == 0 && test.args[0] == "-v" { // a loaded machine may take longer than a second
			for end := time.Now().Add(timeout); took > time.Second && time.Now().Before(end); {
				shown, took = onTerminal(t, 0, test.env, args...)
			}
			if took > time.Second {
				t.Logf("%v: no build took less than a second", test.args)
				continue
			}
		}
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
