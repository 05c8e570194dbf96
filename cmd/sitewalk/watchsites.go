package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sitewalk/internal/display"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"sitewalk"
)

const (
	// relistInterval is the time between two looks at which sites there are, and whose.
	relistInterval = 2 * time.Second
	// retryInterval is how long a site that cannot be watched is left alone.
	retryInterval = 10 * time.Second
)

// siteWatches watches several sites at once, those of other owners by processes of
// theirs. A site that cannot be watched is tried again now and then, and is in nobody's
// way.
type siteWatches struct {
	command *command
	lister  *siteLister
	sites   []site // as listed last
	drop    *dropper
	file    *followedFile // lists the sites, or says what they have in common
	hangups <-chan os.Signal
	hungUp  func() bool
	notify  func(state string)

	outputs   outputs
	slots     chan struct{}           // one for each site that may be scanned at a time
	here      map[string]*siteWatch   // by the site's key
	elsewhere map[uint32]*ownersWatch // by owner
	said      string                  // why the sites could not be listed, at last
	ended     sync.WaitGroup

	begun  chan beginning // one from each that runs
	began  map[string]int // the exit code that each would give by how it began, or 0
	ready  bool           // all have begun
	broken chan error     // standard output cannot be written
}

// A beginning is how the watch of a site, or of an owner's sites, began.
type beginning struct {
	what string
	code int // the exit code if nothing else was watched; 0 if it goes well
}

// siteWatch is the watch of one site.
type siteWatch struct {
	stop    context.CancelFunc
	problem error // why it is not watched as it is configured
	hangups chan os.Signal
	mutex   sync.Mutex // guards what follows
	site    site
}

// ownersWatch is the process that watches the sites of an owner.
type ownersWatch struct {
	stop     context.CancelFunc
	docroots []string
}

// watchSites watches several sites until ctx ends.
func (c *command) watchSites(ctx context.Context, w *siteWatches) (err error) {
	if err := c.checkSiteFlags(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if c.flags.asOwner {
		if ctx, err = c.becomeOwner(ctx, w.sites, w.drop); err != nil {
			return err
		}
		// Root's process looks at the file, and starts this one anew when it has changed.
		w.file = followFile("")
	}
	w.command, w.outputs = c, shareOutputs(c.stdout, c.stderr)
	w.slots = make(chan struct{}, c.flags.parallel)
	w.here, w.elsewhere, w.began = map[string]*siteWatch{}, map[uint32]*ownersWatch{}, map[string]int{}
	w.begun, w.broken = make(chan beginning), make(chan error, 1)
	defer w.ended.Wait()
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { w.notify(daemon.SdNotifyStopping) })()

	w.reconcile(ctx)
	if len(w.sites) == 0 {
		w.isReady() // and waits for some
	}
	hasTold := false
	relists, looks := time.NewTicker(relistInterval), time.NewTicker(lookInterval)
	defer relists.Stop()
	defer looks.Stop()
	for {
		select {
		case <-ctx.Done():
			return stopped(ctx)
		case err := <-w.broken:
			return err
		case b := <-w.begun:
			if code := w.note(b); code != 0 {
				c.code = code
				return nil
			}
			if w.ready && !hasTold && c.flags.asOwner {
				hasTold = true
				c.tell(told{Ready: true})
			}
		case <-relists.C:
			if w.lister.finds() || w.drop.root {
				w.relist(ctx, false)
			}
		case <-looks.C:
			if w.file.changed() {
				w.relist(ctx, true)
			}
		case <-w.hangups:
			if w.hungUp() {
				return stoppedError{signalError{syscall.SIGHUP}}
			}
			w.file.read()
			w.relist(ctx, true)
		}
	}
}

// note takes down how a watch began. When all have begun it says so to systemd; if none
// goes well it returns the exit code, which else is 0.
func (w *siteWatches) note(b beginning) int {
	if _, known := w.began[b.what]; !known {
		return 0 // it was stopped meanwhile
	}
	w.began[b.what] = b.code
	if w.ready {
		return 0
	}
	worst, watched := 0, 0
	for _, code := range w.began {
		switch {
		case code < 0:
			return 0 // has not begun
		case code == 0:
			watched++
		}
		worst = worse(worst, code)
	}
	if watched == 0 {
		return worst
	}
	w.isReady()
	return 0
}

