package output

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func init() { children["report"] = childReport }

// childReport publishes the new set in place of the old one, and prints the result.
func childReport() {
	runtime.LockOSThread() // as childPublish does
	s := crashSite(os.Getenv("OUTPUT_TEST_DIR"))
	s.now = s.now.Add(time.Hour)
	s.config.Files.StaleGrace = time.Hour
	result, err := s.build(crashPages("new"))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Printf("%+v\n", result)
	os.Exit(0)
}

// failing runs childReport in a folder that setUp returns, and has calls that concern a
// file, or the folder for an empty name, fail.
func failing(t *testing.T, setUp func() (dir string), name, inject string) (dir, out string, code int) {
	t.Helper()
	calls, _, _ := strings.Cut(inject, ":")
	for range 20 {
		dir = setUp()
		args := []string{"-e", "trace=" + calls, "-e", "inject=" + inject}
		if name != "" {
			args = append(args, "-P", name, "-P", filepath.Join(dir, name)) // opened by the one, and read as the other
		}
		out, code, log := tracedChild(t, "report", dir, args...)
		switch failed := strings.Count(log, "INJECTED"); {
		case failed == 0:
			t.Fatalf("nothing failed:\n%s", log)
		case failed == 1, !strings.Contains(inject, "when="):
			return dir, out, code
		}
		// strace counts by thread, and Go has moved the work to another meanwhile.
	}
	t.Fatal("no call fails alone")
	return dir, out, code
}

// placed returns a folder with the old set.
func (r *crashReference) placed(t *testing.T) func() (dir string) {
	return func() string {
		dir := t.TempDir()
		r.place(t, dir)
		return dir
	}
}

// kept returns the name of a shard that the old set and the new one have in common.
func (r *crashReference) kept(t *testing.T) string {
	t.Helper()
	for _, name := range names(r.old) {
		if isShardName(name) && r.old[name] == r.fresh[name] {
			return name
		}
	}
	t.Fatal("no shard stays as it is")
	return ""
}

// A shard that its disk lost would else stop every publication.
func TestShardThatCannotBeReadIsWrittenAnew(t *testing.T) {
	if raceDetector {
		t.Skip("the run without the race detector, under which strace is slow, has it")
	}
	t.Parallel()
	reference := newCrashReference(t)
	kept := reference.kept(t)
	for _, test := range []struct {
		inject string
		code   int
		anew   bool
	}{
		{"read:error=EIO:when=1", 0, false}, // what passes is overcome
		{"read:error=EIO", 0, true},
		{"openat:error=EIO", 0, true},
		{"openat:error=EACCES", 0, true},
		{"openat:error=EUCLEAN", 0, true},
		{"openat:error=EMFILE", 1, false}, // says nothing of the file
		{"openat:error=ENFILE", 1, false},
		{"openat:error=ENOMEM", 1, false},
		{"read:error=ESTALE", 1, false},
	} {
		dir, out, code := failing(t, reference.placed(t), kept, test.inject)
		info, err := os.Stat(filepath.Join(dir, kept))
		must(t, err)
		anew := time.Since(info.ModTime()) < time.Hour
		if code != test.code || anew != test.anew || strings.Contains(out, "Unreadable:["+kept+"]") != test.anew {
			t.Errorf("%s: exit code %d, written anew: %t\n%s", test.inject, code, anew, out)
		}
		reference.wantWholeSet(t, dir)
		wantNoTemps(t, dir)
		if test.code != 0 && !maps.Equal(files(t, dir), reference.old) {
			t.Errorf("%s: the set is no longer what it was", test.inject)
		}
	}
}

// What an index names that could not be read has its grace all the same.
func TestShardsOfAnIndexThatCannotBeReadKeepTheirGrace(t *testing.T) {
	if raceDetector {
		t.Skip("the run without the race detector, under which strace is slow, has it")
	}
	t.Parallel()
	reference := newCrashReference(t)
	const left = "sitemap-blog.xml.gz"
	for _, test := range []struct {
		inject string
		code   int
	}{
		{"read:error=EIO:when=1", 0}, {"read:error=EIO", 0}, {"openat:error=EACCES", 0},
		{"openat:error=EMFILE:when=1", 1}, {"read:error=ENOMEM:when=1", 1},
	} {
		dir, out, code := failing(t, reference.placed(t), "sitemap.xml", test.inject)
		if code != test.code {
			t.Errorf("%s: exit code %d: %s", test.inject, code, out)
		}
		if !slices.Contains(names(files(t, dir)), left) {
			t.Errorf("%s: %s was removed without its grace", test.inject, left)
		}
		reference.wantWholeSet(t, dir)
	}
}

