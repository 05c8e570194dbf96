package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"sitewalk/internal/robots"
)

// rootNames are the names by which generators publish the root of a set.
var rootNames = []string{"sitemap.xml", "sitemap_index.xml", "sitemap.xml.gz", "sitemap-index.xml", "sitemap-0.xml"}

// listName is the name of a list of URLs, the last that is looked for.
const listName = "sitemap.txt"

const robotsName = "robots.txt"

// folder is a set on disk. It is opened through a handle on the site's folder or, if
// that is not known, the set's: no name and no link leads out of it.
type folder struct {
	root *os.Root
	path string // of root, as it was given
	dir  string // of the set, relative to root: "." or a slash path

	at    place // of root on the web
	known bool  // at is known, or was inferred
	// isSite says that root is what its host serves as /, so that robots.txt is
	// there.
	isSite bool
	said   *robotsFile
	// mayWiden says that whoever asked for the check has told what the set's URL is, and
	// no docroot: then the site's folder may be one above. What the set itself says, or
	// a configuration that belongs to the site, must not lead out of the folder.
	mayWiden bool
}

// openFolder opens the set at a path and finds out where it is on the web.
func openFolder(ctx context.Context, options *Options) (source, []*file, error) {
	absent := func(err error) (source, []*file, error) { return nil, nil, &absentError{err} }
	info, err := os.Stat(options.Target)
	if err != nil {
		return absent(err)
	}
	at, name := options.Target, ""
	if !info.IsDir() {
		at, name = filepath.Dir(options.Target), filepath.Base(options.Target)
	}
	root, err := os.OpenRoot(at)
	if err != nil {
		return absent(err)
	}
	f := &folder{root: root, path: at, dir: "."}
	if err := f.place(options); err != nil {
		f.close()
		return absent(err)
	}
	roots, err := f.find(options, name)
	if err == nil {
		err = f.infer(ctx, roots[0])
	}
	if err != nil {
		f.close()
		closeAll(roots)
		return absent(err)
	}
	for _, opened := range roots {
		opened.url = f.urlOf(opened.path)
	}
	return f, roots, nil
}

// A BaseURLError says that Options.BaseURL is not the URL of a folder.
type BaseURLError struct{ BaseURL string }

func (e *BaseURLError) Error() string {
	return fmt.Sprintf("the base URL %q is not the URL of a folder, such as https://www.example.com/", e.BaseURL)
}

// place takes in what the options say of where the set is.
func (f *folder) place(options *Options) error {
	if options.BaseURL != "" {
		if f.at, f.known = parsePlace(strings.TrimSuffix(options.BaseURL, "/") + "/"); !f.known {
			return &BaseURLError{options.BaseURL}
		}
	}
	if options.Docroot == "" {
		f.mayWiden = f.known
		return nil
	}
	if dir, inside := relative(options.Docroot, f.path); inside {
		return f.widen(options.Docroot, dir)
	}
	// Published apart from the pages, to be served from where they are.
	docroot, err := os.OpenRoot(options.Docroot)
	if err != nil {
		return err
	}
	defer docroot.Close()
	f.said = (&folder{root: docroot, path: options.Docroot}).readRobots()
	return nil
}

func closeAll(files []*file) {
	for _, opened := range files {
		if opened != nil {
			opened.body.Close()
		}
	}
}

// relative returns the path of a folder relative to another, and whether it is inside.
func relative(outer, inner string) (string, bool) {
	from, errFrom := realPath(outer)
	to, errTo := realPath(inner)
	if errFrom != nil || errTo != nil {
		return "", false
	}
	dir, err := filepath.Rel(from, to)
	return filepath.ToSlash(dir), err == nil && filepath.IsLocal(dir)
}

// realPath returns a path from the system's root on, without links.
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// widen takes a folder for root in which the set's is at dir.
func (f *folder) widen(outer, dir string) error {
	root, err := os.OpenRoot(outer)
	if err != nil {
		return err
	}
	f.root.Close()
	f.root, f.path, f.dir = root, outer, dir
	return nil
}

// find opens the roots of the set: of a folder without any of the usual names, what
// its robots.txt names.
func (f *folder) find(options *Options, name string) ([]*file, error) {
	if name != "" {
		opened, err := f.openPath(path.Join(f.dir, name))
		return []*file{opened}, err
	}
	names := rootNames
	if options.Root != "" && !slices.Contains(names, options.Root) {
		names = append([]string{options.Root, options.Root + ".gz"}, names...)
	}
	for _, name := range names {
		opened, err := f.openPath(path.Join(f.dir, name))
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return []*file{opened}, err
		}
	}
	if named := f.named(); len(named) > 0 {
		return named, nil
	}
	opened, err := f.openPath(path.Join(f.dir, listName))
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s holds no sitemap (%s), and no robots.txt names one; name the file",
			f.path, strings.Join(append(slices.Clone(names), listName), ", "))
	}
	return []*file{opened}, err
}

// named opens the sitemaps that the folder's robots.txt names, as far as they are
// there. The folder counts as what the host serves as /.
func (f *folder) named() []*file {
	said := f.readRobots()
	if said == nil {
		return nil
	}
	var opened []*file
	for _, line := range said.lines[:min(len(said.lines), maxRobotsLines)] {
		parts, problem := splitURL(line.URL)
		if problem != "" {
			continue
		}
		if name, ok := unescapedPath(strings.TrimPrefix(parts.path, "/")); ok && filepath.IsLocal(filepath.FromSlash(name)) {
			if file, err := f.openPath(name); err == nil {
				opened = append(opened, file)
				if !f.known {
					f.at, f.known = place{parts.origin, "/"}, true
				}
			}
		}
	}
	return opened
}

