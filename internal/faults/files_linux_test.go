package faults

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// openFolder returns a temporary folder that every user may pass through. Its path is
// short, as that of a socket has to be.
func openFolder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sitewalk-faults-")
	must(t, err)
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	must(t, os.Chmod(dir, 0o755))
	return dir
}

// writeFile makes a file, and the folders that it is in. A name that is there is removed
// first: it may be a link to what is not the test's.
func writeFile(t testing.TB, path, content string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	folder, err := os.OpenRoot(filepath.Dir(path))
	must(t, err)
	defer folder.Close()
	if err := folder.Remove(filepath.Base(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	must(t, folder.WriteFile(filepath.Base(path), []byte(content), 0o644))
}
