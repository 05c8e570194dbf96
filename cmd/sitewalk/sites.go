package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sitewalk"
	"sitewalk/internal/display"
	"sitewalk/internal/privilege"
)

// A site is one docroot of several.
type site struct {
	key     string // tells it from all others, also after the configuration has changed
	docroot string // as the configuration names it, or a pattern found it
	owned   string // the folder whose owner the site's is
	file    string // the site's own configuration file, which need not be there; or empty
	// load reads the site's configuration, as the user that drop makes sure of.
	load func(drop *dropper) (sitewalk.Config, error)
}

// siteLister finds out which sites there are: those of one configuration file, or those
// that patterns find.
type siteLister struct {
	command *command
	file    string // has the sites, or says what those that are found have in common; may be empty
}

// finds reports whether the command line asks for the sites that patterns find.
func (l *siteLister) finds() bool { return len(l.command.flags.sites) > 0 }

// list returns the sites in a fixed order, or nil if the configuration is of one site
// only; then it returns that. It reads the file as drop allows.
func (l *siteLister) list(drop *dropper) ([]site, sitewalk.Config, error) {
	top, trust, err := l.top(drop)
	if err != nil {
		return nil, top, err
	}
	var sites []site
	switch {
	case l.finds():
		sites, err = l.found(top, drop)
	case len(top.Sites) == 0:
		l.command.lay(&top, drop)
		return nil, top, nil
	default:
		sites = l.configured(top, trust)
	}
	return l.only(sites), top, err
}

// top reads the file. What sites inherit that patterns find is said by root, if root
// runs the command, and nobody else: it decides for all of them.
func (l *siteLister) top(drop *dropper) (sitewalk.Config, privilege.FileTrust, error) {
	var trust privilege.FileTrust
	if !l.finds() {
		config, err := drop.load(l.file, l.command.flags.docroot)
		return config, drop.trust, err
	}
	config := sitewalk.DefaultConfig()
	if l.file == "" {
		return config, trust, nil
	}
	if drop.root && !drop.dropped {
		var err error
		if trust, err = privilege.InspectFile(l.file); err != nil {
			return config, trust, &usageError{err}
		}
		if trust.Owner.UID != 0 {
			return config, trust, &usageError{fmt.Errorf("%s belongs to user %d: what root's --sites inherit must be root's", l.file, trust.Owner.UID)}
		}
	}
	config, err := sitewalk.LoadQuoting(l.file, drop.mayQuote(l.file, trust))
	if err == nil && len(config.Sites) > 0 {
		err = &usageError{fmt.Errorf("%s has sites of its own, beside those of --sites; use one or the other", l.file)}
	}
	return config, trust, err
}

// configured returns the sites of a file.
func (l *siteLister) configured(top sitewalk.Config, trust privilege.FileTrust) []site {
	sites := make([]site, len(top.Sites))
	for i := range top.Sites {
		config, err := top.Site(i)
		s := site{docroot: config.Scanner.Docroot, owned: config.Scanner.Docroot}
		s.key = strings.Join([]string{s.docroot, config.Output.Files.Dir, config.Output.Files.Root}, "\x00")
		if err != nil {
			s.docroot = fmt.Sprintf("sites[%d]", i)
			s.key = s.docroot
		}
		s.load = func(drop *dropper) (sitewalk.Config, error) {
			if err == nil {
				err := drop.settleNamed(l.file, config.Scanner.Docroot, trust)
				return l.laid(config, drop, err)
			}
			return config, err
		}
		sites[i] = s
	}
	return sites
}

// found returns the sites that the patterns of --sites find, by name.
func (l *siteLister) found(top sitewalk.Config, drop *dropper) ([]site, error) {
	var sites []site
	seen := map[string]bool{}
	for _, pattern := range l.command.flags.sites {
		if strings.Contains(pattern, "**") {
			return nil, &usageError{fmt.Errorf("--sites %q: ** has no meaning here; write a * for each folder name", pattern)}
		}
		paths, err := filepath.Glob(pattern)
		if err != nil {
			return nil, &usageError{fmt.Errorf("--sites %q: %w", pattern, err)}
		}
		if err := checkPlaceholders(l.command.flags.baseURL, pattern); err != nil {
			return nil, err
		}
		for _, path := range paths {
			if info, err := os.Stat(path); err != nil || !info.IsDir() || seen[path] {
				continue
			}
			seen[path] = true
			inherited := top
			inherited.Scanner.Docroot = path
			if l.command.flags.baseURL != "" {
				inherited.Mapper.BaseURL = l.command.flags.baseURL
			}
			inherited.Mapper.BaseURL = fillIn(inherited.Mapper.BaseURL, pattern, path)
			sites = append(sites, l.foundAt(path, inherited, drop))
		}
	}
	if len(sites) == 0 {
		return []site{}, fmt.Errorf("--sites %s: %w", strings.Join(l.command.flags.sites, " "), errNoSites)
	}
	slices.SortFunc(sites, func(a, b site) int { return strings.Compare(a.docroot, b.docroot) })
	return sites, nil
}

