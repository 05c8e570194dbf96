// Package htmlreport writes what became of the files of a docroot as one HTML page,
// for people: totals, shards, dates, folders, what was left out and why, and a search.
//
// The page is one file that needs no network, and nothing of it runs but its own
// script: a Content-Security-Policy with the hashes of that script and of the style
// sheet sees to it, whatever the files of the docroot are called. Without scripts
// all of it can be read but the search.
//
// Start at [New]. Files are added one by one, in the order of a walk, and the page is
// written at the end by [Document.Write]. What is kept of them meanwhile does not grow
// with the site, beyond the compressed index of the search, which has a limit too.
package htmlreport

import (
	"cmp"
	"slices"

	"sitewalk/internal/display"
	"sitewalk/scanner"
)

// maxExamples is how many files the page names for each reason to leave files out.
const maxExamples = 8

// A File is what became of one file, of a folder that was not descended into, or of a
// page that is not on disk.
type File struct {
	// Path is relative to the docroot; a folder's ends in a slash. It is empty for a
	// page that is not on disk.
	Path    string
	Verdict scanner.Verdict
	Detail  string // the evidence for the verdict; may be empty
	// The following are of listed pages.
	URL     string
	Section string
	LastMod string // as the sitemap has it; empty for none
	Source  string // of LastMod
}

// A Document is the page in the making. It belongs to one goroutine.
type Document struct {
	verdicts scanner.Verdicts
	extra    int64 // pages that are not on disk
	examples map[scanner.Verdict][]example
	folders  folderTree
	dates    dateCounts
	sources  map[string]int64 // pages by where their date comes from; "" for none
	index    searchIndex
}

// example is a file that was left out.
type example struct{ path, detail string }

// New returns a document about a site whose URLs begin with baseURL.
func New(baseURL string) *Document {
	return &Document{
		examples: map[scanner.Verdict][]example{}, sources: map[string]int64{},
		folders: newFolderTree(), dates: newDateCounts(), index: newSearchIndex(baseURL),
	}
}

// Add adds a file. Files come in the order of a walk, which enters each folder once;
// pages that are not on disk come last.
func (d *Document) Add(f *File) {
	d.verdicts[f.Verdict]++
	switch {
	case f.Verdict != scanner.Listed:
		if known := d.examples[f.Verdict]; len(known) < maxExamples {
			d.examples[f.Verdict] = append(known, example{display.Name(f.Path), display.Text(f.Detail)})
		}
	default:
		d.sources[f.Source]++
		d.dates.add(f.LastMod)
	}
	if f.Path == "" {
		d.extra++
	} else {
		d.folders.add(f)
	}
	d.index.add(f)
}

// reasons returns the verdicts by which files were left out, the most frequent first.
func (d *Document) reasons() []scanner.Verdict {
	var reasons []scanner.Verdict
	for verdict := range d.examples {
		reasons = append(reasons, verdict)
	}
	slices.SortFunc(reasons, func(a, b scanner.Verdict) int {
		return cmp.Or(cmp.Compare(d.verdicts[b], d.verdicts[a]), cmp.Compare(a, b))
	})
	return reasons
}
