package scanner

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"
)

var (
	folderNames = []string{
		"a", "b", "a.b", "a-b", "a b", "a!", "blog", "404", "50x", "de", ".well-known", ".git", ".hidden", "node_modules",
		"x.html", "q#?%41", "new\nline", "\"quotes'", "\u00fc", "u\u0308", "Node_Modules",
	}
	fileNames = []string{
		"index.html", "a.html", "a", "b.html", "a-b.html", "a.htm", "PAGE.HTML", "p.Html", "x.xhtml", "style.css", "404.html", "50x.htm",
		"399.html", "600.html", "4040.html", "404.HTML", ".html", ".htaccess", ".env.html", ".hidden.html", "id_rsa.html", "ID_RSA",
		"a.html~", "A.BAK", "dump.sql.gz", "new\nline.html", "tab\t.html", "%41.html", "#.html", "q?.html", "\"'.html", "\x7f.html", "\u00fc.html", "u\u0308.html",
		strings.Repeat("n", 250) + ".html", "0", "~", "!",
	}
	// Names that io/fs refuses.
	rawNames = []string{"caf\xe9.html", "\xff", "\x80\x81.html", "\xed\xa0\x80.html", strings.Repeat("\xfc", 255)}

	includePatterns = []string{DefaultInclude, "**", "**/*.html", "*.html", "blog/**", "a/**/b.html", "**/{a,b}*", "*/*", "de/index.html", ".git/**"}
	excludePatterns = []string{"blog", "a/*", "**/b.html", "**/*.css", "de/**", "404", "**/.hidden/**", "**/a b/*.html", "[a-b]"}
	allowPatterns   = []string{".git", ".git/**", "**/.hidden.html", ".hidden/a.html", "**/.hidden", "a/.git/a/*.html", "node_modules/*/a.html", "**/ID_RSA", "**/*.html", "b/.hidden/*"}
)

// drawSite draws a docroot of a few dozen things.
func drawSite(t *rapid.T, folders, files []string, kinds []fs.FileMode) site {
	var s site
	taken := map[string]bool{}
	dirs := []string{""}
	// Far enough apart to show, and within what a zip's times can hold.
	mtime := rapid.Int64Range(400_000_000, 2_000_000_000)
	for range rapid.IntRange(0, 40).Draw(t, "things") {
		dir := rapid.SampledFrom(dirs).Draw(t, "dir")
		if rapid.IntRange(0, 2).Draw(t, "folder") == 0 {
			name := Join(dir, rapid.SampledFrom(folders).Draw(t, "name"))
			if !taken[name] && strings.Count(name, "/") < 6 {
				taken[name] = true
				dirs = append(dirs, name)
				s = append(s, thing{path: name, mode: fs.ModeDir})
			}
			continue
		}
		name := Join(dir, rapid.SampledFrom(files).Draw(t, "name"))
		if taken[name] {
			continue
		}
		taken[name] = true
		mode := rapid.SampledFrom(kinds).Draw(t, "kind")
		switch mode {
		case 0:
			s = append(s, thing{path: name, size: rapid.IntRange(0, 50).Draw(t, "size"), mtime: mtime.Draw(t, "mtime")})
		case fs.ModeSymlink:
			up := strings.Repeat("../", rapid.IntRange(0, 3).Draw(t, "up"))
			target := up + rapid.SampledFrom(append(slices.Clone(dirs), "a.html", "index.html", "b/a.html", "nowhere", "a/../b", ".")).Draw(t, "target")
			if target == "" {
				target = "."
			}
			s = append(s, thing{path: name, mode: mode, target: target})
		default:
			s = append(s, thing{path: name, mode: mode})
		}
	}
	return s
}

func drawConfig(t *rapid.T, follow Follow) Config {
	config := DefaultConfig()
	if rapid.Bool().Draw(t, "own include") {
		config.Include = rapid.SliceOfN(rapid.SampledFrom(includePatterns), 0, 3).Draw(t, "include")
	}
	config.Exclude = rapid.SliceOfN(rapid.SampledFrom(excludePatterns), 0, 2).Draw(t, "exclude")
	config.Allow = rapid.SliceOfN(rapid.SampledFrom(allowPatterns), 0, 2).Draw(t, "allow")
	config.FollowSymlinks = follow
	return config
}

