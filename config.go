package sitewalk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"gopkg.in/yaml.v3"

	"sitewalk/internal/glob"
	"sitewalk/internal/strictyaml"
	"sitewalk/mapper"
	"sitewalk/output"
	"sitewalk/scanner"
)

// Config is all that can be configured: the sum of the packages' own structs,
// as they stand in the file, and what only a program or a flag says. Start from
// [DefaultConfig] or [Load]; base_url is the one value without a default.
type Config struct {
	Scanner scanner.Config `yaml:",inline"`
	Mapper  mapper.Config  `yaml:",inline"`
	Output  output.Config  `yaml:",inline"`
	// State is the file in which a run keeps what the next can use; empty for none.
	// The command fills in one of this docroot's in the user's cache folder.
	State string      `yaml:"state"`
	Watch WatchConfig `yaml:"watch"`
	// Submit says whom [Submit] tells of changes.
	Submit SubmitConfig `yaml:"submit"`
	// Sites are several docroots, each with what differs from the rest of the file.
	// A Config that has some is not built itself: [Config.Site] returns each site's.
	Sites []yaml.Node `yaml:"sites"`

	Run `yaml:"-"`

	file source
	// positions are the places of what the file says, or the site's entry in it or
	// its own file; top are those of what the site inherits.
	positions, top *strictyaml.Positions
	// loadedBaseURL is the file's base URL: its place is not to blame for
	// another that a flag has set.
	loadedBaseURL string
	loadedDocroot string // likewise
	loadedSubmit  IndexNow
}

// Run is what is said of one run, not of a site. Its zero value is fine.
type Run struct {
	// FS is walked in place of the folder Scanner.Docroot, if it is not nil. Out
	// must then be set. Names that are not UTF-8 cannot be opened in a file system
	// of package io/fs, and count as unreadable.
	FS fs.FS
	// Out is the folder to publish in, in place of output.dir: any folder.
	Out string
	// Jobs is the number of folders read and of shards compressed at a time; 0
	// means one for each processor.
	Jobs int
	// LockWait is how long to wait for another run on the docroot to end.
	LockWait time.Duration
	// DryRun says to find out what would be written, and write nothing.
	DryRun bool
	// Portable walks the docroot as on systems without a walk of their own.
	Portable bool
	// Now tells the time, to several goroutines at once; nil means time.Now.
	Now func() time.Time
	// IndexTime is the lastmod, in the index, of shards that changed; zero means
	// Now. Reproducible builds set it (https://reproducible-builds.org/specs/source-date-epoch/).
	IndexTime time.Time
	// Progress, if not nil, is called now and then from one goroutine with the
	// number of files seen and of pages found so far.
	Progress func(files, pages int64)
	// CheckDocroot, if not nil, is asked whether the folder that was opened as the
	// docroot is the one that was meant; its error ends the build.
	CheckDocroot func(fs.FileInfo) error
	// LeftOut, if not nil, is called from one goroutine, in order, for each file
	// that is left out, or cannot be read; Found for each file, listed or not. The
	// finding is theirs until they return.
	LeftOut, Found func(*Finding)
	// Inferred, if not nil, is called with what the pages say of how their URLs are
	// spelled, if urls.preset is auto: once for a build or an explanation, and in a watch
	// whenever it begins, and begins anew.
	Inferred func(mapper.Surveyed)
	// Previous is a sitemap that was published before: a file, a folder that has
	// one, or a URL. Under the lastmod source content, a page that the state does not
	// know has the date that it says; but not where the folder holds the page too,
	// with other bytes.
	Previous string

	// Resumes says that a watch of the docroot has just ended, for another to begin:
	// what is published stays until the docroot has been quiet for a while, in case a
	// generator is at work there. Only Watch knows it.
	Resumes bool

	// NoState is why State is empty although one is wanted; it is warned of.
	NoState error

	// explain are the paths whose shards are asked for.
	explain map[string]bool
	// listShards says that somebody asks for all shards.
	listShards bool
}

// wantsFindings reports whether somebody asks what becomes of each file.
func (r *Run) wantsFindings() bool { return r.LeftOut != nil || r.Found != nil }

