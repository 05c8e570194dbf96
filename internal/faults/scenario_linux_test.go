//go:build amd64 || arm64

package faults

// A scenario is a change of a site, and how it is published.
type scenario struct {
	name     string
	config   string
	old, new site // old is nil if nothing was published before
	robots   string
	state    bool
	// elsewhere has the set published in a folder that is not in the docroot.
	elsewhere bool
	// ownDates says that dates depend on what the state remembers: a build that
	// remembers nothing gives others.
	ownDates bool
}

// company is a site of some sections, of which one has several shards.
var company = pages("blog", 20).with(pages("shop", 3), site{"index.html": 1})

const severalShards = "max_urls: 16, stale_grace: 0s"

var scenarios = []scenario{
	{
		name: "first publication", config: "output: {" + severalShards + ", text: true}\nrobots: {update: true}\n",
		new: company, state: true, elsewhere: true,
	},
	{
		name: "one page edited", config: "output: {" + severalShards + "}\n",
		old: company, new: company.with(site{"blog/page-007.html": 2}),
	},
	{
		name: "pages edited in three sections", config: "output: {gzip: none, stale_grace: 0s}\n",
		old: company, new: company.with(site{"blog/page-007.html": 2, "shop/page-001.html": 2, "index.html": 2}),
	},
	{
		name: "one section comes and one goes", config: "output: {" + severalShards + "}\n",
		old: company, new: pages("blog", 20).with(pages("news", 2), site{"index.html": 1}),
	},
	{
		name: "the root becomes an index", config: "output: {stale_grace: 0s}\n",
		old: site{"index.html": 1, "about.html": 1}, new: site{"index.html": 1, "about.html": 1}.with(pages("blog", 2)),
	},
	{
		name: "the root is no longer an index", config: "output: {stale_grace: 0s}\n",
		old: site{"index.html": 1}.with(pages("blog", 2)), new: site{"index.html": 1, "about.html": 1},
	},
	{
		name: "robots.txt is to name the set", config: "robots: {update: true}\n",
		old: pages("blog", 3).with(pages("private", 2)), new: pages("blog", 4).with(pages("private", 2)),
		robots: "User-agent: *\nDisallow: /private/\n",
	},
	{
		name: "a list of URLs", config: "output: {text: true, max_urls: 4, stale_grace: 0s}\n",
		old: pages("blog", 7), new: pages("blog", 9),
	},
	{
		name: "dates by content", config: "lastmod: [content]\n",
		old: company, new: company.with(site{"blog/page-003.html": 2, "blog/page-004.html": 1 + touched, "index.html": 1 + touched}),
		state: true, ownDates: true,
	},
}
