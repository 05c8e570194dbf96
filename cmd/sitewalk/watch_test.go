//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"sitewalk"
)

// A fakeWatch stands for sitewalk.Watch: it publishes at once, is ready, and then
// tells what it is sent.
type fakeWatch struct {
	mutex  sync.Mutex
	bases  []string // base URLs of the watches begun so far
	events chan sitewalk.Event
	ends   chan error // ends the watch that runs
	// refuses is a base URL with which watching turns out to be impossible.
	refuses string
}

func (f *fakeWatch) watch(ctx context.Context, config sitewalk.Config, tell func(sitewalk.Event)) error {
	f.mutex.Lock()
	f.bases = append(f.bases, config.Mapper.BaseURL)
	f.mutex.Unlock()
	if config.Mapper.BaseURL == f.refuses {
		return errors.New("no folder to publish in")
	}
	tell(published(0, 0, 0, "sitemap.xml"))
	tell(readyEvent)
	for {
		select {
		case e := <-f.events:
			tell(e)
		case err := <-f.ends:
			return err
		case <-ctx.Done():
			return fmt.Errorf("publish: %w", ctx.Err())
		}
	}
}

// A testWatch is a run of the command watch with a fake watch.
type testWatch struct {
	*watchRun
	fake           *fakeWatch
	stdout, stderr *transcript
	path           string // of the configuration file
	hang           chan os.Signal
	mutex          sync.Mutex
	states         []string // what systemd is told
	stop           context.CancelCauseFunc
	result         chan error
}

// newTestWatch returns a run that is not started yet.
func newTestWatch(t *testing.T, f flags, config string) *testWatch {
	t.Helper()
	c, stdout, stderr := newTestCommand(f)
	path := ""
	if config != "" {
		path = filepath.Join(t.TempDir(), "sitewalk.yaml")
		writeFile(t, path, config)
	}
	w := &testWatch{
		fake:   &fakeWatch{events: make(chan sitewalk.Event), ends: make(chan error)},
		stdout: stdout, stderr: stderr, path: path,
		hang: make(chan os.Signal, 1), result: make(chan error, 1),
	}
	w.watchRun = &watchRun{
		command: c, watch: w.fake.watch, printer: newEventPrinter(c),
		file: followFile(path), hangups: w.hang, hungUp: func() bool { return false },
		notify: func(state string) {
			w.mutex.Lock()
			defer w.mutex.Unlock()
			w.states = append(w.states, state)
		},
		load: func() (sitewalk.Config, error) { return c.load((&dropper{}).again(), path) },
	}
	return w
}

// start starts the run, and returns when it is ready.
func (w *testWatch) start(t *testing.T) {
	t.Helper()
	config, err := w.load()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	w.stop = stop
	go func() { w.result <- w.run(ctx, config) }()
	synctest.Wait()
}

// end stops the run by a signal, and returns its error.
func (w *testWatch) end() error {
	w.stop(signalError{syscall.SIGTERM})
	return <-w.result
}

// told returns what systemd was told since it was asked last.
func (w *testWatch) told() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	states := w.states
	w.states = nil
	return states
}

// pass lets looks at the configuration file pass.
func pass(looks int) {
	time.Sleep(time.Duration(looks) * lookInterval)
	synctest.Wait()
}

// inBubble runs a test with a clock of its own.
func inBubble(t *testing.T, f flags, config string, test func(t *testing.T, w *testWatch)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newTestWatch(t, f, config)
		w.start(t)
		// Looks at the file then come between two steps of the test.
		time.Sleep(lookInterval / 2)
		test(t, w)
		if w.stop != nil {
			_ = w.end()
		}
	})
}

func (w *testWatch) wantBases(t *testing.T, want ...string) {
	t.Helper()
	w.fake.mutex.Lock()
	defer w.fake.mutex.Unlock()
	if !slices.Equal(w.fake.bases, want) {
		t.Errorf("watches began with %q, want %q\n%s", w.fake.bases, want, w.stderr)
	}
}