// namespaces returns the vocabularies that pages may need.
func (c *Config) namespaces() output.Namespaces {
	var n output.Namespaces
	if !c.Scanner.Pages.Read || c.Output.Files.Protocol == output.Protocol084 {
		return n
	}
	if c.Scanner.Pages.Alternates {
		n |= output.XHTML
	}
	if c.Scanner.Pages.Images {
		n |= output.Image
	}
	return n
}

// WatchConfig says how a watch follows changes.
type WatchConfig struct {
	Settle       time.Duration `yaml:"settle"`        // how long a docroot must be quiet before it is published
	MaxDelay     time.Duration `yaml:"max_delay"`     // how long steady changes may put that off
	Poll         string        `yaml:"poll"`          // auto, always or never
	PollInterval time.Duration `yaml:"poll_interval"` // between two looks at what cannot be watched
	Rescan       time.Duration `yaml:"rescan"`        // between two looks at everything; 0 for never
}

// DefaultConfig returns the configuration that an empty file stands for.
func DefaultConfig() Config {
	return Config{
		Scanner: scanner.DefaultConfig(),
		Mapper:  mapper.DefaultConfig(),
		Output:  output.DefaultConfig(),
		Watch: WatchConfig{
			Settle: 200 * time.Millisecond, MaxDelay: 5 * time.Second,
			Poll: "auto", PollInterval: 2 * time.Second, Rescan: time.Hour,
		},
		Submit: SubmitConfig{IndexNow: IndexNow{Endpoint: "https://api.indexnow.org/indexnow"}, Ping: []string{}, Quiet: time.Minute},
		Sites:  []yaml.Node{},
	}
}

// A ConfigError is a mistake in the configuration. Its Error method gives file,
// line and column where the file is to blame, and says how to mend it.
type ConfigError struct{ err error }

func (e *ConfigError) Error() string { return e.err.Error() }

// Unwrap returns the mistake as it was found.
func (e *ConfigError) Unwrap() error { return e.err }

// Load reads a configuration file. Relative paths in it are made relative to
// its folder. A mistake in it is a *ConfigError.
func Load(path string) (Config, error) {
	return LoadQuoting(path, true)
}

// LoadQuoting is Load; with quote false, no message holds a byte of the file,
// which may be a link to somebody else's.
func LoadQuoting(path string, quote bool) (Config, error) {
	config := DefaultConfig()
	if err := config.read(source{path, quote}); err != nil {
		return Config{}, err
	}
	if len(config.Sites) > maxSites {
		return Config{}, config.mistake("sites", fmt.Sprintf("has more than %d entries", maxSites), "divide it, or have --sites find them by a pattern")
	}
	config.resolvePaths(everyKey)
	config.remember()
	return config, nil
}

// source is the file that a configuration is read from.
type source struct {
	path  string
	quote bool // whether messages may repeat what it says
}

// read decodes a file over c.
func (c *Config) read(from source) error {
	data, err := readLimited(from.path)
	if err != nil {
		return &ConfigError{err}
	}
	positions, err := strictyaml.Decode(data, c, strictyaml.Options{File: from.path, Quote: from.quote})
	if err != nil {
		return &ConfigError{err}
	}
	c.file, c.positions = from, positions
	return nil
}

// readLimited reads a file, and a byte more than it may have.
func readLimited(path string) ([]byte, error) {
	// Not blocking, should the file be a FIFO.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("is no regular file")}
	}
	return io.ReadAll(io.LimitReader(file, strictyaml.MaxSize+1))
}

// remember notes what the file says that a flag may replace.
func (c *Config) remember() {
	c.loadedBaseURL, c.loadedDocroot = c.Mapper.BaseURL, c.Scanner.Docroot
	c.loadedSubmit = c.Submit.IndexNow
}

// everyKey is for resolvePaths.
func everyKey(string) bool { return true }

