package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"sitewalk/internal/display"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"sitewalk"
)

func (c *command) watch() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Publishes the sitemap, and keeps it current until it is stopped",
		Long: "watch publishes the sitemap as build does, and then, whenever the docroot changes,\n" +
			"writes anew what the change concerns, until it is stopped. A publication that\n" +
			"fails leaves what was published before intact, and so does a docroot that goes\n" +
			"away; watch says so, and goes on.\n\n" +
			"When the configuration file changes, and on SIGHUP, the configuration is read\n" +
			"again and everything looked at anew; one with a mistake is told of, and the old\n" +
			"one stays. Started by systemd as Type=notify, or notify-reload, it tells when it\n" +
			"is ready.\n\n" +
			"Exit codes: 1 watching is impossible, or standard output cannot be written; 2\n" +
			"usage or configuration error; 130, 143 stopped by SIGINT (Ctrl-C), SIGTERM; 129\n" +
			"its terminal was closed. What was published stays, and is whole.",
		Example: "  sitewalk watch --docroot public --base-url https://www.example.com/\n" +
			"  sitewalk watch -c /etc/sitewalk.yaml --json",
		Args: noArguments,
		RunE: c.runWatch,
	}
	c.commonFlags(cmd)
	c.publishFlags(cmd)
	return cmd
}

func (c *command) runWatch(cmd *cobra.Command, _ []string) error {
	// By default a process ends without a word when who read its output has gone.
	// With the signal caught, writing fails instead. It is caught to the end: the
	// last message may go the same way.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)

	if err := c.checkFlags(cmd); err != nil {
		return err
	}
	path, err := c.configPath()
	if err != nil {
		return err
	}
	drop, lister, notify := c.newDropper(), &siteLister{c, path}, func(state string) { _, _ = daemon.SdNotify(false, state) }
	file := followFile(path)
	sites, config, err := lister.list(drop)
	if errors.Is(err, errNoSites) {
		c.say("%v; waiting for one", err)
		err = nil
	}
	if err == nil && sites != nil {
		return c.watchSites(cmd.Context(), &siteWatches{
			lister: lister, sites: sites, drop: drop, file: file, hangups: hangups, hungUp: terminalLost(), notify: notify,
		})
	}
	w := &watchRun{
		command: c, watch: sitewalk.Watch, printer: newEventPrinter(c),
		file: file, hangups: hangups, hungUp: terminalLost(), notify: notify,
	}
	w.load = func() (sitewalk.Config, error) { return c.load(drop.again(), path) }
	if err != nil {
		config, err = w.awaitDocroot(cmd.Context(), err, func() (sitewalk.Config, error) { return c.load(drop, path) })
	}
	if err != nil {
		return err
	}
	if _, err := c.submits(&config); err != nil {
		return err
	}
	return w.run(cmd.Context(), config)
}

// awaitDocroot is called when the configuration could not be read for the first time.
// If that is for want of a docroot, whose owner root must know for it, awaitDocroot
// waits until it is there. It returns what load then returns, or the error.
func (w *watchRun) awaitDocroot(ctx context.Context, err error, load func() (sitewalk.Config, error)) (config sitewalk.Config, _ error) {
	told := false
	for ; ; config, err = load() {
		var missing *missingDocroot
		if !errors.As(err, &missing) {
			return config, err
		}
		if !told {
			told = true
			nothing := sitewalk.DefaultConfig()
			if err := w.printer.begin(&nothing); err != nil {
				return config, err
			}
			w.tell(sitewalk.Event{Kind: sitewalk.EventWaiting, Err: err})
		}
		select {
		case <-ctx.Done():
			return config, stopped(ctx)
		case <-time.After(lookInterval):
		}
	}
}

// stopped returns the error for a context that a signal has ended.
func stopped(ctx context.Context) error {
	var interrupted signalError
	if errors.As(context.Cause(ctx), &interrupted) {
		return stoppedError{interrupted}
	}
	return ctx.Err()
}

// terminalLost returns a function that reports whether there was a terminal, and
// it has been closed since: then SIGHUP means what it says.
func terminalLost() func() bool {
	terminal := int(os.Stderr.Fd())
	had := term.IsTerminal(terminal)
	return func() bool { return had && !term.IsTerminal(terminal) }
}

// A watchRun is one run of the command watch on one site: one watch, and after each
// reload another.
type watchRun struct {
	command *command
	watch   func(context.Context, sitewalk.Config, func(sitewalk.Event)) error // sitewalk.Watch, but in tests
	load    func() (sitewalk.Config, error)                                    // reads the configuration again
	printer *eventPrinter
	file    *followedFile
	hangups <-chan os.Signal
	hungUp  func() bool
	notify  func(state string) // tells systemd, in the words of sd_notify(3)
	ready   atomic.Bool        // the watch that runs has said so
}

