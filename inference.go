package sitewalk

import (
	"context"
	"errors"
	"path"
	"reflect"

	"sitewalk/mapper"
	"sitewalk/scanner"
	"sitewalk/scanner/head"
)

// With [mapper.PresetAuto], pages are opened in the order of the walk, before it
// begins, until some have told by their canonicals how the site spells its URLs, or
// so many have been opened that it is no longer worth the time.
const (
	enoughCanonicals = 100
	enoughOpened     = 1000
)

// inference is what the pages of a docroot say of how its URLs are spelled, and what
// that depends on. It is a function of the files alone: one goroutine asks them, in
// their order.
type inference struct {
	mapper.Surveyed
	// last is the path of the last page that was opened, if there were enough of them;
	// else all were.
	last   string
	enough bool
}

// errEnough ends the walk of an inference.
var errEnough = errors.New("enough pages have been asked")

// infers reports whether pages are to be asked how the site spells its URLs.
func (c *Config) infers() bool {
	return c.Mapper.URLs.Preset == mapper.PresetAuto && c.Scanner.Pages.Read
}

// infer asks the pages of a docroot.
func (c *Config) infer(ctx context.Context, docroot *scanner.Docroot) (*inference, error) {
	walk, err := scanner.New(c.Scanner, scanner.Options{Jobs: 1, Portable: c.Portable})
	if err != nil {
		return nil, c.blame(err)
	}
	pages, err := mapper.New(c.Mapper, mapper.Options{Now: func() int64 { return c.Now().Unix() }})
	if err != nil {
		return nil, c.blame(err)
	}
	found, opened := &inference{}, 0
	survey, names := pages.NewSurvey(), pages.NewWorker()
	parser := head.NewParser(head.Options{Limit: int64(c.Scanner.Pages.HeadLimit)})
	ask := func(batch *scanner.Batch, i int) {
		file := &batch.Files[i]
		if _, ok := names.Map(file); !ok {
			return
		}
		opened++
		found.last = scanner.Join(batch.Dir, file.Name)
		if content, ok := batch.Open(i); ok {
			defer content.Close()
			if said, err := parser.Parse(content, path.Ext(file.Name) == ".xhtml"); err == nil {
				survey.Add(batch.Dir, file.Name, said)
			}
		}
		found.enough = opened == enoughOpened || survey.Pages() == enoughCanonicals
	}
	work := func(batch *scanner.Batch) struct{} {
		names.Enter(batch.Dir)
		for i := range batch.Files {
			if batch.Files[i].Verdict == scanner.Listed && !found.enough {
				ask(batch, i)
			}
		}
		return struct{}{}
	}
	err = scanner.Walk(ctx, docroot, walk, func() func(*scanner.Batch) struct{} { return work }, func(struct{}) error {
		if found.enough {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	found.Surveyed = survey.Result()
	return found, nil
}

// dependsOn reports whether changes to files or folders at some paths may make a
// difference.
func (i *inference) dependsOn(paths []string) bool {
	for _, changed := range paths {
		if dir, name := cutPath(changed); name == ".htaccess" {
			changed = dir // all of which it may protect
		}
		if !i.enough || changed == "" || positionOf(changed) <= positionOf(i.last) {
			return true
		}
	}
	return false
}

// inferURLs puts what the pages say in the place of the preset, if that is auto.
func (b *builder) inferURLs(ctx context.Context) error {
	c := b.config
	if c.Mapper.URLs.Preset != mapper.PresetAuto {
		return nil
	}
	if !c.infers() {
		b.warnings.add(warnPresetUnread, "", "")
		c.Mapper.URLs = c.Mapper.URLs.Resolve()
		return nil
	}
	found, err := c.infer(ctx, b.docroot)
	if err != nil {
		return err
	}
	b.inferred, c.Mapper.URLs = found, found.URLs
	switch {
	case found.Pages == 0:
		b.warnings.add(warnPresetSilent, "", "")
	case !found.IsClear():
		for _, page := range found.Others {
			b.warnings.add(warnPresetUndecided, page.Path, page.Canonical)
		}
	}
	if c.Inferred != nil {
		c.Inferred(found.Surveyed)
	}
	return nil
}

// restyle compares what has just been inferred with what the session before went by. If
// it is something else, whatever this session began for, each page has another URL: what
// was made of the pages' heads is no longer true, nor is what is published.
func (s *session) restyle() {
	inferred := s.builder.inferred
	if inferred == nil {
		return
	}
	if s.spelled != nil && !reflect.DeepEqual(inferred.URLs, *s.spelled) {
		s.setPublished(nil)
		s.ledger.restyled = true // until a walk has come to its end
	}
	s.spelled = &inferred.URLs
}

// inferAgain asks the pages again, if what they say may be other than what the
// session goes by: files or folders at some paths, or all, have changed. If it is, each
// page has another URL, and all is to be begun anew: it fails with errAnew then. It
// must be called after a walk. What changes later is told: the walk has had each
// folder watched.
func (s *session) inferAgain(ctx context.Context, all bool, paths []string) error {
	b := s.builder
	if b.inferred == nil || !all && !b.inferred.dependsOn(paths) {
		return nil
	}
	found, err := s.config.infer(ctx, b.docroot)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(found.URLs, b.inferred.URLs) {
		return errAnew
	}
	b.inferred = found
	return nil
}