// tempDir makes a folder that goes with the round, not with the whole test.
func tempDir(t *rapid.T, base string) string {
	dir, err := os.MkdirTemp(base, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func TestWalksAgreeOnGeneratedTrees(t *testing.T) {
	base := t.TempDir()
	kinds := []fs.FileMode{0, 0, 0, 0, fs.ModeSymlink}
	if runtime.GOOS == "linux" {
		kinds = append(kinds, fs.ModeNamedPipe, fs.ModeSocket)
	}
	rapid.Check(t, func(r *rapid.T) {
		s := drawSite(r, folderNames, fileNames, kinds)
		config := drawConfig(r, FollowNone)
		dir := tempDir(r, base)
		s.create(t, dir)
		docroot := open(t, dir)
		want := describe(walkAll(t, docroot, config, Options{Jobs: 1}))
		compare(r, "the model", verdicts(walkAll(t, docroot, config, Options{})), model(t, os.DirFS(dir), config))

		other := tempDir(r, base)
		s.shuffled(rapid.Uint64().Draw(r, "seed")).create(t, other)
		for name, docroot := range map[string]*Docroot{
			"created in another order": open(t, other),
			"DirFS":                    FromFS(os.DirFS(dir)),
			"MapFS":                    FromFS(s.mapFS()),
			"zip":                      FromFS(s.zip(t)),
		} {
			compare(r, name, describe(walkAll(t, docroot, config, Options{Jobs: 2})), want)
		}
		compare(r, "8 jobs", describe(walkAll(t, docroot, config, Options{Jobs: 8})), want)
		compare(r, "portable", describe(walkAll(t, docroot, config, Options{Jobs: 8, Portable: true})), want)
	})
}

func TestWalksAgreeOnNamesOfAnyBytes(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the file system may refuse the names")
	}
	base := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		s := drawSite(r, append(rawNames, folderNames...), append(rawNames, fileNames...), []fs.FileMode{0})
		dir := tempDir(r, base)
		s.create(t, dir)
		config := drawConfig(r, FollowNone)
		docroot := open(t, dir)
		want := describe(walkAll(t, docroot, config, Options{}))
		compare(r, "portable", describe(walkAll(t, docroot, config, Options{Portable: true})), want)

		// io/fs can open no such name: it is unreadable there, never lost.
		for _, f := range walkAll(t, FromFS(os.DirFS(dir)), config, Options{}) {
			if f.Verdict == Unreadable && !(!utf8.ValidString(Join(f.dir, f.Name)) && errors.Is(f.Err, fs.ErrInvalid)) {
				r.Fatalf("%v: %v", f, f.Err)
			}
		}
	})
}

func TestFollowingWalksAgreeAndStayInside(t *testing.T) {
	base := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		s := drawSite(r, folderNames, fileNames, []fs.FileMode{0, 0, fs.ModeSymlink})
		config := drawConfig(r, FollowInside)
		dir := tempDir(r, base)
		s.create(t, dir)
		docroot := open(t, dir)
		all := walkAll(t, docroot, config, Options{})
		want := describe(all)
		compare(r, "portable", describe(walkAll(t, docroot, config, Options{Portable: true})), want)
		compare(r, "DirFS", describe(walkAll(t, FromFS(os.DirFS(dir)), config, Options{Jobs: 8})), want)
		compare(r, "MapFS", describe(walkAll(t, FromFS(s.mapFS()), config, Options{Jobs: 2})), want)

		exclude := newScanner(t, config, Options{}).exclude
		for _, f := range all {
			if f.Verdict != Listed {
				continue
			}
			real, err := filepath.EvalSymlinks(filepath.Join(dir, Join(f.dir, f.Name)))
			if err != nil {
				r.Fatalf("%v: %v", f, err)
			}
			inside, err := filepath.Rel(dir, real)
			if err != nil || !filepath.IsLocal(inside) {
				r.Fatalf("%v is outside: %s", f, real)
			}
			for p := inside; p != "."; p = path.Dir(p) {
				if exclude.MatchPath(p) {
					r.Fatalf("%v is %s, which is excluded", f, inside)
				}
			}
		}
	})
}

