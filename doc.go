// Package sitewalk turns the docroot of a static site into its sitemap.
//
// [Build] walks the docroot, reads what the heads of the pages say, leaves out
// what should not be listed, dates what should, cuts the pages into shards that
// stay the same from one run to the next, and publishes them so that no reader
// ever sees a broken set. [Watch] then keeps the set equal to what a fresh build
// would write. [Explain] says of single files what a build would make of them, and
// why, and [WriteReport] writes a page about all of them. [Check] holds a published
// set, of any generator's making, to the protocol and to the files. What
// they do is set by a [Config], from [DefaultConfig] or, by [Load], from a file;
// [Propose] proposes one that suits what builds the site.
//
// A run can keep a state for the next in the file [Config.State], so that pages
// which have not changed are not opened again and keep their dates. Where there is
// none, [Run.Previous] names a published sitemap to take dates from. Build and Watch
// write to the output folder, the state and, where the configuration asks for it, the
// docroot's robots.txt; Explain writes nothing. No program is started but git, and
// that only for dates that come from there.
//
// [Submit] tells search engines what changed in the published set since they were told
// last, and remembers that beside the state. Nothing else uses the network, but for a
// Run.Previous or a target of Check that is a URL.
//
// The work is done by three packages that can be used on their own: scanner
// (docroot to files), mapper (files to pages) and output (pages to published
// files). None of them logs, exits, or reads flags or the environment.
package sitewalk
