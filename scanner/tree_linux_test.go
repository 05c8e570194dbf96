package scanner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// childVariable asks the test program for one of the walks that need a process
// of their own: with few descriptors, or as a user who may not read all. Its
// value is the kind, and the docroot in another variable.
const (
	childVariable   = "SITEWALK_TEST_CHILD"
	docrootVariable = "SITEWALK_TEST_DOCROOT"
)

func TestMain(m *testing.M) {
	if kind := os.Getenv(childVariable); kind != "" {
		child(kind, os.Getenv(docrootVariable))
		return
	}
	os.Exit(m.Run())
}

// child walks and prints the verdicts, or the error.
func child(kind, dir string) {
	limit, err := strconv.ParseUint(kind, 10, 64)
	if err == nil {
		err = unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: limit, Max: limit})
	} else if err = syscall.Setgid(65534); err == nil {
		err = syscall.Setuid(65534)
	}
	if err != nil {
		fmt.Println("set up:", err)
		return
	}
	docroot, err := Open(dir)
	if err != nil {
		fmt.Println("open:", err)
		return
	}
	s, _ := New(DefaultConfig(), Options{Jobs: 2, Portable: strings.Contains(kind, "portable")})
	err = Walk(context.Background(), docroot, s, copyBatch, func(files []found) error {
		for _, line := range verdicts(files) {
			fmt.Println(line)
		}
		return nil
	})
	if err != nil {
		fmt.Println("walk:", err)
	}
}

func runChild(t *testing.T, kind, dir string) []string {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), childVariable+"="+kind, docrootVariable+"="+dir)
	command.Env = append(command.Env, "GORACE=atexit_sleep_ms=0") // a second otherwise
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// memoryDir is a TempDir in memory where there is such a place: a journal takes
// seconds over a hundred thousand names.
func memoryDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "sitewalk-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// makeDeep makes a folder of so many levels, each with a page before and after
// the next, which is called name, and returns the verdicts of a walk. The path is
// far too long for a system call.
func makeDeep(t *testing.T, dir string, levels int, name string) (want []string) {
	t.Helper()
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	path := ""
	var after []string
	for level := range levels {
		for _, page := range []string{"a.html", "z.html"} {
			if err := unix.Mknodat(fd, page, unix.S_IFREG|0o644, 0); err != nil {
				t.Fatal(err)
			}
		}
		want = append(want, Join(path, "a.html")+" listed")
		after = append(after, Join(path, "z.html")+" listed")
		if level == levels-1 {
			break
		}
		if err := unix.Mkdirat(fd, name, 0o755); err != nil {
			t.Fatal(err)
		}
		next, err := unix.Openat(fd, name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			t.Fatal(err)
		}
		unix.Close(fd)
		fd, path = next, Join(path, name)
	}
	unix.Close(fd)
	slices.Reverse(after)
	return append(want, after...)
}

func TestFolderThreeThousandDeep(t *testing.T) {
	dir := memoryDir(t)
	want := makeDeep(t, dir, 3000, "m")
	if got := verdicts(walkAll(t, open(t, dir), DefaultConfig(), Options{Jobs: 8})); !slices.Equal(got, want) {
		t.Errorf("got %d files, want %d", len(got), len(want))
	}
	// So few folders stay open that the way down is gone over again and again.
	dir = memoryDir(t)
	want = makeDeep(t, dir, 1000, "m")
	if got := runChild(t, "40", dir); !slices.Equal(got, want) {
		t.Errorf("40 descriptors: got %d files, want %d, the last is %.200s", len(got), len(want), got[len(got)-1])
	}
}

func TestFoldersOnTheWayKeepNoPaths(t *testing.T) {
	// All the paths together take a hundred times as much as the longest.
	const levels = 200
	name := strings.Repeat("m", 250)
	dir := memoryDir(t)
	makeDeep(t, dir, levels, name)
	held := func() uint64 {
		var memory runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&memory)
		return memory.HeapAlloc
	}
	before, deepest := held(), uint64(0)
	work := func() func(*Batch) bool {
		return func(b *Batch) bool {
			if len(b.Dir) == (levels-1)*(len(name)+1)-1 {
				deepest = held()
			}
			return true
		}
	}
	if err := Walk(t.Context(), open(t, dir), newScanner(t, DefaultConfig(), Options{Jobs: 1}), work, func(bool) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if deepest == 0 {
		t.Fatal("the deepest folder was not found")
	}
	if limit := before + 20*levels*uint64(len(name)); deepest > limit {
		t.Errorf("%d bytes are held in the deepest folder, and %d before", deepest, before)
	}
}