// isReady takes down that all has begun.
func (w *siteWatches) isReady() {
	w.ready = true
	w.notify(fmt.Sprintf("%s\nSTATUS=Watching %s", daemon.SdNotifyReady, display.Count(int64(len(w.sites)), "site")))
	w.command.keepSmall()
}

// relist finds out which sites there are now. If it is by a changed configuration, or on
// request, those that stay read theirs again.
func (w *siteWatches) relist(ctx context.Context, reload bool) {
	if !w.command.flags.asOwner {
		if reload {
			w.notify(daemon.SdNotifyReloading + "\n" + daemon.SdNotifyMonotonicUsec())
		}
		sites, _, err := w.lister.list(w.drop.again())
		if errors.Is(err, errNoSites) {
			err = nil
		}
		if err == nil && sites == nil {
			err = errors.New("the configuration has no sites any more: stop it and start it anew")
		}
		if err == nil {
			w.sites, w.said = sites, ""
		} else if err.Error() != w.said {
			w.said = err.Error()
			fmt.Fprintf(w.outputs.stderr.to, "sitewalk: %s; the sites stay as they are\n", w.command.message(err))
		}
	}
	if reload {
		for _, other := range w.elsewhere {
			other.stop()
		}
		clear(w.elsewhere)
		defer w.notify(daemon.SdNotifyReady)
	}
	w.reconcile(ctx)
	if reload {
		for _, watch := range w.here {
			select {
			case watch.hangups <- syscall.SIGHUP:
			default: // there is one already
			}
		}
	}
}

// reconcile makes those sites be watched that are there, each by its owner.
func (w *siteWatches) reconcile(ctx context.Context) {
	own, others := w.sites, []ownerSites(nil)
	if !w.command.flags.asOwner {
		own, others = byOwner(w.sites, w.drop)
	}
	for key := range w.here {
		if !slices.ContainsFunc(own, func(s site) bool { return s.key == key }) {
			w.forget(key)
		}
	}
	for uid, watch := range w.elsewhere {
		if !slices.ContainsFunc(others, func(o ownerSites) bool { return o.uid == uid && slices.Equal(o.docroots, watch.docroots) }) {
			watch.stop()
			delete(w.elsewhere, uid)
			delete(w.began, ownersName(uid))
		}
	}
	problems := w.conflicts(own)
	for _, s := range own {
		watch := w.here[s.key]
		if watch != nil && watch.problem != nil && problems[s.key] == nil {
			w.forget(s.key) // and it is begun anew
			watch = nil
		}
		if watch != nil {
			watch.mutex.Lock()
			watch.site = s
			watch.mutex.Unlock()
			continue
		}
		w.watchHere(ctx, s, problems[s.key])
	}
	for _, sites := range others {
		if w.elsewhere[sites.uid] == nil {
			w.watchElsewhere(ctx, sites)
		}
	}
}

// forget ends the watch of a site.
func (w *siteWatches) forget(key string) {
	w.here[key].stop()
	delete(w.here, key)
	delete(w.began, key)
}

// conflicts returns, by their keys, why sites cannot be watched beside those before
// them. It looks only if there is a new one, or was such a reason before.
func (w *siteWatches) conflicts(sites []site) map[string]error {
	if !slices.ContainsFunc(sites, func(s site) bool { return w.here[s.key] == nil || w.here[s.key].problem != nil }) {
		return nil
	}
	var configs []*sitewalk.Config
	var keys []string
	for _, s := range sites {
		if config, err := s.load(w.drop.again()); err == nil {
			configs, keys = append(configs, &config), append(keys, s.key)
		}
	}
	problems := map[string]error{}
	for i, problem := range sitewalk.CheckTogether(configs) {
		problems[keys[i]] = problem
	}
	return problems
}

// notBegun stands for the exit code of what has not begun yet.
const notBegun = -1