func TestAChangedConfigurationIsReloadedOnceItIsAtRest(t *testing.T) {
	inBubble(t, flags{}, "base_url: https://a.example/\n", func(t *testing.T, w *testWatch) {
		pass(3)
		w.wantBases(t, "https://a.example/")
		// Each of these is another size: the file is never the same at two looks.
		for _, text := range []string{"base_url: https://b.example/", "base_url: https://b.example/b", "base_url: https://b.example/ba"} {
			writeFile(t, w.path, text)
			pass(1)
		}
		w.wantBases(t, "https://a.example/")
		pass(1)
		w.wantBases(t, "https://a.example/", "https://b.example/ba")
		pass(3)
		w.wantBases(t, "https://a.example/", "https://b.example/ba")
		if !regexp.MustCompile(`\n\d\d:\d\d:\d\d configuration reloaded\nsitemap\.xml: 1,350 pages in 4 shards, 1 file written`).MatchString(w.stdout.String()) {
			t.Errorf("standard output is %q", w.stdout)
		}
	})
}

func TestAReloadKeepsTheFlags(t *testing.T) {
	inBubble(t, flags{baseURL: "https://flag.example/"}, "base_url: https://a.example/\n", func(t *testing.T, w *testWatch) {
		writeFile(t, w.path, "base_url: https://bb.example/\n")
		pass(2)
		w.wantBases(t, "https://flag.example/", "https://flag.example/")
	})
}

func TestAReplacedConfigurationIsReloaded(t *testing.T) {
	inBubble(t, flags{}, "base_url: https://a.example/\n", func(t *testing.T, w *testWatch) {
		// Of the same size and time, as some editors and deployments leave it.
		info, err := os.Stat(w.path)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, w.path+".new", "base_url: https://b.example/\n")
		if err := errors.Join(os.Chtimes(w.path+".new", info.ModTime(), info.ModTime()), os.Rename(w.path+".new", w.path)); err != nil {
			t.Fatal(err)
		}
		pass(2)
		w.wantBases(t, "https://a.example/", "https://b.example/")
	})
}

func TestAConfigurationWithAMistakeIsToldOfOnce(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"unknown key":    func(path string) error { return os.WriteFile(path, []byte("bas_url: x\n"), 0o644) },
		"does not parse": func(path string) error { return os.WriteFile(path, []byte("base_url: [\n"), 0o644) },
		"not valid":      func(path string) error { return os.WriteFile(path, []byte("base_url: ftp://a.example/\n"), 0o644) },
		"gone":           os.Remove,
		"a folder":       func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, flags{}, "base_url: https://a.example/\n", func(t *testing.T, w *testWatch) {
				if err := spoil(w.path); err != nil {
					t.Fatal(err)
				}
				pass(1)
				if w.stderr.String() != "" {
					t.Errorf("told at once: %s", w.stderr)
				}
				pass(5)
				if got := w.stderr.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "sitewalk: ") ||
					!strings.Contains(got, filepath.Base(w.path)) || !strings.HasSuffix(got, "the configuration in use stays\n") {
					t.Errorf("told %q", got)
				}
				w.wantBases(t, "https://a.example/")

				if err := errors.Join(os.RemoveAll(w.path), os.WriteFile(w.path, []byte("base_url: https://mended.example/\n"), 0o644)); err != nil {
					t.Fatal(err)
				}
				pass(2)
				w.wantBases(t, "https://a.example/", "https://mended.example/")
			})
		})
	}
}

func TestSIGHUPReloadsAtOnce(t *testing.T) {
	inBubble(t, flags{}, "base_url: https://a.example/\n", func(t *testing.T, w *testWatch) {
		writeFile(t, w.path, "base_url: https://bb.example/\n")
		w.hang <- syscall.SIGHUP
		synctest.Wait()
		w.wantBases(t, "https://a.example/", "https://bb.example/")
		pass(3) // and not again by looking
		w.wantBases(t, "https://a.example/", "https://bb.example/")
		w.hang <- syscall.SIGHUP // also when nothing has changed
		synctest.Wait()
		w.wantBases(t, "https://a.example/", "https://bb.example/", "https://bb.example/")
		for range 2 { // a mistake is told of as often as is asked
			writeFile(t, w.path, "wrong")
			w.hang <- syscall.SIGHUP
			synctest.Wait()
		}
		if n := strings.Count(w.stderr.String(), "stays\n"); n != 2 {
			t.Errorf("told %d times: %s", n, w.stderr)
		}
	})
}

func TestSIGHUPWithoutAFileBeginsAnew(t *testing.T) {
	inBubble(t, flags{baseURL: "https://a.example/"}, "", func(t *testing.T, w *testWatch) {
		pass(3)
		w.hang <- syscall.SIGHUP
		synctest.Wait()
		w.wantBases(t, "https://a.example/", "https://a.example/")
		if !strings.Contains(w.stdout.String(), "looking at everything anew\n") {
			t.Errorf("told %q", w.stdout)
		}
	})
}

