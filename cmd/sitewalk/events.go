package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"sitewalk"
	"sitewalk/internal/display"
	"sitewalk/mapper"
)

// eventPrinter prints what a watch tells, and what becomes of the configuration
// meanwhile. Its methods may be called by several goroutines.
type eventPrinter struct {
	command  *command
	mutex    sync.Mutex // guards all that follows, and both outputs
	progress *progress
	begun    bool                        // this watch has told of a publication
	said     map[string]sitewalk.Warning // the last warning of each code
	failed   error                       // why standard output cannot be written
}

func newEventPrinter(c *command) *eventPrinter {
	return &eventPrinter{command: c, said: map[string]sitewalk.Warning{}}
}

// begin prepares for a watch that begins, whose configuration it makes tell of
// progress and, if that is asked for, of what is left out and what is inferred.
func (p *eventPrinter) begin(config *sitewalk.Config) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	progress, err := p.command.newProgress()
	if err != nil {
		return err
	}
	p.progress, p.begun = progress, false
	config.Progress = func(files, pages int64) {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		if !p.begun {
			progress.update(files, pages)
		}
	}
	if p.command.flags.verbose {
		config.LeftOut = func(left *sitewalk.Finding) {
			p.mutex.Lock()
			defer p.mutex.Unlock()
			progress.clear()
			p.command.printLeftOut(left)
		}
		config.Inferred = func(found mapper.Surveyed) {
			p.mutex.Lock()
			defer p.mutex.Unlock()
			progress.clear()
			p.command.printInferred(&found)
		}
	}
	return nil
}

// event prints an event.
func (p *eventPrinter) event(e sitewalk.Event) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.progress.clear()
	c := p.command
	if e.Report != nil {
		c.printWarnings(p.news(e.Report.Warnings))
	}
	published := e.Kind == sitewalk.EventPublished || e.Kind == sitewalk.EventUnchanged
	first := published && !p.begun
	p.begun = p.begun || published
	switch {
	case c.flags.json:
		p.check(c.encodeJSON(e))
	case first:
		p.check(c.printReport(*e.Report))
	case published:
		p.line(now() + " " + updateLine(e))
	case e.Kind == sitewalk.EventReady:
		p.line(readyLine(e))
	default:
		if e.Report != nil {
			c.hint = noPagesHint(*e.Report)
			fmt.Fprint(c.stderr, leftOutLine(*e.Report))
		}
		fmt.Fprintln(c.stderr, "sitewalk:", c.message(e.Err))
	}
}

// note prints a line for people.
func (p *eventPrinter) note(text string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.progress.clear()
	if !p.command.flags.json {
		p.line(now() + " " + text)
	}
}

// refused prints why a configuration was not taken.
func (p *eventPrinter) refused(err error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.progress.clear()
	c := p.command
	if c.flags.json {
		p.check(c.encodeJSON(failure{"error", nil, sitewalk.PercentEncode(err.Error()), exitUsage}))
		return
	}
	fmt.Fprintf(c.stderr, "sitewalk: %s; the configuration in use stays\n", c.message(err))
}

func (p *eventPrinter) line(text string) {
	if !p.command.flags.quiet {
		_, err := fmt.Fprintln(p.command.stdout, text)
		p.check(err)
	}
}

// check remembers that standard output could not be written: then there is nobody
// to tell, and what ends the watch is said on standard error alone.
func (p *eventPrinter) check(err error) {
	if err != nil && p.failed == nil {
		p.failed = fmt.Errorf("standard output cannot be written: %w", err)
		p.command.printed = true
	}
}

// failure returns why standard output cannot be written, or nil.
func (p *eventPrinter) failure() error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.failed
}

// news returns the warnings that do not say again what was said last.
func (p *eventPrinter) news(warnings []sitewalk.Warning) []sitewalk.Warning {
	var news []sitewalk.Warning
	for _, w := range warnings {
		last, known := p.said[w.Code]
		if !known || last.Message != w.Message || !slices.Equal(last.Paths, w.Paths) {
			news = append(news, w)
		}
		p.said[w.Code] = w
	}
	return news
}

// printStopped says that a watch was stopped, which is how watches end. A process for
// one owner's sites leaves it to root's.
func (c *command) printStopped() {
	if !c.flags.quiet && !c.flags.asOwner {
		fmt.Fprintln(c.stderr, "sitewalk: stopped")
	}
}

// now returns the time of day, as people see it beside what happened.
func now() string { return time.Now().Format(time.TimeOnly) }

func readyLine(e sitewalk.Event) string {
	return fmt.Sprintf("watching %s (%s); stop with Ctrl-C", display.Count(int64(e.Directories), "folder"), e.Mode)
}

// maxNames is how many of the files that were written a line names.
const maxNames = 3

// updateLine tells of a publication after the first.
func updateLine(e sitewalk.Event) string {
	var b strings.Builder
	r := e.Report
	for i, name := range r.Written {
		if i == maxNames {
			fmt.Fprintf(&b, " and %s more", display.Number(int64(len(r.Written)-maxNames)))
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(display.Text(name))
	}
	if len(r.Written) > 0 {
		b.WriteString(": ")
	}
	b.WriteString(pageChanges(e))
	if len(r.Removed) > 0 {
		fmt.Fprintf(&b, ", %s removed", display.Count(int64(len(r.Removed)), "old file"))
	}
	fmt.Fprintf(&b, "; %s, in %.2f s", setSize(r), r.Seconds)
	return b.String()
}

func setSize(r *sitewalk.Report) string {
	return display.Count(r.Pages, "page") + " in " + display.Count(int64(r.Shards), "shard")
}

// pageChanges says how many pages differ, as in 1 page changed, 2 added.
func pageChanges(e sitewalk.Event) string {
	var parts []string
	for _, change := range [...]struct {
		pages int64
		what  string
	}{{e.Changed, "changed"}, {e.Added, "added"}, {e.Removed, "removed"}} {
		switch {
		case change.pages == 0:
		case len(parts) == 0:
			parts = append(parts, display.Count(change.pages, "page")+" "+change.what)
		default:
			parts = append(parts, display.Number(change.pages)+" "+change.what)
		}
	}
	if len(parts) == 0 {
		return "no page changed"
	}
	return strings.Join(parts, ", ")
}
