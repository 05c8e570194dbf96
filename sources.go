package sitewalk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"sitewalk/internal/display"
	"sitewalk/internal/gitlog"
	"sitewalk/internal/previous"
	"sitewalk/mapper"
	"sitewalk/scanner"
)

// openSources gets ready what dates come from, as far as rules ask for it.
func (b *builder) openSources(ctx context.Context) error {
	c, m := b.config, b.mapper
	if !c.Scanner.Pages.Read && (m.Uses(mapper.SourceMeta) || m.Uses(mapper.SourceContent)) {
		b.warnings.add(warnSourcesIdle, "", "")
	}
	if b.config.datesByGit() {
		if err := b.openGit(ctx); err != nil {
			return err
		}
	}
	if err := b.openMemory(); err != nil {
		return err
	}
	if c.Previous == "" {
		return nil
	}
	if !m.Uses(mapper.SourceContent) {
		b.warnings.add(warnPreviousIdle, "", "")
		return nil
	}
	published, err := b.openPrevious(ctx)
	switch {
	case errors.Is(err, fs.ErrNotExist): // as before the first publication
		b.warnings.add(warnNoPrevious, display.Redacted(c.Previous), err.Error())
	case err != nil:
		return fmt.Errorf("read the previous sitemap: %w", err)
	}
	b.previous = published
	return nil
}

// datesByGit reports whether a page's date may come from git.
func (c *Config) datesByGit() bool {
	return slices.Contains(c.Mapper.LastMod, mapper.SourceGit) ||
		slices.ContainsFunc(c.Mapper.Rules, func(r mapper.Rule) bool { return r.LastMod != nil && slices.Contains(*r.LastMod, mapper.SourceGit) })
}

// openGit asks git when files were committed. Without a repository the source
// has no answers, which is worth a warning.
func (b *builder) openGit(ctx context.Context) error {
	if b.docroot.Folder() == nil {
		b.warnings.add(warnNoGit, "", "")
		return nil
	}
	dates, err := gitlog.Read(ctx, b.config.Scanner.Docroot)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		b.warnings.add(warnNoGit, b.config.Scanner.Docroot, err.Error())
		return nil
	}
	others := b.mapper.Uses(mapper.SourceContent) || b.mapper.Uses(mapper.SourceMeta)
	if dates.Len() == 0 && dates.Withheld() == 0 && !others {
		b.warnings.add(warnNoGit, b.config.Scanner.Docroot, "git tracks no file of the docroot, or none as it is: what a generator builds is mostly ignored")
	}
	b.git = dates
	return nil
}

// previousSet is a sitemap that was published before, and perhaps the pages
// beside it.
type previousSet struct {
	dates *previous.Dates
	pages *scanner.Docroot // nil if the sitemap did not come from a folder
}

// previousWait is how long a server may take to hand out what it has published.
const previousWait = 5 * time.Minute

func (b *builder) openPrevious(ctx context.Context) (*previousSet, error) {
	location := b.config.Previous
	if u, err := url.Parse(location); err == nil && u.Host != "" && strings.HasSuffix(u.Path, "/") {
		location = u.JoinPath(b.config.Output.Files.Root).String() // a folder's, as on disk
	}
	ctx, cancel := context.WithTimeout(ctx, previousWait)
	defer cancel()
	dates, err := previous.Read(ctx, location, previous.Options{Root: b.config.Output.Files.Root})
	if err != nil {
		return nil, err
	}
	p := &previousSet{dates: dates}
	if info, err := os.Stat(location); err == nil && info.IsDir() && !b.isDocroot(info) {
		if p.pages, err = scanner.Open(location); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// isDocroot reports whether info is of the docroot itself, whose pages are not
// those that were published before.
func (b *builder) isDocroot(info os.FileInfo) bool {
	folder := b.docroot.Folder()
	if folder == nil {
		return false
	}
	own, err := folder.Stat(".")
	return err == nil && os.SameFile(own, info)
}

// find returns the date that was published of a page. Where the page itself was
// kept beside the sitemap, it must have the same bytes: of one that has changed
// nothing is known.
func (p *previousSet) find(dir, name string, loc []byte, digest uint64) (changed, bool) {
	date, dateOnly, ok := p.dates.Find(loc)
	if !ok {
		return changed{}, false
	}
	if p.pages != nil {
		before, err := p.digest(scanner.Join(dir, name))
		if !errors.Is(err, fs.ErrNotExist) && (err != nil || before != digest) {
			return changed{}, false
		}
	}
	return changed{date, dateOnly}, true
}

func (p *previousSet) digest(path string) (uint64, error) {
	file, err := p.pages.OpenFile(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	hash := xxhash.New()
	read, err := io.Copy(hash, io.LimitReader(file, maxDigested))
	if err != nil {
		return 0, err
	}
	if read == maxDigested {
		return 0, errors.New("is too long to compare")
	}
	return known(hash.Sum64()), nil
}

func (p *previousSet) close() {
	if p != nil && p.pages != nil {
		p.pages.Close()
	}
}
