package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sitewalk"
)

// pageFile is the page that a report becomes: a temporary file that takes its name when
// it is whole, or standard output.
type pageFile struct {
	path    string
	written int64
	to      io.Writer
	temp    *os.File // nil for standard output, and once it is published
}

// createPage begins the page where --output says. The page tells of what is not for
// the public; a place in the docroot, or in the folder that a build publishes in, is
// refused, and only the owner of the file may read it.
func (c *command) createPage(config *sitewalk.Config) (*pageFile, error) {
	path := c.flags.output
	if path == standardOutput {
		return &pageFile{path: path, to: c.stdout}, nil
	}
	folder := filepath.Dir(path)
	for _, public := range [...]struct{ what, path string }{
		{"docroot", config.Scanner.Docroot}, {"output folder", outputFolder(config)},
	} {
		if isWithin(folder, public.path) {
			return nil, fmt.Errorf("%s would be in the %s, where everybody could read what is left out and why: "+
				"name another place with --output, such as --output %s", path, public.what, filepath.Join(public.path, "..", filepath.Base(path)))
		}
	}
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is a link or no regular file, and is not replaced: name another with --output, or - for standard output", path)
	}
	temp, err := os.CreateTemp(folder, ".sitewalk-report-*.tmp") // of mode 0600
	if err != nil {
		// The name of the temporary file tells nobody anything.
		var problem *fs.PathError
		if errors.As(err, &problem) {
			err = &fs.PathError{Op: "create", Path: path, Err: problem.Err}
		}
		return nil, err
	}
	return &pageFile{path: path, to: temp, temp: temp}, nil
}

func (p *pageFile) Write(data []byte) (int, error) {
	n, err := p.to.Write(data)
	p.written += int64(n)
	return n, err
}

// publish gives the file its name. One that is there is replaced, never written to.
func (p *pageFile) publish() error {
	if p.temp == nil {
		return nil
	}
	err := p.temp.Sync()
	if closeErr := p.temp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(p.temp.Name(), p.path)
	}
	if err == nil {
		p.temp = nil
	}
	return err
}

// discard removes what has not been published.
func (p *pageFile) discard() {
	if p.temp != nil {
		p.temp.Close()
		_ = os.Remove(p.temp.Name())
	}
}

// isWithin reports whether a file or folder is a folder or below it, by whatever path
// or link. What is not there is in none.
func isWithin(path, folder string) bool {
	outer, err := os.Stat(folder)
	if err != nil {
		return false
	}
	if path, err = filepath.Abs(path); err != nil {
		return false
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return false
	}
	for {
		if info, err := os.Stat(path); err == nil && os.SameFile(info, outer) {
			return true
		}
		above := filepath.Dir(path)
		if above == path {
			return false
		}
		path = above
	}
}
