//go:build amd64 || arm64

package faults

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// harmless are calls about files that fail in no way that matters, or not at all.
var harmless = []string{"fcntl", "epoll_ctl", "lseek", "dup", "dup3", "ioctl", "mmap", "execve", "chdir", "fadvise64"}

// tracedCall is a line of strace's about a call.
var tracedCall = regexp.MustCompile(`(?m)^\d+ +(\w+)\((.*)$`)

// TestNoCallIsOverlooked has strace list all calls that concern what is published:
// they are those that the other tests have fail.
func TestNoCallIsOverlooked(t *testing.T) {
	t.Parallel()
	strace := program(t, "strace")
	known := slices.Clone(harmless)
	for _, name := range callNames {
		known = append(known, name)
	}
	for _, s := range scenarios {
		w := newWorld(t, t.TempDir(), &s)
		w.place(t)
		log := filepath.Join(t.TempDir(), "log")
		line := []string{strace, "-f", "-y", "-s", "4096", "-e", "trace=file,desc", "-o", log}
		if done := finish(t, under(line, command(t, append([]string{"build"}, w.args...)...))); done.code != 0 {
			if strings.Contains(strings.ToLower(done.stderr), "ptrace") {
				lack(t, "strace may not trace here: %s", done.stderr)
			}
			t.Fatalf("exit code %d: %s", done.code, done.stderr)
		}
		text, err := os.ReadFile(log)
		must(t, err)
		seen := map[string]bool{}
		for _, line := range tracedCall.FindAllSubmatch(text, -1) {
			name, rest := string(line[1]), line[2]
			if bytes.Contains(rest, []byte(w.out)) || bytes.Contains(rest, []byte(filepath.Dir(w.state))) || bytes.Contains(rest, []byte(w.docroot)) {
				seen[name] = true
				if !slices.Contains(known, name) {
					t.Errorf("%s: %s(%s", s.name, name, rest)
				}
			}
		}
		if !seen["renameat"] || !seen["fsync"] {
			t.Errorf("%s: only %q are seen", s.name, sortedKeys(seen))
		}
	}
}
