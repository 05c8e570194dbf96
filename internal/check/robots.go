package check

import (
	"fmt"
	"sync"

	"sitewalk/internal/robots"
)

const (
	// maxRobotsLines is how many Sitemap lines are looked at.
	maxRobotsLines = 20
	// maxVouching is how many other hosts are asked whether they vouch for the set.
	maxVouching = 8
)

// robotsFile is what a robots.txt says of sitemaps.
type robotsFile struct {
	name  string // for people: the path, or the URL
	lines []robots.Sitemap
}

// names reports whether a line names a URL.
func (r *robotsFile) names(loc string) bool {
	if r == nil || loc == "" {
		return false
	}
	for _, line := range r.lines {
		if sameURL(line.URL, loc) {
			return true
		}
	}
	return false
}

// first returns the lines that are looked at.
func (r *robotsFile) first() []robots.Sitemap {
	if r == nil {
		return nil
	}
	return r.lines[:min(len(r.lines), maxRobotsLines)]
}

// vouching finds out which origins' robots.txt name the set, and so let it list
// their pages wherever it is.
// https://www.sitemaps.org/protocol.html#sitemaps_cross_submits
type vouching struct {
	own   string // origin of the set
	said  *robotsFile
	roots []string // URLs of the set's roots
	ask   func(origin string) *robotsFile

	mutex sync.Mutex
	known map[string]bool
}

// by reports whether an origin vouches for the set. Any goroutine may call it.
func (v *vouching) by(origin string) bool {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	vouched, found := v.known[origin]
	if found || len(v.known) > maxVouching {
		return vouched
	}
	said := v.said
	if origin != v.own {
		said = v.ask(origin)
	}
	for _, root := range v.roots {
		vouched = vouched || said.names(root)
	}
	v.known[origin] = vouched
	return vouched
}

// checkRobots tells what is wrong with the lines of the site's robots.txt, given the
// URLs of the set's indexes, or of its only sitemap.
func (r *run) checkRobots() {
	said := r.from.robots()
	if said == nil || r.roots[0].url == "" {
		return
	}
	tell := func(line int, loc string, code Code, message string) {
		r.emit(&Finding{File: said.name, Line: line, Loc: loc, Code: code, Message: message})
	}
	own := originOf(r.roots[0].url)
	named, others := false, 0
	var elsewhere *robots.Sitemap
	for _, root := range r.roots {
		named = named || said.names(root.url)
	}
	for i, line := range said.first() {
		parts, problem := splitURL(line.URL)
		switch {
		case problem != "":
			tell(line.Line, line.URL, RobotsLine, "the Sitemap line's URL "+problem)
		case wrongByte(line.URL) >= 0:
			tell(line.Line, line.URL, RobotsLine, "the Sitemap line's URL "+escaping(line.URL, wrongByte(line.URL)))
		case r.rootAt(line.URL) != nil:
		case parts.origin != own:
			elsewhere = &said.lines[i]
		default:
			others++
			if there, known := r.from.isThere(r.ctx, line.URL); known && !there {
				tell(line.Line, line.URL, RobotsGone, "the Sitemap line names a file that is not there")
				others--
			}
		}
	}
	switch {
	case !named && elsewhere != nil && others == 0:
		tell(elsewhere.Line, elsewhere.URL, RobotsElsewhere, fmt.Sprintf("the Sitemap line names another site than %s, where this set is", own))
	case !named:
		tell(0, "", RobotsMissing, "has no line \"Sitemap: "+r.roots[0].url+"\"; without it, submit the sitemap by hand")
	default:
		for _, root := range r.roots {
			if !said.names(root.url) {
				tell(0, "", RobotsMissing, "has no line \"Sitemap: "+root.url+"\", and crawlers do not follow an index to the next")
			}
		}
	}
}
