package sitewalk

// Mend returns how to mend what the warning tells of, for people: a sentence or two,
// which may repeat what the message says in short.
func (w *Warning) Mend() string { return mends[w.Code] }

// mends are the ways to mend what warnings tell of, by code.
var mends = map[string]string{
	"canonical-style": "Set what the message names, so that the sitemap lists what the pages call themselves; " +
		"or correct the canonical links in the template.",
	"preset-undecided": "Name the host with urls.preset; or set urls.extension and urls.slash as the site links to its pages.",
	"unreadable": "Let the user that sitewalk runs as read the files, and search their folders: chmod o+r, or chmod o+rx for a folder, " +
		"does so for all users.",
	"mostly-left-out": "sitewalk explain with the path of one such page names the line, tag or setting that leaves it out. " +
		"Correct that in the template, in robots.txt, in the .htaccess or in sitewalk.yaml.",
	"lastmod-uniform": "Set lastmod: [meta, content], and keep the state from one run to the next, so that a page keeps its date until its bytes change; " +
		"or lastmod: [git, mtime], if the pages are committed. lastmod: [] leaves the dates out.",
	"lastmod-unbelievable": "Correct the modification times (touch), the clock that wrote them, or the dates in the heads of the pages.",
	"allowed":              "If these are not meant for the public, take what matches them out of allow, and the files out of the docroot.",
	"alternates-one-way": "Let each of the pages name all the others and itself with rel=alternate hreflang links, " +
		"under the URLs by which they are listed.",
	"git-shallow": "Fetch the whole history: git fetch --unshallow, or fetch-depth: 0 in the checkout of a pipeline.",
	"git-unavailable": "See to it that git is installed and the docroot is in a work tree that this user may read; " +
		"or take git out of lastmod.",
	"sources-need-reading": "Leave --no-read out and set pages: {read: true}; or take meta and content out of lastmod.",
	"previous-unused":      "Set lastmod: [content], or leave --previous out.",
	"previous-missing":     "Give --previous the sitemap's file, its folder or its URL. On a first run there is none: leave it out.",
	"robots-ignored":       "Put a plain file in the place of the link.",
	"robots-unreadable":    "Let the user that sitewalk runs as read robots.txt.",
	"robots-not-at-root":   "Put what it says into the robots.txt at the root of the host; or set robots: {respect: false}.",
	"robots-not-updated": "Put a plain file there, in a folder that this user may write to; or set robots: {update: false} " +
		"and add the Sitemap line by hand.",
	"htaccess-ignored":    "Put plain files in the place of the links.",
	"htaccess-unreadable": "Let the user that sitewalk runs as read the .htaccess files.",
	"state-unusable": "Nothing, if the next run does not say so again. Where dates come from content, say --previous with " +
		"what is published for one run.",
	"state-not-kept": "Name a file in a folder that this user may write to with state or --state; or say --no-state.",
	"extra-refused":  "Correct or remove the lines that are named here.",
	"extra-cut":      "Write the lines that are named here without session id and fragment.",
	"extra-twice":    "Remove all but one of the lines with that URL.",
	"extra-taken":    "Remove the lines that are named here: the files speak for themselves.",
	"foreign-replaced": "Switch the sitemap of the other tool off, for example disableKinds: [sitemap] in Hugo; " +
		"or publish elsewhere with output.dir or output.root.",
	"set-unreadable": "Let the user that sitewalk runs as read what it has published; or, if the system's log tells of errors of the disk, " +
		"have the disk mended.",
	"set-shared":     "Give one of the two sets another output.dir; or, if the other index is from before output.root was changed, remove it.",
	"text-left":      "Remove the files that are named here, if nobody needs them.",
	"contested":      "Find the other program that writes these files, and stop it; or give one of the two another output.dir.",
	"base-url-local": "Set base_url to the address under which the site is published.",
	"watches-short":  "Run, as root, the line that is named here.",
	"unwatched":      "Nothing, if it is soon enough when changes are found by looking. Else watch on the machine that has the files.",
}
