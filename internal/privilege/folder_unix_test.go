//go:build unix

package privilege

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestFolderForIsTheOwnersAlone(t *testing.T) {
	needRoot(t)
	dir := makeTree(t, "")
	for range 2 { // the second time it is there
		for _, owner := range []Owner{{UID: alice, GID: alice}, {UID: bob}, {}} {
			path, err := FolderFor(dir, owner)
			if err != nil || path != dir+"/"+strconv.Itoa(int(owner.UID)) {
				t.Fatalf("%q, %v", path, err)
			}
			info, err := os.Lstat(path)
			if err != nil || info.Mode() != fs.ModeDir|0o700 || info.Sys().(*syscall.Stat_t).Uid != owner.UID {
				t.Errorf("%s: %v, %v", path, info, err)
			}
		}
	}
}

func TestFolderForTrustsNobodyButRoot(t *testing.T) {
	needRoot(t)
	id := strconv.Itoa(alice)
	top := makeTree(t, "d root good\nd alice hers\nd root hers/below\nd root open\nf root file\n"+
		"l alice link @/good\nd root taken\nd bob taken/"+id+"\nd root linked\nl root linked/"+id+" @/good\n"+
		"d root left\nd root left/"+id+"\n")
	if err := os.Chmod(filepath.Join(top, "open"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, refused string }{
		{"good", ""}, {"left", ""}, // by a process that was killed before it gave it away
		{"hers", "another user than root"}, {"hers/below", "another user than root"}, {"link", "another user than root"},
		{"open", "written by others"}, {"file", "no folder"}, {"missing", "no such file"},
		{"taken", "move it out of the way"}, {"linked", "move it out of the way"},
	} {
		path, err := FolderFor(filepath.Join(top, c.dir), Owner{UID: alice, GID: alice})
		if (err != nil) != (c.refused != "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s: %q, %v", c.dir, path, err)
		}
	}
	for name, owner := range map[string]uint32{"good": 0, "taken/" + id: bob, "left/" + id: alice} {
		if info, err := os.Lstat(filepath.Join(top, name)); err != nil || info.Sys().(*syscall.Stat_t).Uid != owner {
			t.Errorf("%s: %v, %v, want it to be user %d's", name, info, err, owner)
		}
	}
}
