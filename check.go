package sitewalk

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sitewalk/internal/check"
)

// ErrAbsent says that there is no sitemap to check: nothing is where it should be, it
// cannot be opened, or the server does not answer with it.
var ErrAbsent = check.ErrAbsent

// MaxListed is the number of findings of one code that a [CheckReport] lists. All are
// counted.
const MaxListed = 1000

// CheckOptions say what [Check] looks at. Only Target is required.
type CheckOptions struct {
	// Target is a folder that holds a set, the file of its root, or an http or https
	// URL. In a folder the root is the first that is there of Root, sitemap.xml,
	// sitemap_index.xml, sitemap.xml.gz, sitemap-index.xml, sitemap-0.xml, what
	// robots.txt names, and sitemap.txt. At a URL that ends in a slash it is what
	// robots.txt names, or the first of these names.
	Target string
	// Root is the name of the file that is looked for first in a folder, or "".
	Root string
	// BaseURL is the URL of Docroot or, where that is empty, of the folder that the
	// root of the set lies in. If it is empty too it is inferred from the URLs in the
	// set. It is not used for a URL.
	BaseURL string
	// Docroot is the folder that the web server serves, if that is known: sitemaps may
	// be anywhere in it, and robots.txt is there.
	Docroot string
	// Build, if not nil, is what the set is compared with: what a build of this
	// configuration would list. It is run as a dry run, with nobody told of files.
	Build *Config

	// Client makes the requests, but for its CheckRedirect and Timeout, which are not
	// used. By default it is one of its own, which goes through the environment's
	// proxy.
	Client *http.Client
	// Idle is how long a server may send nothing; 0 means half a minute. How long a
	// check takes in all is up to its context.
	Idle time.Duration
	// Now is the time after which no page can have changed; zero means the time of the
	// call.
	Now time.Time

	// Began, if not nil, is told what is checked before anything is found: the path or
	// URL of the root, and the URL that it has, or "" if that cannot be known.
	Began func(root, url string)
	// Found, if not nil, is called for each finding, in the order of the set and from
	// the goroutine that called Check. The finding is the callee's until it returns.
	Found func(*CheckFinding)
}

// A CheckFinding is one thing that is wrong with a published set, or worth a word.
type CheckFinding struct {
	// File is the path or URL of the file that it is about; any bytes. Of a page that
	// is missing in the set it is the page's.
	File string
	// Line and Column are where it is in the file before compression, from 1, the
	// column in bytes; 0 if it is about the file as a whole.
	Line, Column int
	// Loc is the URL that it is about, as the file has it, or "". A long one is cut.
	Loc string
	// Code is one of those that README's table explains.
	Code string
	// Message says what is wrong, and how to mend it. It may quote the file.
	Message string
	// Warning says that this is no violation of the protocol.
	Warning bool
}

// MarshalJSON writes the finding as check --json prints it. The path of a file is
// encoded by [PercentEncode]; in a URL only bytes that no URL holds are encoded.
func (f CheckFinding) MarshalJSON() ([]byte, error) {
	file := PercentEncode(f.File)
	if strings.HasPrefix(f.File, "http://") || strings.HasPrefix(f.File, "https://") {
		file = encodeControls(f.File)
	}
	return marshal(struct {
		File    string `json:"file"`
		Line    int    `json:"line,omitempty"`
		Column  int    `json:"column,omitempty"`
		Loc     string `json:"loc"`
		Code    string `json:"code"`
		Message string `json:"message"`
	}{file, f.Line, f.Column, encodeControls(f.Loc), f.Code, encodeControls(f.Message)})
}

// encodeControls is PercentEncode for what is a URL, or quotes one: a percent sign
// stays.
func encodeControls(text string) string {
	isPlain := func(r rune) bool { return r != utf8.RuneError && !unicode.IsControl(r) }
	if strings.IndexFunc(text, func(r rune) bool { return !isPlain(r) }) < 0 {
		return text
	}
	var encoded strings.Builder
	for i, part := range strings.Split(text, "%") {
		if i > 0 {
			encoded.WriteByte('%')
		}
		encoded.WriteString(PercentEncode(part))
	}
	return encoded.String()
}

