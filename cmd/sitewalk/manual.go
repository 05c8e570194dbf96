package main

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sitewalk"
	"sitewalk/internal/roff"
)

// manual returns the manual pages by the names of their files: one for the
// program, one for each of its commands, made of what --help says, and one for the
// configuration file, made of the example.
func manual(root *cobra.Command, date time.Time) map[string]string {
	pages := map[string]string{
		"sitewalk.1":      programPage(root, date),
		"sitewalk.yaml.5": configPage(date),
	}
	for _, cmd := range root.Commands() {
		if documented(cmd) {
			pages[pageName(cmd)+".1"] = commandPage(cmd, date)
		}
	}
	return pages
}

// documented reports whether a command has a page: cobra's help has none.
func documented(cmd *cobra.Command) bool { return cmd.IsAvailableCommand() && cmd.Name() != "help" }

// pageName returns the name of a command's page, such as sitewalk-build.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

func newPage(name string, section int, date time.Time, purpose string) *roff.Page {
	title := map[int]string{1: "User Commands", 5: "File Formats"}[section]
	page := roff.NewPage(name, section, date, "sitewalk "+version(), title)
	page.Section("NAME")
	// Read by mandb(8), which takes the dash for what stands between the two.
	page.Text(roff.Escape(name) + ` \- ` + roff.Escape(strings.ToLower(purpose[:1])+purpose[1:]))
	return page
}

func programPage(root *cobra.Command, date time.Time) string {
	page := newPage("sitewalk", 1, date, root.Short)
	page.Section("SYNOPSIS")
	page.Text(roff.Bold("sitewalk") + " " + roff.Italic("command") + " [" + roff.Italic("options") + "]")
	page.Section("DESCRIPTION")
	paragraphs(page, root.Long)
	page.Section("COMMANDS")
	var all []string
	for _, cmd := range root.Commands() {
		if documented(cmd) {
			page.Item(reference(pageName(cmd), 1), sentence(cmd.Short))
			all = append(all, pageName(cmd))
		}
	}
	options(page, root)
	page.Section("ENVIRONMENT")
	page.Item(roff.Bold("SOURCE_DATE_EPOCH"), "Seconds since 1970 that stand in for the current time, for builds that are to be the same whenever they are made.")
	page.Item(roff.Bold("XDG_CACHE_HOME"), "The user's cache folder, ~/.cache unless set. A docroot's state is kept in its folder sitewalk, unless the configuration or --state names another file, or --state-dir another folder.")
	page.Item(roff.Bold("NO_COLOR")+", "+roff.Bold("TERM"), "Heeded as usual: without colours where NO_COLOR is set, without progress where TERM is dumb.")
	page.Section("FILES")
	page.Item(roff.Bold("sitewalk.yaml"), "The configuration, read from the working directory unless --config names another.")
	page.Section("SEE ALSO")
	seeAlso(page, all, reference("sitewalk.yaml", 5))
	return page.String()
}

func commandPage(cmd *cobra.Command, date time.Time) string {
	page := newPage(pageName(cmd), 1, date, cmd.Short)
	page.Section("SYNOPSIS")
	synopsis := roff.Bold(cmd.CommandPath()) + " [" + roff.Italic("options") + "]"
	if _, arguments, ok := strings.Cut(cmd.Use, " "); ok {
		synopsis += " " + roff.Escape(arguments)
	}
	page.Text(synopsis)
	page.Section("DESCRIPTION")
	codes := paragraphs(page, cmd.Long)
	options(page, cmd)
	if codes != "" {
		page.Section("EXIT STATUS")
		exitStatus(page, codes)
	}
	if cmd.Example != "" {
		page.Section("EXAMPLES")
		page.Example(strings.ReplaceAll("\n"+cmd.Example, "\n  ", "\n"))
	}
	page.Section("SEE ALSO")
	seeAlso(page, []string{"sitewalk"}, reference("sitewalk.yaml", 5))
	return page.String()
}

// exitCodes is what the paragraph on exit codes begins with, in each command's help.
const exitCodes = "Exit codes: "

