package sitewalk

import (
	"context"
	"errors"
	"io"

	"sitewalk/internal/htmlreport"
	"sitewalk/mapper"
	"sitewalk/output"
	"sitewalk/scanner"
)

// WriteReport writes what a build with a configuration would make of the docroot as
// one HTML page, for people: totals, sections and shards, dates, folders, what is left
// out and why, warnings and the way to mend them, and a search. The page needs no
// network. It tells of drafts and of names that are not for the public, so it is not
// to be published.
//
// It is a dry run of that build: nothing but the page is written, and the report is
// that of a dry run. It fails as [Build] does; with ErrNoPages the page is written all
// the same, since it shows why there is no page to list. The time that it shows is
// [Run.IndexTime] or, if that is zero, what [Run.Now] says: the rest depends on the
// docroot, the configuration and what is published alone. [Run.LeftOut] and
// [Run.Found] are called as by Build.
func WriteReport(ctx context.Context, config Config, w io.Writer) (Report, error) {
	config.DryRun, config.listShards = true, true
	if err := config.Validate(); err != nil {
		return Report{}, err
	}
	site, err := mapper.New(config.Mapper, mapper.Options{})
	if err != nil {
		return Report{}, config.blame(err)
	}
	document := htmlreport.New(site.BaseURL())
	found := config.Found
	config.Found = func(f *Finding) {
		document.Add(fileOf(f))
		if found != nil {
			found(f)
		}
	}
	b, report, err := build(ctx, &config)
	if err != nil && !errors.Is(err, ErrNoPages) {
		return report, err
	}
	b.addExtrasTo(document)
	if writeErr := document.Write(w, b.site(&report)); writeErr != nil {
		return report, writeErr
	}
	return report, err
}

// fileOf returns what a page says of a file.
func fileOf(f *Finding) *htmlreport.File {
	file := &htmlreport.File{
		Path: f.Path, Verdict: f.Verdict, Detail: f.Detail,
		URL: f.URL, Section: f.Section, LastMod: f.LastMod, Source: string(f.Source),
	}
	if f.Err != nil {
		file.Detail = f.Err.Error()
	}
	return file
}

// addExtrasTo adds the pages that are not on disk.
func (b *builder) addExtrasTo(document *htmlreport.Document) {
	renderer := output.NewRenderer(b.config.Output.LastModFormat)
	for _, extra := range b.extras.left() {
		page := extra.page()
		file := &htmlreport.File{
			Verdict: scanner.Listed, URL: extra.loc, Section: b.mapper.Sections()[extra.section],
			LastMod: renderer.LastMod(&page),
		}
		if file.LastMod != "" {
			file.Source = "extra_urls"
		}
		document.Add(file)
	}
}

// site returns what a page says beside what became of each file.
func (b *builder) site(report *Report) *htmlreport.Site {
	c := b.config
	site := &htmlreport.Site{
		BaseURL: b.mapper.BaseURL(), Docroot: c.Scanner.Docroot, Time: c.IndexTime,
		Shards: b.members, Written: report.Written, Removed: report.Removed,
	}
	site.MaxURLs, site.MaxBytes = c.Output.Files.Limits()
	if c.FS != nil {
		site.Docroot = "(a file system of the program)"
	}
	if site.Time.IsZero() {
		site.Time = c.Now()
	}
	if report.Root != "" {
		site.RootURL = b.mapper.FileURL(b.folder.Dir, report.Root)
	}
	for i := range report.Warnings {
		w := &report.Warnings[i]
		site.Warnings = append(site.Warnings, htmlreport.Warning{
			Code: w.Code, Message: w.Message, Mend: w.Mend(), Paths: w.Paths, Details: w.Details,
		})
	}
	return site
}
