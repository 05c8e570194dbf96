// Package sitewalk turns the docroot of a static site into its sitemap.
//
// [Build] walks the docroot, leaves out what should not be listed, cuts the
// pages into shards that stay the same from one run to the next, and publishes
// them so that no reader ever sees a broken set. What it does is set by a
// [Config], from [DefaultConfig] or, by [Load], from a file.
//
// The work is done by three packages that can be used on their own: scanner
// (docroot to files), mapper (files to pages) and output (pages to published
// files). None of them logs, exits, or reads flags or the environment.
package sitewalk
