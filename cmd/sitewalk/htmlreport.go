package main

import (
	"errors"
	"fmt"
	"sitewalk/internal/display"
	"strings"

	"github.com/spf13/cobra"

	"sitewalk"
)

// standardOutput is the name that stands for it.
const standardOutput = "-"

func (c *command) htmlReport() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Writes a page about the site: what is listed, what is left out and why",
		Long: "report writes one HTML page about the site: totals, warnings and the way to mend\n" +
			"them, sections and shards, dates, folders, what is left out and why, and a search.\n" +
			"The page needs no network. It is a build that writes nothing else, so that it takes\n" +
			"as long as one.\n\n" +
			"The page tells of drafts and of names that are not for the public. So only its owner\n" +
			"may read it, and it is not written into the docroot or the output folder.\n\n" +
			"Exit codes: 0 written; 1 failed; 2 usage or configuration error; 3 written, but some\n" +
			"files could not be read; 4 written, but there is no page to list; 130, 143\n" +
			"interrupted.",
		Example: "  sitewalk report --docroot public --base-url https://www.example.com/\n" +
			"  sitewalk report -c sitewalk.yaml --output - | ssh me@desk 'cat > report.html'",
		Args: noArguments,
		RunE: c.runHTMLReport,
	}
	c.commonFlags(cmd)
	f, set := &c.flags, cmd.Flags()
	set.StringVar(&f.output, "output", "sitewalk-report.html", "`file` to write the page to, or - for standard output")
	set.StringVar(&f.progress, "progress", "auto", "show progress: auto, always or never (`mode`)")
	return cmd
}

func (c *command) runHTMLReport(cmd *cobra.Command, _ []string) error {
	if c.flags.json && c.flags.output == standardOutput {
		return &usageError{errors.New("--json and --output - would both write to standard output: name a file with --output")}
	}
	config, err := c.configure(cmd)
	if err != nil {
		return err
	}
	progress, err := c.showProgress(&config)
	if err != nil {
		return err
	}
	if err := config.Validate(); err != nil {
		return err
	}
	page, err := c.createPage(&config)
	if err != nil {
		return &usageError{err}
	}
	defer page.discard()
	report, err := sitewalk.WriteReport(cmd.Context(), config, page)
	progress.clear()
	noPages := errors.Is(err, sitewalk.ErrNoPages)
	if err != nil && !noPages {
		return err
	}
	if closeErr := page.publish(); closeErr != nil {
		return fmt.Errorf("write %s: %w", page.path, closeErr)
	}
	if report.Unreadable > 0 {
		c.code = exitUnreadable
	}
	c.hint = noPagesHint(report)
	c.printWarnings(report.Warnings)
	if printErr := c.printPage(page, report, err); printErr != nil {
		return printErr
	}
	return err
}

// printPage prints the result of a report.
func (c *command) printPage(page *pageFile, report sitewalk.Report, err error) error {
	if c.flags.json {
		result := struct {
			sitewalk.Report
			File    string `json:"file"`
			Message string `json:"message,omitempty"`
			Code    int    `json:"code,omitempty"` // the exit code, if there is a message
		}{Report: report, File: sitewalk.PercentEncode(page.path)}
		if err != nil {
			result.Message, result.Code = c.message(err), exitNoPages
		}
		return c.printJSON(result)
	}
	if c.flags.quiet {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ", display.Name(page.path))
	if err == nil {
		fmt.Fprintf(&b, "%s in %s, ", display.Count(report.Pages, "page"), display.Count(int64(report.Shards), "shard"))
	}
	fmt.Fprintf(&b, "%s, %s KiB of HTML, in %.2f s\n",
		display.Count(int64(len(report.Warnings)), "warning"), display.Number((page.written+1023)/1024), report.Seconds)
	b.WriteString(leftOutLine(report))
	to := c.stdout
	if page.path == standardOutput {
		to = c.stderr
	}
	_, printErr := fmt.Fprint(to, b.String())
	return printErr
}
