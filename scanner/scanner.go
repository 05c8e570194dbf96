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
// regular file or a folder, and knows nothing of URLs.
package scanner

import (
	"fmt"
	"io/fs"
	"runtime"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"sitewalk/internal/glob"
	"sitewalk/internal/strictyaml"
)

// DefaultInclude is the pattern of files that may be pages when the
// configuration names none. Alone among patterns it matches in either case,
// so that PAGE.HTML is a page as well.
const DefaultInclude = "**/*.{html,htm,xhtml}"

// Config says which files of a docroot may be pages. Its zero value includes
// nothing; start from [DefaultConfig].
type Config struct {
	// Docroot is the folder that the web server serves.
	Docroot string `yaml:"docroot"`
	// Include, Exclude and Allow are doublestar globs on slash-separated paths
	// relative to the docroot, case-sensitive but for DefaultInclude.
	Include Globs `yaml:"include"`
	// Exclude leaves out what it matches; a folder that it matches is not
	// descended into.
	Exclude Globs `yaml:"exclude"`
	// Allow lifts the verdicts sensitive and hidden for what it matches.
	Allow Globs `yaml:"allow"`
	// FollowSymlinks says which symbolic links stand for what they lead to.
	FollowSymlinks Follow `yaml:"follow_symlinks"`
	// Pages says what is read of each page.
	Pages Pages `yaml:"pages"`
}

// Pages says what is read of each page's head.
type Pages struct {
	Read       bool     `yaml:"read"`       // open pages and honour what their heads say
	HeadLimit  ByteSize `yaml:"head_limit"` // bytes of a page that are read at most
	Canonical  bool     `yaml:"canonical"`  // leave out a page whose canonical is another page
	Agents     []string `yaml:"agents"`     // which robots meta names count
	Hints      bool     `yaml:"hints"`      // changefreq from revisit-after and document-state
	Alternates bool     `yaml:"alternates"` // hreflang links become xhtml:link
	Images     bool     `yaml:"images"`     // img elements become image:image
}

// DefaultConfig returns the configuration that an empty file stands for.
func DefaultConfig() Config {
	return Config{
		Docroot: ".",
		Include: Globs{DefaultInclude},
		Exclude: Globs{},
		Allow:   Globs{},
		Pages: Pages{
			Read:       true,
			HeadLimit:  256 << 10,
			Canonical:  true,
			Agents:     []string{"*", "googlebot"},
			Alternates: true,
		},
	}
}

// Globs is a list of doublestar patterns. In YAML one pattern may stand without
// its list.
type Globs []string

// UnmarshalYAML takes a list of patterns or a single one.
func (g *Globs) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode && node.Tag != "!!null" {
		*g = Globs{node.Value}
		return nil
	}
	var list []string
	if err := node.Decode(&list); err != nil {
		return strictyaml.Errorf(node, `write one pattern, or a list such as ["**/*.html"]`, "must be a list of globs")
	}
	*g = list
	return nil
}

// Follow says which symbolic links are followed.
type Follow string

// The values of [Config.FollowSymlinks].
const (
	FollowNone   Follow = ""       // false: a link is left out
	FollowInside Follow = "inside" // a link to a file or folder inside the docroot stands for it
)

// UnmarshalYAML takes false or inside.
func (f *Follow) UnmarshalYAML(node *yaml.Node) error {
	switch strings.ToLower(node.Value) {
	case "false":
		*f = FollowNone
	case string(FollowInside):
		*f = FollowInside
	default:
		return strictyaml.Errorf(node, "", "must be false or inside")
	}
	return nil
}

// MarshalYAML writes the value as the configuration spells it.
func (f Follow) MarshalYAML() (any, error) {
	if f == FollowNone {
		return false, nil
	}
	return string(f), nil
}

// A ByteSize is a number of bytes. In YAML it is a plain number, or one with the
// unit KiB or MiB.
type ByteSize int64

// UnmarshalYAML takes 262144, 256KiB or 1MiB.
func (b *ByteSize) UnmarshalYAML(node *yaml.Node) error {
	digits, factor := node.Value, int64(1)
	if d, ok := strings.CutSuffix(digits, "KiB"); ok {
		digits, factor = d, 1<<10
	} else if d, ok := strings.CutSuffix(digits, "MiB"); ok {
		digits, factor = d, 1<<20
	}
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	if err != nil || n <= 0 || n > 1<<40/factor {
		return strictyaml.Errorf(node, "write 256KiB or 262144", "must be a size above 0")
	}
	*b = ByteSize(n * factor)
	return nil
}

// MarshalYAML writes the size with the largest unit that divides it.
func (b ByteSize) MarshalYAML() (any, error) {
	switch {
	case b != 0 && b%(1<<20) == 0:
		return fmt.Sprintf("%dMiB", b>>20), nil
	case b != 0 && b%(1<<10) == 0:
		return fmt.Sprintf("%dKiB", b>>10), nil
	}
	return int64(b), nil
}

// A File is what the walk found under one name: a file, or a folder that is
// not descended into and counts once.
type File struct {
	// Name is the last segment of the path: any bytes but '/' and NUL.
	Name string
	// Verdict is Listed while nothing speaks against the file; package mapper
	// has the next word.
	Verdict Verdict
	// Folder says that Name is a folder.
	Folder bool
	// Allowed says that allow lifted the verdict sensitive or hidden.
	Allowed bool
	// Size is the length in bytes, of candidates only.
	Size int64
	// ModTime is the modification time in whole seconds since 1970, rounded
	// down, of candidates only.
	ModTime int64
	// Err is why the file is Unreadable.
	Err error
}

