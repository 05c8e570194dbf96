package sitewalk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"sitewalk/internal/robots"
	"sitewalk/internal/state"
	"sitewalk/output"
	"sitewalk/scanner"
)

const robotsFile = "robots.txt"

// readRobots returns what the docroot's robots.txt says to the configured agent,
// or nil if there is none. It fails if the file may be read again soon: till then what
// is published is right.
func (b *builder) readRobots() (*robots.Group, error) {
	c := b.config
	if !c.Mapper.Robots.Respect {
		return nil, nil
	}
	file, err := b.docroot.OpenFile(robotsFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, scanner.ErrNotRegular):
		b.warnings.add(warnRobotsIgnored, robotsFile, "")
		return nil, nil
	}
	var content []byte
	if err == nil {
		defer file.Close()
		content, err = io.ReadAll(io.LimitReader(file, robots.MaxSize+1))
	}
	if state.IsPassing(err) {
		return nil, fmt.Errorf("read robots.txt, which may disallow pages: %w; if that lasts, put the file there anew", err)
	}
	if err != nil {
		b.warnings.add(warnRobotsUnread, robotsFile, err.Error())
		return nil, nil
	}
	if u, err := url.Parse(c.Mapper.BaseURL); err == nil && strings.Trim(u.Path, "/") != "" {
		b.warnings.add(warnRobotsNotRoot, robotsFile, "")
	}
	return robots.Parse(content).Group(c.Mapper.Robots.Agent), nil
}

// updateRobots keeps one line for each index of the set in the docroot's
// robots.txt, and adds the file to what was written. The set is published by then:
// what goes wrong is worth a warning.
func (b *builder) updateRobots(published *output.Result) {
	if !b.config.Mapper.Robots.Update || b.docroot.Folder() == nil {
		return
	}
	written, err := b.editRobots(published.Indexes)
	if err != nil {
		b.warnings.add(warnRobotsKept, robotsFile, err.Error())
	}
	if written {
		published.Written = append(published.Written, b.fromOutput(robotsFile))
	}
}

// editRobots is updateRobots for the indexes of a set, and reports whether it
// wrote, or in a dry run would write, the file.
func (b *builder) editRobots(indexes []string) (written bool, err error) {
	folder, err := output.OpenWithin(b.docroot.Folder(), ".", b.config.DryRun)
	if err != nil {
		return false, err
	}
	defer folder.Close()
	var current []string
	for _, name := range indexes {
		current = append(current, b.mapper.FileURL(b.folder.Dir, name))
	}
	here, err := url.Parse(b.mapper.FileURL(b.folder.Dir, ""))
	if err != nil {
		return false, err
	}
	isOurs := func(text string) bool { return b.isOwnSitemap(here, text) }
	return folder.Edit(robotsFile, robots.MaxSize, b.config.DryRun, func(content []byte) []byte {
		return robots.UpdateSitemaps(content, isOurs, current)
	})
}

// isOwnSitemap reports whether a URL is that of an index of this set, perhaps
// under an earlier configuration: on the same host, with or without www, by
// either scheme with its own port, in the same folder, under a name that the index
// can have.
func (b *builder) isOwnSitemap(here *url.URL, text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.RawQuery != "" {
		return false
	}
	return bareHost(u) == bareHost(here) &&
		strings.TrimSuffix(path.Dir(u.Path), "/") == strings.TrimSuffix(here.Path, "/") &&
		b.config.Output.Files.IsIndex(path.Base(u.Path))
}

// bareHost returns a URL's host without www, and its port if that is not the
// scheme's own.
func bareHost(u *url.URL) string {
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	switch port := u.Port(); {
	case port == "", u.Scheme == "http" && port == "80", u.Scheme == "https" && port == "443":
		return host
	default:
		return host + ":" + port
	}
}

// fromOutput returns the path of a file of the docroot relative to the output
// folder.
func (b *builder) fromOutput(name string) string {
	if b.folder.Dir != "" {
		return strings.Repeat("../", 1+strings.Count(b.folder.Dir, "/")) + name
	}
	if b.isInDocroot() {
		return name
	}
	docroot, errDocroot := realPath(b.config.Scanner.Docroot)
	out, errOut := realPath(b.config.Out)
	if relative, err := filepath.Rel(out, docroot); err == nil && errDocroot == nil && errOut == nil {
		return filepath.ToSlash(filepath.Join(relative, name))
	}
	return name
}
