package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sitewalk"
	"sitewalk/internal/display"
	"sitewalk/mapper"
	"sitewalk/scanner"
)

func (c *command) explain() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain PATH...",
		Short: "Says of each path what a build makes of it, and why",
		Long: "explain says of each path: listed or left out, and why; the rules that match; URL,\n" +
			"section, shard, lastmod and where that comes from. A path is relative to the\n" +
			"docroot or to the working directory, or is a URL of the site; a folder stands for\n" +
			"its index file. It is a build that writes nothing, so that it takes as long as one.\n\n" +
			"Exit codes: 0 explained; 1 failed, or a path names no file; 2 usage or\n" +
			"configuration error; 130, 143 interrupted.",
		Example: "  sitewalk explain --docroot public --base-url https://www.example.com/ about.html\n" +
			"  sitewalk explain https://www.example.com/blog/ --json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &usageError{errors.New("say which files to explain, such as sitewalk explain index.html")}
			}
			return nil
		},
		RunE: c.runExplain,
	}
	c.commonFlags(cmd)
	cmd.Flags().Lookup("verbose").Usage = "also print what urls.preset auto has found out"
	return cmd
}

func (c *command) runExplain(cmd *cobra.Command, paths []string) error {
	config, err := c.configure(cmd)
	if err != nil {
		return err
	}
	if c.flags.verbose {
		config.Inferred = func(found mapper.Surveyed) { c.printInferred(&found) }
	}
	findings, err := sitewalk.Explain(cmd.Context(), config, paths)
	if err != nil {
		return err
	}
	for i := range findings {
		f := &findings[i]
		if errors.Is(f.Err, sitewalk.ErrNotFound) {
			c.code = exitFailed
		}
		if err := c.printFinding(f, config.Mapper.Rules); err != nil {
			return err
		}
	}
	return nil
}

func (c *command) printFinding(f *sitewalk.Finding, rules []mapper.Rule) error {
	if c.flags.json {
		return c.printJSON(f)
	}
	var b strings.Builder
	switch {
	case errors.Is(f.Err, sitewalk.ErrNotFound):
		fmt.Fprintf(&b, "%s: %s\n", display.Name(f.Path), display.Text(f.Err.Error()))
	case f.Verdict == scanner.Listed:
		fmt.Fprintf(&b, "%s: listed as %s\n", display.Name(f.Path), f.URL)
		if f.Detail != "" {
			fmt.Fprintf(&b, "  by %s\n", display.Text(f.Detail))
		}
		fmt.Fprintf(&b, "  section %s, in %s\n", f.Section, f.Shard)
		if f.LastMod == "" {
			b.WriteString("  no lastmod\n")
		} else {
			fmt.Fprintf(&b, "  lastmod %s, from %s\n", f.LastMod, f.Source)
		}
		if f.ChangeFreq != "" {
			fmt.Fprintf(&b, "  changefreq %s\n", f.ChangeFreq)
		}
		if f.Priority != "" {
			fmt.Fprintf(&b, "  priority %s\n", f.Priority)
		}
	default:
		fmt.Fprintf(&b, "%s: left out, %s: %s\n", display.Name(f.Path), f.Verdict, display.Text(why(f)))
		if f.URL != "" {
			fmt.Fprintf(&b, "  its URL would be %s\n", f.URL)
		}
	}
	for _, number := range f.Rules {
		fmt.Fprintf(&b, "  rule %d matches: %s\n", number, display.Text(describeRule(&rules[number-1])))
	}
	_, err := fmt.Fprint(c.stdout, b.String())
	return err
}

// describeRule says what a rule matches, and what it sets.
func describeRule(rule *mapper.Rule) string {
	var sets []string
	if rule.Section != nil {
		sets = append(sets, "section "+*rule.Section)
	}
	if rule.ChangeFreq != nil {
		sets = append(sets, "changefreq "+string(*rule.ChangeFreq))
	}
	if rule.Priority != nil {
		sets = append(sets, "priority "+rule.Priority.String())
	}
	if rule.LastMod != nil {
		sets = append(sets, fmt.Sprintf("lastmod %v", *rule.LastMod))
	}
	if rule.List != nil {
		sets = append(sets, fmt.Sprintf("list %v", *rule.List))
	}
	if len(sets) == 0 {
		sets = []string{"nothing"}
	}
	return strings.Join(rule.Match, " ") + " sets " + strings.Join(sets, ", ")
}

// meanings say what the verdicts mean that come without evidence.
var meanings = map[scanner.Verdict]string{
	scanner.OwnOutput:   "it was written by sitewalk",
	scanner.NotRegular:  "it is no regular file",
	scanner.Hidden:      "it, or a folder above it, has a name that begins with a dot, which allow can lift",
	scanner.NotIncluded: "no pattern of include matches",
	scanner.ErrorPage:   "it is what a server shows for an error",
}

// why returns the evidence for a verdict.
func why(f *sitewalk.Finding) string {
	switch {
	case f.Err != nil:
		return f.Err.Error()
	case f.Detail != "":
		return f.Detail
	}
	return meanings[f.Verdict]
}