// watchHere watches a site in this process, unless there is a problem with it.
func (w *siteWatches) watchHere(ctx context.Context, s site, problem error) {
	ctx, stop := context.WithCancel(ctx)
	watch := &siteWatch{stop: stop, problem: problem, hangups: make(chan os.Signal, 1), site: s}
	w.here[s.key], w.began[s.key] = watch, notBegun
	one := w.command.forSite(s.docroot, w.outputs)
	awaited := w.awaitBeginning(ctx, s.key, []string{s.docroot}, w.command.siteTimes(1))
	begin := sync.OnceFunc(func() {
		awaited()
		w.tellBegun(ctx, beginning{s.key, exitDone})
	})
	w.ended.Go(func() {
		said := ""
		for ctx.Err() == nil {
			err := problem
			if err == nil {
				err = w.watchOnce(ctx, one, watch, begin)
			}
			if ctx.Err() != nil {
				return
			}
			if err.Error() != said {
				said = err.Error()
				one.printed = false
				code := exitCode(ctx, err)
				one.printError(ctx, err, code)
				awaited()
				w.tellBegun(ctx, beginning{s.key, code})
			}
			select {
			case <-ctx.Done():
			case <-watch.hangups:
			case <-time.After(retryInterval):
			}
		}
	})
}

// watchOnce watches a site until that is impossible or ctx ends, and calls begin as soon
// as it goes well.
func (w *siteWatches) watchOnce(ctx context.Context, one *command, watch *siteWatch, begin func()) error {
	current := func() site {
		watch.mutex.Lock()
		defer watch.mutex.Unlock()
		return watch.site
	}
	load := func() (sitewalk.Config, error) { return current().load(w.drop.again()) }
	run := &watchRun{
		command: one, watch: w.inTurn, printer: newEventPrinter(one), load: load,
		file: followFile(current().file), hangups: watch.hangups, hungUp: func() bool { return false },
	}
	run.notify = func(string) {
		if run.ready.Load() {
			begin()
		}
	}
	config, err := load()
	if err != nil {
		config, err = run.awaitDocroot(ctx, err, load)
	}
	if err == nil {
		_, err = one.submits(&config)
	}
	if err == nil {
		err = run.run(ctx, config)
	}
	if failure := run.printer.failure(); failure != nil {
		select {
		case w.broken <- failure:
		default:
		}
	}
	return err
}

// inTurn is sitewalk.Watch, but that it waits for its turn to scan the docroot.
func (w *siteWatches) inTurn(ctx context.Context, config sitewalk.Config, tell func(sitewalk.Event)) error {
	select {
	case w.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	leave := sync.OnceFunc(func() { <-w.slots })
	defer leave()
	return sitewalk.Watch(ctx, config, func(e sitewalk.Event) {
		if e.Kind != sitewalk.EventPublished && e.Kind != sitewalk.EventUnchanged {
			leave() // it is ready, or it waits
		}
		tell(e)
	})
}

func ownersName(uid uint32) string { return fmt.Sprintf("user %d", uid) }

// watchElsewhere watches the sites of another owner, in a process that is started anew
// whenever it ends.
func (w *siteWatches) watchElsewhere(ctx context.Context, sites ownerSites) {
	ctx, stop := context.WithCancel(ctx)
	name := ownersName(sites.uid)
	w.elsewhere[sites.uid], w.began[name] = &ownersWatch{stop, sites.docroots}, notBegun
	awaited := w.awaitBeginning(ctx, name, sites.docroots, w.command.siteTimes(len(sites.docroots)))
	w.ended.Go(func() {
		defer awaited()
		said := ""
		for ctx.Err() == nil {
			failure := told{}
			err := w.command.runForOwner(ctx, sites, w.outputs, func(what told) {
				if what.Ready {
					said = ""
					awaited()
					w.tellBegun(ctx, beginning{name, exitDone})
				} else {
					failure = what
				}
			})
			if ctx.Err() != nil {
				return
			}
			code := childCode(err)
			switch {
			case failure.Failure != "":
				err = errors.New(failure.Failure)
			case hasExited(err):
				err = nil // it has said why
			default:
				err = fmt.Errorf("the process that watches it has ended, and is started again: %w", err)
			}
			if err != nil && err.Error() != said {
				said = err.Error()
				w.command.fail(ctx, sites, w.outputs, err, code)
			}
			awaited()
			w.tellBegun(ctx, beginning{name, code})
			select {
			case <-ctx.Done():
			case <-time.After(retryInterval):
			}
		}
	})
}

// tellBegun tells the loop how a watch began.
func (w *siteWatches) tellBegun(ctx context.Context, b beginning) {
	select {
	case w.begun <- b:
	case <-ctx.Done():
	}
}
