package sitewalk

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sitewalk/mapper"
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

// report sums the build up.
func (b *builder) report(published output.Result, err error) Report {
	report := Report{
		Event: "published", Root: published.Root, Pages: published.Pages,
		Excluded: b.verdicts.Excluded(), Unreadable: b.verdicts[scanner.Unreadable],
		Shards: published.Shards, Written: list(published.Written), Unchanged: published.Unchanged,
		Removed: list(published.Removed),
	}
	switch {
	case errors.Is(err, ErrNoPages):
		report.Event = "error"
	case b.config.DryRun:
		report.Event = "dry-run"
	case len(report.Written) == 0:
		report.Event = "unchanged"
	}
	switch {
	case !b.dates.uniform():
	case b.mapper.Uses(mapper.SourceContent):
		b.warnings.add(warnUniformContent, "", "")
	default:
		b.warnings.add(warnUniform, "", "")
	}
	b.warnOfLoss()
	for _, name := range published.Foreign {
		b.warnings.add(warnForeign, name, "")
	}
	for _, name := range published.Unreadable {
		b.warnings.add(warnSetUnread, name, "")
	}
	for _, name := range published.Shared {
		b.warnings.add(warnSetShared, name, "")
	}
	for _, name := range published.Stale {
		b.warnings.add(warnStale, name, "")
	}
	if git := b.git; git != nil && git.Shallow() && git.Withheld() > 0 {
		b.warnings.addMany(warnShallow, git.Withheld())
	}
	if count, paths := b.links.left(); count > 0 {
		b.warnings.addMany(warnAlternates, count, paths...)
	}
	report.Warnings = b.warnings.list()
	if b.styles.total > 0 {
		styles, first := b.styles.warning(report.Pages)
		at := len(report.Warnings)
		if first {
			at = 0
		}
		report.Warnings = slices.Insert(report.Warnings, at, styles)
	}
	return report
}

// lossReasons are what pages say, or what is said of them, that leaves them out; a
// mistake in a template or a setting does it to nearly all.
var lossReasons = [...]scanner.Verdict{
	scanner.Protected, scanner.OutOfScope, scanner.Robots, scanner.NoIndex, scanner.Expired,
	scanner.ResourceType, scanner.Canonical, scanner.Unreadable,
}

// warnOfLoss warns when ten pages or more, and nine of ten, are left out for one
// reason.
func (b *builder) warnOfLoss() {
	listed := b.verdicts[scanner.Listed]
	for _, reason := range lossReasons {
		if left := b.verdicts[reason]; listed > 0 && left >= 10 && left >= 9*listed {
			b.warnings.add(warnMostLeftOut, reason.String(), fmt.Sprintf("%d pages, and %d listed", left, listed))
		}
	}
}

// list makes an empty list of none, which JSON writes as [] and not as null.
func list(names []string) []string {
	if names == nil {
		return []string{}
	}
	return names
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