// Readers may have the index still that somebody has damaged or removed.
func TestShardsOfAnIndexThatIsDamagedKeepTheirGrace(t *testing.T) {
	reference := newCrashReference(t)
	for name, damage := range map[string]func(path string) error{
		"removed":     os.Remove,
		"emptied":     func(path string) error { return os.Truncate(path, 0) },
		"overwritten": func(path string) error { return os.WriteFile(path, []byte("<urlset/>"), 0o644) },
	} {
		dir := reference.placed(t)()
		must(t, damage(filepath.Join(dir, "sitemap.xml")))
		s := crashSite(dir)
		s.config.Files.StaleGrace = time.Hour
		for range 2 {
			if result := s.publish(t, crashPages("new")); len(result.Removed) > 0 {
				t.Errorf("%s: %q were removed without their grace", name, result.Removed)
			}
		}
	}
}

// The first time that the shard is opened is to see whose it is.
func TestShardWhoseGraceCannotBeginForAMomentKeepsItsPlace(t *testing.T) {
	reference := newCrashReference(t)
	const left = "sitemap-blog.xml.gz"
	dir, out, code := failing(t, reference.placed(t), left, "openat:error=EMFILE:when=2")
	if code != 1 || !strings.Contains(out, "mark "+left) {
		t.Errorf("exit code %d: %s", code, out)
	}
	reference.wantWholeSet(t, dir)
	s := crashSite(dir)
	s.config.Files.StaleGrace = time.Hour
	for range 2 {
		if result := s.publish(t, crashPages("new")); len(result.Removed) > 0 {
			t.Errorf("%q were removed without their grace", result.Removed)
		}
	}
}

func TestFolderThatCannotBeListedIsNotPublishedIn(t *testing.T) {
	reference := newCrashReference(t)
	// The fourth: the first three are for temporary files.
	dir, out, code := failing(t, reference.placed(t), "", "getdents64:error=EIO:when=4")
	if code != 1 || !strings.Contains(out, "list the output folder: ") || !maps.Equal(files(t, dir), reference.old) {
		t.Errorf("exit code %d: %s", code, out)
	}
	wantNoTemps(t, dir)
}

// Its files have long been there, as those have whose grace is over.
func TestShardsOfAnotherSetStayWhenItsIndexCannotBeRead(t *testing.T) {
	if raceDetector {
		t.Skip("the run without the race detector, under which strace is slow, has it")
	}
	t.Parallel()
	for _, inject := range []string{"read:error=EIO:when=1", "read:error=EIO", "openat:error=EMFILE:when=1", "openat:error=EMFILE:when=2", "read:error=ESTALE"} {
		var theirs []string
		dir, out, code := failing(t, func() string {
			other := newSite(t)
			other.config.Files.Root = "other.xml"
			other.publish(t, append(makePages(0, 3), inSection(1, makePages(3, 6))...))
			theirs = names(files(t, other.dir))
			age(t, other.dir, theirs...)
			return other.dir
		}, "other.xml", inject)
		if code != 0 {
			t.Errorf("%s: exit code %d: %s", inject, code, out)
		}
		ours := files(t, dir)
		for _, name := range theirs {
			if _, there := ours[name]; !there {
				t.Errorf("%s: %s of another set was removed", inject, name)
			}
		}
	}
}

// VirtualBox's shared folders, and some others, have no call for that.
func TestFolderThatCannotBeSyncedIsPublishedIn(t *testing.T) {
	reference := newCrashReference(t)
	dir := reference.placed(t)()
	out, code, log := tracedChild(t, "report", dir, "-e", "trace=fsync", "-P", dir, "-e", "inject=fsync:error=EINVAL")
	if code != 0 || !strings.Contains(log, "INJECTED") {
		t.Fatalf("exit code %d: %s\n%s", code, out, log)
	}
	reference.wantWholeSet(t, dir)
}

// As one that is immutable, or another user's in a folder with the sticky bit.
func TestFileThatMayNotBeReplacedIsNamed(t *testing.T) {
	reference := newCrashReference(t)
	dir, out, code := failing(t, reference.placed(t), "", "renameat,renameat2:error=EPERM")
	if code != 1 || !strings.Contains(out, "publish sitemap-") || !strings.Contains(out, "operation not permitted; the file is in the way: remove it") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if !maps.Equal(files(t, dir), reference.old) {
		t.Error("the set is no longer what it was")
	}
}
