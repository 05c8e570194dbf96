package htmlreport

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"net/url"
	"slices"
	"time"

	"sitewalk/internal/display"
	"sitewalk/scanner"
)

// maxShards is how many shards the page lists.
const maxShards = 500

// view is the page as its template takes it.
type view struct {
	Style  template.CSS
	Script template.JS
	Policy template.HTMLAttr // the Content-Security-Policy

	Host, BaseURL, Docroot, RootURL string
	Time, MachineTime               string

	Files, Pages, Left, Unreadable, Extra int64
	Size, Length                          string
	Shards                                []shardView
	ShardCount, MoreShards                int64
	Sections                              []sectionView
	Written, Removed                      []string

	Dates   histogram
	Undated int64
	Columns []column
	Sources []sourceView

	Tree     *branch
	Reasons  []reasonView
	Warnings []warningView

	Searched           int64
	Verdicts, Searches []string // to filter by: verdicts and sections
}

type sectionView struct {
	Name, Size, Length, Newest string
	Pages                      int64
	Shards                     int64
	Percent                    string // of all pages
}

type shardView struct {
	Name, Section, Size, Length, Newest string
	Pages                               int64
	Percent                             string // of what a shard may hold
	Published                           bool
}

type sourceView struct {
	Name  string
	Pages int64
}

// column is a bar of the plot, whose height and width are a hundred and ten a bar.
type column struct {
	bar
	X      int
	Y      string
	Height string
}

type reasonView struct {
	Name     string
	Files    int64
	Meaning  meaning
	Examples []exampleView
	More     int64 // files that are not among the examples
}

type warningView struct {
	Warning
	Examples []exampleView
}

type exampleView struct{ Path, Detail string }

// view puts together what the page shows.
func (d *Document) view(site *Site) *view {
	v := &view{
		Style: template.CSS(style), Script: template.JS(script), Policy: policy,
		Host: site.BaseURL, BaseURL: site.BaseURL, Docroot: display.Name(site.Docroot), RootURL: display.Text(site.RootURL),
		Time: site.Time.UTC().Format("2006-01-02 15:04 UTC"), MachineTime: site.Time.UTC().Format(time.RFC3339),
		Files: d.verdicts.Total() - d.extra, Pages: d.verdicts[scanner.Listed], Extra: d.extra,
		Unreadable: d.verdicts[scanner.Unreadable],
		Written:    printableNames(site.Written), Removed: printableNames(site.Removed),
		Tree: d.folders.tree(), Searched: d.index.covers(), Searches: slices.Sorted(slices.Values(d.index.sections)),
	}
	if base, err := url.Parse(site.BaseURL); err == nil && base.Host != "" {
		v.Host = base.Host
	}
	v.Left = d.verdicts.Total() - v.Pages - v.Unreadable
	v.addShards(site)
	v.addDates(d)
	for _, verdict := range d.reasons() {
		reason := reasonView{Name: verdict.String(), Files: d.verdicts[verdict], Meaning: meanings[verdict]}
		for _, e := range d.examples[verdict] {
			reason.Examples = append(reason.Examples, exampleView{e.path, e.detail})
		}
		reason.More = reason.Files - int64(len(reason.Examples))
		v.Reasons = append(v.Reasons, reason)
		v.Verdicts = append(v.Verdicts, verdict.String())
	}
	for _, w := range site.Warnings {
		warning := warningView{Warning: w}
		warning.Message = sentence(display.Text(w.Message))
		for i, path := range w.Paths {
			e := exampleView{Path: display.Name(path)}
			if i < len(w.Details) {
				e.Detail = display.Text(w.Details[i])
			}
			warning.Examples = append(warning.Examples, e)
		}
		v.Warnings = append(v.Warnings, warning)
	}
	return v
}

// sums are of shards.
type sums struct{ pages, shards, size, length, newest int64 }

func (s sums) plus(t sums) sums {
	return sums{s.pages + t.pages, s.shards + t.shards, s.size + t.size, s.length + t.length, max(s.newest, t.newest)}
}

// addShards fills in what is said of sections and shards.
func (v *view) addShards(site *Site) {
	var all sums
	sections := map[string]sums{}
	for i, shard := range site.Shards {
		one := sums{shard.Pages, 1, shard.Size, shard.Length, shard.Newest}
		all = all.plus(one)
		sections[shard.Section] = sections[shard.Section].plus(one)
		if i < maxShards {
			v.Shards = append(v.Shards, shardView{
				Name: display.Name(shard.Name), Section: shard.Section, Pages: shard.Pages, Published: shard.Published,
				Size: size(shard.Size), Length: size(shard.Length), Newest: day(shard.Newest),
				Percent: percent(max(float64(shard.Pages)/float64(site.MaxURLs), float64(shard.Length)/float64(site.MaxBytes))),
			})
		}
	}
	v.Size, v.Length, v.ShardCount = size(all.size), size(all.length), all.shards
	v.MoreShards = all.shards - int64(len(v.Shards))
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		s := sections[name]
		v.Sections = append(v.Sections, sectionView{
			Name: name, Size: size(s.size), Length: size(s.length), Newest: day(s.newest), Pages: s.pages, Shards: s.shards,
			Percent: percent(float64(s.pages) / float64(all.pages)),
		})
	}
}

// addDates fills in what is said of dates.
func (v *view) addDates(d *Document) {
	v.Dates = d.dates.histogram()
	v.Undated = v.Pages - v.Dates.Pages
	for i, bar := range v.Dates.Bars {
		height := 100 * float64(bar.Pages) / float64(v.Dates.Highest)
		if bar.Pages > 0 {
			height = max(height, 1) // so that it shows
		}
		v.Columns = append(v.Columns, column{bar, 10 * i, decimal(100 - height), decimal(height)})
	}
	for _, name := range slices.SortedFunc(maps.Keys(d.sources), func(a, b string) int {
		return cmp.Or(cmp.Compare(d.sources[b], d.sources[a]), cmp.Compare(a, b))
	}) {
		v.Sources = append(v.Sources, sourceView{name, d.sources[name]})
	}
}

// day returns the day of a time in seconds since 1970, and "" for 0.
func day(seconds int64) string {
	if seconds == 0 {
		return ""
	}
	return time.Unix(seconds, 0).UTC().Format(time.DateOnly)
}

func percent(share float64) string  { return decimal(100 * min(share, 1)) }
func decimal(number float64) string { return fmt.Sprintf("%.1f", number) }
