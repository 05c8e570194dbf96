package sitewalk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"sitewalk/internal/gitlog"
	"sitewalk/internal/robots"
	"sitewalk/mapper"
	"sitewalk/output"
	"sitewalk/scanner"
)

// The errors that a caller may want to tell apart.
var (
	// ErrNoPages says that there is no page to list, and that nothing was
	// published: an empty site is nearly always a broken build.
	ErrNoPages = output.ErrNoPages
	// ErrLocked says that another run works on the docroot.
	ErrLocked = output.ErrLocked
)

// Build scans the docroot once and publishes its sitemap. It fails with a
// *ConfigError, ErrNoPages, ErrLocked, ctx.Err(), or what the system says; then
// what was published before is as it was. With ErrNoPages the report says why
// the files were left out. All its goroutines have ended when it returns.
func Build(ctx context.Context, config Config) (Report, error) {
	_, report, err := build(ctx, &config)
	return report, err
}

// build is Build, and also returns the builder, closed, for what the report does not
// say; it is nil if there is no report.
func build(ctx context.Context, config *Config) (*builder, Report, error) {
	start := time.Now()
	if err := config.Validate(); err != nil {
		return nil, Report{}, err
	}
	b := &builder{config: config}
	defer b.close()
	published, err := b.run(ctx)
	if err != nil && !errors.Is(err, ErrNoPages) {
		return nil, Report{}, err
	}
	report := b.report(published, err)
	report.Seconds = time.Since(start).Seconds()
	return b, report, err
}

// run takes the docroot's files to the published set.
func (b *builder) run(ctx context.Context) (output.Result, error) {
	if err := b.open(ctx); err != nil {
		return output.Result{}, err
	}
	if err := b.walk(ctx); err != nil {
		return output.Result{}, err
	}
	if err := b.addExtras(); err != nil {
		return output.Result{}, err
	}
	published, err := b.set.Publish(ctx)
	if err != nil {
		return published, err
	}
	b.shards = published.Marked
	if b.config.listShards {
		b.members = b.set.Shards()
	}
	b.saveMemory()
	b.updateRobots(&published)
	return published, nil
}

// builder is one build: the docroot's files on their way to the set.
type builder struct {
	config  *Config
	docroot *scanner.Docroot
	folder  *output.Folder
	same    bool // the two are one folder
	unlock  []func()

	scanner *scanner.Scanner
	mapper  *mapper.Mapper
	locator *mapper.Worker // for locOf
	set     *output.Set
	extras  extras

	// inferred is what urls.preset auto has found out; nil if that was not asked for.
	inferred *inference
	robots   *robots.Group // what robots.txt says, nil if nothing
	memory   memory
	ledger   *ledger // what a watch keeps; nil in a build
	// isPublished reports whether a file is of the set that a watch has published;
	// nil in a build.
	isPublished func(name string) bool
	git         *gitlog.Dates // nil if no date comes from there
	previous    *previousSet  // nil if there is none
	now         int64         // when the build began, in seconds since 1970

	taken    mapper.Taken
	verdicts scanner.Verdicts
	dates    dateSpread
	styles   styleCount
	links    linkBook
	marks    []string       // the explained pages' paths
	shards   map[int]string // and their shards, by mark
	members  []output.Shard // all shards, if Run.listShards
	warnings warnings
	progress time.Time // of the last call of config.Progress
}

// open opens and locks the docroot and the output folder, and sets everything up.
func (b *builder) open(ctx context.Context) error {
	b.config.fillIn()
	if err := b.openPlaces(ctx); err != nil {
		return err
	}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	return b.newSet()
}

// newSet begins a set that all pages are to be added to.
func (b *builder) newSet() (err error) {
	if docroot := b.docroot.Folder(); docroot != nil && !b.same && !b.config.DryRun {
		// A run that was killed may have left one there, for robots.txt.
		if folder, err := output.OpenWithin(docroot, ".", false); err == nil {
			_ = folder.DiscardTemps()
			folder.Close()
		}
	}
	b.set, err = output.NewSet(b.folder, b.config.Output, b.setOptions())
	return b.config.blame(err)
}

