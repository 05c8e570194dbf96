package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"sitewalk/internal/display"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sitewalk"
)

// submitFlags are what the command line says to submit alone.
type submitFlags struct {
	dryRun, baseline, createKeyFile bool
	key, endpoint                   string
	maxWait                         time.Duration
}

func (c *command) submit() *cobra.Command {
	f := new(submitFlags)
	cmd := &cobra.Command{
		Use:   "submit",
		Short: "Tells search engines what changed since they were told last",
		Long: "submit tells search engines by IndexNow which URLs of the published sitemap were\n" +
			"added, changed or deleted since they were told last, and asks for the ping URLs. It\n" +
			"does not build. What was accepted is remembered beside the state, so that what\n" +
			"fails is submitted the next time, and nothing twice.\n\n" +
			"Exit codes: 0 submitted, or nothing to submit; 1 failed, what was accepted until\n" +
			"then is remembered; 2 usage or configuration error, also where nobody is to be\n" +
			"told; 130, 143 interrupted.",
		Example: "  sitewalk submit --create-key-file --docroot public --base-url https://www.example.com/\n" +
			"  sitewalk submit --dry-run\n" +
			"  sitewalk submit -c sitewalk.yaml --json",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.runSubmit(cmd, f) },
	}
	// Of the flags of commands that walk a docroot, those that mean something here.
	common := new(cobra.Command)
	c.commonFlags(common)
	c.publishFlags(common)
	for _, name := range [...]string{"config", "docroot", "base-url", "out", "state", "state-dir", "no-state", "json", "quiet", "verbose", "allow-root", "lock-wait"} {
		cmd.Flags().AddFlag(common.Flags().Lookup(name))
	}
	set := cmd.Flags()
	set.Lookup("verbose").Usage = "also print each URL that is submitted"
	set.BoolVar(&f.dryRun, "dry-run", false, "say what would be submitted to whom; ask nobody, and write nothing")
	set.BoolVar(&f.baseline, "baseline", false, "take the published sitemap for submitted, and ask nobody: for a site that engines know already")
	set.BoolVar(&f.createKeyFile, "create-key-file", false, "make the key file in the docroot, with a new key if none is configured or found there, and do nothing else")
	set.StringVar(&f.key, "key", "", "IndexNow `key`, in place of the configured one")
	set.StringVar(&f.endpoint, "endpoint", "", "IndexNow `URL` to submit to, in place of the configured one")
	set.DurationVar(&f.maxWait, "max-wait", sitewalk.DefaultMaxWait, "how long to put up in all with engines that fail or ask to wait")
	return cmd
}

func (c *command) runSubmit(cmd *cobra.Command, f *submitFlags) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	config, err := c.configure(cmd)
	if err != nil {
		return err
	}
	if f.key != "" {
		config.Submit.IndexNow.Key = f.key
	}
	if f.endpoint != "" {
		config.Submit.IndexNow.Endpoint = f.endpoint
	}
	if f.createKeyFile {
		made, err := sitewalk.CreateKeyFile(cmd.Context(), config)
		if err != nil {
			return err
		}
		return c.printKeyFile(made)
	}
	options := c.submitOptions()
	options.DryRun, options.Baseline = f.dryRun, f.baseline
	if options.MaxWait = f.maxWait; f.maxWait == 0 {
		options.MaxWait = -1
	}
	if f.dryRun {
		return c.planSubmission(cmd.Context(), config, options)
	}
	report, err := sitewalk.Submit(cmd.Context(), config, options)
	c.printWarnings(report.Warnings)
	if err != nil {
		return c.failedSubmission(cmd.Context(), report, err)
	}
	return c.printSubmission(report)
}

// check refuses flags that make no sense, whatever the configuration.
func (f *submitFlags) check(cmd *cobra.Command) error {
	chosen := 0
	for _, choice := range [...]bool{f.dryRun, f.baseline, f.createKeyFile} {
		if choice {
			chosen++
		}
	}
	switch {
	case chosen > 1:
		return &usageError{errors.New("--dry-run, --baseline and --create-key-file exclude each other")}
	case f.maxWait < 0:
		return &usageError{errors.New("--max-wait must not be negative")}
	}
	for _, name := range [...]string{"key", "endpoint"} {
		if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
			return &usageError{fmt.Errorf("--%s is empty; give it a value, or leave it out", name)}
		}
	}
	return nil
}

// submitOptions returns how this command submits.
func (c *command) submitOptions() sitewalk.SubmitOptions {
	options := sitewalk.SubmitOptions{UserAgent: "sitewalk/" + token(version())}
	if !c.flags.quiet {
		options.Waiting = func(err error, wait time.Duration) {
			fmt.Fprintf(c.stderr, "sitewalk: %s; trying again in %v\n", display.Text(err.Error()), wait.Round(100*time.Millisecond))
		}
	}
	if c.flags.verbose {
		options.Found = func(change sitewalk.Change, url string) { fmt.Fprintf(c.stderr, "%c %s\n", change, display.Text(url)) }
	}
	return options
}

// token returns a version as a product's, which has no parentheses.
// https://www.rfc-editor.org/rfc/rfc9110#section-10.1.5
func token(version string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) {
			return -1
		}
		return r
	}, version)
}

// plan is what submit --dry-run --json prints.
type plan struct {
	sitewalk.SubmitReport
	AddedURLs   []string `json:"added_urls"`
	ChangedURLs []string `json:"changed_urls"`
	DeletedURLs []string `json:"deleted_urls"`
}

// planSubmission says what would be submitted.
func (c *command) planSubmission(ctx context.Context, config sitewalk.Config, options sitewalk.SubmitOptions) error {
	p := plan{AddedURLs: []string{}, ChangedURLs: []string{}, DeletedURLs: []string{}}
	lists := map[sitewalk.Change]*[]string{
		sitewalk.URLAdded: &p.AddedURLs, sitewalk.URLChanged: &p.ChangedURLs, sitewalk.URLDeleted: &p.DeletedURLs,
	}
	out := bufio.NewWriter(c.stdout)
	options.Found = func(change sitewalk.Change, url string) {
		switch {
		case c.flags.json:
			*lists[change] = append(*lists[change], url)
		case !c.flags.quiet:
			fmt.Fprintf(out, "%c %s\n", change, display.Text(url))
		}
	}
	var err error
	p.SubmitReport, err = sitewalk.Submit(ctx, config, options)
	c.printWarnings(p.Warnings)
	switch {
	case err != nil:
		return err
	case c.flags.json:
		return c.printJSON(p)
	case !c.flags.quiet:
		fmt.Fprint(out, planLines(p.SubmitReport))
	}
	return out.Flush()
}