// paragraphs writes a command's help, and returns what it says of exit codes.
func paragraphs(page *roff.Page, long string) (codes string) {
	for paragraph := range strings.SplitSeq(long, "\n\n") {
		if rest, ok := strings.CutPrefix(paragraph, exitCodes); ok {
			codes = strings.ReplaceAll(rest, "\n", " ")
			continue
		}
		page.Paragraph(paragraph)
	}
	return codes
}

// statusCode is an exit code, or some, and what they mean.
var statusCode = regexp.MustCompile(`^([0-9]+(?:, [0-9]+)*) (.+)$`)

// exitStatus writes a list of the exit codes, which stand one after the other with
// semicolons between them.
func exitStatus(page *roff.Page, codes string) {
	for status := range strings.SplitSeq(codes, "; ") {
		if match := statusCode.FindStringSubmatch(status); match != nil {
			page.Item(roff.Bold(match[1]), sentence(match[2]))
		} else {
			page.Text(roff.Escape(sentence(status)))
		}
	}
}

// options writes a list of a command's flags.
func options(page *roff.Page, cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	page.Section("OPTIONS")
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(flag)
		usage = strings.Replace(usage, " ("+value+")", "", 1)
		term := roff.Bold("--" + flag.Name)
		if flag.Shorthand != "" {
			term = roff.Bold("-"+flag.Shorthand) + ", " + term
		}
		if value != "" {
			term += " " + roff.Italic(value)
		}
		usage = sentence(usage)
		if d := flag.DefValue; d != "" && d != "false" && d != "0" && d != "0s" && d != "[]" {
			usage += " The default is " + d + "."
		}
		page.Item(term, usage)
	})
}

// sentence returns a remark as a sentence.
func sentence(text string) string {
	return strings.TrimSuffix(strings.ToUpper(text[:1])+text[1:], ".") + "."
}

// reference names a page, as in sitewalk(1).
func reference(name string, section int) string {
	return fmt.Sprintf("%s(%d)", roff.Bold(name), section)
}

// seeAlso lists pages of commands, and one more.
func seeAlso(page *roff.Page, names []string, last string) {
	var references []string
	for _, name := range names {
		references = append(references, reference(name, 1))
	}
	page.Text(strings.Join(append(references, last), ", "))
}

// configKey is a line of the example that has a key: indentation, name, default and
// remark.
var configKey = regexp.MustCompile(`^( *)([a-z_]+):(?: +([^ #].*?))?(?: +# (.*))?$`)

// configPage describes the configuration file: by every key of the example, with
// the full names of nested ones, its default and its remark.
func configPage(date time.Time) string {
	page := newPage("sitewalk.yaml", 5, date, "configuration of sitewalk")
	page.Section("DESCRIPTION")
	page.Paragraph("A configuration is one YAML document. Each command reads sitewalk.yaml in the working directory, " +
		"or the file that --config names; flags override it. Keys with a dot stand for nested ones: " +
		"urls.slash is the key slash of urls. A mistake is told with its line and column.")
	page.Section("KEYS")
	var remarks, example []string
	var names []string // of the keys that enclose a line, and its own
	flush := func() {
		if len(remarks) > 0 {
			page.Paragraph(strings.Join(remarks, " "))
		}
		if len(example) > 0 {
			page.Example(strings.Join(example, "\n"))
		}
		remarks, example = nil, nil
	}
	for line := range strings.SplitSeq(sitewalk.ExampleConfig(), "\n") {
		// What is indented behind the # is no remark, but lines that could be set.
		if shown, ok := strings.CutPrefix(line, "#  "); ok {
			example = append(example, shown)
			continue
		}
		if remark, ok := strings.CutPrefix(line, "# "); ok {
			remarks = append(remarks, remark)
			continue
		}
		flush()
		key := configKey.FindStringSubmatch(line)
		if key == nil {
			continue
		}
		names = append(names[:min(len(key[1])/2, len(names))], key[2])
		if key[3] != "" {
			page.Item(roff.Bold(strings.Join(names, ".")+": "+key[3]), cmp.Or(key[4], "as said above"))
		}
	}
	flush()
	page.Section("SEE ALSO")
	seeAlso(page, []string{"sitewalk", "sitewalk-build", "sitewalk-watch"}, reference("sitewalk-explain", 1))
	return page.String()
}
