package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// hold locks a user's docroot, as anybody may who can read it, so that runs wait there.
func hold(t *testing.T, dir, user string) {
	t.Helper()
	folder, err := os.Open(filepath.Join(dir, user, "public_html"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	if err := unix.Flock(int(folder.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
}

// signalChild sends a signal to the process for another owner's sites, once that has
// become this owner, who may do so.
func signalChild(t *testing.T, cmd *exec.Cmd, signal syscall.Signal) {
	t.Helper()
	child := 0
	until(t, "the process has become the owner", func() bool {
		for _, one := range childrenOf(t, cmd) {
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", one))
			if err == nil && strings.Contains(string(status), fmt.Sprintf("\nUid:\t%d\t", nobody)) {
				child = one
			}
		}
		return child != 0
	})
	if err := syscall.Kill(child, signal); err != nil {
		t.Fatal(err)
	}
}

// TestAnOwnersSignalIsNoInterruptionOfTheRun is about an owner who has root's run end with
// the exit code of one that was interrupted.
func TestAnOwnersSignalIsNoInterruptionOfTheRun(t *testing.T) {
	needRoot(t)
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGKILL} {
		dir := homes(t, map[string]int{"ann": nobody, "bob": nowhere})
		hold(t, dir, "ann")
		var said strings.Builder
		cmd := newCommand(siteArgs("build", dir, "--lock-wait", "1m")...)
		cmd.Stdout = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		signalChild(t, cmd, signal)
		if code := wait(t, cmd); code != exitFailed {
			t.Errorf("%v: exit code %d", signal, code)
		}
		told := objects(t, said.String())
		if told["ann"].Event != "error" || told["bob"].Event != "published" {
			t.Errorf("%v: %s", signal, said.String())
		}
	}
}

// TestAProcessThatItsOwnerStopsHoldsNobodyUp is about SIGSTOP, which only others can undo.
func TestAProcessThatItsOwnerStopsHoldsNobodyUp(t *testing.T) {
	needRoot(t)
	t.Parallel()
	dir := homes(t, map[string]int{"ann": nobody, "bob": nowhere})
	hold(t, dir, "ann")
	var said strings.Builder
	cmd := newCommand(siteArgs("build", dir, "--lock-wait", "1m", "--site-timeout", "1s")...)
	cmd.Stdout = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	signalChild(t, cmd, syscall.SIGSTOP)
	if code := wait(t, cmd); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	told := objects(t, said.String())
	if !strings.Contains(told["ann"].Message, "--site-timeout") || told["bob"].Event != "published" {
		t.Errorf("%s", said.String())
	}
}

func TestASiteThatTakesTooLongIsGivenUp(t *testing.T) {
	t.Parallel()
	dir := homes(t, map[string]int{"ann": 0, "bob": 0})
	hold(t, dir, "ann")
	done := execute(t, siteArgs("build", dir, "--lock-wait", "1m", "--site-timeout", "300ms")...)
	told := objects(t, done.stdout)
	if done.code != exitFailed || !strings.Contains(told["ann"].Message, "--site-timeout") || told["bob"].Event != "published" {
		t.Errorf("exit code %d\n%s", done.code, done.stdout)
	}
	docroot := filepath.Join(dir, "ann/public_html")
	done = execute(t, "build", "--no-state", "--docroot", docroot, "--base-url", "https://ann.example/", "--lock-wait", "1m", "--site-timeout", "10ms")
	if done.code != exitFailed || !strings.Contains(done.stderr, "--site-timeout") {
		t.Errorf("one site: exit code %d\n%s", done.code, done.stderr)
	}
}

// TestASiteThatDoesNotBeginDoesNotKeepAWatchFromBeingReady is about owners who hold their
// process up until systemd ends the watch of all.
func TestASiteThatDoesNotBeginDoesNotKeepAWatchFromBeingReady(t *testing.T) {
	needRoot(t)
	t.Parallel()
	for _, ann := range []int{0, nobody} {
		dir := homes(t, map[string]int{"ann": ann, "bob": nowhere})
		hold(t, dir, "ann")
		address := &net.UnixAddr{Name: filepath.Join(publicDir(t), "notify"), Net: "unixgram"}
		systemd, err := net.ListenUnixgram("unixgram", address)
		if err != nil {
			t.Fatal(err)
		}
		defer systemd.Close()
		cmd := newCommand(siteArgs("watch", dir, "--lock-wait", "1m", "--site-timeout", "300ms")...)
		cmd.Env = append(cmd.Env, "NOTIFY_SOCKET="+address.Name)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if ann != 0 {
			signalChild(t, cmd, syscall.SIGSTOP)
		}
		ready := make(chan string, 1)
		go func() {
			message := make([]byte, 4096)
			n, _ := systemd.Read(message)
			ready <- string(message[:n])
		}()
		said := ""
		until(t, "it is ready", func() bool {
			select {
			case said = <-ready:
			default:
			}
			return said != ""
		})
		if !strings.HasPrefix(said, "READY=1") {
			t.Errorf("told systemd %q", said)
		}
		if ann != 0 {
			signalChild(t, cmd, syscall.SIGCONT)
		}
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		wait(t, cmd)
	}
}

// TestProgramsThatRunAsTheOwnerGetNothingOfRoots is about git, into which the owner as whom
// it runs can look: at its environment and its descriptors.
func TestProgramsThatRunAsTheOwnerGetNothingOfRoots(t *testing.T) {
	needRoot(t)
	dir := homes(t, map[string]int{"ann": nobody})
	programs, vault := publicDir(t), publicDir(t)
	writeFile(t, vault+"/secret", "carbuncle\n")
	evidence := filepath.Join(dir, "ann/evidence")
	writeFile(t, programs+"/git", "#!/bin/sh\n{ env; ls -l /proc/$$/fd; } >>"+evidence+"\nexit 1\n")
	if err := os.Chmod(programs+"/git", 0o755); err != nil {
		t.Fatal(err)
	}
	config := publicConfig(t, 0, "lastmod: [git]\n")
	for _, args := range [][]string{
		siteArgs("build", dir, "-c", config),
		{"build", "--no-state", "--docroot", dir + "/ann/public_html", "--base-url", "https://ann.example/", "-c", config},
	} {
		secret, err := os.Open(vault + "/secret") // which the process inherits
		if err != nil {
			t.Fatal(err)
		}
		cmd := newCommand(args...)
		cmd.Path, err = exec.LookPath("sitewalk")
		if err != nil {
			t.Fatal(err)
		}
		for i, entry := range cmd.Env {
			if strings.HasPrefix(entry, "PATH=") {
				cmd.Env[i] = "PATH=" + programs + ":" + strings.TrimPrefix(entry, "PATH=")
			}
		}
		cmd.Env = append(cmd.Env, "PANEL_TOKEN=carbuncle")
		cmd.ExtraFiles = []*os.File{nil, nil, nil, nil, secret}
		done := finish(t, cmd)
		secret.Close()
		got := readFile(t, evidence)
		remove(t, evidence)
		if done.code != exitDone || !strings.Contains(got, "GIT_TERMINAL_PROMPT=0") {
			t.Fatalf("exit code %d\n%s\n%s", done.code, done.stderr, got)
		}
		if strings.Contains(got, "carbuncle") || strings.Contains(got, "/secret") {
			t.Errorf("git has what is root's:\n%s", got)
		}
	}
}
