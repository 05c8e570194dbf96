package state

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOnlyFilesAreSetAside(t *testing.T) {
	dir := t.TempDir()
	folder, link, dangling := filepath.Join(dir, "folder"), filepath.Join(dir, "link"), filepath.Join(dir, "dangling")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(folder, link); err != nil {
		t.Skip("links are not for everybody here: ", err)
	}
	if err := os.Symlink("nowhere", dangling); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder, link} {
		if err := SetAside(path); err == nil {
			t.Errorf("%s was set aside", path)
		}
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
	for _, path := range []string{dangling, filepath.Join(dir, "missing")} {
		if err := SetAside(path); err != nil {
			t.Error(err)
		}
	}
}
