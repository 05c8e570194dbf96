// Package scanner turns a docroot into its files: it walks the folders side by
// side, gives each name the verdict that the name alone deserves, looks at the
// files that may be pages, and hands all of them on in one deterministic order
// with bounded memory.
//
// Start at [Walk]. The order is that of the paths compared segment by segment,
// byte by byte, which is also the order of [io/fs.WalkDir]: a folder's content
// stands where the folder's name does.
//
// A docroot is a real folder ([Open]) or any [io/fs.FS] ([FromFS]). On Linux a
// real folder is walked by descriptors, so that nothing its owner renames or
// links meanwhile can lead the walk outside; elsewhere by [os.Root], which
// promises the same. Package scanner never writes, never opens what is not a
// regular file or a folder, and knows nothing of URLs. What pages say of themselves
// is read by package head, below it, from what [Batch.Open] returns.
package scanner

import (
	"fmt"
	"runtime"
	"strings"

	"sitewalk/internal/glob"
)

// Join returns the path of name in the folder dir.
func Join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// split cuts a path into the folder and the name that Join made it of.
func split(path string) (dir, name string) {
	slash := strings.LastIndexByte(path, '/')
	return path[:max(slash, 0)], path[slash+1:]
}

// Options are what a program sets beside the configuration.
type Options struct {
	// Jobs is the number of folders worked on at a time; 0 means one for each
	// processor.
	Jobs int
	// Own reports whether sitewalk wrote the regular file of a name in the folder
	// at a path; nil means none. It is asked of every file.
	Own func(dir, name string) bool
	// Enter, if not nil, is called for each folder, by its path without links,
	// before it is listed. It is called from several goroutines at once.
	Enter func(dir string, id FolderID)
	// Follow, if not nil, is called for each link that may be followed: its path as
	// the walk came to it, and the path without links of what it leads to, which is
	// empty if that cannot be had. It is called from several goroutines at once.
	Follow func(path, target string)
	// Portable walks a real folder as on systems without a walk of their own.
	Portable bool
	// Details asks for [File.Detail].
	Details bool
}

// A Scanner walks docroots by one configuration. It is immutable.
type Scanner struct {
	config  Config
	options Options
	include *glob.Set
	exclude *glob.Set
	allow   *glob.Set
}

// A GlobError is a pattern that does not compile, with its place in the
// configuration, such as exclude[2].
type GlobError struct {
	Key string
	Err error
}

func (e *GlobError) Error() string { return e.Key + ": " + e.Err.Error() }

// Unwrap returns what is wrong with the pattern.
func (e *GlobError) Unwrap() error { return e.Err }

// New compiles the configuration. Its error is a *GlobError.
func New(config Config, options Options) (*Scanner, error) {
	if options.Jobs <= 0 {
		options.Jobs = runtime.GOMAXPROCS(0)
	}
	s := &Scanner{config: config, options: options}
	var err error
	if s.include, err = compile("include", config.Include); err != nil {
		return nil, err
	}
	if s.exclude, err = compile("exclude", config.Exclude); err != nil {
		return nil, err
	}
	if s.allow, err = compile("allow", config.Allow); err != nil {
		return nil, err
	}
	return s, nil
}

func compile(key string, patterns Globs) (*glob.Set, error) {
	var entries []glob.Entry
	var total glob.Total
	for i, pattern := range patterns {
		compileOne := glob.Compile
		if pattern == DefaultInclude {
			compileOne = glob.CompileFold
		}
		compiled, err := compileOne(pattern)
		if err == nil {
			err = total.Add(compiled)
		}
		if err != nil {
			return nil, &GlobError{Key: fmt.Sprintf("%s[%d]", key, i), Err: err}
		}
		entries = append(entries, glob.Entry{ID: i, Pattern: compiled})
	}
	return glob.NewSet(entries...), nil
}

// Reads reports whether what is in the file at a path can make a difference: it may
// be a page by its name, or forbids others.
func (s *Scanner) Reads(path string) bool {
	_, name := split(path)
	return name == accessFile || s.config.FollowSymlinks != FollowNone || s.include.MatchPath(path)
}
