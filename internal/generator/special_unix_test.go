//go:build unix

package generator

import (
	"path/filepath"
	"syscall"
	"testing"
)

func TestPipeDoesNotBlock(t *testing.T) {
	at := t.TempDir()
	for _, name := range []string{"hugo.toml", "package.json", "CNAME", "index.html"} {
		if err := syscall.Mkfifo(filepath.Join(at, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	soon(t, func() {
		if found, err := Recognise(open(t, at), Options{}); err == nil {
			t.Errorf("found %+v", found)
		}
		s := &survey{folder{open(t, at)}, &Project{}, Options{}, nil}
		if s.settings("hugo.toml") != nil || packageFile(s.folder) != nil {
			t.Error("a pipe was read")
		}
	})
}
