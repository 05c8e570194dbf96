package previous

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// rootNames are the names by which generators publish the root of a set.
var rootNames = []string{"sitemap.xml", "sitemap.xml.gz", "sitemap_index.xml", "sitemap-index.xml"}

// folder is a set on disk. What an index names is opened through a handle on
// its folder, so that no name and no link leads out of it.
type folder struct {
	root *os.Root
	path string
}

// openFolder opens the sitemap at a path, or the one in the folder at a path.
func openFolder(location, preferred string) (source, *sitemapFile, error) {
	// Not blocking, because whatever is there may be a FIFO.
	file, err := os.OpenFile(location, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	at := location
	if !info.IsDir() {
		at = filepath.Dir(location)
	}
	root, err := os.OpenRoot(at)
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	f := &folder{root, at}
	if !info.IsDir() {
		found, err := regular(file, location)
		if err != nil {
			f.close()
		}
		return f, found, err
	}
	file.Close()
	found, err := f.find(preferred)
	if err != nil {
		f.close()
	}
	return f, found, err
}

// find opens the root of the set.
func (f *folder) find(preferred string) (*sitemapFile, error) {
	names := rootNames
	if preferred != "" {
		names = []string{preferred, preferred + ".gz"}
		for _, name := range rootNames {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		file, err := f.openName(name)
		if !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
	}
	return nil, fmt.Errorf("%s: holds no sitemap (%s): %w", f.path, strings.Join(names, ", "), fs.ErrNotExist)
}

func (f *folder) open(ctx context.Context, loc string) (*sitemapFile, error) {
	u, err := url.Parse(loc)
	if err != nil {
		return nil, fmt.Errorf("%s: the index names %q, which is not a URL", f.path, loc)
	}
	return f.openBeside(ctx, path.Base(u.Path))
}

func (f *folder) openBeside(_ context.Context, name string) (*sitemapFile, error) {
	file, err := f.openName(name)
	if errors.Is(err, fs.ErrNotExist) {
		// The set is there, but for a part: another case than no set at all.
		return nil, fmt.Errorf("%s: the index names %q, which is not there", f.path, name)
	}
	return file, err
}

func (f *folder) openName(name string) (*sitemapFile, error) {
	if !isFileName(name) {
		return nil, fmt.Errorf("%s: %q is not the name of a file", f.path, name)
	}
	full := filepath.Join(f.path, name)
	file, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", full, errors.Unwrap(err))
	}
	return regular(file, full)
}

// isFileName reports whether a name has one segment only, on any system.
func isFileName(name string) bool {
	return name != "." && filepath.IsLocal(name) && !strings.ContainsAny(name, `/\`)
}

func (f *folder) close() { f.root.Close() }

// regular returns an open file for reading, or closes it if it is no regular
// file.
func regular(file *os.File, name string) (*sitemapFile, error) {
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: is not a regular file", name)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return &sitemapFile{name, file}, nil
}
