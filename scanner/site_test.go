package scanner

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// thing is a file, folder, link or something stranger in a docroot that a test
// makes.
type thing struct {
	path   string
	mode   fs.FileMode // the type; 0 is a file
	target string      // of a link
	size   int
	mtime  int64
}

// site is a docroot that a test makes, folders before what they hold.
type site []thing

// pages returns a site of the named files; a name that ends in / is a folder,
// and "name -> target" a link. The folders above need no mention.
func pages(names ...string) site {
	var s site
	made := map[string]bool{"": true, ".": true}
	var mkdir func(string)
	mkdir = func(dir string) {
		if !made[dir] {
			mkdir(path.Dir(dir))
			made[dir] = true
			s = append(s, thing{path: dir, mode: fs.ModeDir})
		}
	}
	for _, name := range names {
		name, target, isLink := strings.Cut(name, " -> ")
		if folder, ok := strings.CutSuffix(name, "/"); ok {
			mkdir(folder)
			continue
		}
		mkdir(path.Dir(name))
		if isLink {
			s = append(s, thing{path: name, mode: fs.ModeSymlink, target: target})
		} else {
			s = append(s, thing{path: name, size: len(name), mtime: 1_000_000_000 + int64(len(name))})
		}
	}
	return s
}

// shuffled returns the same site to be created in another order.
func (s site) shuffled(seed uint64) site {
	random := rand.New(rand.NewPCG(seed, 0))
	mixed := slices.Clone(s)
	random.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	slices.SortStableFunc(mixed, func(a, b thing) int { return strings.Count(a.path, "/") - strings.Count(b.path, "/") })
	return mixed
}

// create makes the site in a real folder.
func (s site) create(t testing.TB, docroot string) {
	t.Helper()
	for _, thing := range s {
		name := filepath.Join(docroot, filepath.FromSlash(thing.path))
		var err error
		switch thing.mode.Type() {
		case 0:
			if err = os.WriteFile(name, make([]byte, thing.size), 0o644); err == nil {
				err = os.Chtimes(name, time.Time{}, time.Unix(thing.mtime, 0))
			}
		case fs.ModeDir:
			err = os.Mkdir(name, 0o755)
		case fs.ModeSymlink:
			err = os.Symlink(thing.target, name)
		default:
			err = makeSpecial(name, thing.mode)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// folder makes the site in a new folder and opens it.
func (s site) folder(t testing.TB) *Docroot {
	t.Helper()
	dir := t.TempDir()
	s.create(t, dir)
	return open(t, dir)
}

func open(t testing.TB, dir string) *Docroot {
	t.Helper()
	docroot, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { docroot.Close() })
	return docroot
}

func (s site) mapFS() fstest.MapFS {
	fsys := fstest.MapFS{}
	for _, thing := range s {
		data := make([]byte, thing.size)
		if thing.mode == fs.ModeSymlink {
			data = []byte(thing.target)
		}
		fsys[thing.path] = &fstest.MapFile{Data: data, Mode: thing.mode | 0o644, ModTime: time.Unix(thing.mtime, 0)}
	}
	return fsys
}

func (s site) zip(t testing.TB) fs.FS {
	t.Helper()
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, thing := range s {
		header := &zip.FileHeader{Name: thing.path, Modified: time.Unix(thing.mtime, 0)}
		header.SetMode(thing.mode | 0o644)
		if thing.mode == fs.ModeDir {
			header.Name += "/"
		}
		f, err := w.CreateHeader(header)
		if err == nil && thing.mode == 0 {
			_, err = f.Write(make([]byte, thing.size))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// found is a file as Walk gave it to the work.
type found struct {
	dir string
	File
}

func (f found) String() string {
	s := fmt.Sprintf("%q %v", Join(f.dir, f.Name), f.Verdict)
	if f.Folder {
		s += " folder"
	}
	if f.Allowed {
		s += " allowed"
	}
	if f.Size != 0 || f.ModTime != 0 {
		s += fmt.Sprintf(" %d bytes of %d", f.Size, f.ModSeconds())
	}
	return s
}

func newScanner(t testing.TB, config Config, options Options) *Scanner {
	t.Helper()
	s, err := New(config, options)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// copyBatch is the work of most tests: it keeps what the walk found, and what is
// to be known of the candidates.
func copyBatch() func(*Batch) []found {
	return func(batch *Batch) []found {
		for i := range batch.Files {
			if batch.Files[i].Verdict == Listed {
				batch.Stat(i)
			}
		}
		all := make([]found, len(batch.Files))
		for i, file := range batch.Files {
			all[i] = found{batch.Dir, file}
		}
		return all
	}
}

// walkAll returns all that a walk finds, in order.
func walkAll(t testing.TB, docroot *Docroot, config Config, options Options) []found {
	t.Helper()
	var all []found
	err := Walk(context.Background(), docroot, newScanner(t, config, options), copyBatch, func(files []found) error {
		all = append(all, files...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// describe turns findings into lines that a test can compare and print.
func describe(all []found) []string {
	lines := make([]string, len(all))
	for i := range all {
		lines[i] = all[i].String()
	}
	return lines
}

// verdicts turns findings into "path verdict", with " folder" and " allowed"
// where that is so.
func verdicts(all []found) []string {
	lines := make([]string, len(all))
	for i, f := range all {
		lines[i] = Join(f.dir, f.Name) + " " + f.Verdict.String()
		if f.Folder {
			lines[i] += " folder"
		}
		if f.Allowed {
			lines[i] += " allowed"
		}
	}
	return lines
}

func compare(t interface {
	Helper()
	Fatalf(string, ...any)
}, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("%s:\n got  %s\n want %s", what, strings.Join(got, "\n      "), strings.Join(want, "\n      "))
	}
}

// with returns the default configuration with changes.
func with(change func(*Config)) Config {
	config := DefaultConfig()
	change(&config)
	return config
}
