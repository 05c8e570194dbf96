package sitewalk

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"sitewalk/output"
	"sitewalk/scanner"
)

// A Report says what a build did. As JSON it is the object that --json prints.
type Report struct {
	// Event is published, unchanged (nothing had to be written), dry-run, or
	// error when there was no page to list.
	Event string `json:"event"`
	// Root is the name of the index, or of the only shard.
	Root string `json:"root"`
	// Pages is the number of URLs listed.
	Pages int64 `json:"pages"`
	// Excluded is the number of files left out, by reason.
	Excluded map[string]int64 `json:"excluded"`
	// Unreadable is the number of files and folders that could not be read.
	Unreadable int64 `json:"unreadable"`
	// Shards is the number of shards in the set.
	Shards int `json:"shards"`
	// Written are the files that were written, relative to the output folder, or
	// in a dry run would be.
	Written []string `json:"written"`
	// Unchanged is the number of shards that were left as they were.
	Unchanged int `json:"unchanged"`
	// Removed are the files that were removed, relative to the output folder.
	Removed []string `json:"removed"`
	// Warnings are what the user should hear of, at most one of each kind.
	Warnings []Warning `json:"warnings"`
	// Seconds is how long the build took.
	Seconds float64 `json:"seconds"`
}

// A Warning is something that the user should hear of.
type Warning struct {
	// Code names the kind of warning for programs.
	Code string `json:"code"`
	// Message says what happened and what to do, on one line.
	Message string `json:"message"`
	// Paths are examples, relative to the docroot; bytes that are not UTF-8 and
	// control characters are percent-encoded, and so is %.
	Paths []string `json:"paths"`
}

// report sums the build up.
func (b *builder) report(published output.Result, err error) Report {
	report := Report{
		Event: "published", Root: published.Root, Pages: b.verdicts[scanner.Listed],
		Excluded: b.verdicts.Excluded(), Unreadable: b.verdicts[scanner.Unreadable],
		Shards: published.Shards, Written: list(published.Written), Unchanged: published.Unchanged,
		Removed: list(published.Removed),
	}
	switch {
	case errors.Is(err, ErrNoPages):
		report.Event = "error"
	case b.config.DryRun:
		report.Event = "dry-run"
		report.Pages = published.Pages
	default:
		report.Pages = published.Pages
		if len(report.Written)+len(report.Removed) == 0 {
			report.Event = "unchanged"
		}
	}
	if b.config.Scanner.Pages.Read {
		b.warnings.add(warnPagesNotRead, "")
	}
	if b.config.Mapper.Robots.Respect && b.docroot.Has("robots.txt") {
		b.warnings.add(warnRobotsNotRead, "robots.txt")
	}
	if b.dates.uniform() {
		b.warnings.add(warnUniform, "")
	}
	for _, name := range published.Stale {
		b.warnings.add(warnStale, name)
	}
	report.Warnings = b.warnings.list()
	return report
}

// list makes an empty list of none, which JSON writes as [] and not as null.
func list(names []string) []string {
	if names == nil {
		return []string{}
	}
	return names
}

// warningCode is the kind of a warning, in the order in which they are told.
type warningCode int

const (
	warnUnreadable warningCode = iota
	warnUniform
	warnUnbelievable
	warnAllowed
	warnPagesNotRead
	warnRobotsNotRead
	warnExtraRefused
	warnExtraCut
	warnExtraTwice
	warnExtraTaken
	warnStale
	warningCount
)

// warningTexts are the codes and messages; where a warning counts something, the
// message goes on after the number and what is counted.
var warningTexts = [warningCount]struct{ code, one, many, message string }{
	warnUnreadable: {"unreadable", "file or folder", "files or folders",
		"could not be read, and not listed: mend the permissions"},
	warnUniform: {"lastmod-uniform", "", "",
		"nearly all pages have the same modification time: a build or a checkout wrote them all, so lastmod says nothing; " +
			"the lastmod sources content and git, which a later version will have, do better; lastmod: [] leaves it out"},
	warnUnbelievable: {"lastmod-unbelievable", "page", "pages",
		"dated in the future, or at 1970 and before, and listed without lastmod: correct the modification times"},
	warnAllowed: {"allowed", "page", "pages",
		"listed only because allow lifts the protection of names: make sure that this is meant for the public"},
	warnPagesNotRead: {"pages-not-read", "", "",
		"this version does not open pages yet: noindex, canonicals and redirects in them are not honoured; " +
			"--no-read says that this is all right"},
	warnRobotsNotRead: {"robots-not-read", "", "",
		"this version does not read robots.txt yet: what it disallows is listed; robots: {respect: false} says that this is all right"},
	warnExtraRefused: {"extra-refused", "extra URL", "extra URLs", "cannot be listed"},
	warnExtraCut:     {"extra-cut", "extra URL", "extra URLs", "lost a session id or a fragment, which must not be listed"},
	warnExtraTwice:   {"extra-twice", "extra URL", "extra URLs", "given more than once: the first line counts"},
	warnExtraTaken: {"extra-taken", "extra URL", "extra URLs",
		"taken by a file, which is listed instead: what the line says of it does not count"},
	warnStale: {"text-left", "list of URLs", "lists of URLs",
		"left by an earlier run, without a mark by which to remove what sitewalk wrote: remove by hand"},
}

// maxExamples is how many paths a warning shows.
const maxExamples = 10

// warnings collects what the user should hear of.
type warnings struct {
	counts   [warningCount]int64
	examples [warningCount][]string
}

func (w *warnings) add(code warningCode, path string) {
	w.counts[code]++
	if path != "" && len(w.examples[code]) < maxExamples {
		w.examples[code] = append(w.examples[code], PercentEncode(path))
	}
}

func (w *warnings) list() []Warning {
	told := []Warning{}
	for code, count := range w.counts {
		if count == 0 {
			continue
		}
		text := warningTexts[code]
		message := text.message
		switch {
		case text.one == "":
		case count == 1:
			message = "1 " + text.one + " " + message
		default:
			message = fmt.Sprintf("%d %s %s", count, text.many, message)
		}
		told = append(told, Warning{text.code, message, list(w.examples[code])})
	}
	return told
}

// PercentEncode returns a path as JSON carries it: bytes that are not UTF-8 and
// control characters are percent-encoded, and so is the percent sign, so that
// the path can be had back.
func PercentEncode(path string) string {
	var encoded strings.Builder
	for len(path) > 0 {
		r, size := utf8.DecodeRuneInString(path)
		if r == utf8.RuneError && size == 1 || r == '%' || unicode.IsControl(r) {
			for _, b := range []byte(path[:size]) {
				fmt.Fprintf(&encoded, "%%%02X", b)
			}
		} else {
			encoded.WriteString(path[:size])
		}
		path = path[size:]
	}
	return encoded.String()
}
