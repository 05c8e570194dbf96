package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sitewalk/internal/privilege"
)

// other and third are users who own nothing but what tests give them.
const other, third = 54321, 54322

// settledDropper returns what reads the configuration again in a process that
// root started and that has remained root.
func settledDropper(stay bool) *dropper {
	return (&dropper{root: true, stay: stay, say: func(string, ...any) {}}).again()
}

func TestAReloadDoesNotBecomeAnotherUser(t *testing.T) {
	needRoot(t)
	ours, theirs := publicDir(t), publicDir(t)
	give(t, other, theirs)
	for _, test := range []struct {
		name    string
		owner   int // of the configuration file
		content string
		flag    string // --docroot
		stay    bool
		refused string // empty if it is not
	}{
		{name: "all is root's", content: "docroot: " + ours},
		{name: "the file names another's docroot", content: "docroot: " + theirs, refused: "by now"},
		{name: "the flag's docroot is another's by now", flag: theirs, refused: "by now"},
		{name: "the file is another's by now", owner: other, content: "docroot: " + theirs, refused: "by now"},
		{name: "the file is another's, beside the flag", owner: other, flag: ours, refused: "only docroots of its own owner"},
		{name: "told to stay root", content: "docroot: " + theirs, stay: true},
		{name: "told to stay root, by another's file", owner: other, content: "docroot: " + ours, stay: true, refused: "only docroots of its own owner"},
	} {
		config := publicConfig(t, test.owner, test.content+"\n")
		_, err := settledDropper(test.stay).load(config, test.flag)
		if (err != nil) != (test.refused != "") || err != nil && !strings.Contains(err.Error(), test.refused) {
			t.Errorf("%s: %v", test.name, err)
		}
		if os.Geteuid() != 0 {
			t.Fatalf("%s: the process has become another user", test.name)
		}
	}
}

func TestAProcessThatDroppedIsNotGivenRootsDocroot(t *testing.T) {
	needRoot(t)
	drop := settledDropper(false)
	drop.dropped = true
	if _, err := drop.load("", publicDir(t)); err == nil {
		t.Error("a docroot of root's is taken")
	}
}

func TestADocrootMayBeReplacedByOneOfItsOwner(t *testing.T) {
	needRoot(t)
	dir := publicDir(t)
	link := filepath.Join(dir, "current")
	lead := func(release string, owner int) {
		t.Helper()
		path := filepath.Join(dir, release)
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		give(t, owner, path)
		_ = os.Remove(link)
		if err := os.Symlink(release, link); err != nil {
			t.Fatal(err)
		}
	}
	check := func(drop *dropper) error {
		info, err := os.Stat(link)
		if err != nil {
			t.Fatal(err)
		}
		return drop.check(info)
	}
	lead("one", 0)
	drop := &dropper{root: true}
	if err := drop.settle(link, privilege.FileTrust{}); err != nil {
		t.Fatal(err)
	}
	if err := check(drop); err != nil {
		t.Error(err)
	}
	lead("two", 0)
	if err := check(drop); err != nil {
		t.Errorf("another of the same owner: %v", err)
	}
	lead("three", third)
	if err := check(drop); err == nil {
		t.Error("one of another owner is taken")
	}
	lead("four", 0)
	elsewhere, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if drop.check(elsewhere) == nil {
		t.Error("what was opened is not what is there, and is taken")
	}
}