func TestRunningOutOfDescriptorsIsNotUnreadable(t *testing.T) {
	dir := t.TempDir()
	makeDeep(t, dir, 50, "m")
	docroot := open(t, dir)
	s := newScanner(t, DefaultConfig(), Options{})
	before := openDescriptors(t)

	// Take all that are left, and give a few back one by one: the walk works,
	// or says what it lacks.
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	low := limit
	low.Cur = 64
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_NOFILE, &limit)
	var taken []int
	for {
		fd, err := unix.Dup(0)
		if err != nil {
			break
		}
		taken = append(taken, fd)
	}
	failed, succeeded := 0, false
	for len(taken) > 0 && !succeeded {
		listed := 0
		err := Walk(context.Background(), docroot, s, copyBatch, func(files []found) error {
			for _, f := range files {
				if f.Verdict != Listed {
					t.Errorf("with %d descriptors: %v: %v", failed, f.Verdict, f.Err)
				}
				listed++
			}
			return nil
		})
		switch {
		case err == nil:
			succeeded = listed == 100
		case errors.Is(err, syscall.EMFILE):
			failed++
		default:
			t.Errorf("got %v", err)
		}
		unix.Close(taken[len(taken)-1])
		taken = taken[:len(taken)-1]
	}
	for _, fd := range taken {
		unix.Close(fd)
	}
	if failed < 3 || !succeeded {
		t.Errorf("the walk failed %d times, then succeeded: %v", failed, succeeded)
	}
	if after := openDescriptors(t); after != before {
		t.Errorf("%d descriptors are open, %d before", after, before)
	}
}

