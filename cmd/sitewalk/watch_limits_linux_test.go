package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// These tests run the watch in namespaces of its own, where the system's limits are
// lower, and mounts are its own.

// limited has the watch run in a user namespace, where a limit is lower.
func (w *watched) limited(t *testing.T, limit string, value int) {
	t.Helper()
	w.inNamespaces(t, "-Ur", fmt.Sprintf("echo %d >/proc/sys/user/%s", value, limit), `exec "$0" "$@"`)
}

// inNamespaces has the watch started as "$@" by a shell in namespaces of its own, where
// a line of shell was run first. Containers may forbid that one, and no program that
// could be installed would change it.
func (w *watched) inNamespaces(t *testing.T, kinds, first, script string) {
	t.Helper()
	unshare := program(t, "unshare")
	if os.Geteuid() != 0 {
		t.Skip("needs root: in another user's namespace the folders on the way to the docroot are nobody's, and the command refuses to be root there")
	}
	try := newCommand()
	try.Path, try.Args = unshare, []string{"unshare", kinds, "sh", "-c", first}
	if done := finish(t, try); done.code != 0 {
		t.Skipf("the system does not allow this in a user namespace: %s: %s", first, done.stderr)
	}
	w.cmd.Path, w.cmd.Args = unshare, append([]string{"unshare", kinds, "sh", "-c", first + " || exit 98; " + script}, w.cmd.Args...)
}

func TestWithTooFewWatchesTheRestIsPolled(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	for i := range 30 {
		writePages(t, docroot, fmt.Sprintf("folder-%02d/below/index.html", i))
	}
	w := newWatched(t, docroot, "watch: {settle: 50ms, poll_interval: 200ms}\n")
	w.limited(t, "max_inotify_watches", 20)
	w.start(t)
	w.awaitReady(t)
	if w.ready.Mode != "mixed" || w.ready.Directories != 61 {
		t.Errorf("mode %s, %d folders", w.ready.Mode, w.ready.Directories)
	}
	warning := warningOf(w.begun.Report, "watches-short")
	if want := []string{"sysctl -w user.max_inotify_watches=524288"}; !slices.Equal(warning.Paths, want) {
		t.Errorf("the warning is %q", warning)
	}
	for i := range 30 {
		writePages(t, docroot, fmt.Sprintf("folder-%02d/below/new.html", i), fmt.Sprintf("folder-%02d/new/index.html", i))
	}
	w.converges(t)
	for i := range 30 {
		move(t, docroot, fmt.Sprintf("folder-%02d", i), fmt.Sprintf("moved-%02d", i))
	}
	w.converges(t)
	for i := range 30 {
		writePages(t, docroot, fmt.Sprintf("moved-%02d/below/newer.html", i))
	}
	w.converges(t)
	if code, _ := w.end(t, syscall.SIGTERM); code != 143 {
		t.Errorf("exit code %d", code)
	}
}

func TestWithoutAnInotifyInstanceAllIsPolled(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, "index.html", "a/b/page.html")
	w := newWatched(t, docroot, "watch: {settle: 50ms, poll_interval: 100ms}\n")
	w.limited(t, "max_inotify_instances", 0)
	w.start(t)
	w.awaitReady(t)
	if w.ready.Mode != "poll" || w.ready.Directories != 3 {
		t.Errorf("mode %s, %d folders", w.ready.Mode, w.ready.Directories)
	}
	warning := warningOf(w.begun.Report, "watches-short")
	if want := []string{"sysctl -w user.max_inotify_instances=1024"}; !slices.Equal(warning.Paths, want) {
		t.Errorf("the warning is %q", warning)
	}
	writePages(t, docroot, "a/b/new.html", "c/new.html")
	w.converges(t)
	filled(t, docroot, "index.html", "a/other.html")
	w.converges(t)
}

// mounting starts a watch in a mount namespace of its own, where a line of shell was
// run first, and returns a function that runs another; the empty line ends the watch.
func (w *watched) mounting(t *testing.T, first string) (run func(line string)) {
	t.Helper()
	w.inNamespaces(t, "-Urm", first, `"$0" "$@" </dev/null & while read -r line; do eval "$line" || { kill -KILL $!; exit 99; }; done; kill -TERM $!; wait $!`)
	input, output, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	w.cmd.Stdin = input
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	w.start(t)
	input.Close()
	t.Cleanup(func() {
		output.Close()
		if !w.ended { // the watch must not outlive its shell
			_ = syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL)
		}
	})
	w.awaitReady(t)
	return func(line string) {
		if line == "" {
			output.Close()
			if code, _ := w.ending(t); code != 143 {
				t.Errorf("exit code %d\n%s", code, w.said())
			}
			return
		}
		if _, err := io.WriteString(output, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
}

// unmount returns a line of shell that unmounts a folder as soon as the watch, which
// may be looking at it, has closed it.
func unmount(folder string) string {
	return "until umount " + folder + " 2>/dev/null; do sleep 0.01; done"
}

func (w *watched) becomes(t *testing.T, locs ...string) {
	t.Helper()
	for end := time.Now().Add(timeout); !slices.Equal(w.locs(t), locs); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%q are listed, not %q\n%s", w.locs(t), locs, w.said())
		}
	}
}