// resolvePaths makes the relative paths under the keys that the file sets, which are
// relative to its folder, relative to the working directory.
func (c *Config) resolvePaths(sets func(key string) bool) {
	folder := filepath.Dir(c.file.path)
	resolve := func(path *string) {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(folder, *path)
		}
	}
	if sets("docroot") {
		resolve(&c.Scanner.Docroot)
	}
	if sets("state") {
		resolve(&c.State)
	}
	if sets("extra_urls") {
		c.Mapper.ExtraURLs = slices.Clone(c.Mapper.ExtraURLs)
		for i := range c.Mapper.ExtraURLs {
			resolve(&c.Mapper.ExtraURLs[i])
		}
	}
}

// mistake returns the *ConfigError for the value at a path such as
// rules[2].section.
func (c *Config) mistake(key, problem, hint string) *ConfigError {
	if key == "base_url" && c.Mapper.BaseURL != c.loadedBaseURL {
		return &ConfigError{(*strictyaml.Positions)(nil).Error(key, key+" "+problem, hint)}
	}
	return &ConfigError{c.placesOf(key).Error(key, key+" "+problem, hint)}
}

// placesOf returns the positions that know the value at a path.
func (c *Config) placesOf(key string) *strictyaml.Positions {
	if c.top != nil && !c.positions.Sets(key) {
		return c.top
	}
	return c.positions
}

// docrootError says why the docroot cannot be opened, and where the file names it.
func (c *Config) docrootError(err error) error {
	if c.positions == nil || c.Scanner.Docroot != c.loadedDocroot {
		return fmt.Errorf("open docroot: %w", err)
	}
	return c.placesOf("docroot").Error("docroot", "open docroot: "+err.Error(), "build the site first, or name another folder with --docroot")
}

// blame turns a package's error into a *ConfigError with the place in the file.
func (c *Config) blame(err error) error {
	var scanError *scanner.GlobError
	var mapError *mapper.ConfigError
	var outError *output.ConfigError
	var globError *glob.Error
	switch {
	case errors.As(err, &scanError) && errors.As(err, &globError):
		return c.mistake(scanError.Key, globError.Problem, globError.Hint)
	case errors.As(err, &mapError):
		return c.mistake(mapError.Key, mapError.Problem, mapError.Hint)
	case errors.As(err, &outError):
		return c.mistake(outError.Key, outError.Problem, outError.Hint)
	}
	return err
}

// Validate checks every value, and reports the first mistake as a *ConfigError.
// Build does so by itself.
func (c *Config) Validate() error {
	if len(c.Sites) > 0 {
		return c.mistake("sites", "is not empty", "build each of them: Config.Site returns their configurations")
	}
	if err := c.checkWatch(); err != nil {
		return err
	}
	if _, err := scanner.New(c.Scanner, scanner.Options{}); err != nil {
		return c.blame(err)
	}
	if err := c.Output.Validate(); err != nil {
		return c.blame(err)
	}
	if _, err := mapper.New(c.Mapper, mapper.Options{}); err != nil {
		return c.blame(err)
	}
	if err := c.checkSubmit(); err != nil {
		return err
	}
	if c.FS != nil && c.Out == "" {
		return &ConfigError{errors.New("a file system cannot be published in: set Out")}
	}
	return nil
}

// checkWatch checks what says how to watch.
func (c *Config) checkWatch() error {
	w := &c.Watch
	switch {
	case w.Poll != "auto" && w.Poll != "always" && w.Poll != "never":
		return c.mistake("watch.poll", "must be auto, always or never", "")
	case w.Settle < 0:
		return c.mistake("watch.settle", "must not be negative", "")
	case w.MaxDelay < w.Settle:
		return c.mistake("watch.max_delay", "must not be shorter than watch.settle", "set both")
	case w.PollInterval < minPollInterval:
		return c.mistake("watch.poll_interval", "must be at least "+minPollInterval.String(), "")
	case w.Rescan < 0 || w.Rescan > 0 && w.Rescan < minRescan:
		return c.mistake("watch.rescan", "must be at least "+minRescan.String()+", or 0 for never", "")
	}
	return nil
}

const (
	// minPollInterval and minRescan keep a watch from doing nothing but look.
	minPollInterval = 50 * time.Millisecond
	minRescan       = time.Second
)