func TestSIGHUPOfAClosedTerminalEndsTheWatch(t *testing.T) {
	inBubble(t, flags{}, "base_url: https://a.example/\n", func(t *testing.T, w *testWatch) {
		w.hungUp = func() bool { return true }
		w.hang <- syscall.SIGHUP
		if err := <-w.result; exitCode(t.Context(), err) != 129 {
			t.Errorf("%v: exit code %d", err, exitCode(t.Context(), err))
		}
		w.stop = nil
	})
}

func TestAWatchThatCannotBeginGoesBackToTheOldConfiguration(t *testing.T) {
	inBubble(t, flags{}, "base_url: https://a.example/\n", func(t *testing.T, w *testWatch) {
		w.fake.refuses = "https://bb.example/"
		writeFile(t, w.path, "base_url: https://bb.example/\n")
		pass(5)
		w.wantBases(t, "https://a.example/", "https://bb.example/", "https://a.example/")
		if got := w.stderr.String(); got != "sitewalk: no folder to publish in; the configuration in use stays\n" {
			t.Errorf("told %q", got)
		}
		// With the old one there is nothing to go back to.
		w.fake.ends <- errors.New("no more watching")
		if err := <-w.result; err == nil || err.Error() != "no more watching" {
			t.Errorf("ended with %v", err)
		}
		w.stop = nil
	})
}

func TestAWatchThatWorkedDoesNotGoBack(t *testing.T) {
	inBubble(t, flags{}, "base_url: https://a.example/\n", func(t *testing.T, w *testWatch) {
		writeFile(t, w.path, "base_url: https://bb.example/\n")
		pass(2)
		w.fake.ends <- errors.New("no more watching")
		if err := <-w.result; err == nil || err.Error() != "no more watching" {
			t.Errorf("ended with %v", err)
		}
		w.wantBases(t, "https://a.example/", "https://bb.example/")
		w.stop = nil
	})
}

func TestASignalEndsTheWatchWithoutAlarm(t *testing.T) {
	for signal, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		for _, f := range []flags{{}, {json: true}, {quiet: true}} {
			inBubble(t, f, "base_url: https://a.example/\n", func(t *testing.T, w *testWatch) {
				before := w.stdout.String()
				w.stop(signalError{signal})
				err := <-w.result
				if got := exitCode(t.Context(), err); got != code {
					t.Errorf("%v: exit code %d, want %d", err, got, code)
				}
				w.command.printError(t.Context(), err, code)
				want := "sitewalk: stopped\n"
				if f.quiet {
					want = ""
				}
				if w.stderr.String() != want || w.stdout.String() != before {
					t.Errorf("%+v: told %q and %q", f, w.stdout.String()[len(before):], w.stderr)
				}
				w.stop = nil
			})
		}
	}
}

func TestAWatchEndsWhenNobodyReadsItsOutput(t *testing.T) {
	inBubble(t, flags{}, "base_url: https://a.example/\n", func(t *testing.T, w *testWatch) {
		w.stdout.fill()
		w.fake.events <- published(1, 0, 0, "sitemap.xml")
		if err := <-w.result; !errors.Is(err, io.ErrShortWrite) || exitCode(t.Context(), err) != exitFailed {
			t.Errorf("%v", err)
		}
		w.stop = nil
	})
	// Likewise when it is the reload that cannot be told of.
	inBubble(t, flags{json: true}, "base_url: https://a.example/\n", func(t *testing.T, w *testWatch) {
		w.stdout.fill()
		writeFile(t, w.path, "wrong")
		if err := <-w.result; !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%v", err)
		}
		w.stop = nil
	})
}

