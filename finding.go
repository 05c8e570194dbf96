package sitewalk

import (
	"encoding/json"

	"sitewalk/mapper"
	"sitewalk/scanner"
)

// A Finding is what became of one file, or of a folder that was not descended
// into, and why.
type Finding struct {
	// Path is relative to the docroot; a folder's ends in a slash.
	Path    string
	Verdict scanner.Verdict
	// Detail is the evidence for the verdict: the glob, the line of robots.txt or of
	// a .htaccess, the tag. It may be empty.
	Detail string
	// Err is why the file could not be read; from [Explain] also [ErrNotFound], with
	// the verdict Unreadable.
	Err error

	// The following are of pages.

	URL     string
	Section string
	// Shard is the name of the file that lists the page; only [Explain] knows it.
	Shard string
	// LastMod is as the sitemap has it, and Source where it comes from; both are
	// empty for a page without.
	LastMod string
	Source  mapper.Source
	// ChangeFreq and Priority are as the sitemap has them.
	ChangeFreq, Priority string
	// Rules are the rules that match, counted from 1.
	Rules []int
}

// MarshalJSON writes the finding as the object that explain --json prints, with
// path and detail encoded by [PercentEncode]. The detail of a file that could not
// be read is the error.
func (f Finding) MarshalJSON() ([]byte, error) {
	detail := f.Detail
	if f.Err != nil {
		detail = f.Err.Error()
	}
	return marshal(struct {
		Path       string        `json:"path"`
		Verdict    string        `json:"verdict"`
		Detail     string        `json:"detail,omitempty"`
		URL        string        `json:"url,omitempty"`
		Section    string        `json:"section,omitempty"`
		Shard      string        `json:"shard,omitempty"`
		LastMod    string        `json:"lastmod,omitempty"`
		Source     mapper.Source `json:"lastmod_source,omitempty"`
		ChangeFreq string        `json:"changefreq,omitempty"`
		Priority   json.Number   `json:"priority,omitempty"`
		Rules      []int         `json:"rules"`
	}{
		PercentEncode(f.Path), f.Verdict.String(), PercentEncode(detail), f.URL, f.Section, f.Shard,
		f.LastMod, f.Source, f.ChangeFreq, json.Number(f.Priority), append([]int{}, f.Rules...),
	})
}
