package output

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// crashPages are the pages of a set and of its successor: some shards are edited,
// some added, some leave, and others stay.
func crashPages(which string) []testPage {
	pages := makePages(0, 200)
	if which == "old" {
		return append(pages, inSection(1, makePages(500, 510))...)
	}
	for i := 20; i < 40; i++ {
		pages[i].LastMod += 1000
	}
	pages = slices.Delete(pages, 100, 130)
	return append(pages, inSection(2, makePages(600, 610))...)
}

func crashSite(dir string) *site {
	s := &site{dir: dir, config: DefaultConfig(), now: testNow}
	s.config.Files.MaxURLs, s.config.Files.StaleGrace = 80, 0
	return s
}

func init() { children["publish"] = childPublish }

// childPublish is a run that is traced or killed.
func childPublish() {
	// strace counts calls by thread: the renames and removals are this one's.
	runtime.LockOSThread()
	s := crashSite(os.Getenv("OUTPUT_TEST_DIR"))
	s.now = s.now.Add(time.Hour)
	if os.Getenv("OUTPUT_TEST_GRACE") != "" {
		s.config.Files.StaleGrace = time.Hour
	}
	if _, err := s.build(crashPages("new")); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// traced runs childPublish under strace, and returns what it printed, its exit
// code or -1, and strace's log.
func traced(t testing.TB, dir string, args ...string) (out string, code int, log string) {
	t.Helper()
	return tracedChild(t, "publish", dir, args...)
}

// tracedChild does the same with any child.
func tracedChild(t testing.TB, child, dir string, args ...string) (out string, code int, log string) {
	t.Helper()
	logFile := filepath.Join(t.TempDir(), "log")
	args = append([]string{"-f", "-y", "-s", "200", "-o", logFile}, args...)
	command := exec.Command(program(t, "strace"), append(args, os.Args[0])...)
	command.Env = append(os.Environ(), "OUTPUT_TEST_CHILD="+child, "OUTPUT_TEST_DIR="+dir, "GOCOVERDIR="+os.TempDir())
	printed, err := command.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	text, err := os.ReadFile(logFile)
	if err != nil || len(text) == 0 || strings.Contains(string(printed), "PTRACE") {
		t.Skip("strace does not work here: " + string(printed))
	}
	return string(printed), command.ProcessState.ExitCode(), string(text)
}

// crashReference is what the old set and a fresh build of the new one hold, and
// what the old index says.
type crashReference struct {
	old, fresh map[string]string
	lastMods   map[string]string
}

func newCrashReference(t testing.TB) crashReference {
	t.Helper()
	old, fresh := crashSite(t.TempDir()), crashSite(t.TempDir())
	old.publish(t, crashPages("old"))
	fresh.publish(t, crashPages("new"))
	return crashReference{files(t, old.dir), files(t, fresh.dir), lastMods(t, old.dir)}
}

// place puts the old set into a folder, and makes it look two hours old.
func (r *crashReference) place(t testing.TB, dir string) {
	t.Helper()
	for name, content := range r.old {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	age(t, dir, names(r.old)...)
}

// wantWholeSet fails unless each shard is the old or the new one and the index
// names only shards that are there.
func (r *crashReference) wantWholeSet(t testing.TB, dir string) {
	t.Helper()
	found := files(t, dir)
	for name, content := range found {
		if strings.HasPrefix(name, ".sitewalk-") || name == "sitemap.xml" {
			continue
		}
		if content != r.old[name] && content != r.fresh[name] {
			t.Fatalf("%s is neither the old nor the new one", name)
		}
	}
	index := decode[sitemapindex](t, found["sitemap.xml"])
	if len(index.Sitemaps) == 0 {
		t.Fatal("there is no index")
	}
	for _, entry := range index.Sitemaps {
		if name := strings.TrimPrefix(entry.Loc, testURL); found[name] == "" {
			t.Fatalf("the index names %s, which is not there", name)
		}
	}
}

// wantCompleted runs once more, and fails unless that leaves what a fresh build
// would have written, and an index that says what changed.
func (r *crashReference) wantCompleted(t testing.TB, dir string) {
	t.Helper()
	s := crashSite(dir)
	s.now = s.now.Add(2 * time.Hour)
	s.publish(t, crashPages("new"))
	got := files(t, dir)
	wantNames(t, "completed", names(got), names(r.fresh)...)
	for name, lastMod := range lastMods(t, dir) {
		if got[name] != r.fresh[name] {
			t.Fatalf("%s is not completed", name)
		}
		if was, there := r.old[name]; there && (was == got[name]) != (r.lastMods[name] == lastMod) {
			t.Fatalf("the index says %s of %s, and said %s; the same bytes: %t", lastMod, name, r.lastMods[name], was == got[name])
		}
	}
	if again := s.publish(t, crashPages("new")); len(again.Written)+len(again.Removed) > 0 {
		t.Fatalf("written again: %+v", again)
	}
}

func TestKilledOrFailingRunLeavesAWholeSetThatTheNextCompletes(t *testing.T) {
	if raceDetector {
		t.Skip("thirty processes start too slowly with the race detector; the run without it has them")
	}
	t.Parallel()
	reference := newCrashReference(t)
	type fault struct{ calls, what string }
	faults := []fault{
		{"renameat,renameat2", "signal=SIGKILL"}, {"renameat,renameat2", "error=EIO"},
		{"unlinkat", "signal=SIGKILL"},
		{"fsync", "signal=SIGKILL"}, {"fsync", "error=ENOSPC"},
	}
	struck := map[string]int{}
	for _, fault := range faults {
		for when := 1; when <= 12; when++ {
			dir := t.TempDir()
			reference.place(t, dir)
			out, code, log := traced(t, dir, "-e", "trace="+fault.calls, "-e", fmt.Sprintf("inject=%s:%s:when=%d", fault.calls, fault.what, when))
			if code == 0 {
				break // there were not so many calls
			}
			struck[fault.calls+" "+fault.what]++
			if strings.HasPrefix(fault.what, "error") && (code != 1 || !strings.Contains(log, "INJECTED")) {
				t.Fatalf("%v, %d: exit code %d\n%s", fault, when, code, out)
			}
			reference.wantWholeSet(t, dir)
			if code == 1 {
				wantNoTemps(t, dir)
			}
			reference.wantCompleted(t, dir)
		}
	}
	for _, fault := range faults {
		if struck[fault.calls+" "+fault.what] == 0 {
			t.Errorf("%v never struck", fault)
		}
	}
	t.Log(struck)
}

func TestLeftoversThatCannotBeRemovedAreLeftToALaterRun(t *testing.T) {
	if raceDetector {
		t.Skip("the run without the race detector, under which strace is slow, has it")
	}
	reference := newCrashReference(t)
	dir := t.TempDir()
	reference.place(t, dir)
	out, code, log := traced(t, dir, "-e", "trace=unlinkat", "-e", "inject=unlinkat:error=EIO:when=1")
	if code != 0 || !strings.Contains(log, "INJECTED") {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	reference.wantWholeSet(t, dir)
	reference.wantCompleted(t, dir)
}

// call is a system call in strace's log, at the moment at which it ended.
var (
	callLine    = regexp.MustCompile(`^(\d+) +(\w+)\((.*)$`)
	resumedLine = regexp.MustCompile(`^(\d+) +<\.\.\. (\w+) resumed>(.*)$`)
)

// calls returns the calls of a log in the order in which they ended, whole.
func calls(log string) []string {
	var ended []string
	begun := map[string]string{}
	for line := range strings.SplitSeq(log, "\n") {
		if m := resumedLine.FindStringSubmatch(line); m != nil {
			ended = append(ended, begun[m[1]]+m[3])
		} else if m := callLine.FindStringSubmatch(line); m != nil {
			call := m[2] + "(" + m[3]
			if rest, unfinished := strings.CutSuffix(call, " <unfinished ...>"); unfinished {
				begun[m[1]] = rest
			} else {
				ended = append(ended, call)
			}
		}
	}
	return ended
}

func TestShardsAreDurableBeforeTheIndexAndTheIndexBeforeRemovals(t *testing.T) {
	dir := t.TempDir()
	crashSite(dir).publish(t, crashPages("old"))
	out, code, log := traced(t, dir, "-e", "trace=fsync,renameat,renameat2,unlinkat")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	renamed := regexp.MustCompile(`^renameat2?\(.*"(\.sitewalk-[0-9a-z]+\.tmp)".*"(sitemap[^"]*)".* = 0`)
	removed := regexp.MustCompile(`^unlinkat\(.*"(sitemap[^"]*)".* = 0`)
	synced := regexp.MustCompile(`^fsync\([0-9]+<` + regexp.QuoteMeta(dir) + `(?:/(\.sitewalk-[0-9a-z]+\.tmp))?>\) += 0`)
	var steps []string
	durable := map[string]bool{}
	for _, call := range calls(log) {
		step := ""
		if m := synced.FindStringSubmatch(call); m != nil {
			if durable[m[1]] = true; m[1] == "" {
				step = "sync"
			}
		} else if m := renamed.FindStringSubmatch(call); m != nil {
			if !durable[m[1]] {
				t.Errorf("%s is renamed before it is durable", m[2])
			}
			if step = "shards"; m[2] == "sitemap.xml" {
				step = "index"
			}
		} else if m := removed.FindStringSubmatch(call); m != nil {
			step = "removals"
		}
		if step != "" && (len(steps) == 0 || steps[len(steps)-1] != step) {
			steps = append(steps, step)
		}
	}
	wantNames(t, "steps", steps, "shards", "sync", "index", "sync", "removals", "sync")
}

// A run that was killed may have left files whose names are not yet on the disk for good.
func TestFilesThatAreThereAreMadeDurableBeforeTheIndexAndTheEnd(t *testing.T) {
	for _, test := range []struct {
		missing string
		want    []string
	}{
		{"", []string{"folder"}},
		{"sitemap.xml", []string{"file", "folder", "rename", "folder"}},
	} {
		dir := t.TempDir()
		s := crashSite(dir)
		s.now = s.now.Add(time.Hour) // as childPublish has it
		s.publish(t, crashPages("new"))
		if test.missing != "" {
			must(t, os.Remove(filepath.Join(dir, test.missing)))
		}
		out, code, log := traced(t, dir, "-e", "trace=fsync,renameat,renameat2")
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, out)
		}
		// Folders above it are another test's.
		steps := regexp.MustCompile(`(?m)^(?:fsync\([0-9]+<` + regexp.QuoteMeta(dir) + `(?:/(\.sitewalk-[^>]*))?>|(rename)at2?\().* = 0$`)
		var got []string
		for _, m := range steps.FindAllStringSubmatch(strings.Join(calls(log), "\n"), -1) {
			switch {
			case m[2] != "":
				got = append(got, "rename")
			case m[1] != "":
				got = append(got, "file")
			default:
				got = append(got, "folder")
			}
		}
		wantNames(t, "steps", got, test.want...)
	}
}

func TestRunThatIsKilledTwiceKeepsTheGrace(t *testing.T) {
	t.Setenv("OUTPUT_TEST_GRACE", "1h")
	reference := newCrashReference(t)
	start := func() string {
		dir := t.TempDir()
		reference.place(t, dir)
		return dir
	}
	const renames = "renameat,renameat2"
	_, _, whole := traced(t, start(), "-e", "trace="+renames)
	dir := start()
	// Killed when the shards are in place and the index is not, which is then all
	// that is left to rename.
	for _, when := range []int{strings.Count(whole, "= 0\n"), 1} {
		_, code, log := traced(t, dir, "-e", "trace="+renames, "-e", fmt.Sprintf("inject=%s:signal=SIGKILL:when=%d", renames, when))
		if code != -1 || !strings.Contains(log, `"sitemap.xml"`) {
			t.Fatal(log)
		}
	}
	if out, code, _ := traced(t, dir, "-e", "trace="+renames); code != 0 {
		t.Fatal(out)
	}
	if _, err := os.Stat(filepath.Join(dir, "sitemap-blog.xml.gz")); err != nil {
		t.Error(err)
	}
	wantNoTemps(t, dir)
}

func TestFullDiskLeavesTheOldSet(t *testing.T) {
	dir := t.TempDir()
	tinyDisk(t, dir)
	s := crashSite(dir)
	s.publish(t, crashPages("old"))
	before := files(t, dir)
	goroutines, open := runtime.NumGoroutine(), descriptors(t)
	for _, gzip := range []Gzip{GzipShards, GzipNone} {
		// Some of these fail while pages are added, some when they are published.
		for _, pages := range []int{3000, 30_000} {
			s.config.Files.Gzip = gzip
			if _, err := s.build(makePages(0, pages)); !errors.Is(err, unix.ENOSPC) {
				t.Fatalf("got %v", err)
			}
			if !maps.Equal(before, files(t, dir)) {
				t.Errorf("the set is no longer what it was: %q", names(files(t, dir)))
			}
			wantGoroutines(t, goroutines)
			if now := descriptors(t); now != open {
				t.Errorf("%d open files, there were %d", now, open)
			}
		}
	}
	s.config.Files.Gzip = GzipShards
	s.publish(t, crashPages("new"))
}

// tinyDisk mounts a file system that holds two small sets and no more.
func tinyDisk(t testing.TB, dir string) {
	t.Helper()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=128k"); err != nil {
		t.Skip("only root can mount a small disk: ", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}
