package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInitByRootWritesAsTheFoldersOwner(t *testing.T) {
	needRoot(t)
	theirs, ours := publicDir(t), publicDir(t)
	for _, folder := range []string{theirs, ours} {
		writeFile(t, filepath.Join(folder, "_config.yml"), "url: https://bakery.dev\n")
	}
	give(t, other, theirs)

	done := execute(t, "init", theirs)
	if done.code != exitDone || ownerOf(t, filepath.Join(theirs, configFile)) != other {
		t.Errorf("in another's folder: %+v", done)
	}
	// A folder of root's has a configuration of the folder's owner in which that is.
	there := filepath.Join(theirs, "ours.yaml")
	if done := execute(t, "init", ours, "-c", there); done.code != exitDone || ownerOf(t, there) != other {
		t.Errorf("from root's folder into another's: %+v", done)
	}
	// Another's folder has none in a folder of root's.
	here := filepath.Join(ours, "theirs.yaml")
	if done := execute(t, "init", theirs, "-c", here); done.code != exitFailed || !strings.Contains(done.stderr, "permission denied") {
		t.Errorf("from another's folder into root's: %+v", done)
	}
	if _, err := os.Lstat(here); err == nil {
		t.Error("root wrote what another's folder says")
	}
	// Another's link does not lead root to what is root's.
	link := filepath.Join(theirs, "link")
	if err := os.Symlink(ours, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Lchown(link, other, other); err != nil {
		t.Fatal(err)
	}
	if done := execute(t, "init", link); done.code != exitFailed || !strings.Contains(done.stderr, "refusing link") {
		t.Errorf("by another's link: %+v", done)
	}
	if _, err := os.Lstat(filepath.Join(ours, configFile)); err == nil {
		t.Error("root wrote where another's link leads")
	}
}

// A file that must not be read in another's name is not: neither by a link, nor by a
// folder that root may read and the owner may not.
func TestInitByRootReadsNothingOfRoots(t *testing.T) {
	needRoot(t)
	theirs := publicDir(t)
	secret := filepath.Join(publicDir(t), "secret.yml")
	writeFile(t, secret, "url: https://secret.dev\n")
	if err := os.Chmod(secret, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(theirs, "_config.yml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(secret, filepath.Join(theirs, "mkdocs.yml")); err != nil {
		t.Fatal(err)
	}
	give(t, other, theirs)
	if err := os.Chown(filepath.Join(theirs, "mkdocs.yml"), 0, 0); err != nil {
		t.Fatal(err)
	}
	done := execute(t, "init", "--print", "--json", theirs)
	if strings.Contains(done.stdout+done.stderr, "secret.dev") {
		t.Errorf("it tells: %s%s", done.stdout, done.stderr)
	}
}
