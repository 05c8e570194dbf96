package output

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func init() { children["lock"] = childLock }

// childLock takes the lock, says so, and waits to be killed.
func childLock() {
	folder, err := os.OpenRoot(os.Getenv("OUTPUT_TEST_DIR"))
	if err == nil {
		_, err = Lock(context.Background(), folder, 0)
	}
	fmt.Println(err)
	_, _ = os.Stdin.Read(make([]byte, 1))
	os.Exit(0)
}

func openRoot(t testing.TB, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	must(t, err)
	t.Cleanup(func() { root.Close() })
	return root
}

func TestSecondLockFailsByWhateverPath(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(dir, link))
	unlock, err := Lock(t.Context(), openRoot(t, dir), 0)
	must(t, err)
	for _, path := range []string{dir, link} {
		if _, err := Lock(t.Context(), openRoot(t, path), 0); !errors.Is(err, ErrLocked) {
			t.Errorf("%s: got %v", path, err)
		}
	}
	folder, err := OpenFolder(link, false)
	must(t, err)
	defer folder.Close()
	if _, err := folder.Lock(t.Context(), 30*time.Millisecond); !errors.Is(err, ErrLocked) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := folder.Lock(ctx, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	go unlock()
	again, err := folder.Lock(t.Context(), time.Minute)
	must(t, err)
	again()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestLockIsOfTheFolderAlone(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "inner")
	must(t, os.Mkdir(inner, 0o755))
	for _, path := range []string{dir, inner, t.TempDir()} {
		unlock, err := Lock(t.Context(), openRoot(t, path), 0)
		must(t, err)
		defer unlock()
	}
}

// The lock of a process that is killed, whoever it ran as, goes with it.
func TestLockDiesWithItsProcess(t *testing.T) {
	for _, user := range []uint32{uint32(os.Getuid()), 65534} {
		if user != uint32(os.Getuid()) && os.Getuid() != 0 {
			continue
		}
		dir, err := os.MkdirTemp("", "sitewalk-lock-") // which another user can reach
		must(t, err)
		t.Cleanup(func() { os.RemoveAll(dir) })
		must(t, os.Chmod(dir, 0o755))
		command := exec.Command("/proc/self/exe")
		command.Env = append(os.Environ(), "OUTPUT_TEST_CHILD=lock", "OUTPUT_TEST_DIR="+dir)
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
		if os.Getuid() != 0 {
			command.SysProcAttr = nil
		}
		stdin, err := command.StdinPipe()
		must(t, err)
		stdout, err := command.StdoutPipe()
		must(t, err)
		if err := command.Start(); err != nil {
			t.Skip("no child: ", err)
		}
		line, err := bufio.NewReader(stdout).ReadString('\n')
		if err != nil || line != "<nil>\n" {
			t.Errorf("the child says %q, %v", line, err)
		}
		if _, err := Lock(t.Context(), openRoot(t, dir), 0); !errors.Is(err, ErrLocked) {
			t.Errorf("user %d: got %v", user, err)
		}
		must(t, command.Process.Kill())
		_, _ = io.Copy(io.Discard, stdout)
		_ = command.Wait()
		stdin.Close()
		unlock, err := Lock(t.Context(), openRoot(t, dir), 0)
		must(t, err)
		unlock()
	}
}
