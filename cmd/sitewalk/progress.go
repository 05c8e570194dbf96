package main

import (
	"fmt"
	"io"
	"os"
	"sitewalk"
	"sitewalk/internal/display"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progressDelay is how long work must last before its progress is worth a line.
const progressDelay = time.Second

// progress shows how far a build is, on a terminal.
type progress struct {
	start time.Time
	delay time.Duration
	bar   *progressbar.ProgressBar // nil until shown
	show  bool
}

func (c *command) newProgress() (*progress, error) {
	p := &progress{start: time.Now(), delay: progressDelay}
	switch c.flags.progress {
	case "auto":
		p.show = !c.flags.quiet && isTerminal(os.Stderr) && c.environ("TERM") != "dumb"
	case "always":
		p.show, p.delay = true, 0
	case "never":
	default:
		return nil, &usageError{fmt.Errorf("--progress must be auto, always or never")}
	}
	return p, nil
}

// isTerminal reports whether what is written to w is shown by a terminal.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// showProgress has a build show its progress and, if that is asked for, what it leaves
// out.
func (c *command) showProgress(config *sitewalk.Config) (*progress, error) {
	progress, err := c.newProgress()
	if err != nil {
		return nil, err
	}
	config.Progress = progress.update
	if c.flags.verbose {
		config.LeftOut = func(left *sitewalk.Finding) {
			progress.clear()
			c.printLeftOut(left)
		}
	}
	return progress, nil
}

func (p *progress) update(files, pages int64) {
	if !p.show || time.Since(p.start) < p.delay {
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(-1,
			progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSpinnerType(14),
			progressbar.OptionSetElapsedTime(false), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish())
	}
	p.bar.Describe(fmt.Sprintf("%s, %s", display.Count(files, "file"), display.Count(pages, "page")))
	_ = p.bar.Set64(pages)
}

// clear takes the line away, for what is to be printed next.
func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Finish()
		p.bar = nil
	}
}
