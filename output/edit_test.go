package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func edit(t *testing.T, dir string, dry bool, add string) (bool, error) {
	t.Helper()
	folder, err := OpenFolder(dir, dry)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	return folder.Edit("robots.txt", 100, dry, func(content []byte) []byte {
		if strings.Contains(string(content), add) {
			return content
		}
		return append(content, add...)
	})
}

func TestEditReplacesAFileOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "robots.txt")
	content := func() string {
		text, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, step := range []struct {
		add     string
		dry     bool
		written bool
		want    string
	}{
		{"a", true, true, ""}, {"a", false, true, "a"}, {"a", false, false, "a"}, {"b", true, true, "a"}, {"b", false, true, "ab"},
	} {
		written, err := edit(t, dir, step.dry, step.add)
		if err != nil || written != step.written || content() != step.want {
			t.Fatalf("%+v: written %v, %v, content %q", step, written, err, content())
		}
	}
	names := func() (names []string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	if got := names(); !slices.Equal(got, []string{"robots.txt"}) {
		t.Errorf("left in the folder: %q", got)
	}
}

func TestEditKeepsTheMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are another system's")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "robots.txt")
	if err := errors.Join(os.WriteFile(path, []byte("x"), 0o600), os.Chmod(path, 0o640)); err != nil {
		t.Fatal(err)
	}
	if _, err := edit(t, dir, false, "y"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestEditTouchesNothingThatMayBeSomebodyElses(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links are not for everybody")
	}
	for name, make := range map[string]func(path, other string) error{
		"a link":      func(path, other string) error { return os.Symlink(other, path) },
		"a hard link": func(path, other string) error { return os.Link(other, path) },
		"too long":    func(path, _ string) error { return os.WriteFile(path, []byte(strings.Repeat("x", 101)), 0o644) },
	} {
		dir := t.TempDir()
		other, path := filepath.Join(dir, "other"), filepath.Join(dir, "robots.txt")
		if err := errors.Join(os.WriteFile(other, []byte("other"), 0o644), make(path, other)); err != nil {
			t.Fatal(err)
		}
		before, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		written, err := edit(t, dir, false, "new")
		if written || !errors.Is(err, ErrForeign) {
			t.Errorf("%s: written %v, %v", name, written, err)
		}
		if after, err := os.Lstat(path); err != nil || !os.SameFile(before, after) {
			t.Errorf("%s: was replaced, %v", name, err)
		}
		if content, err := os.ReadFile(other); err != nil || string(content) != "other" {
			t.Errorf("%s: the other file holds %q, %v", name, content, err)
		}
	}
}

func TestEditDoesNotOverwriteWhatWasChangedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "robots.txt")
	for name, before := range map[string]string{"there": "x", "not there": ""} {
		os.Remove(path)
		if before != "" {
			if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		folder, err := OpenFolder(dir, false)
		if err != nil {
			t.Fatal(err)
		}
		_, err = folder.Edit("robots.txt", 100, false, func(content []byte) []byte {
			must(t, os.WriteFile(path+".new", []byte("theirs"), 0o644))
			must(t, os.Rename(path+".new", path))
			return append(content, "ours"...)
		})
		folder.Close()
		if content, _ := os.ReadFile(path); err == nil || string(content) != "theirs" {
			t.Errorf("%s: %v, content %q", name, err, content)
		}
	}
}