// fillIn gives what was left open its value.
func (c *Config) fillIn() {
	if c.Jobs <= 0 {
		c.Jobs = runtime.GOMAXPROCS(0)
	}
	c.Jobs = min(c.Jobs, maxJobs())
	if c.Now == nil {
		c.Now = time.Now
	}
}

// openPlaces opens and locks the docroot and the output folder.
func (b *builder) openPlaces(ctx context.Context) (err error) {
	if err := b.openDocroot(); err != nil {
		return err
	}
	if err := b.openFolder(); err != nil {
		return b.config.blame(err)
	}
	if folder := b.docroot.Folder(); folder != nil {
		if b.same, err = b.folder.IsFolder(folder); err != nil {
			return fmt.Errorf("open output folder: %w", err)
		}
	}
	return b.lock(ctx)
}

// openDocroot opens the docroot, which must be the one that is meant.
func (b *builder) openDocroot() (err error) {
	b.docroot, err = b.config.openDocroot()
	return err
}

// openDocroot opens the docroot, and checks that it is the one that was meant.
func (c *Config) openDocroot() (*scanner.Docroot, error) {
	if c.FS != nil {
		return scanner.FromFS(c.FS), nil
	}
	docroot, err := scanner.Open(c.Scanner.Docroot)
	if err != nil {
		return nil, c.docrootError(err)
	}
	if c.CheckDocroot == nil {
		return docroot, nil
	}
	info, err := docroot.Folder().Stat(".")
	if err == nil {
		err = c.CheckDocroot(info)
	}
	if err != nil {
		docroot.Close()
		return nil, fmt.Errorf("open docroot: %w", err)
	}
	return docroot, nil
}

// prepare sets up the way from files to pages.
func (b *builder) prepare(ctx context.Context) error {
	c := b.config
	b.now = c.Now().Unix()
	options := scanner.Options{
		Jobs: c.Jobs, Portable: c.Portable, Own: b.ownFiles(), Details: c.wantsFindings(),
	}
	if b.ledger != nil {
		options.Enter, options.Follow = b.ledger.enter, b.ledger.follow
	}
	var err error
	if b.scanner, err = scanner.New(c.Scanner, options); err != nil {
		return c.blame(err)
	}
	if err := b.inferURLs(ctx); err != nil {
		return err
	}
	if b.robots, err = b.readRobots(); err != nil {
		return err
	}
	if err := b.newMapper(); err != nil {
		return err
	}
	if b.ledger != nil {
		b.ledger.divide(len(b.mapper.Sections()), &b.extras, b.locOf)
	}
	if err := b.openSources(ctx); err != nil {
		return err
	}
	return b.readExtras()
}

// newMapper makes the mapper, by what robots.txt says.
func (b *builder) newMapper() (err error) {
	c := b.config
	b.mapper, err = mapper.New(c.Mapper, mapper.Options{
		OutputDir: b.folder.Dir, Now: func() int64 { return c.Now().Unix() }, Robots: b.robots,
		Has: func(path string) bool { return b.docroot.Has(path) }, Details: c.wantsFindings(),
	})
	if err != nil {
		return c.blame(err)
	}
	b.locator = b.mapper.NewWorker()
	return nil
}

// locOf returns the URL of the page that a file is, or would be, until the next
// call. One goroutine may call it at a time.
func (b *builder) locOf(dir, name string) []byte {
	b.locator.Enter(dir)
	page, _ := b.locator.Map(&scanner.File{Name: name})
	return page.Loc
}

