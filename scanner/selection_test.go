package scanner

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// walkSelected returns all that a walk of some paths finds, in order.
func walkSelected(t testing.TB, docroot *Docroot, config Config, options Options, paths ...string) []found {
	t.Helper()
	var all []found
	err := WalkSelected(context.Background(), docroot, newScanner(t, config, options), Select(paths...), copyBatch, func(files []found) error {
		all = append(all, files...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// isOn reports whether a path is another's, is below it, or above it.
func isOn(path, other string) bool {
	return path == other || other == "" || strings.HasPrefix(path, other+"/") || strings.HasPrefix(other, path+"/")
}

func TestSelectedFilesAreFoundAsByAWalkOfAll(t *testing.T) {
	base := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		s := drawSite(r, folderNames, fileNames, []fs.FileMode{0, 0, 0, fs.ModeSymlink})
		config := drawConfig(r, rapid.SampledFrom([]Follow{FollowNone, FollowInside}).Draw(r, "follow"))
		dir := tempDir(r, base)
		s.create(t, dir)
		docroot := open(t, dir)
		all := walkAll(t, docroot, config, Options{})

		known := []string{"nowhere", "a/nowhere/at.html", strings.Repeat("n", 300), "a.html/b"}
		for _, thing := range s {
			known = append(known, thing.path)
		}
		for _, f := range all { // which knows the paths that links make
			known = append(known, Join(f.dir, f.Name))
		}
		selected := rapid.SliceOfN(rapid.SampledFrom(known), 1, 6).Draw(r, "selected")
		var want []found
		for _, f := range all {
			on := func(path string) bool {
				if dir, name := split(path); name == accessFile {
					path = dir
				}
				return isOn(Join(f.dir, f.Name), path)
			}
			if slices.ContainsFunc(selected, on) {
				want = append(want, f)
			}
		}
		for _, options := range []Options{{Jobs: 1}, {Jobs: 4}, {Portable: true}} {
			compare(r, "a walk of some paths", describe(walkSelected(t, docroot, config, options, selected...)), describe(want))
		}
	})
}

func TestSelectionSaysWhatIsInAFolder(t *testing.T) {
	s := Select("blog/a.html", "blog/drafts/.htaccess", "css", "x/y/z")
	for _, test := range []struct {
		dir   string
		names string
		some  bool
	}{
		{"", "blog css x", true},
		{"blog", "a.html drafts", true},
		{"blog/drafts", "", false},
		{"blog/drafts/deep", "", false},
		{"css", "", false},
		{"x/y", "z", true},
		{"blog/other", "", true},
		{"other", "", true},
	} {
		names, some := s.Names(test.dir)
		if got := strings.Join(names, " "); got != test.names || some != test.some {
			t.Errorf("%q: %q, %v", test.dir, got, some)
		}
	}
	if names, some := (*Selection)(nil).Names("a"); some {
		t.Errorf("all but %q", names)
	}
	if names, some := Select("a", "").Names("b"); some {
		t.Errorf("all but %q", names)
	}
}

// What protects a file is read even if nothing else of its folder is.
func TestSelectedFileIsProtectedByWhatIsNotSelected(t *testing.T) {
	docroot := pages("a/b/page.html", "a/page.html").folder(t)
	write(t, docroot, "a/.htaccess", "Require all denied\n")
	config := DefaultConfig()
	got := verdicts(walkSelected(t, docroot, config, Options{}, "a/b/page.html", "a/page.html"))
	want := []string{"a/b/page.html protected", "a/page.html protected"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	got = verdicts(walkSelected(t, docroot, config, Options{}, "a/.htaccess"))
	if want = append([]string{"a/.htaccess sensitive"}, want...); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestFolderIsEnteredBeforeItIsListed(t *testing.T) {
	docroot := pages("a/b/page.html", "c/page.html").folder(t)
	root := docroot.Folder().Name()
	var entered []string
	options := Options{Jobs: 1, Enter: func(dir string, id FolderID) {
		entered = append(entered, dir)
		if at, err := FolderIDAt(filepath.Join(root, dir)); err != nil || at != id {
			t.Errorf("%q: %v is not %v, %v", dir, id, at, err)
		}
		// What comes now is seen.
		if err := os.WriteFile(filepath.Join(root, dir, "late.html"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}}
	got := verdicts(walkAll(t, docroot, DefaultConfig(), options))
	want := []string{"a/b/late.html listed", "a/b/page.html listed", "a/late.html listed", "c/late.html listed", "c/page.html listed", "late.html listed"}
	if !slices.Equal(got, want) {
		t.Errorf("found %q", got)
	}
	if want := []string{"", "a", "a/b", "c"}; !slices.Equal(entered, want) {
		t.Errorf("entered %q", entered)
	}
}

func write(t *testing.T, docroot *Docroot, path, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(docroot.Folder().Name(), path), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
