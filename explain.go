package sitewalk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"sitewalk/mapper"
	"sitewalk/scanner"
)

// ErrNotFound says that a path to be explained names no file of the docroot.
var ErrNotFound = errors.New("no such file in the docroot")

// noIndexError is why a folder without an index file is not explained. It is
// ErrNotFound: the folder is there, but no file that it could stand for.
type noIndexError struct{}

func (noIndexError) Error() string {
	return "is a folder without an index file; its files are judged one by one, so name one of them"
}

func (noIndexError) Unwrap() error { return ErrNotFound }

// Explain says what a build with a configuration would make of some files, and
// why: it is that build, but for writing anything. The paths are relative to the
// docroot or to the working directory, or URLs of the site; a folder stands for
// its index file. There is one finding for each path, in their order; that of a
// path which names no file has an error that is ErrNotFound. Explain calls neither
// LeftOut nor Found, and fails as [Build] does, but not for want of pages.
func Explain(ctx context.Context, config Config, paths []string) ([]Finding, error) {
	config.DryRun = true
	if err := config.Validate(); err != nil {
		return nil, err
	}
	e := &explainer{config: &config, findings: make([]Finding, len(paths)), wanted: map[string][]int{}, below: map[string][]string{}}
	if err := e.resolve(ctx, paths); err != nil {
		return nil, err
	}
	config.explain = map[string]bool{}
	for path := range e.wanted {
		config.explain[path] = true
	}
	config.LeftOut, config.Found = nil, e.found
	b, _, err := build(ctx, &config)
	if err != nil && !errors.Is(err, ErrNoPages) {
		return nil, err
	}
	for mark, shard := range b.shards {
		for _, i := range e.wanted[b.marks[mark-1]] {
			e.findings[i].Shard = shard
		}
	}
	return e.findings, nil
}

// explainer collects the findings about some paths.
type explainer struct {
	config   *Config
	findings []Finding
	wanted   map[string][]int    // indexes in findings, by the path relative to the docroot
	below    map[string][]string // the wanted paths in each folder, whose name ends in a slash
}

// resolve finds out which files of the docroot the paths name. How URLs are spelled
// matters to that, and is settled before.
func (e *explainer) resolve(ctx context.Context, paths []string) error {
	docroot, err := e.config.openDocroot()
	if err != nil {
		return err
	}
	defer docroot.Close()
	e.config.fillIn()
	b := builder{config: e.config, docroot: docroot}
	if err := b.inferURLs(ctx); err != nil {
		return err
	}
	e.config.Mapper.URLs = e.config.Mapper.URLs.Resolve()
	for i, given := range paths {
		e.findings[i] = Finding{Path: given, Verdict: scanner.Unreadable, Err: ErrNotFound}
		candidates, err := e.candidates(given)
		if err != nil {
			e.findings[i].Err = fmt.Errorf("%w: %w", ErrNotFound, err)
			continue
		}
		for _, candidate := range candidates {
			if found, ok := e.fileAt(docroot, candidate); ok {
				e.findings[i].Path = found
				if strings.HasSuffix(found, "/") {
					e.findings[i].Err = noIndexError{} // unless it is left out as a whole
				}
				e.want(found, i)
				break
			}
		}
	}
	return nil
}

// want has the finding at an index be that of a path.
func (e *explainer) want(path string, index int) {
	if e.wanted[path] == nil {
		for i := range len(path) - 1 {
			if path[i] == '/' {
				folder := path[:i+1]
				e.below[folder] = append(e.below[folder], path)
			}
		}
	}
	e.wanted[path] = append(e.wanted[path], index)
}

// candidates returns the paths relative to the docroot that a path or a URL may
// mean, the likeliest first.
func (e *explainer) candidates(given string) ([]string, error) {
	if strings.Contains(given, "://") {
		return e.filesOf(given)
	}
	return e.localFiles(given), nil
}

