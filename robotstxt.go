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
	"sitewalk/output"
	"sitewalk/scanner"
)

const robotsFile = "robots.txt"

// readRobots returns what the docroot's robots.txt says to the configured agent,
// or nil if there is none.
func (b *builder) readRobots() *robots.Group {
	c := b.config
	if !c.Mapper.Robots.Respect {
		return nil
	}
	file, err := b.docroot.OpenFile(robotsFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, scanner.ErrNotRegular):
		b.warnings.add(warnRobotsIgnored, robotsFile, "")
		return nil
	}
	var content []byte
	if err == nil {
		defer file.Close()
		content, err = io.ReadAll(io.LimitReader(file, robots.MaxSize+1))
	}
	if err != nil {
		b.warnings.add(warnRobotsUnread, robotsFile, err.Error())
		return nil
	}
	if u, err := url.Parse(c.Mapper.BaseURL); err == nil && strings.Trim(u.Path, "/") != "" {
		b.warnings.add(warnRobotsNotRoot, robotsFile, "")
	}
	return robots.Parse(content).Group(c.Mapper.Robots.Agent)
}

// updateRobots keeps one line for each index of the set in the docroot's
// robots.txt, and adds the file to what was written.
func (b *builder) updateRobots(published *output.Result) error {
	c := b.config
	docroot := b.docroot.Folder()
	if !c.Mapper.Robots.Update || docroot == nil {
		return nil
	}
	folder, err := output.OpenWithin(docroot, ".", c.DryRun)
	if err != nil {
		return err
	}
	defer folder.Close()
	var current []string
	for _, name := range published.Indexes {
		current = append(current, b.mapper.FileURL(b.folder.Dir, name))
	}
	here, err := url.Parse(b.mapper.FileURL(b.folder.Dir, ""))
	if err != nil {
		return err
	}
	isOurs := func(text string) bool { return b.isOwnSitemap(here, text) }
	written, err := folder.Edit(robotsFile, robots.MaxSize, c.DryRun, func(content []byte) []byte {
		return robots.UpdateSitemaps(content, isOurs, current)
	})
	switch {
	case errors.Is(err, output.ErrForeign):
		b.warnings.add(warnRobotsKept, robotsFile, err.Error())
		return nil
	case err != nil:
		return fmt.Errorf("write %s: %w", robotsFile, err)
	case written:
		published.Written = append(published.Written, b.fromOutput(robotsFile))
	}
	return nil
}

// isOwnSitemap reports whether a URL is that of an index of this set, perhaps
// under an earlier configuration: on the same host, with or without www, by
// either scheme, in the same folder, under a name that the index can have.
func (b *builder) isOwnSitemap(here *url.URL, text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.RawQuery != "" {
		return false
	}
	bare := func(host string) string { return strings.TrimPrefix(strings.ToLower(host), "www.") }
	return bare(u.Hostname()) == bare(here.Hostname()) &&
		strings.TrimSuffix(path.Dir(u.Path), "/") == strings.TrimSuffix(here.Path, "/") &&
		b.config.Output.Files.IsIndex(path.Base(u.Path))
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