// model is the table of DESIGN.md in the plainest form: every path that
// fs.WalkDir comes to is held to whole patterns.
func model(t testing.TB, fsys fs.FS, config Config) []string {
	var lines []string
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		verdict, allowed := modelVerdict(name, d.Type(), config)
		if !d.IsDir() {
			line := name + " " + verdict.String()
			if allowed && verdict == Listed {
				line += " allowed"
			}
			lines = append(lines, line)
			return nil
		}
		switch verdict {
		case Sensitive, Hidden:
			// allow may lift it further down, if anything else lets that be.
			if someReaches(config.Allow, name) && someReaches(config.Include, name) && !matchesAny(config.Exclude, prefixes(name)...) {
				return nil
			}
		case Excluded:
		default:
			if someReaches(config.Include, name) {
				return nil
			}
			verdict = NotIncluded
		}
		lines = append(lines, name+" "+verdict.String()+" folder")
		return fs.SkipDir
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func modelVerdict(name string, mode fs.FileMode, config Config) (verdict Verdict, allowed bool) {
	if mode == fs.ModeSymlink {
		return Symlink, false
	}
	if mode != 0 && mode != fs.ModeDir {
		return NotRegular, false
	}
	// A segment is forgiven if allow matches the path up to it or further.
	all := prefixes(name)
	concealed := Listed
	for i, prefix := range all {
		segment := path.Base(prefix)
		reason := Listed
		patterns := SensitiveNames
		if i == len(all)-1 && mode != fs.ModeDir {
			patterns = append(slices.Clone(patterns), SensitiveFiles...)
		}
		for _, pattern := range patterns {
			if ok, _ := path.Match(strings.ToLower(pattern), strings.ToLower(segment)); ok {
				reason = Sensitive
			}
		}
		if reason == Listed && segment[0] == '.' && segment != ".well-known" {
			reason = Hidden
		}
		if reason == Listed {
			continue
		}
		if matchesAny(config.Allow, all[i:]...) {
			allowed = true
		} else if concealed != Sensitive {
			concealed = reason
		}
	}
	folder, base := path.Split(name)
	switch {
	case concealed != Listed:
		return concealed, false
	case matchesAny(config.Exclude, all...):
		return Excluded, false
	case !matchesAny(config.Include, name):
		return NotIncluded, false
	}
	code := func(s string) bool {
		ok, _ := path.Match("[45][0-9][0-9]", s)
		return ok || s == "50x"
	}
	lower := strings.ToLower(base)
	stem, isPage := strings.CutSuffix(strings.TrimSuffix(lower, "l"), ".htm")
	if isPage && (code(stem) || lower == "index.html" && code(path.Base(folder))) {
		return ErrorPage, false
	}
	return Listed, allowed
}

// prefixes returns the paths of the folders above, and the path itself.
func prefixes(name string) []string {
	var all []string
	for i, c := range []byte(name) {
		if c == '/' {
			all = append(all, name[:i])
		}
	}
	return append(all, name)
}

func matchesAny(patterns []string, names ...string) bool {
	for _, pattern := range patterns {
		for _, name := range names {
			if pattern == DefaultInclude {
				name = strings.ToLower(name)
			}
			if doublestar.MatchUnvalidated(pattern, name) {
				return true
			}
		}
	}
	return false
}

// someReaches reports whether a pattern could match something in a folder.
func someReaches(patterns []string, folder string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		return reaches(strings.Split(pattern, "/"), strings.Split(folder, "/"))
	})
}

func reaches(pattern, folder []string) bool {
	switch {
	case len(pattern) == 0 || len(folder) == 0:
		return len(pattern) > 0
	case pattern[0] == "**":
		return reaches(pattern[1:], folder) || reaches(pattern, folder[1:])
	}
	return doublestar.MatchUnvalidated(pattern[0], folder[0]) && reaches(pattern[1:], folder[1:])
}
