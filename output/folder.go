package output

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A Folder is the folder that a set is published in, held open. Everything is
// done through the handle, so that nothing that is renamed or linked meanwhile
// leads elsewhere.
type Folder struct {
	root *os.Root
	// It was opened as Dir of a docroot, or, if that is nil, as the path place.
	docroot *os.Root
	place   string
	// Dir is the folder's path relative to the docroot, slash-separated and
	// empty for the docroot itself, or for a folder outside.
	Dir string
}

// OpenFolder opens any folder; it is made if it is not there, unless dry.
func OpenFolder(path string, dry bool) (*Folder, error) {
	if !dry {
		if err := makeFolder(path); err != nil {
			return nil, err
		}
	}
	root, err := os.OpenRoot(path)
	if errors.Is(err, fs.ErrNotExist) && dry {
		return &Folder{}, nil
	}
	if err != nil {
		return nil, err
	}
	return &Folder{root: root, place: path}, nil
}

// OpenWithin opens the folder dir of a docroot, no part of which may be a link;
// it is made if it is not there, unless dry. The docroot must stay open as long as
// the folder. The error for a dir that leaves the docroot is a *ConfigError.
func OpenWithin(docroot *os.Root, dir string, dry bool) (*Folder, error) {
	dir = filepath.ToSlash(filepath.Clean(filepath.FromSlash(dir)))
	if !filepath.IsLocal(filepath.FromSlash(dir)) {
		return nil, &ConfigError{"output.dir", "leaves the docroot", "only --out may name a folder elsewhere"}
	}
	if dir == "." {
		dir = ""
	}
	folder := &Folder{Dir: dir, docroot: docroot}
	at, err := docroot.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(dir, "/") {
		if name == "" {
			break
		}
		next, err := openPlain(at, name, dry)
		at.Close()
		if err != nil {
			return nil, fmt.Errorf("open output.dir: %w", err)
		}
		if next == nil {
			return folder, nil
		}
		at = next
	}
	folder.root = at
	return folder, nil
}

// openPlain opens a folder that is no link, and makes it if it is not there;
// if dry it returns nil then.
func openPlain(above *os.Root, name string, dry bool) (*os.Root, error) {
	before, err := above.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		if dry {
			return nil, nil
		}
		if err := makeIn(above, name); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		before, err = above.Lstat(name)
	}
	if err != nil {
		return nil, err
	}
	if !before.IsDir() {
		return nil, &ConfigError{"output.dir", fmt.Sprintf("leads through %s, which is a link or no folder", name), "nothing is written through a link; --out may name any folder"}
	}
	opened, err := above.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if after, err := opened.Stat("."); err != nil || !os.SameFile(before, after) {
		opened.Close()
		return nil, fmt.Errorf("%s was replaced while it was opened", name)
	}
	return opened, nil
}

// Root returns the handle on the folder, which stays the folder's own. It is nil
// if the folder was opened for a dry run and is not there.
func (f *Folder) Root() *os.Root { return f.root }

// Close gives the folder up.
func (f *Folder) Close() error {
	if f.root == nil {
		return nil
	}
	return f.root.Close()
}

var (
	// ErrForeign says that a name is there, but is no plain file of its own: a
	// link, a hard link or a device. A rename replaces it.
	ErrForeign = errors.New("is a link or no regular file")
	// errFolder says that a name is a folder, which no rename replaces.
	errFolder = errors.New("is a folder: move it out of the way")
)

// read returns the content of a plain file of at most limit bytes. A name that
// is no plain file is not opened. What a disk, or a network, fails to read is read once
// more, at once.
func (f *Folder) read(name string, limit int64) ([]byte, fs.FileInfo, error) {
	content, info, err := f.readOnce(name, limit)
	if errors.Is(err, syscall.EIO) {
		content, info, err = f.readOnce(name, limit)
	}
	return content, info, err
}

func (f *Folder) readOnce(name string, limit int64) ([]byte, fs.FileInfo, error) {
	file, info, err := f.open(name)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	if info.Size() > limit {
		return nil, info, nil
	}
	content := make([]byte, 0, info.Size()+bytes.MinRead)
	buffer := bytes.NewBuffer(content)
	_, err = buffer.ReadFrom(io.LimitReader(file, limit+1))
	return buffer.Bytes(), info, err
}

// isPassing reports whether what was said when a file was read says nothing of the
// file: in a while it may be read. All else does: this user may not read it, or, where
// its disk is damaged, nobody can.
func isPassing(err error) bool {
	for _, passing := range [...]error{syscall.ESTALE, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM} {
		if errors.Is(err, passing) {
			return true
		}
	}
	return false
}

