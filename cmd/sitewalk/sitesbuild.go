package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sitewalk/internal/display"
	"sync"

	"sitewalk"
)

// severity orders exit codes: the worst of several sites is that of the whole run.
var severity = [...]int{exitDone, exitUnreadable, exitNoPages, exitUsage, exitFailed}

// worse returns the worse of two exit codes. An interruption is worse than all.
func worse(a, b int) int {
	rank := func(code int) int {
		for i, known := range severity {
			if code == known {
				return i
			}
		}
		return len(severity) + code
	}
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// A tally counts what became of several sites.
type tally struct {
	Published, Unchanged, DryRun, Failed int
	Code                                 int // the worst
}

func (t *tally) add(other tally) {
	t.Published += other.Published
	t.Unchanged += other.Unchanged
	t.DryRun += other.DryRun
	t.Failed += other.Failed
	t.Code = worse(t.Code, other.Code)
}

// tallyOf counts one site, whose build has ended with an event or else failed.
func tallyOf(event string, code int) tally {
	t := tally{Code: code}
	switch event {
	case "published":
		t.Published = 1
	case "unchanged":
		t.Unchanged = 1
	case "dry-run":
		t.DryRun = 1
	default:
		t.Failed = 1
	}
	return t
}

// isNoNews reports whether there is nothing that one has to hear of.
func (t *tally) isNoNews() bool { return t.Published+t.DryRun+t.Failed+t.Code == 0 }

func (t *tally) String() string {
	text := display.Count(int64(t.Published+t.Unchanged+t.DryRun+t.Failed), "site") + ": "
	separator := ""
	for _, part := range [...]struct {
		sites int
		what  string
	}{{t.Published, "published"}, {t.Unchanged, "unchanged"}, {t.DryRun, "not written (dry run)"}, {t.Failed, "failed"}} {
		if part.sites > 0 {
			text += separator + display.Number(int64(part.sites)) + " " + part.what
			separator = ", "
		}
	}
	return text
}

// buildSites builds several sites. None is in the way of another: what goes wrong with
// one is told, and counts for the exit code alone.
func (c *command) buildSites(ctx context.Context, sites []site, drop *dropper) error {
	if err := c.checkSiteFlags(); err != nil {
		return err
	}
	c.seen = c.seen || c.flags.seen
	if c.flags.asOwner {
		return c.buildAsOwner(ctx, sites, drop)
	}
	outputs := shareOutputs(c.stdout, c.stderr)
	own, others := byOwner(sites, drop)
	total := c.buildHere(ctx, own, drop, outputs)
	total.add(c.buildElsewhere(ctx, others, outputs))
	c.code = total.Code
	if ctx.Err() != nil {
		c.code = exitCode(ctx, ctx.Err())
	}
	if c.flags.json || c.flags.quiet || total.isNoNews() && !c.flags.verbose && !c.seen {
		return nil
	}
	_, err := fmt.Fprintln(c.stdout, total.String())
	return err
}

// buildHere builds sites in this process, some at a time.
func (c *command) buildHere(ctx context.Context, sites []site, drop *dropper, outputs outputs) tally {
	runs := make([]*siteRun, len(sites))
	var configs []*sitewalk.Config
	for i := range sites {
		run := &siteRun{command: c.forSite(sites[i].docroot, outputs)}
		config, err := sites[i].load(drop.again())
		config.Jobs = c.jobsEach()
		run.config, run.err = config, err
		if err == nil {
			configs = append(configs, &run.config)
		}
		runs[i] = run
	}
	problems := sitewalk.CheckTogether(configs)
	for _, run := range runs {
		if run.err == nil {
			run.err, problems = problems[0], problems[1:]
		}
	}
	var total tally
	var mutex sync.Mutex
	atATime(c.flags.parallel, len(runs), func(i int) {
		run := runs[i]
		t := run.build(ctx)
		mutex.Lock()
		defer mutex.Unlock()
		total.add(t)
	})
	return total
}

// siteRun is the build of one site of several.
type siteRun struct {
	command *command
	config  sitewalk.Config
	err     error // why there is no configuration
}

// build builds the site, unless the run was interrupted before it began.
func (r *siteRun) build(ctx context.Context) tally {
	c := r.command
	err := r.err
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case err == nil:
		err = c.buildInTime(ctx, r.config)
	}
	if err != nil {
		c.code = exitCode(ctx, err)
		c.printError(ctx, err, c.code)
		c.event = ""
	}
	return tallyOf(c.event, c.code)
}

// jobsEach returns the number of jobs that each of the sites has that are built at a
// time.
func (c *command) jobsEach() int {
	jobs := c.flags.jobs
	if jobs == 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	return max(1, jobs/c.flags.parallel)
}

// forSite returns a command that does one site of several, and says so with each line.
func (c *command) forSite(docroot string, outputs outputs) *command {
	one := *c
	one.site = docroot
	prefix := display.Name(docroot) + ": "
	one.stderr = &lineWriter{output: outputs.stderr, prefix: prefix}
	if c.flags.json {
		prefix = ""
	}
	one.stdout = &lineWriter{output: outputs.stdout, prefix: prefix}
	if c.flags.parallel > 1 && one.flags.progress == "auto" {
		one.flags.progress = "never"
	}
	return &one
}

// outputs are both outputs of the process, for several sites.
type outputs struct{ stdout, stderr *sharedOutput }

func shareOutputs(stdout, stderr io.Writer) outputs {
	return outputs{&sharedOutput{to: stdout}, &sharedOutput{to: stderr}}
}

// atATime calls do with 0 to n-1, for up to limit of them at once.
func atATime(limit, n int, do func(i int)) {
	var all sync.WaitGroup
	slots := make(chan struct{}, limit)
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			do(i)
		})
	}
	all.Wait()
}
