package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"sitewalk"
	"sitewalk/internal/display"
	"sitewalk/mapper"
)

// say tells something to people who asked for more.
func (c *command) say(format string, args ...any) {
	if c.flags.verbose {
		fmt.Fprintf(c.stderr, format+"\n", args...)
	}
}

func (c *command) printLeftOut(left *sitewalk.Finding) {
	line := fmt.Sprintf("left out: %s (%s)", display.Name(left.Path), left.Verdict)
	switch {
	case left.Err != nil:
		line += ": " + display.Text(left.Err.Error())
	case left.Detail != "":
		line += ": " + display.Text(left.Detail)
	}
	fmt.Fprintln(c.stderr, line)
}

// printInferred says what urls.preset auto has found out, in the words of a
// configuration file.
func (c *command) printInferred(found *mapper.Surveyed) {
	settings := fmt.Sprintf("extension %s, slash %s", found.URLs.Extension, found.URLs.Slash)
	if len(found.URLs.Index) == 0 {
		settings = "index [], " + settings
	}
	switch {
	case found.Pages == 0:
		settings += ", as no page has a canonical that says otherwise"
	case found.IsClear():
		settings += fmt.Sprintf(", as %d of %d canonicals say", found.Agreeing, found.Pages)
	default:
		settings += fmt.Sprintf(", as only %d of %d canonicals agree", found.Agreeing, found.Pages)
	}
	fmt.Fprintln(c.stderr, "urls.preset auto:", settings)
}

// shownExamples is how many examples of a warning people see without asking.
const shownExamples = 3

func (c *command) printWarnings(warnings []sitewalk.Warning) {
	for _, w := range warnings {
		// A run that ends with a code of its own is not to do so without a word.
		if c.flags.quiet && w.Code != "unreadable" {
			continue
		}
		fmt.Fprintf(c.stderr, "sitewalk: warning: %s [%s]\n", w.Message, w.Code)
		for i, path := range w.Paths {
			if i == shownExamples && !c.flags.verbose {
				fmt.Fprintf(c.stderr, "  …\n")
				break
			}
			if i < len(w.Details) {
				fmt.Fprintf(c.stderr, "  %s: %s\n", display.Name(path), display.Text(w.Details[i]))
			} else {
				fmt.Fprintf(c.stderr, "  %s\n", display.Name(path))
			}
		}
	}
}

