package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"sitewalk"
)

// An owner can hold a process up that has become that owner, by a signal, by files
// without number or by a server that does not answer. --site-timeout says how long others
// have to wait for it.

// errSlow says that a site, or all of an owner's, have taken longer than they may.
var errSlow = errors.New("took longer than --site-timeout allows: what was published before is intact")

// withinTime returns a context that ends with errSlow after a time, or without a limit
// if that is 0.
func withinTime(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, errSlow)
}

// inTime returns errSlow in place of an error that came when the time was over.
func inTime(limited context.Context, err error) error {
	if err != nil && context.Cause(limited) == errSlow {
		return errSlow
	}
	return err
}

// buildInTime builds one site, as buildSite does, within the time that it may take.
func (c *command) buildInTime(ctx context.Context, config sitewalk.Config) error {
	limited, cancel := withinTime(ctx, c.flags.siteTimeout)
	defer cancel()
	return inTime(limited, c.buildSite(limited, config))
}

// siteTimes returns how long the process for so many sites of an owner may take, or 0 if
// there is no limit. It keeps to the limit of each itself, and has a while to say so.
func (c *command) siteTimes(sites int) time.Duration {
	limit := c.flags.siteTimeout
	if limit == 0 || limit > (math.MaxInt64-reserve)/time.Duration(sites) {
		return 0
	}
	return time.Duration(sites)*limit + reserve
}

// reserve is what a process has beyond the limits of its sites, to read the configuration
// and to tell how they went.
const reserve = 5 * time.Second

// awaitBeginning has a watch of several sites wait no longer than limit, unless that is 0,
// for one that has not begun: its owner could keep all others from being told to systemd as
// ready, which then ends them. It may still begin. What is returned ends the waiting.
func (w *siteWatches) awaitBeginning(ctx context.Context, what string, docroots []string, limit time.Duration) (stop func()) {
	if limit == 0 {
		return func() {}
	}
	timer := time.AfterFunc(limit, func() {
		for _, docroot := range docroots {
			one := w.command.forSite(docroot, w.outputs)
			fmt.Fprintln(one.stderr, "sitewalk: is not watched yet, after as long as --site-timeout allows; the others no longer wait for it")
		}
		w.tellBegun(ctx, beginning{what, exitDone})
	})
	return func() { timer.Stop() }
}