// run watches until ctx ends, standard output cannot be written, or watching is
// impossible.
func (w *watchRun) run(ctx context.Context, config sitewalk.Config) error {
	stopping := sync.OnceFunc(func() { w.notify(daemon.SdNotifyStopping) })
	defer context.AfterFunc(ctx, stopping)()
	defer stopping()

	var before *sitewalk.Config // to go back to, until a watch with the new one is ready
	for {
		next, err := w.once(ctx, config)
		var interrupted, hangup signalError
		switch {
		case w.printer.failure() != nil:
			return w.printer.failure()
		case errors.As(err, &hangup):
			return stoppedError{hangup}
		case errors.Is(err, context.Canceled) && errors.As(context.Cause(ctx), &interrupted):
			return stoppedError{interrupted}
		case next != nil:
			replaced := config
			before, config = &replaced, *next
			config.Resumes = true
		case before != nil && !w.ready.Load():
			// Not every mistake shows before the work begins.
			w.printer.refused(err)
			before, config = nil, *before
		default:
			return err
		}
	}
}

// once watches with one configuration until the watch ends, whose error it
// returns, or until there is another configuration, which it returns.
func (w *watchRun) once(ctx context.Context, config sitewalk.Config) (next *sitewalk.Config, err error) {
	if err := w.printer.begin(&config); err != nil {
		return nil, err
	}
	w.ready.Store(false)
	watching, stop := context.WithCancel(ctx)
	defer stop()
	submitter := w.command.newSubmitter(config, w.printer)
	defer submitter.stop()
	ended := make(chan error, 1)
	go func() {
		ended <- w.watch(watching, config, func(e sitewalk.Event) {
			w.tell(e)
			submitter.notice(e)
			if w.printer.failure() != nil {
				stop()
			}
		})
	}()
	looks := time.NewTicker(lookInterval)
	defer looks.Stop()
	for {
		select {
		case err := <-ended:
			return nil, err
		case <-ctx.Done():
			return nil, await(ctx, ended)
		case <-looks.C:
			if !w.file.changed() {
				continue
			}
		case <-w.hangups:
			if w.hungUp() {
				stop()
				_ = await(ctx, ended)
				return nil, signalError{syscall.SIGHUP}
			}
			w.file.read()
		}
		if next := w.reload(); next != nil || w.printer.failure() != nil {
			stop()
			_ = await(ctx, ended)
			if next != nil {
				w.printer.note(w.reloaded())
			}
			return next, nil
		}
	}
}

// stopLimit is how long a watch that was told to stop may take. It may have to keep a
// large state; longer than that it takes only if nobody reads what it prints.
const stopLimit = 30 * time.Second

// await waits for a watch to end, though not for ever once ctx has, and returns its
// error.
func await(ctx context.Context, ended <-chan error) error {
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(stopLimit):
		return ctx.Err()
	}
}

// reload reads the configuration again. It returns nil if it is not to be had, or
// has a mistake, and has told so then.
func (w *watchRun) reload() *sitewalk.Config {
	w.notify(daemon.SdNotifyReloading + "\n" + daemon.SdNotifyMonotonicUsec())
	config, err := w.load()
	if err == nil {
		err = config.Validate()
	}
	if err != nil {
		w.printer.refused(err)
		if w.ready.Load() {
			w.notify(daemon.SdNotifyReady + "\nSTATUS=The old configuration stays: " + w.command.message(err))
		}
		return nil
	}
	return &config
}

// reloaded says what a reload does.
func (w *watchRun) reloaded() string {
	if w.file.path == "" {
		return "looking at everything anew"
	}
	return "configuration reloaded"
}

// tell hands on what the watch tells.
func (w *watchRun) tell(e sitewalk.Event) {
	w.printer.event(e)
	status, ready := w.command.status(e)
	state := "STATUS=" + status
	if ready {
		w.ready.Store(true)
		state = daemon.SdNotifyReady + "\n" + state
	}
	w.notify(state)
	if e.Kind == sitewalk.EventReady {
		w.command.keepSmall()
	}
}

// gcPercent is how far the heap of a watch grows between two collections, in
// percent of what lives. That is some 40 MB for a million pages, nearly all of it
// without a pointer, so that a collection takes milliseconds; and an edit leaves
// little behind. So memory is worth more here than the collector's time.
const gcPercent = 25

// keepSmall is called when the first publication is done: what made that quick
// would only be memory that is never used again, for as long as the watch lives.
func (c *command) keepSmall() {
	c.ballast = nil
	if c.environ("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	debug.FreeOSMemory()
}

// status returns what systemd shows of the watch after an event, and whether the
// watch counts as ready by it. One that waits for its docroot does: it works as it
// should, and the first start would else run into its time limit.
func (c *command) status(e sitewalk.Event) (text string, ready bool) {
	switch e.Kind {
	case sitewalk.EventReady:
		return fmt.Sprintf("Watching %s (%s)", display.Count(int64(e.Directories), "folder"), e.Mode), true
	case sitewalk.EventWaiting:
		return "Waiting: " + c.message(e.Err), true
	case sitewalk.EventError:
		return "Not published: " + c.message(e.Err), false
	}
	return "Published " + setSize(e.Report), false
}

// stoppedError is the end of a watch by a signal, which is how watches end: its
// exit code tells, and nothing is said of a failure.
type stoppedError struct{ signalError }