// localFiles returns the paths relative to the docroot that a path may mean.
func (e *explainer) localFiles(given string) []string {
	if given == "" {
		return nil // a script's variable that is not set
	}
	// What begins with a slash may be a path of the system's, or of a URL.
	candidates := []string{path.Clean(strings.TrimLeft(filepath.ToSlash(given), "/"))}
	docroot, errDocroot := realPath(e.config.Scanner.Docroot)
	// The file itself may be a link, which is what is asked about.
	folder, errGiven := realPath(filepath.Dir(given))
	if errDocroot == nil && errGiven == nil {
		if relative, err := filepath.Rel(docroot, filepath.Join(folder, filepath.Base(given))); err == nil {
			candidates = append(candidates, filepath.ToSlash(relative))
		}
	}
	// As a report has it, whose paths are percent-encoded.
	if decoded, err := url.PathUnescape(candidates[0]); err == nil && decoded != candidates[0] {
		candidates = append(candidates, decoded)
	}
	return candidates
}

// filesOf returns the paths relative to the docroot that a URL may be of.
func (e *explainer) filesOf(given string) ([]string, error) {
	u, err := url.Parse(given)
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(e.config.Mapper.BaseURL)
	if err != nil {
		return nil, err
	}
	below, inside := strings.CutPrefix(u.Path+"/", strings.TrimSuffix(base.Path, "/")+"/")
	if bareHost(u) != bareHost(base) || !inside {
		return nil, fmt.Errorf("not a URL below %s", e.config.Mapper.BaseURL)
	}
	below = strings.TrimPrefix(path.Clean("/"+below), "/")
	if below == "" {
		return []string{"."}, nil
	}
	urls := &e.config.Mapper.URLs
	// Where both are there, /page is page.html, and /page/ the folder's index file.
	pagesFirst := urls.Extension == mapper.ExtensionStrip && urls.Slash == mapper.SlashAuto && !strings.HasSuffix(u.Path, "/")
	candidates := namedBy(below, pagesFirst)
	// Browsers write URLs in UTF-8, as names are on disk, and sitemaps in the charset.
	if decoded, err := mapper.DecodePath(below, urls.Charset); err == nil && decoded != below {
		candidates = append(candidates, namedBy(decoded, pagesFirst)...)
	}
	return candidates, nil
}

// namedBy returns the paths that a URL's path may stand for: itself, and pages whose
// extension it leaves out, which may come first.
func namedBy(below string, pagesFirst bool) []string {
	pages := []string{below + ".html", below + ".htm", below + ".xhtml", below + ".shtml"}
	if pagesFirst {
		return append(pages, below)
	}
	return append([]string{below}, pages...)
}

// fileAt returns the file at a path: a folder's is its index file.
func (e *explainer) fileAt(docroot *scanner.Docroot, path string) (file string, ok bool) {
	info, err := docroot.Lstat(path)
	if errors.Is(err, fs.ErrPermission) {
		return path, true // perhaps: its folder cannot be read
	}
	if err != nil {
		return "", false
	}
	if !info.IsDir() {
		return path, true
	}
	for _, index := range e.config.Mapper.URLs.Index {
		candidate := index
		if path != "." {
			candidate = path + "/" + index
		}
		if info, err := docroot.Lstat(candidate); err == nil && info.Mode().Type() != fs.ModeDir {
			return candidate, true
		}
	}
	if path == "." {
		return "", false
	}
	return path + "/", true
}

// found takes what a build says of a file or folder.
func (e *explainer) found(f *Finding) {
	for _, i := range e.wanted[f.Path] {
		e.findings[i] = *f
	}
	// A folder that is not walked stands for all that is in it.
	if f.Verdict == scanner.Listed {
		return
	}
	folder := strings.TrimSuffix(f.Path, "/") + "/"
	for _, path := range e.below[folder] {
		for _, i := range e.wanted[path] {
			e.findings[i] = Finding{Path: path, Verdict: f.Verdict, Err: f.Err, Detail: "by its folder " + folder}
			if f.Detail != "" {
				e.findings[i].Detail += ": " + f.Detail
			}
		}
	}
}

// mark returns the number under which the set is to tell a page's shard, or 0.
func (b *builder) mark(r *batchResult, page *renderedPage) int {
	if b.config.explain == nil {
		return 0
	}
	path := scanner.Join(r.dir, page.name)
	if !b.config.explain[path] {
		return 0
	}
	b.marks = append(b.marks, path)
	return len(b.marks)
}
