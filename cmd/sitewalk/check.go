package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sitewalk"
	"sitewalk/internal/display"
	"sitewalk/internal/privilege"
)

func (c *command) check() *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "check [PATH|URL]",
		Short: "Verifies a published set against the protocol, and against the files",
		Long: "check verifies a sitemap, or an index and all sitemaps that it names, of any\n" +
			"generator's making: in a folder, a file, or at a URL. Without an argument it takes\n" +
			"the set that build publishes here.\n\n" +
			"With --docroot the set is also compared with what a build would list: pages without\n" +
			"a file, files that should be listed, and their dates. --base-url is the URL of the\n" +
			"docroot or, without --docroot, of the folder that is checked; if nothing says it, it\n" +
			"is inferred from the URLs in the set.\n\n" +
			"Exit codes: 0 no violation; 1 the set cannot be had; 2 usage or configuration\n" +
			"error; 5 violations; 130, 143 interrupted.",
		Example: "  sitewalk check public\n" +
			"  sitewalk check https://www.example.com/\n" +
			"  sitewalk check public --docroot public --base-url https://www.example.com/ --json",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 1:
				return &usageError{fmt.Errorf("%s checks one set at a time, but got %d", cmd.CommandPath(), len(args))}
			case len(args) == 1 && args[0] == "":
				return &usageError{errors.New("the path to check is empty; give it a value, or leave it out")}
			case timeout <= 0:
				return &usageError{errors.New("--timeout must be positive")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return c.runCheck(cmd, args, timeout) },
	}
	c.commonFlags(cmd)
	cmd.Flags().DurationVar(&timeout, "timeout", 15*time.Minute, "how long the check of a URL may take")
	cmd.Flags().Lookup("verbose").Usage = "print all findings, also those of which there are many"
	return cmd
}

func (c *command) runCheck(cmd *cobra.Command, args []string, timeout time.Duration) error {
	options, err := c.checkOptions(cmd, args)
	if err != nil {
		return err
	}
	c.ballast = nil // a check makes little garbage, and its memory is its own
	ctx := cmd.Context()
	if isURL(options.Target) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	printer := &checkPrinter{command: c, shown: map[string]int64{}}
	if !c.flags.json && !c.flags.quiet {
		options.Began, options.Found = printer.began, printer.found
	}
	report, err := sitewalk.Check(ctx, options)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && cmd.Context().Err() == nil:
		return fmt.Errorf("%s could not be checked within %v; --timeout allows more", display.Redacted(options.Target), timeout)
	case err != nil:
		return err
	}
	if len(report.Violations) > 0 {
		c.code = exitViolations
	}
	switch {
	case c.flags.json:
		return c.printJSON(report)
	case c.flags.quiet:
		return nil
	}
	printer.end(&report)
	return printer.err
}

