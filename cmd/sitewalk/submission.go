package main

import (
	"context"
	"errors"
	"fmt"
	"sitewalk/internal/display"
	"strings"

	"sitewalk"
)

// planLines says what would be submitted to whom.
func planLines(r sitewalk.SubmitReport) string {
	var b strings.Builder
	if r.First && r.Added > 0 {
		b.WriteString("nothing is known to have been submitted, so that all URLs count as added; " +
			"if engines know the site already, sitewalk submit --baseline takes them for submitted\n")
	}
	if n := submittedURLs(r); n > 0 {
		fmt.Fprintf(&b, "would submit %s to %s, in %s, with the key file %s\n",
			changeCounts(r), display.Text(r.Endpoint), display.Count(int64(r.Requests-len(r.Pings)), "request"), display.Text(r.KeyLocation))
	}
	for _, ping := range r.Pings {
		fmt.Fprintf(&b, "would ask for %s\n", display.Text(ping.URL))
	}
	if b.Len() == 0 {
		return nothingToSubmit(r) + "\n"
	}
	return b.String()
}

func submittedURLs(r sitewalk.SubmitReport) int { return r.Added + r.Changed + r.Deleted }

// changeCounts says how many URLs have changed in which way.
func changeCounts(r sitewalk.SubmitReport) string {
	return fmt.Sprintf("%s (%s added, %s changed, %s deleted)",
		display.Count(int64(submittedURLs(r)), "URL"), display.Number(int64(r.Added)), display.Number(int64(r.Changed)), display.Number(int64(r.Deleted)))
}

func nothingToSubmit(r sitewalk.SubmitReport) string {
	return fmt.Sprintf("nothing to submit: no URL of %s has changed since it was submitted", display.Text(r.Root))
}

// submissionLine tells of a submission that went well.
func submissionLine(r sitewalk.SubmitReport) string {
	var parts []string
	if n := submittedURLs(r); n > 0 {
		parts = append(parts, changeCounts(r))
	}
	if n := len(r.Pings); n > 0 {
		parts = append(parts, display.Count(int64(n), "ping"))
	}
	switch r.Event {
	case "unchanged":
		return nothingToSubmit(r)
	case "baseline":
		return fmt.Sprintf("%s: %s taken for submitted, and nobody asked", display.Text(r.Root), changeCounts(r))
	}
	line := fmt.Sprintf("submitted %s, in %s, in %.2f s", strings.Join(parts, " and "), display.Count(int64(r.Requests), "request"), r.Seconds)
	if r.KeyPending {
		line += "; the key file " + display.Text(r.KeyLocation) + " is yet to be looked at"
	}
	return line
}

// printSubmission prints the result of a submission that went well.
func (c *command) printSubmission(r sitewalk.SubmitReport) error {
	switch {
	case c.flags.json:
		return c.printJSON(r)
	case c.flags.quiet:
		return nil
	}
	_, err := fmt.Fprintln(c.stdout, submissionLine(r))
	return err
}

// failedSubmission is what submit --json prints of a submission that failed.
type failedSubmission struct {
	sitewalk.SubmitReport
	Message string `json:"message"`
	Code    int    `json:"code"` // the exit code
}

// failedSubmission returns why a submission failed, with what was accepted before.
func (c *command) failedSubmission(ctx context.Context, r sitewalk.SubmitReport, err error) error {
	if n := submittedURLs(r); n > 0 || len(r.Pings) > 0 {
		err = fmt.Errorf("%s accepted, %s left: %w", changeCounts(r), display.Number(int64(r.Left)), err)
	}
	var mistake *sitewalk.ConfigError
	if c.flags.json && !errors.As(err, &mistake) {
		failed := failedSubmission{r, sitewalk.PercentEncode(err.Error()), exitCode(ctx, err)}
		return errors.Join(err, c.printJSON(failed))
	}
	return err
}

// printKeyFile tells of the key file, and what to do with it.
func (c *command) printKeyFile(made sitewalk.KeyFile) error {
	switch {
	case c.flags.json:
		made.File = sitewalk.PercentEncode(made.File)
		return c.printJSON(made)
	case c.flags.quiet && !made.New && !made.Found:
		return nil
	}
	var b strings.Builder
	what := "is there already"
	if made.Written {
		what = "was made"
	}
	fmt.Fprintf(&b, "%s %s: deploy it, so that %s holds the key\n", display.Name(made.File), what, display.Text(made.URL))
	if made.New || made.Found {
		fmt.Fprintf(&b, "in the configuration:\n\nsubmit: {indexnow: {key: %q}}\n", made.Key)
	}
	_, err := fmt.Fprint(c.stdout, b.String())
	return err
}

// submits reports whether a build or a watch is to submit what it publishes: because the
// flag says so, for which all must be in order, or the configuration.
func (c *command) submits(config *sitewalk.Config) (bool, error) {
	switch {
	case c.flags.submit && config.DryRun:
		return false, &usageError{errors.New("--submit submits what was published, and --dry-run publishes nothing; sitewalk submit --dry-run says what is to be submitted now")}
	case c.flags.submit:
		return true, config.CheckSubmit()
	}
	return config.Submit.Auto && !config.DryRun, nil
}

// submitBuilt submits what a build has published. That it fails is a warning: the set
// is published, and no pipeline is to fail for an engine's bad day. The error is of a
// run that was interrupted.
func (c *command) submitBuilt(ctx context.Context, config sitewalk.Config, built *sitewalk.Report) (*sitewalk.SubmitReport, error) {
	report, err := sitewalk.Submit(ctx, config, c.submitOptions())
	if err != nil && ctx.Err() == nil {
		built.Warnings = append(built.Warnings, sitewalk.Warning{
			Code: "submit-failed", Message: "published, but not all of it was submitted: " + display.Text(err.Error()), Paths: []string{},
		})
		err = nil
	}
	return &report, err
}

// built is what build --json prints of a build that was submitted.
type built struct {
	sitewalk.Report
	Submitted *sitewalk.SubmitReport `json:"submitted"`
}

// printBuilt prints the result of a build, and what was submitted, if it was.
func (c *command) printBuilt(r sitewalk.Report, submitted *sitewalk.SubmitReport) error {
	if submitted == nil {
		return c.printReport(r)
	}
	c.printWarnings(submitted.Warnings)
	if c.flags.json {
		return c.printJSON(built{r, submitted})
	}
	if err := c.printReport(r); err != nil || submitted.Event == "error" {
		return err
	}
	return c.printSubmission(*submitted)
}
