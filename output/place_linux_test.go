package output

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

func init() {
	children["place"] = childPlace
	children["edit"] = childEdit
}

// openBelow opens the folder a/b, which may have to be made.
func openBelow(top string, within bool) (folder *Folder, close func(), err error) {
	if !within {
		folder, err = OpenFolder(filepath.Join(top, "a", "b"), false)
		return folder, func() {}, err
	}
	docroot, err := os.OpenRoot(top)
	if err != nil {
		return nil, nil, err
	}
	folder, err = OpenWithin(docroot, "a/b", false)
	return folder, func() { docroot.Close() }, err
}

// childPlace publishes there.
func childPlace() {
	top := os.Getenv("OUTPUT_TEST_DIR")
	folder, _, err := openBelow(top, os.Getenv("OUTPUT_TEST_WITHIN") != "")
	if err == nil {
		_, err = crashSite(top).buildIn(folder, makePages(0, 3))
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// A run that was killed may have made the folders, and not made that durable.
func TestFoldersThatLeadToAFirstSetAreDurableBeforeIt(t *testing.T) {
	for _, within := range []string{"", "1"} {
		for _, made := range []string{"", "a", "a/b"} {
			t.Setenv("OUTPUT_TEST_WITHIN", within)
			top := t.TempDir()
			must(t, os.MkdirAll(filepath.Join(top, made), 0o755))
			out, code, log := tracedChild(t, "place", top, "-e", "trace=fsync,renameat,renameat2")
			if code != 0 {
				t.Fatalf("exit code %d: %s", code, out)
			}
			synced := regexp.MustCompile(`^fsync\([0-9]+<` + regexp.QuoteMeta(top) + `(/a)?>\) += 0`)
			durable := map[string]bool{}
			for _, call := range calls(log) {
				if m := synced.FindStringSubmatch(call); m != nil {
					durable[m[1]] = true
				} else if strings.HasPrefix(call, "rename") {
					break
				}
			}
			if !durable[""] || !durable["/a"] {
				t.Errorf("within a docroot: %q, there already: %q: made durable before the set are %v", within, made, durable)
			}
			// Once there is a set they have been.
			_, _, log = tracedChild(t, "place", top, "-e", "trace=fsync")
			for _, call := range calls(log) {
				if synced.MatchString(call) {
					t.Errorf("with a set there: %s", call)
				}
			}
		}
	}
}

// A folder above that this user may not list was not made by a run of this user.
func TestFolderBelowOneThatMayNotBeListedIsPublishedIn(t *testing.T) {
	for _, fault := range []string{"openat:error=EACCES", "openat:error=ENOENT", "fsync:error=EINVAL"} {
		top := t.TempDir()
		must(t, os.MkdirAll(filepath.Join(top, "a", "b"), 0o755))
		calls, _, _ := strings.Cut(fault, ":")
		out, code, log := tracedChild(t, "place", top, "-e", "trace="+calls, "-P", filepath.Join(top, "a"), "-e", "inject="+fault)
		if code != 0 || !strings.Contains(log, "INJECTED") {
			t.Errorf("%s: exit code %d: %s\n%s", fault, code, out, log)
		}
	}
}

// Files are for everybody to read whatever the umask; so are the folders on the way.
func TestFoldersThatAreMadeAreForEverybody(t *testing.T) {
	for _, umask := range []int{0o022, 0o077, 0o027, 0o777} {
		for _, within := range []bool{false, true} {
			top := t.TempDir()
			must(t, os.Chmod(top, 0o755|fs.ModeSetgid))
			before := syscall.Umask(umask)
			folder, closeDocroot, err := openBelow(top, within)
			if err == nil {
				_, err = crashSite(top).buildIn(folder, makePages(0, 3))
				folder.Close()
				closeDocroot()
			}
			syscall.Umask(before)
			must(t, err)
			for path, want := range map[string]fs.FileMode{"a": 0o755, "a/b": 0o755, "a/b/sitemap.xml": 0o644} {
				info, err := os.Stat(filepath.Join(top, path))
				must(t, err)
				if info.Mode().Perm() != want || info.IsDir() && info.Mode()&fs.ModeSetgid == 0 {
					t.Errorf("umask %03o, within a docroot: %t: %s is %v", umask, within, path, info.Mode())
				}
			}
		}
	}
}

// A folder that is there is as its owner wants it.
func TestModesOfFoldersThatAreThereStay(t *testing.T) {
	top := t.TempDir()
	must(t, os.Mkdir(filepath.Join(top, "a"), 0o700))
	for _, within := range []bool{false, true} {
		folder, closeDocroot, err := openBelow(top, within)
		must(t, err)
		folder.Close()
		closeDocroot()
		if info, err := os.Stat(filepath.Join(top, "a")); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
}

// childEdit adds something to a file, or leaves it as it is.
func childEdit() {
	folder, err := OpenFolder(os.Getenv("OUTPUT_TEST_DIR"), false)
	if err == nil {
		_, err = folder.Edit("robots.txt", 100, false, func(content []byte) []byte {
			return append(content, os.Getenv("OUTPUT_TEST_ADD")...)
		})
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// A run that was killed may have replaced it, and not made that durable.
func TestEditMakesDurableWhatIsThereAlready(t *testing.T) {
	for _, there := range []bool{true, false} {
		dir := t.TempDir()
		if there {
			must(t, os.WriteFile(filepath.Join(dir, "robots.txt"), []byte("as it is to be"), 0o644))
		}
		out, code, log := tracedChild(t, "edit", dir, "-e", "trace=fsync,newfstatat", "-P", dir)
		if code != 0 {
			t.Fatal(out)
		}
		if synced := strings.Contains(log, "fsync("); synced != there {
			t.Errorf("there: %t; the folder is synced: %t\n%s", there, synced, log)
		}
	}
}

// Who could read the file as one of its group still can.
func TestEditKeepsOwnerAndGroup(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root may give a file to others")
	}
	const user, group = 65531, 65532
	dir := t.TempDir()
	path := filepath.Join(dir, "robots.txt")
	must(t, os.WriteFile(path, []byte("x"), 0o644))
	must(t, os.Chmod(path, 0o640))
	must(t, os.Chown(path, user, group))
	if written, err := edit(t, dir, false, "y"); err != nil || !written {
		t.Fatal(written, err)
	}
	info, err := os.Stat(path)
	must(t, err)
	if stat := info.Sys().(*syscall.Stat_t); stat.Uid != user || stat.Gid != group || info.Mode().Perm() != 0o640 {
		t.Errorf("it is of user %d and group %d, and %v", stat.Uid, stat.Gid, info.Mode())
	}
}

// A file that cannot be given back to those who read it is left alone, unless it is for
// everybody.
func TestEditLeavesAloneWhatOthersCouldNoLongerRead(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root may give a file to others")
	}
	for mode, written := range map[fs.FileMode]bool{0o640: false, 0o660: false, 0o644: true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "robots.txt")
		must(t, os.WriteFile(path, []byte("as it is to be"), 0o644))
		must(t, os.Chmod(path, mode))
		must(t, os.Chown(path, 65531, 65532))
		t.Setenv("OUTPUT_TEST_ADD", "y")
		out, code, log := tracedChild(t, "edit", dir, "-e", "trace=fchownat,lchown", "-e", "inject=fchownat,lchown:error=EPERM")
		if !strings.Contains(log, "INJECTED") {
			t.Fatalf("no owner is set: %s\n%s", out, log)
		}
		if (code == 0) != written || !written && !strings.Contains(out, "belongs to another user or group") {
			t.Errorf("%v: exit code %d: %s", mode, code, out)
		}
		content, err := os.ReadFile(path)
		must(t, err)
		if strings.HasSuffix(string(content), "y") != written {
			t.Errorf("%v: it holds %q", mode, content)
		}
		wantNoTemps(t, dir)
	}
}

func TestFolderIsMadeInOneThatMayOnlyBeWrittenTo(t *testing.T) {
	top := t.TempDir()
	must(t, os.Mkdir(filepath.Join(top, "a"), 0o755))
	above := filepath.Join(top, "a")
	out, code, log := tracedChild(t, "place", top, "-e", "trace=openat", "-P", above, "-e", "inject=openat:error=EACCES")
	if code != 0 || !strings.Contains(log, "INJECTED") {
		t.Errorf("exit code %d: %s\n%s", code, out, log)
	}
}