func TestServiceManagersAreToldOfEachState(t *testing.T) {
	const ready = "READY=1\nSTATUS=Watching 1,234 folders (inotify)"
	const publication = "STATUS=Published 1,350 pages in 4 shards"
	want := []string{publication, ready}
	inBubble(t, flags{}, "base_url: https://a.example/\n", func(t *testing.T, w *testWatch) {
		check := func() {
			t.Helper()
			synctest.Wait()
			if states := w.told(); !slices.Equal(states, want) {
				t.Errorf("told %q\nwant %q", states, want)
			}
		}
		check()
		w.fake.events <- sitewalk.Event{Kind: sitewalk.EventWaiting, Err: fs.ErrNotExist}
		want = []string{"READY=1\nSTATUS=Waiting: file does not exist"}
		check()
		w.fake.events <- sitewalk.Event{Kind: sitewalk.EventError, Err: errors.New("a\nREADY=1")}
		want = []string{`STATUS=Not published: a\nREADY=1`}
		check()

		w.hang <- syscall.SIGHUP
		synctest.Wait()
		states := w.told()
		if len(states) == 0 || !regexp.MustCompile(`\ARELOADING=1\nMONOTONIC_USEC=[0-9]+\n\z`).MatchString(states[0]) ||
			!slices.Equal(states[1:], []string{publication, ready}) {
			t.Errorf("told %q of a reload", states)
		}

		writeFile(t, w.path, "bas_url: x\n")
		pass(2)
		states = w.told()
		if len(states) != 2 || !strings.HasPrefix(states[0], "RELOADING=1\n") || !strings.HasPrefix(states[1], "READY=1\nSTATUS=The old configuration stays: ") {
			t.Errorf("told %q of a reload that failed", states)
		}
		_ = w.end()
		want = []string{"STOPPING=1"}
		check()
		w.stop = nil
	})
}

// TestNotificationsReachTheSocket is not in a bubble: a socket is the system's.
func TestNotificationsReachTheSocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "notify") // t.TempDir is too long a path for a socket
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	address := &net.UnixAddr{Net: "unixgram", Name: filepath.Join(dir, "socket")}
	socket, err := net.ListenUnixgram("unixgram", address)
	if err != nil {
		t.Skipf("no such socket is to be had: %v", err)
	}
	defer socket.Close()
	t.Setenv("NOTIFY_SOCKET", address.Name)
	w := newTestWatch(t, flags{}, "base_url: https://a.example/\n")
	w.notify = func(state string) { _, _ = daemon.SdNotify(false, state) }
	config, err := w.load()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	go func() { w.result <- w.run(ctx, config) }()
	receive := func(want string) {
		t.Helper()
		_ = socket.SetReadDeadline(time.Now().Add(timeout))
		buffer := make([]byte, 4096)
		n, err := socket.Read(buffer)
		if err != nil || !strings.HasPrefix(string(buffer[:n]), want) {
			t.Fatalf("received %q, %v, want %q", buffer[:n], err, want)
		}
	}
	receive("STATUS=Published ")
	receive("READY=1\nSTATUS=Watching ")
	w.hang <- syscall.SIGHUP
	receive("RELOADING=1\nMONOTONIC_USEC=")
	receive("STATUS=Published ")
	receive("READY=1\nSTATUS=Watching ")
	stop(signalError{syscall.SIGTERM})
	receive("STOPPING=1")
	<-w.result
}

func TestAWatchThatIsReadyKeepsMemorySmall(t *testing.T) {
	for gogc, want := range map[string]int{"": gcPercent, "300": 300} {
		before := debug.SetGCPercent(300)
		c := &command{environ: func(string) string { return gogc }, ballast: make([]byte, ballastSize)}
		c.keepSmall()
		if got := debug.SetGCPercent(before); got != want || c.ballast != nil {
			t.Errorf("GOGC=%s: the collector is set to %d, want %d", gogc, got, want)
		}
	}
}

func TestAFollowedFileChangesWhenItIsAtRest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	writeFile(t, path, "one")
	f := followFile(path)
	look := func(what string, want ...bool) {
		t.Helper()
		for i, want := range want {
			if got := f.changed(); got != want {
				t.Errorf("%s: look %d: changed is %v", what, i+1, got)
			}
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	look("untouched", false, false)
	must(os.Chtimes(path, time.Time{}, time.Unix(1, 0)))
	look("another date, though older", false, true, false, false)
	must(os.Chmod(path, 0o600))
	look("another mode", false, true, false)
	must(os.Remove(path))
	look("gone", false, true, false)
	writeFile(t, path, "two")
	look("back", false, true, false)
	writeFile(t, path, "three")
	f.read()
	look("read meanwhile", false, false)
	must(os.Rename(path, path+"~"))
	look("moved away", false)
	must(os.Rename(path+"~", path))
	look("and back between two looks", false, false, false)
	if followFile("").changed() {
		t.Error("a file that is not there has changed")
	}
}