// A CheckReport says what a check found. As JSON it is the object that check --json
// prints.
type CheckReport struct {
	// Root is the path or URL of the index, or of the only sitemap, and URL the URL
	// that it has, or "" if that cannot be known.
	Root string `json:"root"`
	URL  string `json:"url"`
	// Pages is the number of entries with a URL in all sitemaps, and Shards the number
	// of these sitemaps.
	Pages  int64 `json:"pages"`
	Shards int64 `json:"shards"`
	// Violations break the protocol, or what the set is compared with; Warnings do
	// not. Of each code there are MaxListed at most.
	Violations []CheckFinding `json:"violations"`
	Warnings   []CheckFinding `json:"warnings"`
	// Counts is the number of findings of each code.
	Counts map[string]int64 `json:"counts"`
}

// MarshalJSON writes the report as check --json prints it, with the root encoded as
// the file of a finding is.
func (r CheckReport) MarshalJSON() ([]byte, error) {
	type plain CheckReport
	encoded := plain(r)
	if !strings.HasPrefix(r.Root, "http://") && !strings.HasPrefix(r.Root, "https://") {
		encoded.Root = PercentEncode(r.Root)
	}
	return marshal(encoded)
}

// Check holds a published set, of any generator's making, to what the sitemap protocol
// demands and, if options.Build says so, to the files that it is of. What is wrong
// with the set is in the report and no error. Check fails with an error that is
// ErrAbsent if there is no set, with ctx.Err(), as [Build] does for options.Build, but
// not for want of pages, or if it cannot keep temporary files. The report is then what
// was found so far.
//
// Sitemaps are read as streams, so that memory does not grow with the set: to find
// pages that are listed twice takes 16 MiB, and past a million pages temporary
// files, which are removed when Check returns. Comparing with a build takes 16 bytes a
// file, and a temporary file of the URLs. Nothing is written otherwise. Requests are
// made only if Target is a URL: to its own host and to where that redirects, and to
// the robots.txt of hosts whose pages the set lists.
func Check(ctx context.Context, options CheckOptions) (CheckReport, error) {
	report := CheckReport{Violations: []CheckFinding{}, Warnings: []CheckFinding{}, Counts: map[string]int64{}}
	found := func(f *check.Finding) { report.add(f, options.Found) }
	inner := check.Options{
		Target: options.Target, Root: options.Root, BaseURL: options.BaseURL, Docroot: options.Docroot,
		Client: options.Client, Idle: options.Idle, Now: options.Now, Found: found,
		Began: func(root, url string) {
			report.Root, report.URL = root, url
			if options.Began != nil {
				options.Began(root, url)
			}
		},
	}
	var built *builtPages
	if options.Build != nil {
		var err error
		if built, err = findBuiltPages(ctx, *options.Build); err != nil {
			return report, err
		}
		defer built.close()
		inner.Page = built.compare
	}
	result, err := check.Run(ctx, inner)
	var badBase *check.BaseURLError
	if errors.As(err, &badBase) {
		return report, &ConfigError{err}
	}
	if err == nil && built != nil {
		err = built.missing(found)
	}
	report.Pages, report.Shards = result.Pages, result.Shards
	if result.MoreDuplicates > 0 {
		report.Counts[string(check.Duplicate)] += result.MoreDuplicates
	}
	return report, err
}

// add takes a finding.
func (r *CheckReport) add(f *check.Finding, tell func(*CheckFinding)) {
	taken := CheckFinding{
		File: f.File, Line: f.Line, Column: f.Column, Loc: f.Loc,
		Code: string(f.Code), Message: f.Message, Warning: f.Code.IsWarning(),
	}
	r.Counts[taken.Code]++
	if r.Counts[taken.Code] <= MaxListed {
		if taken.Warning {
			r.Warnings = append(r.Warnings, taken)
		} else {
			r.Violations = append(r.Violations, taken)
		}
	}
	if tell != nil {
		tell(&taken)
	}
}
