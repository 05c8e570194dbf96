//go:build unix

package main

import (
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

// A judgement is a second opinion about each file of a docroot. It is written
// from what sitewalk promises, as plainly as can be, slow, and with nothing of
// sitewalk's own: paths are those of package os, patterns those of doublestar,
// and a head is what a parser that builds the whole tree puts there.
//
// It knows the configurations that its fields can say, of .htaccess the
// directives that stand outside of sections, and of dates those in dateLayouts.
type judgement struct {
	docroot string
	base    *url.URL
	written []string // files that sitewalk wrote
	exclude []string
	unlist  []string // globs of rules with list: false
	bare    bool     // urls: {extension: strip, slash: never}

	sensitive []string // names of files and folders
	secret    []string // and of files alone
	robots    []robotsLine
	now       time.Time
	opinions  map[string]opinion // by path; a folder's ends in a slash
}

// opinion is what a line of the report should say.
type opinion struct {
	Verdict string
	URL     string // of a file that has one
	LastMod string // of a page
}

var indexNames = []string{"index.html", "index.htm", "index.xhtml"}

// judge forms the opinions about all files.
func (j *judgement) judge(t *testing.T) map[string]opinion {
	t.Helper()
	j.sensitive = listInREADME(t, "Sensitive names: ")
	j.secret = listInREADME(t, "Sensitive names of files, but not of folders: ")
	j.now, j.opinions = time.Now(), map[string]opinion{}
	if content, err := os.ReadFile(filepath.Join(j.docroot, "robots.txt")); err == nil {
		j.robots = parseRobots(string(content))
	}
	j.judgeFolder(t, "", folderAccess{})
	j.judgeDuplicates()
	return j.opinions
}

// listInREADME returns the names that README lists after an introduction.
func listInREADME(t *testing.T, introduction string) (names []string) {
	t.Helper()
	list := regexp.MustCompile("(?s)\n" + introduction + "(.*?`)\\.\n").FindStringSubmatch(readFile(t, "../../README.md"))
	if list == nil {
		t.Fatalf("README has no list of %s", introduction)
	}
	for _, name := range strings.Fields(list[1]) {
		names = append(names, strings.Trim(name, "`"))
	}
	return names
}

// judgeFolder judges what is in a folder, whose path is empty or ends in a slash.
func (j *judgement) judgeFolder(t *testing.T, folder string, above folderAccess) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(j.docroot, folder))
	if err != nil {
		t.Fatal(err)
	}
	rights := above
	if content, err := os.ReadFile(filepath.Join(j.docroot, folder, ".htaccess")); err == nil {
		rights = above.overlay(string(content))
	}
	for _, entry := range entries {
		name := folder + entry.Name()
		verdict := j.judgeName(name, entry)
		switch {
		case !entry.IsDir():
			j.opinions[name] = j.judgeFile(t, name, entry, verdict, rights)
		case verdict != "":
			j.opinions[name+"/"] = opinion{Verdict: verdict}
		default:
			j.judgeFolder(t, name+"/", rights)
		}
	}
}

// judgeName returns why a file or folder of a name must not be listed, if none of
// the folders above is a reason.
func (j *judgement) judgeName(name string, entry fs.DirEntry) string {
	segment := entry.Name()
	like := func(pattern string) bool {
		return doublestar.MatchUnvalidated(strings.ToLower(pattern), strings.ToLower(segment))
	}
	switch {
	case slices.ContainsFunc(j.sensitive, like), !entry.IsDir() && slices.ContainsFunc(j.secret, like):
		return "sensitive"
	case segment[0] == '.' && segment != ".well-known":
		return "hidden"
	case matchesAny(j.exclude, name):
		return "excluded"
	}
	return ""
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return doublestar.MatchUnvalidated(pattern, name) })
}

var errorPage = regexp.MustCompile(`(?i)(^|/)([45][0-9][0-9]|50x)(\.html?|/index\.html)$`)

