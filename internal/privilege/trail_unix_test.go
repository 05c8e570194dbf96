//go:build unix

package privilege

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Users that no system has.
const alice, bob = 61001, 61002

// walks are the ways of looking at a path that every test of the rules tries.
var walks = map[string]func() (place, error){
	"system": top,
	"lstat":  namedTop,
}

// makeTree makes what the lines of spec name, in a new folder, and answers
// that folder's path. A line is "KIND OWNER PATH [TARGET]": a folder (d), a
// file (f), a link (l) or a further name for a file (h), relative to the new
// folder, which @ stands for in targets.
func makeTree(t *testing.T, spec string) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(spec) {
		w := strings.Fields(line)
		if len(w) == 0 {
			continue
		}
		path := filepath.Join(top, w[2])
		target := ""
		if len(w) > 3 {
			target = strings.ReplaceAll(w[3], "@", top)
		}
		switch w[0] {
		case "d":
			err = os.Mkdir(path, 0o755)
		case "f":
			err = os.WriteFile(path, []byte("secret"), 0o600)
		case "l":
			err = os.Symlink(target, path)
		case "h":
			err = os.Link(target, path)
		default:
			t.Fatalf("bad line %q", line)
		}
		if err != nil {
			t.Fatal(err)
		}
		id, ok := map[string]int{"root": 0, "alice": alice, "bob": bob, "me": os.Getuid()}[w[1]]
		if !ok {
			t.Fatalf("bad owner in %q", line)
		}
		if id != os.Getuid() {
			if err := os.Lchown(path, id, id); err != nil {
				t.Fatal(err)
			}
		}
	}
	return top
}

// needRoot skips a test that has to give files away.
func needRoot(t *testing.T) {
	t.Helper()
	if !IsRoot() {
		t.Skip("needs root, to make files of several owners")
	}
	if o, err := OwnerOf(t.TempDir()); err != nil || o.UID != 0 {
		t.Skipf("needs a temporary folder that only root controls (TMPDIR): %v", err)
	}
}

func chain(owner string, links int, to string) string {
	var b strings.Builder
	for i := range links {
		next := "link" + strconv.Itoa(i+1)
		if i == links-1 {
			next = to
		}
		b.WriteString("l " + owner + " link" + strconv.Itoa(i) + " " + next + "\n")
	}
	return b.String()
}

