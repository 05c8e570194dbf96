package faults

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// canarySecret is what the files of a canary hold. Text that is quoted has it.
const canarySecret = "carbuncle"

// canary is a folder, with a file and a folder in it, that tells of everybody who opens,
// lists or changes any of it. To look at its names from above is no such thing.
type canary struct {
	path    string
	watch   int
	places  map[int]string // watch descriptors of inotify
	mayOpen bool           // the folder, without listing it
}

func newCanary(t *testing.T, mode os.FileMode) *canary {
	t.Helper()
	c := &canary{path: filepath.Join(hostileFolder(t), "outside"), places: map[int]string{}}
	writeHostile(t, c.file(), "<meta name=robots content=noindex>\nhttps://"+canarySecret+".example/\nDisallow: /"+canarySecret+"\n"+canarySecret+": 1\n")
	writeHostile(t, filepath.Join(c.path, "below", "index.html"), canarySecret)
	mustHostile(t, os.Chmod(c.path, mode))
	if mode&0o007 == 0 {
		mustHostile(t, os.Chmod(c.file(), 0o600))
	}
	watch, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	mustHostile(t, err)
	t.Cleanup(func() { unix.Close(watch) })
	c.watch = watch
	for _, path := range []string{c.path, c.file(), filepath.Join(c.path, "below"), filepath.Join(c.path, "below", "index.html")} {
		place, err := unix.InotifyAddWatch(watch, path, unix.IN_OPEN|unix.IN_ACCESS|unix.IN_MODIFY|unix.IN_CREATE|unix.IN_DELETE|unix.IN_MOVE)
		mustHostile(t, err)
		c.places[place] = path
	}
	c.sing(t)
	return c
}

func (c *canary) file() string { return filepath.Join(c.path, "page.html") }

// sing makes sure that the canary tells of what it is to tell of.
func (c *canary) sing(t *testing.T) {
	t.Helper()
	_, err := os.ReadFile(c.file())
	mustHostile(t, err)
	_, err = os.ReadDir(c.path)
	mustHostile(t, err)
	told := strings.Join(c.events(t), "\n")
	if !strings.Contains(told, "opened "+c.file()) || !strings.Contains(told, "read "+c.path) {
		t.Fatalf("inotify does not tell of what is read: %s", told)
	}
}

// events returns what has happened since the last call.
func (c *canary) events(t *testing.T) (told []string) {
	t.Helper()
	buffer := make([]byte, 64<<10)
	for {
		n, err := unix.Read(c.watch, buffer)
		if err == unix.EAGAIN {
			return told
		}
		mustHostile(t, err)
		for rest := buffer[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			place, mask := int(int32(binary.NativeEndian.Uint32(rest))), binary.NativeEndian.Uint32(rest[4:])
			length := int(binary.NativeEndian.Uint32(rest[12:]))
			name := string(bytes.TrimRight(rest[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+length], "\x00"))
			rest = rest[unix.SizeofInotifyEvent+length:]
			what := "changed"
			switch {
			case mask&unix.IN_OPEN != 0 && c.mayOpen && mask&unix.IN_ISDIR != 0:
				continue
			case mask&unix.IN_OPEN != 0:
				what = "opened"
			case mask&unix.IN_ACCESS != 0:
				what = "read"
			}
			told = append(told, what+" "+filepath.Join(c.places[place], name))
		}
	}
}

// judge fails the test if anybody touched the canary.
func (c *canary) judge(t *testing.T, what string) {
	t.Helper()
	if told := c.events(t); len(told) > 0 {
		t.Errorf("%s: %s", what, strings.Join(told, ", "))
	}
}

// hostileUser is a user without an account.
const hostileUser = 54399

// hostileEverything says that nothing is to be left out.
var hostileEverything = os.Getenv("SITEWALK_FAULTS") == "all"

// lackForHostile skips a test for want of something, unless SITEWALK_E2E=1 forbids that.
func lackForHostile(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("SITEWALK_E2E") == "1" {
		t.Fatalf(format+" (SITEWALK_E2E=1 makes it a must)", args...)
	}
	t.Skipf(format, args...)
}

func mustHostile(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// hostileFolder returns a temporary folder of root's that every user may pass through.
func hostileFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sitewalk-hostile-")
	mustHostile(t, err)
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	mustHostile(t, os.Chmod(dir, 0o755))
	return dir
}

// writeHostile writes a file of the test's own, never through a link: a name that is
// there is removed first.
func writeHostile(t *testing.T, path, content string) {
	t.Helper()
	mustHostile(t, os.MkdirAll(filepath.Dir(path), 0o755))
	folder, err := os.OpenRoot(filepath.Dir(path))
	mustHostile(t, err)
	defer folder.Close()
	if err := folder.Remove(filepath.Base(path)); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	mustHostile(t, folder.WriteFile(filepath.Base(path), []byte(content), 0o644))
}

// hostileCommand builds the command, without the race detector: what is measured is its
// own memory.
func hostileCommand(t *testing.T) string {
	t.Helper()
	path := filepath.Join(hostileFolder(t), "sitewalk")
	if said, err := exec.Command("go", "build", "-o", path, "sitewalk/cmd/sitewalk").CombinedOutput(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			lackForHostile(t, "the go command, which builds the one that is tested, is not in PATH")
		}
		t.Fatalf("%v: %s", err, said)
	}
	return path
}

// hostileOutcome is how a run of the command ended, and what it took.
type hostileOutcome struct {
	stdout, stderr string
	code           int           // -1 if a signal ended it
	memory         int64         // resident at most, of it or of a program that it started, in bytes
	processor      time.Duration // with the programs that it started
}

// hostilePatience is how long a run may take on a machine that has other things to do.
const hostilePatience = 90 * time.Second

// runHostile runs a command to its end, which must come by itself.
func runHostile(t *testing.T, cmd *exec.Cmd) hostileOutcome {
	t.Helper()
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/no-home", "TMPDIR=" + os.TempDir()}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// Until it is another program a new process counts this one's memory as its own, at
	// its peak: proc(5), clear_refs.
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	mustHostile(t, cmd.Start())
	kill := time.AfterFunc(hostilePatience, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	err := cmd.Wait()
	if !kill.Stop() {
		t.Errorf("%.300q did not end within %v", cmd.Args, hostilePatience)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Error(err)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return hostileOutcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode(), int64(usage.Maxrss) << 10,
		cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
}

func (o hostileOutcome) String() string {
	return fmt.Sprintf("exit code %d, %d MiB, %v\n%.2000s%.2000s", o.code, o.memory>>20, o.processor, o.stdout, o.stderr)
}