// judgeFile asks the questions in the order of DESIGN's table of verdicts.
func (j *judgement) judgeFile(t *testing.T, name string, entry fs.DirEntry, byName string, rights folderAccess) opinion {
	t.Helper()
	switch {
	case slices.Contains(j.written, name):
		return opinion{Verdict: "own-output"}
	case entry.Type()&fs.ModeSymlink != 0:
		return opinion{Verdict: "symlink"}
	case !entry.Type().IsRegular():
		return opinion{Verdict: "not-regular"}
	case byName != "":
		return opinion{Verdict: byName}
	case !doublestar.MatchUnvalidated("**/*.{html,htm,xhtml}", strings.ToLower(name)):
		return opinion{Verdict: "not-included"}
	case errorPage.MatchString(name):
		return opinion{Verdict: "error-page"}
	case rights.denied():
		return opinion{Verdict: "protected"}
	case matchesAny(j.unlist, name):
		return opinion{Verdict: "rule"}
	}
	loc := j.loc(name)
	switch {
	case len(loc) >= 2048:
		return opinion{Verdict: "too-long"}
	case !robotsAllow(j.robots, strings.TrimPrefix(loc, j.base.Scheme+"://"+j.base.Host)):
		return opinion{Verdict: "robots", URL: loc}
	}
	page := readFile(t, filepath.Join(j.docroot, name))
	if reason := j.judgePage(t, name, loc, page); reason != "" {
		return opinion{Verdict: reason, URL: loc}
	}
	return opinion{Verdict: "listed", URL: loc, LastMod: j.lastMod(t, entry)}
}

// lastMod is what date --iso-8601=seconds -u -r FILE prints.
func (j *judgement) lastMod(t *testing.T, entry fs.DirEntry) string {
	t.Helper()
	info, err := entry.Info()
	if err != nil {
		t.Fatal(err)
	}
	modified := info.ModTime()
	if modified.Unix() <= 0 || modified.After(j.now) {
		return ""
	}
	return modified.UTC().Format("2006-01-02T15:04:05+00:00")
}

// judgeDuplicates leaves of the pages that share a URL an index file, or else the
// first by name.
func (j *judgement) judgeDuplicates() {
	holders := map[string][]string{}
	for name, o := range j.opinions {
		if o.Verdict == "listed" {
			holders[o.URL] = append(holders[o.URL], name)
		}
	}
	for _, names := range holders {
		slices.SortFunc(names, func(a, b string) int {
			if isIndex(a) != isIndex(b) {
				return map[bool]int{true: -1, false: 1}[isIndex(a)]
			}
			return strings.Compare(a, b)
		})
		for _, name := range names[1:] {
			j.opinions[name] = opinion{Verdict: "duplicate", URL: j.opinions[name].URL}
		}
	}
}

func isIndex(name string) bool {
	_, base := path.Split(name)
	return slices.Contains(indexNames, base)
}

// withoutIndex returns the folder of an index file, and any other path as it is.
func withoutIndex(name string) string {
	if isIndex(name) {
		name, _ = path.Split(name)
	}
	return name
}

var (
	bareExtension = regexp.MustCompile(`([^/])\.(html|htm|xhtml|shtml)$`)
	pageExtension = regexp.MustCompile(`(?i)` + bareExtension.String())
)

// loc returns the URL of a file.
func (j *judgement) loc(name string) string {
	switch {
	case isIndex(name) && j.bare:
		name = strings.TrimSuffix(withoutIndex(name), "/")
	case isIndex(name):
		name = withoutIndex(name)
	case j.bare:
		// Servers that are asked for page look for page.html, and not for page.HTML.
		name = bareExtension.ReplaceAllString(name, "$1")
	}
	return j.base.Scheme + "://" + j.base.Host + escapePath(j.base.Path+strings.ReplaceAll(name, "%", "%25"))
}