func TestOwnerOf(t *testing.T) {
	needRoot(t)
	const home = "d alice home\nd alice home/www\nd root etc\nd bob bob\nd bob bob/www\n"
	tests := []struct {
		name   string
		spec   string
		path   string
		uid    uint32
		refuse string // part of the message; @ is the tree
	}{
		{"a user's folder", home, "home/www", alice, ""},
		{"root's folder", home, "etc", 0, ""},
		{"a file", home + "f bob etc/file", "etc/file", bob, ""},
		{"another's folder below a user's", home + "d bob home/shared", "home/shared", bob, ""},

		{"a user's link to root's folder", home + "l alice home/public @/etc", "home/public",
			0, `refusing link "@/home/public": it is under the control of uid 61001 but leads to "@/etc", which belongs to root; name that one itself if it is meant, or pass --allow-root`},
		{"a user's relative link to root's folder", home + "l alice home/public ../etc", "home/public", 0, `refusing link "@/home/public"`},
		{"a user's link on the way", home + "d root etc/site\nl alice home/public @/etc", "home/public/site", 0, `refusing link "@/home/public"`},
		{"a user's link to another user's folder", home + "l alice home/public @/bob/www", "home/public",
			0, `leads to "@/bob/www", which belongs to uid 61002; name that one itself if it is meant`},
		{"a user's link beside root's things", home + "l alice public etc", "public", 0, `refusing link "@/public"`},
		{"a link of the same owner", home + "l alice home/public www", "home/public", alice, ""},
		{"a link out and back", home + "l alice home/public @/home/../home/www/", "home/public/", alice, ""},
		{"a link of root's to a user's folder", home + "l root site home/www", "site", alice, ""},
		{"a link of root's to root's folder", home + "l root site etc", "site", 0, ""},

		// Alice can rename what panels put into her folder.
		{"a link of root's below a user's folder, to root's", home + "l root home/logs @/etc", "home/logs",
			0, `refusing link "@/home/logs": it is under the control of uid 61001`},
		{"a link of root's below a user's folder, to another's", home + "l root home/logs @/bob/www", "home/logs", 0, `refusing link "@/home/logs"`},
		{"a link of root's below a user's folder, to the user's", home + "d alice site\nl root home/public @/site", "home/public", alice, ""},

		{"a chain of one owner", home + "l alice home/a b\nl alice home/b @/home/c\nl alice home/c www", "home/a", alice, ""},
		{"a chain that ends at root's", home + "l alice home/a b\nl alice home/b @/home/c\nl alice home/c ../etc", "home/a", 0, `refusing link "@/home/a"`},
		{"a chain through another's link", home + "l bob bob/a @/home/www\nl alice home/a ../bob/a", "home/a", 0, `refusing link "@/bob/a"`},
		{"a chain that root begins", home + "l root a home/a\nl alice home/a ../etc", "a", 0, `refusing link "@/home/a"`},
		{"as many links as may be", "d alice www\n" + chain("alice", maxLinks, "www"), "link0", alice, ""},
		{"a link too many", "d alice www\n" + chain("alice", maxLinks+1, "www"), "link0", 0, "symbolic links"},

		{"root's folder in a user's", home + "d root home/public", "home/public",
			0, `refusing to work as root in "@/home/public": root owns it, but the way there passes "@/home" of uid 61001, who could exchange it; chown it to its user, or pass --allow-root`},
		{"root's folder deep in a user's", home + "d root home/a\nd root home/a/b", "home/a/b", 0, `passes "@/home" of`},
		{"a user's folder in root's in a user's", home + "d root home/a\nd alice home/a/b", "home/a/b", alice, ""},
		{"root's folder past a user's", home, "home/www/../../etc", 0, `passes "@/home" of uid 61001, who could exchange it; name it by a path that does not pass there, or`},
		{"root's folder past root's", home, "etc/../etc/./", 0, ""},
		{"..", home, "home/www/..", alice, ""},
		{".. of a link is its target's parent", home + "d alice home/deep\nd bob home/deep/b\nl root in home/deep/b", "in/..", alice, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree := makeTree(t, tt.spec)
			for name, top := range walks {
				trail, err := follow(tree+"/"+tt.path, top)
				var got Owner
				if err == nil {
					got, err = trail.owner()
				}
				if tt.refuse == "" {
					if err != nil || got.UID != tt.uid || got.GID != tt.uid {
						t.Errorf("%s: %d:%d, %v, want %d", name, got.UID, got.GID, err, tt.uid)
					}
					continue
				}
				want := strings.ReplaceAll(tt.refuse, "@", tree)
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %d, %v\nwant an error with %s", name, got.UID, err, want)
				}
				if got != (Owner{}) {
					t.Errorf("%s: an owner beside an error: %v", name, got)
				}
			}
		})
	}
}

func TestPathsThatLeadNowhere(t *testing.T) {
	tree := makeTree(t, `
		d me dir
		f me file
		l me loop loop
		l me ping dir/pong
		l me dir/pong ../ping
		l me dangling nothing
		l me strange `+"bell\x07"+`
		l me endless ../../../../../../../../../../../../../../../../../../../../../nothing-there
	`)
	tests := []struct {
		path string
		want error
		at   string
	}{
		{"nothing", fs.ErrNotExist, `"@/nothing"`},
		{"nothing/..", fs.ErrNotExist, `"@/nothing"`},
		{"dangling", fs.ErrNotExist, `"@/nothing"`},
		{"endless", fs.ErrNotExist, `"/nothing-there"`},
		{"strange", fs.ErrNotExist, `bell\a"`},
		{"file/below", syscall.ENOTDIR, `"@/file/below"`},
		{"file/..", syscall.ENOTDIR, ``},
		{"loop", syscall.ELOOP, `"@/loop"`},
		{"ping", syscall.ELOOP, ``},
		{strings.Repeat("n", 300), syscall.ENAMETOOLONG, ``},
		{"nul\x00", syscall.EINVAL, ``},
	}
	for _, tt := range tests {
		for name, top := range walks {
			_, err := follow(tree+"/"+tt.path, top)
			at := strings.ReplaceAll(tt.at, "@", tree)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), at) {
				t.Errorf("%s: %q: %v, want %v at %s", name, tt.path, err, tt.want, at)
			}
		}
	}
	if _, err := OwnerOf(""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no path: %v", err)
	}
}

