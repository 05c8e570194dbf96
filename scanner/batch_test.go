package scanner

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"
)

// opened is what reading a candidate gave.
type opened struct {
	path, content string
	verdict       Verdict
	size          int64
	err           error
}

// openAll walks a docroot and reads all candidates. before is called before each
// is opened.
func openAll(t testing.TB, docroot *Docroot, options Options, before func(path string)) []opened {
	t.Helper()
	options.Jobs = 1
	work := func() func(*Batch) []opened {
		return func(batch *Batch) []opened {
			var all []opened
			for i := range batch.Files {
				file := &batch.Files[i]
				if file.Verdict != Listed {
					continue
				}
				o := opened{path: Join(batch.Dir, file.Name)}
				before(o.path)
				if content, ok := batch.Open(i); ok {
					text, err := io.ReadAll(content)
					if err != nil {
						batch.Fail(i, err)
					}
					content.Close()
					o.content = string(text)
				}
				o.verdict, o.size, o.err = file.Verdict, file.Size, file.Err
				all = append(all, o)
			}
			return all
		}
	}
	var all []opened
	err := Walk(t.Context(), docroot, newScanner(t, DefaultConfig(), options), work, func(found []opened) error {
		all = append(all, found...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestCandidatesAreOpenedWhereTheyAre(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.html", "b/c.html", "b/caf\xe9.html"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("<title>"+name), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, portable := range []bool{false, true} {
		all := openAll(t, open(t, dir), Options{Portable: portable}, func(string) {})
		if len(all) != 3 {
			t.Fatalf("portable %v: %v", portable, all)
		}
		for _, o := range all {
			if want := "<title>" + o.path; o.content != want || o.size != int64(len(want)) || o.verdict != Listed {
				t.Errorf("portable %v: %+v", portable, o)
			}
		}
	}
}

func TestWhatAFileHasBecomeIsNotOpened(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no FIFOs and no links for everybody")
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, swap := range map[string]func(path string) error{
		"a link":          func(path string) error { return os.Symlink(secret, path) },
		"a link inside":   func(path string) error { return os.Symlink("other.html", path) },
		"a FIFO":          func(path string) error { return makeSpecial(path, fs.ModeNamedPipe) },
		"a socket":        func(path string) error { return makeSpecial(path, fs.ModeSocket) },
		"a folder":        func(path string) error { return os.Mkdir(path, 0o755) },
		"nothing":         func(string) error { return nil },
		"what nobody may": func(path string) error { return os.WriteFile(path, nil, 0) },
		"another file":    func(path string) error { return os.WriteFile(path, []byte("new"), 0o644) },
		"its second self": func(path string) error { return os.Link(filepath.Join(filepath.Dir(path), "other.html"), path) },
	} {
		for _, portable := range []bool{false, true} {
			dir := t.TempDir()
			page := filepath.Join(dir, "page.html")
			for _, path := range []string{page, filepath.Join(dir, "other.html")} {
				if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			all := openAll(t, open(t, dir), Options{Portable: portable}, func(path string) {
				if path == "page.html" {
					if err := errors.Join(os.Remove(page), swap(page)); err != nil {
						t.Skip("cannot make one here: ", err)
					}
				}
			})
			got := all[1]
			want := opened{path: "page.html", verdict: Unreadable}
			switch name {
			case "another file":
				want = opened{path: "page.html", content: "new", size: 3}
			case "its second self":
				want = opened{path: "page.html", content: "old", size: 3}
			case "what nobody may":
				if os.Getuid() == 0 {
					want = opened{path: "page.html"} // which root may
				}
			}
			if got.content != want.content || got.verdict != want.verdict || (got.err != nil) != (want.verdict == Unreadable) {
				t.Errorf("%s, portable %v: %+v", name, portable, got)
			}
		}
	}
}

func TestRunningOutOfDescriptorsWhileOpeningEndsTheWalk(t *testing.T) {
	top := fakeFiles("a.html", "b.html")
	top.statErr = map[string]error{"a.html": syscall.EMFILE}
	files := &fakeTree{top: top}
	work := func() func(*Batch) int {
		return func(batch *Batch) int {
			for i := range batch.Files {
				if content, ok := batch.Open(i); ok {
					content.Close()
				}
			}
			return 0
		}
	}
	err := walk(t.Context(), files, FromFS(nil), newScanner(t, DefaultConfig(), Options{}), nil, work, func(int) error { return nil })
	if !errors.Is(err, syscall.EMFILE) {
		t.Errorf("got %v", err)
	}
}

func TestFilesSayWhenAndWhatTheyAre(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.html")
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	modified := time.Unix(1_600_000_000, 123_456_700)
	if err := os.Chtimes(path, modified, modified); err != nil {
		t.Fatal(err)
	}
	for _, portable := range []bool{false, true} {
		file := walkAll(t, open(t, dir), DefaultConfig(), Options{Portable: portable})[0].File
		if file.ModTime != modified.UnixNano() || file.ModSeconds() != modified.Unix() || file.Size != 1 {
			t.Errorf("portable %v: %+v", portable, file)
		}
		if runtime.GOOS != "windows" && (file.Inode == 0 || time.Since(time.Unix(0, file.ChangeTime)) > time.Hour) {
			t.Errorf("portable %v: inode %d, changed %v", portable, file.Inode, time.Unix(0, file.ChangeTime))
		}
	}
	file := walkAll(t, FromFS(fstest.MapFS{"a.html": {ModTime: modified}}), DefaultConfig(), Options{})[0].File
	if file.Inode != 0 || file.ChangeTime != 0 {
		t.Errorf("a file system that knows no inodes has %+v", file)
	}
}

func TestTimesBeyondNanosecondsAreTheFirstOrTheLast(t *testing.T) {
	for _, c := range []struct{ seconds, rest, want int64 }{
		{0, 1, 1}, {-1, 999_999_999, -1}, {1 << 40, 0, math.MaxInt64}, {-1 << 40, 5, math.MinInt64},
	} {
		if got := nanos(c.seconds, c.rest); got != c.want {
			t.Errorf("%d s and %d ns: %d", c.seconds, c.rest, got)
		}
	}
	for nanoseconds, want := range map[int64]int64{-1: -1, 0: 0, 999_999_999: 0, -1_000_000_000: -1, -1_000_000_001: -2} {
		if got := floorSeconds(nanoseconds); got != want {
			t.Errorf("%d ns are second %d", nanoseconds, got)
		}
	}
}

func TestAccessFilesProtectWhatIsBelow(t *testing.T) {
	site := fstest.MapFS{}
	for path, content := range map[string]string{
		"index.html": "", ".htaccess": "ErrorDocument 404 /404.html\n",
		"members/.htaccess": "AuthType Basic\nRequire valid-user\n", "members/a.html": "", "members/deep/b.html": "",
		"members/open/.htaccess": "Require all granted\n", "members/open/c.html": "",
		"files/.htaccess": "<Files secret.html>\nRequire all denied\n</Files>\n", "files/secret.html": "", "files/d.html": "",
		"files/404.html": "", "members/page.css": "",
	} {
		site[path] = &fstest.MapFile{Data: []byte(content), Mode: 0o644}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, site); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"files/404.html error-page", "files/d.html listed", "files/secret.html protected", "index.html listed",
		"members/a.html protected", "members/deep/b.html protected", "members/open/c.html listed", "members/page.css not-included",
	}
	for name, docroot := range map[string]*Docroot{"folder": open(t, dir), "file system": FromFS(site)} {
		var got []string
		for _, f := range walkAll(t, docroot, DefaultConfig(), Options{Details: true}) {
			if f.Name == accessFile {
				continue
			}
			got = append(got, verdicts([]found{f})...)
			if f.Verdict == Protected && !strings.Contains(f.Detail, "/.htaccess, line ") {
				t.Errorf("%s: detail %q", name, f.Detail)
			}
		}
		compare(t, name, got, want)
	}
}

func TestAccessFileThatCannotBeReadProtectsAll(t *testing.T) {
	locked := fakeFiles(accessFile, "a.html").add("sub", fakeFiles("b.html"))
	locked.statErr = map[string]error{accessFile: syscall.EACCES}
	all, err := walkFake(t, &fakeTree{top: fakeFiles("index.html").add("locked", locked)}, 2)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "unreadable", verdicts(all), []string{
		"index.html listed", "locked/.htaccess sensitive", "locked/a.html protected", "locked/sub/b.html protected",
	})
	if all[1].Err == nil {
		t.Error("nobody hears that the .htaccess could not be read")
	}
	locked.statErr[accessFile] = syscall.EMFILE
	if _, err := walkFake(t, &fakeTree{top: fakeFiles("index.html").add("locked", locked)}, 2); !errors.Is(err, syscall.EMFILE) {
		t.Errorf("out of descriptors: %v", err)
	}
}

func TestDetailsTellTheLinkFromWhatItLeadsTo(t *testing.T) {
	config := with(followInside)
	config.Exclude = Globs{"drafts/**"}
	site := pages(".env", "drafts/a.html", "a.html -> .env", "b.html -> drafts/a.html", "c.bak -> d.html", "d.html", "e.html -> nowhere.html")
	want := map[string]string{
		".env": "the built-in list has .env*", "a.html": "the built-in list has what the link leads to",
		"b.html": "exclude matches what the link leads to", "c.bak": "the built-in list has *.bak", "d.html": "", "drafts": "exclude[0]: drafts/**",
		"e.html": "leads outside the docroot, to no file or folder, or round in a circle",
	}
	for _, f := range walkAll(t, site.folder(t), config, Options{Details: true}) {
		if detail, expected := want[Join(f.dir, f.Name)]; !expected || f.Detail != detail {
			t.Errorf("%s, %v: detail %q, want %q", Join(f.dir, f.Name), f.Verdict, f.Detail, detail)
		}
	}
}

func TestDetailsQuoteThePattern(t *testing.T) {
	config := DefaultConfig()
	config.Exclude = Globs{"x/**", "{drafts,old}"}
	config.Allow = Globs{".public/**"}
	site := fstest.MapFS{"drafts/a.html": {}, "x/b.html": {}, ".public/c.html": {}, ".git/d": {}, "link.html": {Mode: fs.ModeSymlink}}
	want := map[string]string{
		"drafts": "exclude[1]: {drafts,old}", "x": "exclude[0]: x/**", ".public/c.html": "allow[0]: .public/**", ".git": "the built-in list has .git",
		"link.html": "is a link, and follow_symlinks is false",
	}
	for _, f := range walkAll(t, FromFS(site), config, Options{Details: true}) {
		path := Join(f.dir, f.Name)
		if detail, expected := want[path]; !expected || f.Detail != detail {
			t.Errorf("%s, %v: detail %q", path, f.Verdict, f.Detail)
		}
		delete(want, path)
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
}

func TestFolderReadInPartIsProtectedByWhatWasNotSeen(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"no .htaccess":        {syscall.ENOENT, "half/a.html listed"},
		"an unreadable one":   {syscall.EACCES, "half/a.html protected"},
		"one that is no file": {ErrNotRegular, "half/a.html protected"},
	} {
		half := fakeFiles("a.html")
		half.listErr, half.statErr = syscall.EIO, map[string]error{accessFile: c.err}
		all, err := walkFake(t, &fakeTree{top: fakeFiles("index.html").add("half", half)}, 2)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, name, verdicts(all), []string{"half unreadable folder", c.want, "index.html listed"})
	}
}
