package htmlreport

import (
	"time"

	"sitewalk/output"
)

// A Site is what the page says beside what became of each file.
type Site struct {
	BaseURL string
	Docroot string // as it was given
	RootURL string // of the index, or of the only shard; empty if there is no page
	// Time is when the docroot was looked at.
	Time time.Time
	// Shards are those of the set that a build would publish now, in the order of the
	// index, and MaxURLs and MaxBytes what each may hold.
	Shards   []output.Shard
	MaxURLs  int64
	MaxBytes int64 // uncompressed
	// Written and Removed are the files that a build would write and remove.
	Written, Removed []string
	Warnings         []Warning
}

// A Warning is something that the user should hear of.
type Warning struct {
	Code    string
	Message string
	Mend    string // the way to mend it
	// Paths are examples, and Details say, where there is more to say, what is wrong
	// with each.
	Paths, Details []string
}