// printReport prints the result of a build, which is what standard output is for.
func (c *command) printReport(r sitewalk.Report) error {
	if c.flags.json && r.Event != "error" {
		return c.printJSON(r)
	}
	if r.Event == "error" {
		c.report = &r
		fmt.Fprint(c.stderr, leftOutLine(r))
		return nil
	}
	if c.flags.quiet {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s in %s, ", r.Root, display.Count(r.Pages, "page"), display.Count(int64(r.Shards), "shard"))
	switch r.Event {
	case "unchanged":
		b.WriteString("nothing to change")
	case "dry-run":
		fmt.Fprintf(&b, "%s would be written", display.Count(int64(len(r.Written)), "file"))
	default:
		fmt.Fprintf(&b, "%s written, %s unchanged", display.Count(int64(len(r.Written)), "file"), display.Count(int64(r.Unchanged), "shard"))
	}
	if len(r.Removed) > 0 && r.Event != "dry-run" {
		fmt.Fprintf(&b, ", %s removed", display.Count(int64(len(r.Removed)), "old file"))
	}
	fmt.Fprintf(&b, ", in %.2f s\n", r.Seconds)
	if r.Event == "dry-run" {
		for _, name := range r.Written {
			fmt.Fprintf(&b, "would write %s\n", display.Text(name))
		}
		for _, name := range r.Removed {
			fmt.Fprintf(&b, "would remove %s\n", display.Text(name))
		}
	}
	b.WriteString(leftOutLine(r))
	_, err := fmt.Fprint(c.stdout, b.String())
	return err
}

// nothingToSay reports whether a build changed nothing, and nobody is there who
// would want to know that it ran: cron mails every line that a job prints. With -v
// or --json it is asked for.
func (c *command) nothingToSay(r *sitewalk.Report) bool {
	return r.Event == "unchanged" && len(r.Warnings) == 0 && r.Unreadable == 0 &&
		!c.flags.verbose && !c.flags.json && !c.seen
}

// leftOutLine sums up what is not listed, the most frequent reason first.
func leftOutLine(r sitewalk.Report) string {
	type reason struct {
		name  string
		files int64
	}
	var reasons []reason
	var total int64
	for name, files := range r.Excluded {
		reasons = append(reasons, reason{name, files})
		total += files
	}
	if r.Unreadable > 0 {
		reasons = append(reasons, reason{"unreadable", r.Unreadable})
		total += r.Unreadable
	}
	if total == 0 {
		return ""
	}
	slices.SortFunc(reasons, func(a, b reason) int {
		if a.files != b.files {
			return int(b.files - a.files)
		}
		return strings.Compare(a.name, b.name)
	})
	parts := make([]string, len(reasons))
	for i, reason := range reasons {
		parts[i] = display.Number(reason.files) + " " + reason.name
	}
	return fmt.Sprintf("left out %s: %s\n", display.Number(total), strings.Join(parts, ", "))
}

func (c *command) printJSON(value any) error {
	c.printed = true
	return c.encodeJSON(value)
}

// encodeJSON writes a value, which is an object, to standard output as one line, at
// once. Where there are several sites it says first which one it is about.
func (c *command) encodeJSON(value any) error {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if c.site != "" {
		if err := encoder.Encode(map[string]string{"docroot": sitewalk.PercentEncode(c.site)}); err != nil {
			return err
		}
		line.Truncate(line.Len() - len("}\n"))
		line.WriteByte(',')
	}
	start := line.Len()
	if err := encoder.Encode(value); err != nil {
		return err
	}
	object := line.Bytes()
	if start > 0 {
		object = append(object[:start], object[start+len("{"):]...)
	}
	_, err := c.stdout.Write(printableJSON(object))
	return err
}

// printableJSON returns JSON that stands for the same, in which what does not show, or
// changes how what follows is shown, is escaped: somebody may look at it in a terminal.
func printableJSON(object []byte) []byte {
	var escaped []byte // nil as long as all is as it was
	for i := 0; i < len(object); {
		r, size := utf8.DecodeRune(object[i:])
		if r < utf8.RuneSelf || unicode.IsPrint(r) {
			if escaped != nil {
				escaped = append(escaped, object[i:i+size]...)
			}
		} else {
			if escaped == nil {
				escaped = slices.Clone(object[:i])
			}
			for _, unit := range utf16.AppendRune(nil, r) {
				escaped = fmt.Appendf(escaped, `\u%04x`, unit)
			}
		}
		i += size
	}
	if escaped == nil {
		return object
	}
	return escaped
}

// failure is what --json prints of a run that published nothing: why, and of a
// site without a page the report.
type failure struct {
	Event string `json:"event"`
	*sitewalk.Report
	Message string `json:"message"`
	Code    int    `json:"code"` // the exit code
}

func (c *command) printError(ctx context.Context, err error, code int) {
	message := c.message(err)
	var sig signalError
	var stopped stoppedError
	switch {
	case errors.As(err, &stopped):
		c.printStopped()
		return
	case code > exitSignal && errors.As(context.Cause(ctx), &sig):
		message = sig.Error() + ": stopped; what was published before is intact"
	}
	if c.flags.json && !c.printed {
		_ = c.printJSON(failure{"error", c.report, message, code})
	}
	fmt.Fprintln(c.stderr, "sitewalk:", message)
}

// message returns what people are told of an error.
func (c *command) message(err error) string {
	message := display.Text(err.Error())
	switch {
	case errors.Is(err, sitewalk.ErrNoPages):
		message = "no page to list: nothing was published, and what was published before is kept; " +
			cmp.Or(c.hint, "look at docroot, include and exclude, or run with -v to see what was left out")
	case c.became != "" && errors.Is(err, fs.ErrPermission):
		message += " (as " + c.became + ", whose docroot it is; --allow-root stays root)"
	}
	return message
}