// infer finds out where on the web the set is, if nobody has said, and whether the
// site's own folder can be told from that.
func (f *folder) infer(ctx context.Context, root *file) error {
	if !f.known {
		f.at, f.known = f.inferPlace(ctx, root)
	}
	if !f.known {
		return nil
	}
	if f.at.path == "/" {
		f.isSite = true
	} else if dir, ok := f.enclosing(); ok && f.mayWiden {
		outer := filepath.Join(f.path, strings.Repeat("../", strings.Count(f.at.path, "/")-1))
		if err := f.widen(outer, path.Join(dir, f.dir)); err != nil {
			return nil // a folder above may be closed to us
		}
		f.at.path, f.isSite = "/", true
		root.path = path.Join(dir, root.path)
	}
	if f.said == nil {
		f.said = f.readRobots()
	}
	return nil
}

// enclosing returns the path of root in the site's folder, if root's own path ends as
// its URL does.
func (f *folder) enclosing() (string, bool) {
	dir, ok := unescapedPath(strings.Trim(f.at.path, "/"))
	if !ok || !filepath.IsLocal(filepath.FromSlash(dir)) {
		return "", false
	}
	real, err := realPath(f.path)
	return dir, err == nil && strings.HasSuffix(filepath.ToSlash(real), "/"+dir)
}

// urlOf returns the URL of a file in root, or "".
func (f *folder) urlOf(name string) string {
	if !f.known {
		return ""
	}
	return f.at.String() + (&url.URL{Path: "/" + name}).EscapedPath()[1:]
}

func (f *folder) open(_ context.Context, loc string) (*file, error) {
	name, err := f.fileOf(loc)
	if err != nil {
		return nil, err
	}
	opened, err := f.openPath(name)
	if err != nil {
		return nil, &openError{MissingShard, "names " + filepath.Join(f.path, filepath.FromSlash(name)) + ", which cannot be read: " + cause(err).Error()}
	}
	opened.url = loc
	return opened, nil
}

// fileOf returns the path in root of the file at a URL.
func (f *folder) fileOf(loc string) (string, error) {
	parts, problem := splitURL(loc)
	if problem != "" {
		return "", &openError{MissingShard, problem}
	}
	if f.known && !(place{parts.origin, parts.path}).isBelow(f.at) {
		return "", &openError{MissingShard, "names a file outside of " + f.path + ", which is " + f.at.String() +
			"; --docroot and --base-url say where the whole site is"}
	}
	name, ok := unescapedPath(strings.TrimPrefix(parts.path, f.at.path))
	if name = strings.TrimPrefix(name, "/"); !ok || !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", &openError{MissingShard, "names no file in " + f.path}
	}
	return name, nil
}

func (f *folder) beside(_ context.Context, index *file, name string) (*file, error) {
	if !isFileName(name) {
		return nil, &openError{MissingIndex, fmt.Sprintf("goes on in %.60q, which is not the name of a file", name)}
	}
	opened, err := f.openPath(path.Join(path.Dir(index.path), name))
	if err != nil {
		return nil, &openError{MissingIndex, fmt.Sprintf("goes on in %.60q, which cannot be read: %v", name, cause(err))}
	}
	opened.url = f.urlOf(opened.path)
	return opened, nil
}

func (f *folder) reopen(_ context.Context, root *file) (*file, error) {
	return f.openPath(root.path)
}

// openPath opens a regular file in root.
func (f *folder) openPath(name string) (*file, error) {
	// Not blocking, because whatever is there may be a FIFO.
	content, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	full := filepath.Join(f.path, filepath.FromSlash(name))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", full, cause(err))
	}
	info, err := content.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("is no regular file")
	}
	if err != nil {
		content.Close()
		return nil, fmt.Errorf("%s: %w", full, err)
	}
	return &file{name: full, path: name, body: content}, nil
}

// cause returns an error without the path that it names.
func cause(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	return err
}

// isFileName reports whether a name has one segment only, on any system.
func isFileName(name string) bool {
	return name != "" && name != "." && filepath.IsLocal(name) && !strings.ContainsAny(name, `/\`)
}

func (f *folder) isThere(_ context.Context, loc string) (there, known bool) {
	name, err := f.fileOf(loc)
	if err != nil {
		return false, false
	}
	info, err := f.root.Stat(name)
	return err == nil && info.Mode().IsRegular(), err == nil || errors.Is(err, fs.ErrNotExist)
}

func (f *folder) robots() *robotsFile {
	if !f.isSite {
		return nil
	}
	if f.said == nil {
		return &robotsFile{name: filepath.Join(f.path, robotsName)}
	}
	return f.said
}

// otherRobots asks nobody: a check of files makes no requests.
func (f *folder) otherRobots(context.Context, string) *robotsFile { return nil }

// readRobots returns root's robots.txt, or nil if there is none.
func (f *folder) readRobots() *robotsFile {
	opened, err := f.openPath(robotsName)
	if err != nil {
		return nil
	}
	defer opened.body.Close()
	content, err := io.ReadAll(io.LimitReader(opened.body, robots.MaxSize+1))
	if err != nil {
		return nil
	}
	return &robotsFile{name: opened.name, lines: robots.Parse(content).Sitemaps()}
}

func (f *folder) close() { f.root.Close() }