func TestRelativePathStartsAtWorkingDirectory(t *testing.T) {
	tree := makeTree(t, "d me a\nd me a/b\nl me a/link b")
	t.Chdir(filepath.Join(tree, "a"))
	for path, want := range map[string]string{
		".": "a", "b": "a/b", "./link/": "a/b", "link/..": "a", "..": "", "../a//b": "a/b",
	} {
		for name, top := range walks {
			trail, err := follow(path, top)
			if want := filepath.Join(tree, want); err != nil || trail.end.path != want {
				t.Errorf("%s: %s leads to %q, %v, want %q", name, path, trail.end.path, err, want)
			}
		}
	}
}

func TestIsOfTellsAnExchangedFolder(t *testing.T) {
	tree := makeTree(t, "d me www\nd me other\nl me link www")
	o, err := OwnerOf(tree + "/link")
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(tree + "/link")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if info, err := root.Stat("."); err != nil || !o.IsOf(info) {
		t.Errorf("the same folder is not recognised (%v)", err)
	}
	if err := errors.Join(os.Remove(tree+"/link"), os.Symlink("other", tree+"/link")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(tree + "/link")
	if err != nil {
		t.Fatal(err)
	}
	if o.IsOf(info) {
		t.Error("another folder passes for the same")
	}
	if (Owner{}).IsOf(info) || o.IsOf(nil) {
		t.Error("nothing passes for something")
	}
}

func TestInspectFile(t *testing.T) {
	needRoot(t)
	const base = "d root etc\nf root etc/conf\nd alice home\nf alice home/conf\nd bob bob\nf bob bob/conf\n"
	tests := []struct {
		name    string
		spec    string
		path    string
		uid     uint32
		linked  bool
		special bool
	}{
		{"root's", base, "etc/conf", 0, false, false},
		{"a user's", base, "home/conf", alice, false, false},
		{"a link of root's", base + "l root conf etc/conf", "conf", 0, true, false},
		{"a link of root's to a user's", base + "l root conf home/conf", "conf", alice, true, false},
		{"a link of root's on the way", base + "l root etc.d etc", "etc.d/conf", 0, false, false},
		{"a user's link to root's", base + "l alice home/link ../etc/conf", "home/link", alice, true, false},
		{"a user's link to another's", base + "l alice home/link ../bob/conf", "home/link", alice, true, false},
		{"a user's link through another's", base + "l bob bob/link ../etc/conf\nl alice home/link ../bob/link", "home/link", alice, true, false},
		{"a user's link on the way", base + "l alice home/etc ../etc", "home/etc/conf", alice, true, false},
		{"root's link below a user's folder", base + "l root home/link ../etc/conf", "home/link", alice, true, false},
		{"root's file below a user's folder", base + "f root home/roots", "home/roots", alice, true, false},
		{"another's file below a user's folder", base + "f bob home/bobs", "home/bobs", bob, true, false},
		{"a hard link of root's", base + "h root etc/more @/etc/conf", "etc/more", 0, true, false},
		{"a hard link a user made", base + "h root home/more @/etc/conf", "home/more", alice, true, false},
		{"a folder", base, "etc", 0, false, true},
		{"a device", base, strings.Repeat("../", 30) + "dev/null", 0, false, true}, // however deep TMPDIR is
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree := makeTree(t, tt.spec)
			path := tree + "/" + tt.path
			for name, top := range walks {
				trail, err := follow(path, top)
				if err != nil {
					t.Fatal(err)
				}
				got := trail.trust()
				if got.Owner.UID != tt.uid || got.Linked != tt.linked || got.Regular == tt.special {
					t.Errorf("%s: %+v", name, got)
				}
				if info, err := os.Stat(path); err != nil || !got.Owner.IsOf(info) {
					t.Errorf("%s: not of the file that path leads to (%v)", name, err)
				}
			}
		})
	}
	if _, err := InspectFile(t.TempDir() + "/nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}