func openDescriptors(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

func TestNothingStaysOpenHoweverTheWalkEnds(t *testing.T) {
	dir := t.TempDir()
	makeDeep(t, dir, 400, "m") // more than stay open
	for i := range 40 {
		pages(fmt.Sprintf("%d/a.html", i)).create(t, dir)
	}
	docroot := open(t, dir)
	failure := errors.New("disk full")
	for _, jobs := range []int{1, 8} {
		s := newScanner(t, DefaultConfig(), Options{Jobs: jobs})
		before, routines := openDescriptors(t), runtime.NumGoroutine()
		for _, after := range []int{0, 1, 300, 1 << 30} {
			for _, want := range []error{failure, context.Canceled} {
				ctx, cancel := context.WithCancel(context.Background())
				left := after
				err := Walk(ctx, docroot, s, copyBatch, func([]found) error {
					if left--; left == 0 && want == failure {
						return failure
					} else if left == 0 {
						cancel()
					}
					return nil
				})
				cancel()
				if after > 0 && after < 1<<30 && err != want {
					t.Errorf("after %d results: got %v, want %v", after, err, want)
				}
				if open := openDescriptors(t); open != before {
					t.Fatalf("%v after %d results: %d descriptors are open, %d before", want, after, open, before)
				}
			}
		}
		// A goroutine may still be on its last instructions when it counts as ended.
		for wait := 0; runtime.NumGoroutine() > routines && wait < 1000; wait++ {
			time.Sleep(time.Millisecond)
		}
		if n := runtime.NumGoroutine(); n > routines {
			t.Errorf("%d goroutines, %d before", n, routines)
		}
	}
}

func TestUnreadableFoldersAndFilesAreCounted(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to become somebody else")
	}
	dir := t.TempDir()
	for p := dir; p != os.TempDir() && p != "/"; p = filepath.Dir(p) {
		if err := os.Chmod(p, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// The last folder can be listed, but what is in it cannot be asked about;
	// "excluded" cannot be opened, and nobody tries.
	pages("a.html", "locked/x.html", "node_modules/x.html", "open/b.html", "unsearchable/c.html", "unsearchable/d.css", "unsearchable/sub/e.html", "z.html").create(t, dir)
	for name, mode := range map[string]fs.FileMode{"locked": 0, "node_modules": 0, "unsearchable": 0o444, "z.html": 0} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(filepath.Join(dir, "locked"), 0o755)
	want := []string{
		"a.html listed", "locked unreadable folder", "node_modules sensitive folder", "open/b.html listed", "unsearchable/c.html unreadable",
		"unsearchable/d.css not-included", "unsearchable/sub unreadable folder", "z.html listed",
	}
	compare(t, "native", runChild(t, "unprivileged", dir), want)
	// Package os asks about each file as it lists a folder, so that the portable
	// walk cannot list what cannot be asked about.
	want = append(want[:4:4], "unsearchable unreadable folder", "z.html listed")
	compare(t, "portable", runChild(t, "unprivileged, portable", dir), want)
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	if got := runChild(t, "unprivileged", dir); len(got) != 1 || !strings.HasSuffix(got[0], "permission denied") {
		t.Errorf("a docroot that cannot be read: got %q", got)
	}
}

func TestSpecialFilesAreLeftAlone(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to make a device")
	}
	s := site{
		{path: "device.html", mode: fs.ModeDevice | fs.ModeCharDevice}, {path: "fifo.html", mode: fs.ModeNamedPipe}, {path: "page.html"},
		{path: "socket.html", mode: fs.ModeSocket}, {path: "to-fifo.html", mode: fs.ModeSymlink, target: "fifo.html"},
	}
	docroot := s.folder(t)
	for _, options := range []Options{{}, {Portable: true}} {
		compare(t, "verdicts", verdicts(walkAll(t, docroot, with(followInside), options)),
			[]string{"device.html not-regular", "fifo.html not-regular", "page.html listed", "socket.html not-regular", "to-fifo.html symlink"})
	}
}

// mistaken is a tree that takes FIFOs for folders, as a walk does when one has
// taken the place of the other.
type mistaken struct{ tree }

func (m mistaken) root() (node, error) {
	n, err := m.tree.root()
	return mistakenNode{n}, err
}

type mistakenNode struct{ node }

func (n mistakenNode) list(l *listing) error {
	err := n.node.list(l)
	for i := range l.entries {
		if e := &l.entries[i]; e.kind == kindOther || e.kind == kindLink {
			e.kind = kindFolder
			if strings.HasSuffix(l.nameOf(e), ".html") {
				e.kind = kindFile
			}
		}
	}
	return err
}

func TestWhatTookAFoldersPlaceIsNotEntered(t *testing.T) {
	outside := t.TempDir()
	pages("secret.html").create(t, outside)
	s := append(pages("a.html", "absolute -> "+outside, "b.html -> a.html", "relative -> ../"+filepath.Base(outside)),
		thing{path: "fifo", mode: fs.ModeNamedPipe}, thing{path: "fifo.html", mode: fs.ModeNamedPipe})
	docroot := s.folder(t)
	for _, portable := range []bool{false, true} {
		files, err := docroot.tree(portable)
		if err != nil {
			t.Fatal(err)
		}
		var all []found
		err = walk(t.Context(), mistaken{files}, docroot, newScanner(t, DefaultConfig(), Options{}), nil, copyBatch, func(files []found) error {
			all = append(all, files...)
			return nil
		})
		files.close()
		if err != nil {
			t.Fatal(err)
		}
		compare(t, fmt.Sprintf("portable %v", portable), verdicts(all), []string{
			"a.html listed", "absolute unreadable folder", "b.html unreadable", "fifo unreadable folder", "fifo.html unreadable", "relative unreadable folder",
		})
	}
}

func TestFolderSwappedForALinkLeadsNowhere(t *testing.T) {
	outside := t.TempDir()
	pages("secret.html", "sub/secret.html").create(t, outside)
	dir := t.TempDir()
	pages("a/page.html", "a/sub/page.html", "b/page.html").create(t, dir)
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	stop := make(chan bool)
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				unix.Renameat2(unix.AT_FDCWD, filepath.Join(dir, "a"), unix.AT_FDCWD, filepath.Join(dir, "link"), unix.RENAME_EXCHANGE)
			}
		}
	})
	docroot := open(t, dir)
	for range 300 {
		for _, options := range []Options{{}, {Portable: true}} {
			for _, follow := range []Follow{FollowNone, FollowInside} {
				for _, f := range walkAll(t, docroot, with(func(c *Config) { c.FollowSymlinks = follow }), options) {
					if strings.HasPrefix(f.Name, "secret") {
						t.Errorf("%v", f)
					}
				}
			}
		}
	}
	close(stop)
	swapper.Wait()
}

