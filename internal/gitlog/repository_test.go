package gitlog

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// day returns noon of a day in January 2024, in seconds since 1970.
func day(n int) int64 { return 1704110400 + int64(n-1)*86400 }

// repository is a repository made for a test.
type repository struct {
	t   testing.TB
	top string
}

// newRepository makes an empty repository, with git kept from the
// configuration of whoever runs the test.
func newRepository(t testing.TB) *repository {
	t.Helper()
	needGit(t)
	r := &repository{t, filepath.Join(t.TempDir(), "site")}
	if err := os.Mkdir(r.top, 0o755); err != nil {
		t.Fatal(err)
	}
	r.git(0, "init", "-q", "--template=", "-b", "main")
	return r
}

func needGit(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("SITEWALK_E2E") == "1" {
			t.Fatal(err)
		}
		t.Skip("git is not installed")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for name := range withheldVariables {
		if value, set := os.LookupEnv(name); set {
			t.Setenv(name, value) // which puts it back when the test ends
			os.Unsetenv(name)
		}
	}
}

// git runs git in the repository. What it commits has the committer date of a
// day, and an author date that must not matter.
func (r *repository) git(n int, arguments ...string) string {
	r.t.Helper()
	output, err := r.tryGit(n, "", arguments...)
	if err != nil {
		r.t.Fatalf("git %q: %v\n%s", arguments, err, output)
	}
	return output
}

func (r *repository) tryGit(n int, input string, arguments ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always", "-c", "core.autocrlf=false", "-c", "core.fsync=none"}, arguments...)...)
	cmd.Dir = r.top
	cmd.Stdin = strings.NewReader(input)
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@site.test", "GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@site.test",
		"GIT_AUTHOR_DATE=1000000000 +0500", fmt.Sprintf("GIT_COMMITTER_DATE=%d -0800", day(n)))
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	return strings.TrimSpace(output.String()), err
}

// write writes a file, in folders that are made for it.
func (r *repository) write(path, content string) {
	r.t.Helper()
	name := filepath.Join(r.top, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// commit writes a file, if there is a path, and commits all that changed.
func (r *repository) commit(n int, path, content string) {
	r.t.Helper()
	if path != "" {
		r.write(path, content)
	}
	r.git(n, "add", "-A")
	r.git(n, "commit", "-q", "--allow-empty", "-m", "commit")
}

// read reads the dates of a folder in the repository.
func (r *repository) read(folder string) *Dates {
	r.t.Helper()
	dates, err := Read(context.Background(), filepath.Join(r.top, folder))
	if err != nil {
		r.t.Fatal(err)
	}
	return dates
}

// want checks which days files have; 0 stands for no date.
func want(t *testing.T, dates *Dates, days map[string]int) {
	t.Helper()
	known := 0
	for path, n := range days {
		dir, name := "", path
		if slash := strings.LastIndexByte(path, '/'); slash >= 0 {
			dir, name = path[:slash], path[slash+1:]
		}
		got, ok := dates.Find(dir, name)
		switch {
		case n == 0 && ok:
			t.Errorf("%q has the date %d, want none", path, got)
		case n != 0 && !ok:
			t.Errorf("%q has no date, want that of day %d", path, n)
		case n != 0 && got != day(n):
			t.Errorf("%q has the date %d, want that of day %d, %d", path, got, n, day(n))
		}
		if n != 0 {
			known++
		}
	}
	if dates.Len() != known {
		t.Errorf("%d files have a date, want %d", dates.Len(), known)
	}
}