// A Batch is a run of files in one folder, in order.
type Batch struct {
	// Dir is the folder's path relative to the docroot, slash-separated, and
	// empty for the docroot itself.
	Dir string
	// Files is valid only until the function that was given the batch returns.
	Files []File
}

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
	// Portable walks a real folder as on systems without a walk of their own.
	Portable bool
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
	for i, pattern := range patterns {
		compileOne := glob.Compile
		if pattern == DefaultInclude {
			compileOne = glob.CompileFold
		}
		compiled, err := compileOne(pattern)
		if err != nil {
			return nil, &GlobError{Key: fmt.Sprintf("%s[%d]", key, i), Err: err}
		}
		entries = append(entries, glob.Entry{Pattern: compiled})
	}
	return glob.NewSet(entries...), nil
}

// scope is what the patterns say of a folder's content.
type scope struct {
	include, exclude, allow *glob.State
	// target is what exclude says of the folder by its real path, where a link
	// led to it or to a folder above; nil elsewhere.
	target *glob.State
	// concealed is Sensitive or Hidden when the folder, or one above it, is so
	// named and not allowed: only files that allow matches are then candidates.
	concealed Verdict
	// lifted says that the folder, or one above it, is so named and allowed.
	lifted bool
}

func (s *Scanner) rootScope() scope {
	return scope{include: s.include.Root(), exclude: s.exclude.Root(), allow: s.allow.Root()}
}

// enter returns the verdict of the subfolder name, and its scope if that is
// Listed: then it must be descended into.
func (s *Scanner) enter(sc scope, name string) (scope, Verdict) {
	concealed, allowed := sc.conceals(name)
	next := scope{allow: s.allow.Enter(sc.allow, name), concealed: concealed, lifted: sc.lifted}
	if allowed {
		next.concealed, next.lifted = Listed, true
	}
	pruned := Listed
	if sc.excludes(name) {
		pruned = Excluded
	} else {
		next.exclude = s.exclude.Enter(sc.exclude, name)
		if sc.target != nil {
			next.target = s.exclude.Enter(sc.target, name)
		}
		if next.include = s.include.Enter(sc.include, name); next.include.Dead() {
			pruned = NotIncluded
		}
	}
	if next.concealed != Listed && (pruned != Listed || next.allow.Dead()) {
		return next, next.concealed
	}
	return next, pruned
}

// excludes reports whether exclude matches a name in the folder.
func (sc *scope) excludes(name string) bool {
	return sc.exclude.Any(name) || sc.target != nil && sc.target.Any(name)
}

// conceals returns Sensitive or Hidden if name, or a folder above it, is so
// named, and whether allow lifts that.
func (sc *scope) conceals(name string) (concealed Verdict, allowed bool) {
	concealed = sc.concealed
	if concealed != Sensitive {
		if isSensitive(name) {
			concealed = Sensitive
		} else if isHidden(name) {
			concealed = Hidden
		}
	}
	return concealed, concealed != Listed && sc.allow.Any(name)
}

// judge returns the verdict that a regular file's name deserves, and whether
// allow lifted another.
func (sc *scope) judge(folder, name string) (verdict Verdict, allowed bool) {
	concealed, allowed := sc.conceals(name)
	switch {
	case concealed != Listed && !allowed:
		return concealed, false
	case sc.excludes(name):
		return Excluded, false
	case !sc.include.Any(name):
		return NotIncluded, false
	case isErrorPage(folder, name):
		return ErrorPage, false
	}
	return Listed, allowed || sc.lifted
}

// checkPath gives the verdict of a real path that a link leads to: a link
// must not publish what its target's own name forbids.
func (s *Scanner) checkPath(real string) Verdict {
	sc := s.rootScope()
	for real != "" {
		name, rest, deeper := strings.Cut(real, "/")
		concealed, allowed := sc.conceals(name)
		if concealed != Listed && !allowed && !deeper {
			return concealed
		}
		if sc.exclude.Any(name) {
			return Excluded
		}
		sc = scope{exclude: s.exclude.Enter(sc.exclude, name), allow: s.allow.Enter(sc.allow, name)}
		if !allowed {
			sc.concealed = concealed
		}
		real = rest
	}
	return Listed
}

// isOwn reports whether sitewalk wrote the file of a name in the folder at a
// real path.
func (s *Scanner) isOwn(dir, name string) bool {
	return s.options.Own != nil && s.options.Own(dir, name)
}

// excludeAt returns what exclude says of the content of the folder at a real
// path.
func (s *Scanner) excludeAt(real string) *glob.State {
	state := s.exclude.Root()
	for real != "" {
		name, rest, _ := strings.Cut(real, "/")
		state, real = s.exclude.Enter(state, name), rest
	}
	return state
}

// kind is what a folder says that an entry is.
type kind uint8

const (
	kindUnknown kind = iota // the file system does not say; ask the entry itself
	kindFile
	kindFolder
	kindLink
	kindOther
)

func kindOf(mode fs.FileMode) kind {
	switch mode.Type() {
	case 0:
		return kindFile
	case fs.ModeDir:
		return kindFolder
	case fs.ModeSymlink:
		return kindLink
	}
	return kindOther
}