func TestWhatIsMountedOverTheDocrootIsPublishedAndWhatWasBelowAfterwards(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, "index.html", "a/page.html")
	w := newWatched(t, docroot, quick)
	run := w.mounting(t, "mount -t tmpfs none "+docroot+" && umount "+docroot) // if it may
	run("mount -t tmpfs none " + docroot + " && mkdir " + docroot + "/m && echo '<title>1</title>' >" + docroot + "/m/first.html")
	w.becomes(t, "m/first.html")
	run("echo '<title>2</title>' >" + docroot + "/m/second.html")
	w.becomes(t, "m/first.html", "m/second.html")
	run(unmount(docroot))
	w.becomes(t, "", "a/page.html")
	w.probe(t)
	run("")
}

func TestWhatIsMountedOverAFolderIsPublishedAndWhatWasBelowAfterwards(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, "a/b/page.html", "index.html")
	w := newWatched(t, docroot, quick)
	run := w.mounting(t, "mount -t tmpfs none "+docroot+" && umount "+docroot) // if it may
	folder := docroot + "/a/b"
	run("mount -t tmpfs none " + folder + " && echo '<title>1</title>' >" + folder + "/mounted.html")
	w.becomes(t, "", "a/b/mounted.html")
	run("echo '<title>2</title>' >" + folder + "/second.html")
	w.becomes(t, "", "a/b/mounted.html", "a/b/second.html")
	run(unmount(folder))
	w.becomes(t, "", "a/b/page.html")
	writePages(t, docroot, "a/b/new.html")
	w.becomes(t, "", "a/b/new.html", "a/b/page.html")
	run("")
}

// TestAFileSystemInLayersIsPolled because nothing tells of what changes below it.
func TestAFileSystemInLayersIsPolled(t *testing.T) {
	t.Parallel()
	dir := publicDir(t)
	writePages(t, dir, "lower/index.html", "upper/a/page.html", "work/x", "public/x")
	remove(t, filepath.Join(dir, "work/x"))
	w := newWatched(t, filepath.Join(dir, "public"), "watch: {settle: 50ms, poll_interval: 100ms}\n")
	run := w.mounting(t, "cd "+dir+" && mount -t overlay -o userxattr,lowerdir=lower,upperdir=upper,workdir=work none public")
	warning := warningOf(w.begun.Report, "unwatched")
	if w.ready.Mode == "inotify" || !slices.Equal(warning.Paths, []string{""}) {
		t.Errorf("mode %s, and the warning is %q", w.ready.Mode, warning)
	}
	w.becomes(t, "", "a/page.html")
	writePages(t, dir, "upper/a/new.html")
	w.becomes(t, "", "a/new.html", "a/page.html")
	run("rm public/index.html && mv public/a/new.html public/newer.html")
	w.becomes(t, "a/page.html", "newer.html")
	run("")
}

func TestAFullDiskLeavesTheOldSetAndIsGotOver(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, numbered("a", 60)...)
	w := newWatched(t, docroot, quick+"output: {max_urls: 20, gzip: none}\n")
	run := w.mounting(t, "mount -t tmpfs -o size=200k none "+w.out)
	filler := w.out + "/filler"
	w.out = fmt.Sprintf("/proc/%d/root%s", w.cmd.Process.Pid, w.out)
	run("dd if=/dev/zero bs=4k of=" + filler + ".growing 2>/dev/null; mv " + filler + ".growing " + filler)
	until(t, "a full disk", func() bool { info, err := os.Stat(w.out + "/filler"); return err == nil && info.Size() > 50_000 })
	before := snapshot(t, w.out)
	for _, page := range numbered("a", 60) {
		setTime(t, filepath.Join(docroot, page), firstDate.AddDate(1, 0, 0))
	}
	event, others := w.await(t, "error")
	if len(others) > 0 {
		t.Errorf("it tells of %v", others)
	}
	if want := syscall.ENOSPC.Error(); !strings.Contains(event.Message, want) {
		t.Errorf("the error is %q, not %q", event.Message, want)
	}
	until(t, "an output folder without temporary files", func() bool { return len(temps(t, w.out)) == 0 }) // it may try again
	if len(w.locs(t)) != 60 {
		t.Errorf("%d pages are listed", len(w.locs(t)))
	}
	wantUntouched(t, before, snapshot(t, w.out))
	run("rm " + filler)
	w.await(t, "published")
	w.converges(t)
	run("")
}
