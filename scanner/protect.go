package scanner

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"sitewalk/internal/htaccess"
)

// accessFile is what Apache reads in each folder of who may see what is below.
// https://httpd.apache.org/docs/2.4/howto/htaccess.html
const accessFile = ".htaccess"

// readAccess overlays the folder's policy with that of its .htaccess, if there is
// one. One that cannot be read counts as denying all: to list what it may protect
// would be worse. It fails with what ends the walk, and with what may pass: then the
// folder counts as unreadable besides, because pages are left out that may be for all.
func (f *folder) readAccess(e *entry) error {
	path := Join(f.path(), accessFile)
	content, err := f.readFile(e.name, htaccess.MaxSize+1)
	if err != nil {
		if fatal(err) {
			return err
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		e.rare = &rareEntry{err: err}
		f.policy = f.policy.Enter(htaccess.Denied(path, err))
		if passing(err) {
			return fmt.Errorf("read %s: %w", accessFile, err)
		}
		return nil
	}
	f.policy = f.policy.Enter(htaccess.Parse(content, path))
	return nil
}

// readUnseenAccess is readAccess for a folder of which not all names were read.
func (f *folder) readUnseenAccess() error {
	if k, err := f.handle.kind(accessFile); err == nil && k != kindFile {
		return nil // a link, say, counts as absent
	}
	// Its name must be followed by a NUL in memory, as those in a listing are.
	return f.readAccess(&entry{name: (accessFile + "\x00")[:len(accessFile)]})
}

// readFile returns at most limit bytes of a file in the folder.
func (f *folder) readFile(name string, limit int64) ([]byte, error) {
	if err := f.handle.hold(); err != nil {
		return nil, err
	}
	defer f.handle.letGo()
	var file File
	content, err := f.handle.open(name, &file)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	return io.ReadAll(io.LimitReader(content, limit))
}

// protects reports whether a file in the folder is not for everybody.
func (f *folder) protects(name string) bool {
	_, denied := f.policy.Denies(name)
	return denied
}

// protection returns what protects a file in the folder.
func (f *folder) protection(name string) string {
	evidence, denied := f.policy.Denies(name)
	if !denied || evidence == nil {
		return ""
	}
	if evidence.Line == 0 {
		return evidence.File + ": " + evidence.Text
	}
	return fmt.Sprintf("%s, line %d: %s", evidence.File, evidence.Line, evidence.Text)
}