func TestFolderReplacedBehindTheWalksBackIsNotReopened(t *testing.T) {
	dir := t.TempDir()
	pages("a/x.html").create(t, dir)
	docroot := open(t, dir)
	files, err := nativeTree(docroot.Folder())
	if err != nil {
		t.Fatal(err)
	}
	defer files.close()
	tree := files.(*linuxTree)
	tree.limit = 0 // nothing stays open
	n, _ := tree.lookup("a")
	defer n.release()
	if err := n.list(new(listing)); err != nil {
		t.Fatal(err)
	}
	var file File
	stat := func() error {
		if err := n.hold(); err != nil {
			return err
		}
		defer n.letGo()
		return n.stat("x.html\x00"[:len("x.html")], &file)
	}
	if err := stat(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	if err := stat(); err != unix.ENOENT {
		t.Errorf("renamed: got %v", err)
	}
	pages("a/x.html").create(t, dir)
	if err := stat(); err != unix.ESTALE {
		t.Errorf("replaced: got %v", err)
	}
}

func TestDocrootRemovedDuringTheWalkIsAnError(t *testing.T) {
	for _, portable := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "docroot")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		pages("a.html", "b/c.html").create(t, dir)
		docroot := open(t, dir)
		err := Walk(t.Context(), docroot, newScanner(t, DefaultConfig(), Options{Jobs: 1, Portable: portable}), copyBatch, func([]found) error {
			return os.RemoveAll(dir)
		})
		if err == nil {
			t.Errorf("portable %v: no error", portable)
		}
		err = Walk(t.Context(), docroot, newScanner(t, DefaultConfig(), Options{Portable: portable}), copyBatch, func([]found) error { return nil })
		if err == nil {
			t.Errorf("portable %v: no error from a docroot that is gone", portable)
		}
	}
}

func TestDocrootRenamedDuringTheWalkIsStillWalked(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "docroot")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	pages("a.html", "b/c.html", "d/e/f.html").create(t, dir)
	var all []found
	err := Walk(t.Context(), open(t, dir), newScanner(t, DefaultConfig(), Options{Jobs: 1}), copyBatch, func(files []found) error {
		os.Rename(dir, filepath.Join(parent, "moved"))
		all = append(all, files...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "verdicts", verdicts(all), []string{"a.html listed", "b/c.html listed", "d/e/f.html listed"})
}

func TestFolderOfAHundredThousandFiles(t *testing.T) {
	dir := memoryDir(t)
	const n = 100_000
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	// In no order; links to a few files are made faster than files.
	name := func(i int) string { return fmt.Sprintf("%06d.html", i*7919%n) }
	for i := range n {
		if i%30_000 == 0 {
			err = unix.Mknodat(fd, name(i), unix.S_IFREG|0o644, 0)
		} else {
			err = unix.Linkat(fd, name(i/30_000*30_000), fd, name(i), 0)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	next := 0
	err = Walk(t.Context(), open(t, dir), newScanner(t, DefaultConfig(), Options{}), copyBatch, func(files []found) error {
		for _, f := range files {
			if want := fmt.Sprintf("%06d.html", next); f.Name != want || f.Verdict != Listed {
				return fmt.Errorf("got %v, want %s", f, want)
			}
			next++
		}
		return nil
	})
	if err != nil || next != n {
		t.Errorf("%d files, %v", next, err)
	}
}

func TestTimesFarFromNowAreHandedOn(t *testing.T) {
	dir := t.TempDir()
	var want []string
	for i, modified := range []time.Time{
		time.Unix(-1, 0), time.Unix(-1, 999_999_999), time.Unix(0, 0), time.Unix(0, 500), time.Unix(1, 0),
		time.Date(1902, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2039, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		name := fmt.Sprintf("%d.html", i)
		pages(name).create(t, dir)
		path := filepath.Join(dir, name)
		if err := os.Chtimes(path, time.Time{}, modified); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.ModTime().Unix() != modified.Unix() {
			t.Logf("the file system or the system's interface cannot hold %v", modified)
			os.Remove(path)
			continue
		}
		want = append(want, fmt.Sprintf("%q listed %d bytes of %d", name, len(name), modified.Unix()))
	}
	compare(t, "native", describe(walkAll(t, open(t, dir), DefaultConfig(), Options{})), want)
	compare(t, "portable", describe(walkAll(t, open(t, dir), DefaultConfig(), Options{Portable: true})), want)
}

func TestDocrootCanBeListedAgain(t *testing.T) {
	s := pages("a", strings.Repeat("n", 255), "sub/")
	files, err := nativeTree(s.folder(t).Folder())
	if err != nil {
		t.Fatal(err)
	}
	defer files.close()
	root, _ := files.root()
	for range 2 {
		var l listing
		if err := root.list(&l); err != nil {
			t.Fatal(err)
		}
		l.sort()
		var got []string
		for i := range l.entries {
			got = append(got, fmt.Sprint(l.nameOf(&l.entries[i]), " ", l.entries[i].kind))
		}
		compare(t, "entries", got, []string{fmt.Sprint("a ", kindFile), fmt.Sprint(strings.Repeat("n", 255), " ", kindFile), fmt.Sprint("sub ", kindFolder)})
	}
}