// isURL reports whether a target is one on the web.
func isURL(target string) bool {
	scheme, _, found := strings.Cut(target, "://")
	return found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// checkOptions finds out what is to be checked, and what is known of it.
func (c *command) checkOptions(cmd *cobra.Command, args []string) (sitewalk.CheckOptions, error) {
	var options sitewalk.CheckOptions
	if err := c.checkFlags(cmd); err != nil {
		return options, err
	}
	if len(args) > 0 {
		options.Target = args[0]
	}
	onWeb := isURL(options.Target)
	if options.Target != "" && !onWeb {
		if _, err := os.Stat(options.Target); err != nil {
			var failed *fs.PathError
			if errors.As(err, &failed) {
				failed.Path = display.Redacted(failed.Path) // which may have been meant for a URL
			}
			return options, fmt.Errorf("%w: %w (a URL begins with https://)", sitewalk.ErrAbsent, err)
		}
	}
	f := &c.flags
	compared := f.docroot != ""
	if onWeb && !compared && f.baseURL != "" {
		return options, &usageError{errors.New("--base-url is for files: what is checked on the web is checked under its own URL")}
	}
	if onWeb && f.config == "" && !compared {
		return options, nil // the configuration here is not that of a site elsewhere
	}
	file, err := c.configPath()
	if err != nil {
		return options, err
	}
	config, err := c.loadToCheck(options.Target, file)
	if err != nil {
		return options, err
	}
	if compared {
		options.Build = &config
	}
	switch {
	case onWeb:
		if config.Mapper.BaseURL == "" {
			config.Mapper.BaseURL = siteOf(options.Target)
		}
		return options, nil
	case options.Target == "":
		options.Target = outputFolder(&config)
	case file == "" && !compared, !compared && !isWithin(options.Target, config.Scanner.Docroot) && !isWithin(options.Target, outputFolder(&config)):
		options.BaseURL = f.baseURL // another set than the configuration's
		return options, nil
	}
	options.Root, options.BaseURL = config.Output.Files.Root, config.Mapper.BaseURL
	if options.BaseURL != "" {
		options.Docroot = config.Scanner.Docroot
	}
	return options, nil
}

// loadToCheck reads the configuration, if there is any. Run by root, the process
// becomes the owner of the docroot or, where none is named or that is root's, of the
// folder that is checked.
func (c *command) loadToCheck(target, file string) (sitewalk.Config, error) {
	drop := c.newDropper()
	if target == "" || isURL(target) {
		return c.load(drop, file)
	}
	folder := folderOf(target)
	if file == "" && c.flags.docroot == "" {
		return drop.load("", folder)
	}
	config, err := c.load(drop, file)
	if err == nil && drop.root && !drop.stay && !drop.dropped {
		var owner privilege.Owner
		if owner, err = privilege.OwnerOf(folder); err == nil {
			err = drop.drop(owner)
		}
	}
	return config, err
}

// folderOf returns the folder that a target is, or is in.
func folderOf(target string) string {
	if info, err := os.Stat(target); err == nil && !info.IsDir() {
		return filepath.Dir(target)
	}
	return target
}

// outputFolder returns where a build with the configuration publishes.
func outputFolder(config *sitewalk.Config) string {
	if config.Out != "" {
		return config.Out
	}
	return filepath.Join(config.Scanner.Docroot, filepath.FromSlash(config.Output.Files.Dir))
}

// siteOf returns the URL of the site that a URL is of, or "".
func siteOf(target string) string {
	u, err := url.Parse(target)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}).String()
}

// shownFindings is how many findings of one code people see without asking.
const shownFindings = 10

// checkPrinter prints what a check finds, as it is found.
type checkPrinter struct {
	*command
	shown map[string]int64
	err   error // the first of writing
}

func (p *checkPrinter) print(format string, args ...any) {
	if _, err := fmt.Fprintf(p.stdout, format, args...); p.err == nil {
		p.err = err
	}
}

func (p *checkPrinter) began(root, url string) {
	switch {
	case root == url:
		p.print("checking %s\n", display.Name(root))
	case url == "":
		p.print("checking %s; what its URL is cannot be told (--base-url says it)\n", display.Name(root))
	default:
		p.print("checking %s as %s\n", display.Name(root), display.Text(url))
	}
}

func (p *checkPrinter) found(f *sitewalk.CheckFinding) {
	if p.shown[f.Code] == shownFindings && !p.flags.verbose {
		return
	}
	p.shown[f.Code]++
	place := display.Name(f.File)
	if f.Line > 0 {
		place = fmt.Sprintf("%s:%d", place, f.Line)
	}
	if f.Warning {
		place += ": warning"
	}
	if f.Loc != "" {
		place += ": " + display.Text(f.Loc)
	}
	p.print("%s: %s [%s]\n", place, display.Text(f.Message), f.Code)
}

// end prints what was not shown, and the sum.
func (p *checkPrinter) end(r *sitewalk.CheckReport) {
	var codes []string
	var violations, warnings int64
	isWarning := map[string]bool{}
	for _, f := range r.Warnings {
		isWarning[f.Code] = true
	}
	for code, found := range r.Counts {
		codes = append(codes, code)
		if isWarning[code] {
			warnings += found
		} else {
			violations += found
		}
	}
	slices.Sort(codes)
	for _, code := range codes {
		if more := r.Counts[code] - p.shown[code]; more > 0 {
			hint := "; -v shows all"
			if p.flags.verbose {
				hint = ""
			}
			p.print("and %s more [%s]%s\n", display.Number(more), code, hint)
		}
	}
	sum := "no violation"
	if violations > 0 {
		sum = display.Count(violations, "violation")
	}
	if warnings > 0 {
		sum += ", " + display.Count(warnings, "warning")
	}
	p.print("%s, %s: %s\n", display.Count(r.Shards, "shard"), display.Count(r.Pages, "page"), sum)
}