// judgePage returns why a page must not be listed by what its head says.
func (j *judgement) judgePage(t *testing.T, name, loc, content string) string {
	t.Helper()
	head := readHead(t, content, strings.EqualFold(filepath.Ext(name), ".xhtml"))
	// A base of another scheme makes relative links lead to no web page, but not
	// one that holds its own content.
	// https://html.spec.whatwg.org/multipage/semantics.html#set-the-frozen-base-url
	base := loc
	if to := resolveLink(loc, head.base); to != nil {
		base = asLoc(to)
	} else if otherScheme.MatchString(head.base) && !ownContent.MatchString(head.base) {
		base = head.base
	}
	var redirect *url.URL
	if head.refreshes {
		redirect = resolveLink(base, head.refresh)
	}
	// A second address is asked only where the first is the page's own.
	if head.moved != "" && (redirect == nil || asLoc(redirect) == loc) {
		redirect = resolveLink(loc, head.moved)
	}
	switch {
	case redirect != nil && (redirect.Host != hostOf(j.base) || j.isElsewhere(name, loc, withoutQuery(redirect))):
		return "redirect"
	case head.noIndex:
		return "noindex"
	case !head.expires.IsZero() && !head.expires.After(j.now):
		return "expired"
	case head.resourceType != "" && head.resourceType != "document":
		return "resource-type"
	}
	elsewhere := false
	for _, href := range head.canonicals {
		to := resolveLink(base, href)
		if to == nil {
			continue
		}
		if !j.isElsewhere(name, loc, to) {
			return ""
		}
		elsewhere = true
	}
	if elsewhere {
		return "canonical"
	}
	return ""
}

// withoutQuery returns a URL without its query: with one as without, a server has
// the same file for it.
func withoutQuery(u *url.URL) *url.URL {
	plain := *u
	plain.RawQuery = ""
	return &plain
}

// isElsewhere reports whether a URL names another page than that of a file, and
// not only in another style: scheme, host, slash, extension or index file.
func (j *judgement) isElsewhere(name, loc string, to *url.URL) bool {
	if asLoc(to) == loc {
		return false
	}
	if to.RawQuery != "" {
		return true
	}
	// An encoded slash separates nothing, and is in no name, as NUL is in none.
	full, err := url.PathUnescape(strings.ReplaceAll(to.RawPath, "%2F", "\x00"))
	if err != nil {
		return true
	}
	var below []string
	if rest, ok := strings.CutPrefix(full+"/", j.base.Path); ok {
		below = append(below, strings.TrimSuffix(rest, "/"))
	}
	// Elsewhere the site may stand at another place.
	if hostOf(to) != hostOf(j.base) || to.Scheme != j.base.Scheme {
		below = append(below, full[1:])
	}
	return !slices.ContainsFunc(below, func(asked string) bool {
		return isStyle(asked, name) && !j.namesAnother(asked, name)
	})
}

// isStyle reports whether a path that is asked for is that of a file but for slashes at the end,
// the extension and the name of an index file.
func isStyle(asked, name string) bool {
	bare := func(s string) string { return pageExtension.ReplaceAllString(strings.TrimRight(s, "/"), "$1") }
	return bare(withoutIndex(asked)) == bare(withoutIndex(name)) || strings.TrimRight(asked, "/") == bare(name)
}

// namesAnother reports whether a server would have another file than the given
// one for a path.
func (j *judgement) namesAnother(asked, name string) bool {
	var files []string
	if asked != "" && !strings.HasSuffix(asked, "/") {
		files = append(files, asked)
		if path.Ext(asked) == "" {
			files = append(files, asked+".html", asked+".htm", asked+".xhtml", asked+".shtml")
		}
		asked += "/"
	}
	for _, index := range indexNames {
		files = append(files, asked+index)
	}
	if slices.Contains(files, name) {
		return false
	}
	return slices.ContainsFunc(files, func(file string) bool {
		info, err := os.Lstat(filepath.Join(j.docroot, file))
		return err == nil && info.Mode().IsRegular()
	})
}