// errNoSites says that patterns find nothing, or nothing yet.
var errNoSites = errors.New("there is no such folder")

// checkPlaceholders refuses a base URL with a placeholder that a pattern has no name
// for.
func checkPlaceholders(baseURL, pattern string) error {
	names := len(wildcards(pattern))
	for _, found := range placeholder.FindAllStringSubmatch(baseURL, -1) {
		if n, _ := strconv.Atoi(found[1]); n > names {
			return &usageError{fmt.Errorf("--base-url has %s, and %s has %s with a wildcard", found[0], pattern, display.Count(int64(names), "folder name"))}
		}
	}
	return nil
}

// foundAt returns the site whose docroot, or whose configuration, is in a folder.
func (l *siteLister) foundAt(folder string, inherited sitewalk.Config, drop *dropper) site {
	s := site{key: folder, docroot: folder, owned: folder, file: filepath.Join(folder, l.command.flags.siteConfig)}
	if drop.root && !drop.dropped {
		// A file that is root's may name anybody's docroot.
		if trust, err := privilege.InspectFile(s.file); err == nil && trust.Owner.UID == 0 {
			if config, err := inherited.LoadSite(s.file, drop.mayQuote(s.file, trust)); err == nil {
				s.owned = config.Scanner.Docroot
			}
		}
	}
	s.load = func(drop *dropper) (sitewalk.Config, error) {
		if _, err := os.Lstat(s.file); errors.Is(err, fs.ErrNotExist) {
			return l.laid(inherited, drop, drop.settle(folder, privilege.FileTrust{}))
		}
		config, err := drop.loadSite(s.file, &inherited)
		return l.laid(config, drop, err)
	}
	return s
}

// laid lays the flags over a site's configuration, unless it could not be had.
func (l *siteLister) laid(config sitewalk.Config, drop *dropper, err error) (sitewalk.Config, error) {
	if err == nil {
		l.command.lay(&config, drop)
	}
	return config, err
}

// only returns those of the sites that are this process's to do.
func (l *siteLister) only(sites []site) []site {
	if !l.command.flags.asOwner {
		return sites
	}
	return slices.DeleteFunc(sites, func(s site) bool { return !l.command.own[s.docroot] })
}

// placeholder stands, in the base URL of sites that a pattern finds, for what the n-th
// of its folders' names with a wildcard is at that site: {1}, {2}, ….
var placeholder = regexp.MustCompile(`\{([1-9][0-9]?)\}`)

// fillIn replaces the placeholders of a base URL. One that the pattern has no name for
// stays, and is refused as part of the URL.
func fillIn(baseURL, pattern, path string) string {
	if !strings.Contains(baseURL, "{") {
		return baseURL
	}
	var names []string
	found := segments(path)
	for _, i := range wildcards(pattern) {
		if i < len(found) {
			names = append(names, found[i])
		}
	}
	return placeholder.ReplaceAllStringFunc(baseURL, func(text string) string {
		n, _ := strconv.Atoi(strings.Trim(text, "{}"))
		if n > len(names) {
			return text
		}
		return names[n-1]
	})
}

// wildcards returns the indexes of those segments of a pattern that have one.
func wildcards(pattern string) []int {
	var indexes []int
	for i, segment := range segments(pattern) {
		if strings.ContainsAny(segment, `*?[`) {
			indexes = append(indexes, i)
		}
	}
	return indexes
}

func segments(path string) []string {
	return strings.Split(strings.Trim(filepath.ToSlash(filepath.Clean(path)), "/"), "/")
}

// checkSiteFlags refuses flags that say of one site what cannot be so of several.
func (c *command) checkSiteFlags() error {
	f := &c.flags
	for _, flag := range []struct{ name, value string }{
		{"docroot", f.docroot}, {"base-url", f.baseURL}, {"out", f.out}, {"state", f.state}, {"report", f.report}, {"previous", f.previous},
	} {
		if flag.value != "" && (flag.name != "base-url" || len(f.sites) == 0) {
			return &usageError{fmt.Errorf("--%s is of one site, and there are several", flag.name)}
		}
	}
	return nil
}

// pick returns, of a configuration with several sites, the one with a docroot.
func pick(top sitewalk.Config, file, docroot string) (sitewalk.Config, error) {
	if docroot == "" {
		return top, &usageError{fmt.Errorf("%s has %s; name the docroot of one with --docroot", file, display.Count(int64(len(top.Sites)), "site"))}
	}
	for i := range top.Sites {
		config, err := top.Site(i)
		if err == nil && samePath(config.Scanner.Docroot, docroot) {
			return config, nil
		}
	}
	return top, &usageError{fmt.Errorf("no site of %s has the docroot %s", file, docroot)}
}

func samePath(a, b string) bool {
	a, errA := filepath.Abs(a)
	b, errB := filepath.Abs(b)
	return errA == nil && errB == nil && a == b
}
