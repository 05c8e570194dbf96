//go:build unix

package gitlog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestGitIsNotWaitedForWithoutAnEnd has files of the repository be FIFOs, which nobody
// writes to.
func TestGitIsNotWaitedForWithoutAnEnd(t *testing.T) {
	for _, name := range []string{"HEAD", "config", "shallow", "packed-refs", "info/grafts", "objects/info/alternates", "included"} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			r.commit(1, "index.html", "")
			if name == "included" {
				r.git(0, "config", "include.path", name)
			}
			path := filepath.Join(r.top, ".git", filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(path, path+".kept"); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(path, 0o666); err != nil {
				t.Fatal(err)
			}
			g, err := newGit(r.top)
			if err != nil {
				t.Fatal(err)
			}
			g.answers = 300 * time.Millisecond
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			defer cancel()
			// Some of these files no short question needs: what reads all is bounded too.
			if _, err := g.read(ctx); !errors.Is(err, errSlow) && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// TestWhatGitStartsEndsWithIt has a program of git's, such as a filter of the user's, hold
// the output open.
func TestWhatGitStartsEndsWithIt(t *testing.T) {
	r := newRepository(t)
	r.commit(1, "index.html", "")
	trace := filepath.Join(t.TempDir(), "process")
	script := filepath.Join(t.TempDir(), "git")
	if err := os.WriteFile(script, fmt.Appendf(nil, "#!/bin/sh\nsleep 60 &\necho $! $(ps -o tty= -p $$) > %s\nwait\n", trace), 0o755); err != nil {
		t.Fatal(err)
	}
	var fields []string
	for patience := 500 * time.Millisecond; len(fields) == 0; patience *= 2 {
		if patience > time.Minute {
			t.Fatal("the program never came to say what it has started")
		}
		g := &git{program: script, docroot: r.top, answers: patience}
		begun := time.Now()
		if _, err := g.answer(context.Background(), "x"); !errors.Is(err, errSlow) {
			t.Fatalf("the error is %v", err)
		}
		if took := time.Since(begun); took > patience+20*time.Second {
			t.Errorf("it took %v", took)
		}
		content, err := os.ReadFile(trace) // which a loaded machine may not have come to
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		fields = strings.Fields(string(content))
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		said, err := exec.Command("ps", "-o", "stat=", "-p", fields[0]).Output()
		if err != nil || strings.HasPrefix(strings.TrimSpace(string(said)), "Z") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("what git had started goes on: %s", said)
		}
	}
	if len(fields) > 1 && !strings.HasPrefix(fields[1], "?") && fields[1] != "-" {
		t.Errorf("it has the terminal %s", fields[1])
	}
}
