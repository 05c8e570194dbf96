package privilege

import (
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestInspectFileDoesNotOpenPipes(t *testing.T) {
	path := t.TempDir() + "/pipe"
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := InspectFile(path) // would block
	if err != nil || got.Regular {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestWalkLeavesNoDescriptorOpen(t *testing.T) {
	tree := makeTree(t, "d me www\nl me ok www\nl me abs @/www\nl me loop loop\nl me bad @/nothing")
	count := func() int {
		names, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	before := count()
	for _, path := range []string{"www", "ok", "abs", "loop", "bad", "nothing"} {
		OwnerOf(tree + "/" + path)
	}
	if after := count(); after != before {
		t.Errorf("%d descriptors open, %d before", after, before)
	}
}

// The folder that was looked at stays the one that is walked on from, whatever
// its owner renames meanwhile.
func TestHandleSurvivesRenaming(t *testing.T) {
	tree := makeTree(t, "d me real\nd me real/in\nd me trap\nl me link real")
	at, err := open(unix.AT_FDCWD, tree)
	if err != nil {
		t.Fatal(err)
	}
	defer at.close()
	folder, err := at.look("real")
	if err != nil {
		t.Fatal(err)
	}
	defer folder.close()
	link, err := at.look("link")
	if err != nil {
		t.Fatal(err)
	}
	defer link.close()
	for _, err := range []error{
		os.Rename(tree+"/real", tree+"/away"), os.Symlink("trap", tree+"/real"),
		os.Remove(tree + "/link"), os.Symlink("trap", tree+"/link"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if in, err := folder.look("in"); err != nil {
		t.Error(err)
	} else {
		in.close()
	}
	if target, err := link.readlink(); err != nil || target != "real" {
		t.Errorf("the link points to %q, %v", target, err)
	}
}