// open opens a plain file for reading.
func (f *Folder) open(name string) (*os.File, fs.FileInfo, error) {
	if f.root == nil {
		return nil, nil, fs.ErrNotExist
	}
	before, err := f.root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if before.IsDir() {
		return nil, nil, errFolder
	}
	if !before.Mode().IsRegular() || linkCount(before) != 1 {
		return nil, nil, ErrForeign
	}
	// Not blocking, should the file have become a FIFO meanwhile.
	file, err := f.root.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && !os.SameFile(before, info) {
		err = ErrForeign
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// Wrote reports whether sitewalk wrote a file, which open opens: its name is one
// that a set could have and its content bears the mark, or it is a temporary file.
// A list of URLs has no place for a mark: its name counts, here in the folder of a
// set that has such a list.
func (f *Files) Wrote(name string, here bool, open func() (io.ReadCloser, error)) bool {
	// Asked of every file of a docroot: nearly all differ in their first letters.
	if !strings.HasPrefix(name, "sitemap") && !strings.HasPrefix(name, tempPrefix) && !strings.HasPrefix(name, strings.TrimSuffix(f.Root, ".gz")) {
		return false
	}
	switch {
	case IsTemp(name):
		return true
	case here && f.Text && isTextName(name):
		return true
	case !f.isOwnName(name) && name != defaultRoot && name != defaultRoot+".gz":
		return false
	}
	file, err := open()
	if err != nil {
		return false
	}
	defer file.Close()
	marked, _ := hasMarker(file, strings.HasSuffix(name, ".gz"))
	return marked
}

// isMarked reports whether a plain file begins as sitewalk's do. One that this user
// may not read counts as another's; it fails if the system cannot read it.
func (f *Folder) isMarked(name string) (marked bool, err error) {
	file, _, err := f.open(name)
	if err == nil {
		defer file.Close()
		marked, err = hasMarker(file, strings.HasSuffix(name, ".gz"))
	}
	if unread := (*fs.PathError)(nil); errors.As(err, &unread) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		return false, err
	}
	return marked, nil
}

// hasMarker reports whether a file begins as sitewalk's do.
func hasMarker(file io.Reader, compressed bool) (bool, error) {
	if compressed {
		inflated, err := gzip.NewReader(io.LimitReader(file, segmentSize))
		if err != nil {
			return false, err
		}
		file = inflated
	}
	start := make([]byte, 128)
	n, err := io.ReadFull(file, start)
	return bytes.Contains(start[:n], []byte(marker)), err
}

// has reports whether there is a plain file of a name.
func (f *Folder) has(name string) bool {
	if f.root == nil {
		return false
	}
	info, err := f.root.Lstat(name)
	return err == nil && info.Mode().IsRegular()
}

// stage writes a temporary file, durably, and returns its name and what the system
// says of it.
func (f *Folder) stage(content []byte) (temp string, info fs.FileInfo, err error) {
	name := tempPrefix + strings.ToLower(rand.Text()) + ".tmp"
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", nil, err
	}
	defer func() {
		if closeErr := file.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			f.discard(name)
		}
	}()
	// What is published is read by a web server that is another user, whatever the
	// umask of a panel or a cron job.
	if err := file.Chmod(0o644); err != nil {
		return "", nil, err
	}
	if _, err := file.Write(content); err != nil {
		return "", nil, err
	}
	if err := file.Sync(); err != nil {
		return "", nil, err
	}
	info, err = file.Stat()
	return name, info, err
}

// discard removes a temporary file.
func (f *Folder) discard(temp string) { _ = f.root.Remove(temp) }

// touch sets a plain file's modification time.
func (f *Folder) touch(name string, now time.Time) error {
	file, _, err := f.open(name)
	if err != nil {
		return err
	}
	file.Close()
	return f.root.Chtimes(name, now, now)
}

// find calls visit for every name in the folder that is wanted.
func (f *Folder) find(wanted func(name string) bool, visit func(name string)) error {
	if f.root == nil {
		return nil
	}
	folder, err := f.root.Open(".")
	if err != nil {
		return err
	}
	defer folder.Close()
	for {
		names, err := folder.Readdirnames(1024)
		for _, name := range names {
			if wanted(name) {
				visit(name)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// DiscardTemps removes the temporary files that a killed run left. None may be at
// work in the folder.
func (f *Folder) DiscardTemps() error {
	if f.root == nil {
		return nil
	}
	var temps []string
	err := f.find(IsTemp, func(name string) { temps = append(temps, name) })
	for _, name := range temps {
		if info, err := f.root.Lstat(name); err == nil && info.Mode().IsRegular() {
			f.discard(name)
		}
	}
	return err
}