// setOptions returns what the set is to go by.
func (b *builder) setOptions() output.Options {
	c := b.config
	indexTime := c.IndexTime
	if indexTime.IsZero() {
		indexTime = c.Now()
	}
	return output.Options{
		URL: b.mapper.FileURL(b.folder.Dir, ""), Sections: b.mapper.Sections(),
		Namespaces: c.namespaces(), Jobs: c.Jobs, IndexTime: indexTime, Now: c.Now, Dry: c.DryRun,
	}
}

// openFolder opens the folder to publish in: output.dir inside the docroot, or
// any folder that the operator names.
func (b *builder) openFolder() (err error) {
	c := b.config
	if c.Out == "" {
		b.folder, err = output.OpenWithin(b.docroot.Folder(), c.Output.Files.Dir, c.DryRun)
		return err
	}
	if b.folder, err = output.OpenFolder(c.Out, c.DryRun); err != nil {
		return fmt.Errorf("open output folder: %w", err)
	}
	if c.FS == nil {
		// A folder inside the docroot has a URL of its own.
		b.folder.Dir = relativeTo(c.Scanner.Docroot, c.Out)
	}
	return nil
}

// ownFiles returns a function that reports whether sitewalk wrote a file of the
// docroot, in this set or another.
func (b *builder) ownFiles() func(dir, name string) bool {
	inDocroot := b.isInDocroot()
	return func(dir, name string) bool {
		here := inDocroot && dir == b.folder.Dir
		if here && b.isPublished != nil && b.isPublished(name) {
			return true // whatever somebody has made of it: it is about to be restored
		}
		return b.config.Output.Files.Wrote(name, here, func() (io.ReadCloser, error) {
			return b.docroot.OpenFile(scanner.Join(dir, name))
		})
	}
}

// isInDocroot reports whether the set is published where the walk passes.
func (b *builder) isInDocroot() bool {
	return b.folder.Dir != "" || b.same
}

// relativeTo returns the path of a folder relative to the docroot, or "" if it
// is the docroot or not inside.
func relativeTo(docroot, folder string) string {
	from, errFrom := realPath(docroot)
	to, errTo := realPath(folder)
	if errFrom != nil || errTo != nil {
		return ""
	}
	relative, err := filepath.Rel(from, to)
	if err != nil || !filepath.IsLocal(relative) || relative == "." {
		return ""
	}
	return filepath.ToSlash(relative)
}

// realPath returns a path without links. The end of it may not be there yet.
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	missing := ""
	for {
		real, err := filepath.EvalSymlinks(path)
		if !errors.Is(err, fs.ErrNotExist) {
			return filepath.Join(real, missing), err
		}
		if filepath.Dir(path) == path {
			return "", err
		}
		path, missing = filepath.Dir(path), filepath.Join(filepath.Base(path), missing)
	}
}

// lock keeps other runs away from the docroot, and from the output folder if
// that is elsewhere.
func (b *builder) lock(ctx context.Context) error {
	if b.config.DryRun {
		return nil
	}
	if docroot := b.docroot.Folder(); docroot != nil {
		unlock, err := output.Lock(ctx, docroot, b.config.LockWait)
		if err != nil {
			return err
		}
		b.unlock = append(b.unlock, unlock)
		if b.same {
			return nil
		}
	}
	unlock, err := b.folder.Lock(ctx, b.config.LockWait)
	if err != nil {
		return err
	}
	b.unlock = append(b.unlock, unlock)
	return nil
}

func (b *builder) close() {
	b.memory.close()
	b.previous.close()
	b.memory, b.previous = memory{}, nil
	b.closePlaces()
}

// closePlaces gives up the set, the folders and the locks. What the builder knows
// stays, for openPlaces to go on with.
func (b *builder) closePlaces() {
	if b.set != nil {
		b.set.Close()
		b.set = nil
	}
	if b.folder != nil {
		b.folder.Close()
	}
	if b.docroot != nil {
		b.docroot.Close()
	}
	for _, unlock := range slices.Backward(b.unlock) {
		unlock()
	}
	b.unlock = nil
}
