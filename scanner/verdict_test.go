package scanner

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestVerdictOfEachName(t *testing.T) {
	for _, test := range []struct {
		name   string
		config func(*Config)
		site   site
		want   []string
	}{
		{
			name: "sensitive in any case, before hidden",
			site: pages(".GIT/a.html", "Node_Modules/a.html", "ID_RSA.html", "Dump.SQL", "a.html~", "b.Sql.Gz", ".Env.html", ".hidden.html", ".htaccess", "thumbs.DB", "x.pem.html"),
			want: []string{
				".Env.html sensitive", ".GIT sensitive folder", ".hidden.html hidden", ".htaccess sensitive", "Dump.SQL sensitive",
				"ID_RSA.html sensitive", "Node_Modules sensitive folder", "a.html~ sensitive", "b.Sql.Gz sensitive", "thumbs.DB sensitive", "x.pem.html listed",
			},
		}, {
			name: "well-known is public, in that case only",
			site: pages(".well-known/a.html", ".well-known/.b.html", ".Well-Known/a.html", "a/.well-known/b.html"),
			want: []string{".Well-Known hidden folder", ".well-known/.b.html hidden", ".well-known/a.html listed", "a/.well-known/b.html listed"},
		}, {
			name: "the first reason that applies",
			config: func(c *Config) {
				c.Exclude = Globs{"**/*.bak", "**/.hidden*", "x/**", "404.html", "**/*.css"}
			},
			site: pages("a.bak", ".hidden.html", "x/404.html", "404.html", "s.css", "s.js", "50x.html"),
			want: []string{
				".hidden.html hidden", "404.html excluded", "50x.html error-page", "a.bak sensitive", "s.css excluded", "s.js not-included", "x excluded folder",
			},
		}, {
			name:   "own outputs come before all",
			config: func(c *Config) { c.Include = Globs{"**"} },
			site:   pages("sitemap.xml", "a/sitemap.xml", "b -> sitemap.xml"),
			want:   []string{"a/sitemap.xml listed", "b symlink", "sitemap.xml own-output"},
		}, {
			name:   "an allowed folder lifts what is above its files",
			config: func(c *Config) { c.Allow = Globs{".git"} },
			site:   pages(".git/a.html", ".git/sub/b.html", ".git/.git/c.html", ".git/d.bak", "b/.git/e.html"),
			want: []string{
				".git/.git sensitive folder", ".git/a.html listed allowed", ".git/d.bak sensitive", ".git/sub/b.html listed allowed", "b/.git sensitive folder",
			},
		}, {
			name:   "an allowed file is lifted alone",
			config: func(c *Config) { c.Allow = Globs{".git/sub/*.html", ".env.html"} },
			site:   pages(".git/a.html", ".git/sub/b.html", ".git/sub/deeper/c.html", ".git/other/d.html", ".env.html", ".env2.html"),
			want: []string{
				".env.html listed allowed", ".env2.html sensitive", ".git/a.html sensitive", ".git/other sensitive folder",
				".git/sub/b.html listed allowed", ".git/sub/deeper sensitive folder",
			},
		}, {
			name:   "allow lifts nothing but sensitive and hidden",
			config: func(c *Config) { c.Allow, c.Exclude = Globs{"**"}, Globs{".env.html"} },
			site:   pages(".env.html", ".a.html", ".b.css", "404.html", "c.html"),
			want:   []string{".a.html listed allowed", ".b.css not-included", ".env.html excluded", "404.html error-page", "c.html listed"},
		}, {
			name: "a folder's own name has the first word where allow reaches below it",
			config: func(c *Config) {
				c.Allow, c.Include, c.Exclude = Globs{".git/a/*", ".hidden/**/a"}, Globs{"docs/**"}, Globs{".git"}
			},
			site: pages(".git/a/b.html", ".hidden/", "docs/a.html"),
			want: []string{".git sensitive folder", ".hidden hidden folder", "docs/a.html listed"},
		}, {
			name:   "folders where no include can match are not entered",
			config: func(c *Config) { c.Include = Globs{"docs/*/x.html", "*.html"} },
			site:   pages("a.html", "docs/a.html", "docs/b/x.html", "docs/b/c/x.html", "other/x.html", "empty/"),
			want: []string{
				"a.html listed", "docs/a.html not-included", "docs/b/c not-included folder", "docs/b/x.html listed",
				"empty not-included folder", "other not-included folder",
			},
		}, {
			name: "the default include takes any case",
			site: pages("a.HTML", "b.Htm", "c.XHTML", "d.shtml", "e.html.txt", ".html"),
			want: []string{".html sensitive", "a.HTML listed", "b.Htm listed", "c.XHTML listed", "d.shtml not-included", "e.html.txt not-included"},
		}, {
			name:   "a user's pattern is case-sensitive",
			config: func(c *Config) { c.Include, c.Exclude = Globs{"**/*.{html,htm}"}, Globs{"Private"} },
			site:   pages("a.HTML", "b.html", "private/c.html", "Private/d.html"),
			want:   []string{"Private excluded folder", "a.HTML not-included", "b.html listed", "private/c.html listed"},
		}, {
			name: "error pages in any folder",
			site: pages("404.html", "500.htm", "50x.html", "50X.HTML", "599.html", "404/index.html", "404/other.html", "404/de/index.html", "de/404.html",
				"de/50x/index.html", "399.html", "600.html", "4040.html", "40x.html", "404.xhtml", "404.html.html", "503/INDEX.HTML", "404/index.htm"),
			want: []string{
				"399.html listed", "404/de/index.html listed", "404/index.htm listed", "404/index.html error-page", "404/other.html listed",
				"404.html error-page", "404.html.html listed", "404.xhtml listed", "4040.html listed", "40x.html listed", "500.htm error-page",
				"503/INDEX.HTML error-page", "50X.HTML error-page", "50x.html error-page", "599.html error-page",
				"600.html listed", "de/404.html error-page", "de/50x/index.html error-page",
			},
		}, {
			name: "an empty include leaves out everything",
			config: func(c *Config) {
				c.Include = nil
			},
			site: pages("a.html", "b/c.html", "404.html", ".git/a"),
			want: []string{".git sensitive folder", "404.html not-included", "a.html not-included", "b not-included folder"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			config := DefaultConfig()
			if test.config != nil {
				test.config(&config)
			}
			options := Options{Own: func(dir, name string) bool { return dir == "" && name == "sitemap.xml" }}
			compare(t, "verdicts", verdicts(walkAll(t, FromFS(test.site.mapFS()), config, options)), test.want)
		})
	}
}

func TestOwnOutputsAreKnownInTheirFolderOnly(t *testing.T) {
	s := pages("sitemap.xml", "maps/sitemap.xml", "maps/sub/sitemap.xml", "maps/sitemap.html/")
	config := with(func(c *Config) { c.Include = Globs{"**"} })
	own := func(dir, name string) bool { return dir == "maps" && strings.HasPrefix(name, "sitemap") }
	compare(t, "verdicts", verdicts(walkAll(t, s.folder(t), config, Options{Own: own})),
		[]string{"maps/sitemap.xml own-output", "maps/sub/sitemap.xml listed", "sitemap.xml listed"})
}

func TestFolderInPlaceOfItsNameInOrder(t *testing.T) {
	// "a-b" and "a.html" sort on either side of "a/" as whole strings do not.
	s := pages("a/z.html", "a-b.html", "a.html", "a b/x.html", "a0.html", "A.html", "b.html", "a!/x.html")
	compare(t, "order", verdicts(walkAll(t, s.folder(t), DefaultConfig(), Options{})), []string{
		"A.html listed", "a/z.html listed", "a b/x.html listed", "a!/x.html listed", "a-b.html listed", "a.html listed", "a0.html listed", "b.html listed",
	})
}

func TestCandidatesHaveTheirTimesAndSizes(t *testing.T) {
	// Times are held in nanoseconds, from 1678 to 2262.
	times := []time.Time{
		time.Unix(-1, 0), time.Unix(-1, 999_999_999), time.Unix(0, 0), time.Unix(1, 999_999_999),
		time.Date(1902, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2039, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2262, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	fsys := fstest.MapFS{}
	var want []string
	for i, modified := range times {
		name := fmt.Sprintf("%d.html", i)
		fsys[name] = &fstest.MapFile{Data: make([]byte, i), ModTime: modified}
		want = append(want, found{"", File{Name: name, Size: int64(i), ModTime: modified.UnixNano()}}.String())
	}
	compare(t, "times", describe(walkAll(t, FromFS(fsys), DefaultConfig(), Options{})), want)
	if got := fsys["1.html"].ModTime.Unix(); got != -1 {
		t.Errorf("half a second before 1970 is second %d, want it rounded down to -1", got)
	}
}

func TestSensitiveNamesMatchAsPatterns(t *testing.T) {
	names := []string{"", "x", "X.y"}
	for i, pattern := range append(slices.Clone(SensitiveNames), SensitiveFiles...) {
		for _, filling := range names {
			name := strings.ReplaceAll(pattern, "*", filling)
			for _, name := range []string{name, strings.ToUpper(name), strings.ToUpper(name[:1]) + name[1:]} {
				if !isSensitive(name, false) {
					t.Errorf("%q matches %s and is not sensitive", name, pattern)
				}
				if anything := i < len(SensitiveNames); isSensitive(name, true) != anything {
					t.Errorf("folder %q, by %s: sensitive %v", name, pattern, !anything)
				}
			}
		}
	}
	for _, name := range []string{"git", "key", "pem.html", "key.html", "x.keys", "xid_rsa", "index.html", "new.html", "thumbs.db.html", ".gitignore", "sql", "\xff", "a.sql.gzip"} {
		if isSensitive(name, false) || isSensitive(name, true) {
			t.Errorf("%q is sensitive", name)
		}
	}
}

// FuzzNames holds the tables that names are looked up in to the patterns and the words
// that README publishes.
func FuzzNames(f *testing.F) {
	for _, name := range []string{".git", "x.SQL.gz", "id_rsa.pub", "a~", ".~", "b.bak.html", "ID_RSA", ".env.local", ".well-known", "x.PEM", "thumbs.DB", "~", ".htm"} {
		f.Add("404", name)
	}
	for _, name := range []string{"404.html", "50X.htm", "index.html", "399.html", "600.html", "4xx.html", "5.html", "404.HTML"} {
		f.Add("503", name)
		f.Add("a", name)
	}
	errorPage := regexp.MustCompile(`^([45][0-9][0-9]|50[xX])\.(?i:html?)$`)
	errorFolder := regexp.MustCompile(`^([45][0-9][0-9]|50[xX])$`)
	f.Fuzz(func(t *testing.T, folder, name string) {
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r == '/' || r > 127 }) {
			return // no name, or one whose case is another question
		}
		for _, isFolder := range []bool{false, true} {
			patterns := SensitiveNames
			if !isFolder {
				patterns = slices.Concat(patterns, SensitiveFiles)
			}
			want := slices.ContainsFunc(patterns, func(pattern string) bool {
				matches, err := path.Match(strings.ToLower(pattern), strings.ToLower(name))
				return matches && err == nil
			})
			if got := isSensitive(name, isFolder); got != want {
				t.Errorf("%q, a folder: %v: sensitive %v, want %v", name, isFolder, got, want)
			}
			if pattern := sensitivePattern(name, isFolder); (pattern != "") != want || want && !slices.Contains(patterns, pattern) {
				t.Errorf("%q, a folder: %v: sensitive by %q, want %v", name, isFolder, pattern, want)
			}
		}
		want := errorPage.MatchString(name) || errorFolder.MatchString(folder) && strings.ToLower(name) == "index.html"
		if got := isErrorPage(folder, name); got != want {
			t.Errorf("%q in %q: an error page %v, want %v", name, folder, got, want)
		}
	})
}

func TestVerdictNamesAreThoseOfTheDesign(t *testing.T) {
	seen := map[string]bool{}
	for v := Listed; v < verdictCount; v++ {
		if name := v.String(); name == "" || seen[name] {
			t.Errorf("verdict %d is named %q", v, name)
		}
		seen[v.String()] = true
	}
	var counts, more Verdicts
	counts[Listed], counts[Unreadable], counts[NoIndex] = 1, 2, 3
	more[NoIndex] = 4
	counts.Add(&more)
	if counts.Total() != 10 {
		t.Errorf("total %d, want 10", counts.Total())
	}
	if got := fmt.Sprint(counts.Excluded()); got != "map[noindex:7]" {
		t.Errorf("excluded %s: want neither listed nor unreadable", got)
	}
}

func TestBadGlobIsNamedByItsPlace(t *testing.T) {
	for key, config := range map[string]Config{
		"include[1]": {Include: Globs{"ok", "[a"}},
		"exclude[0]": {Exclude: Globs{"{a"}},
		"allow[2]":   {Allow: Globs{"a", "b", "[]"}},
	} {
		_, err := New(config, Options{})
		var globError *GlobError
		if !errors.As(err, &globError) || globError.Key != key {
			t.Errorf("%s: got %v", key, err)
		}
	}
}

func TestEmptyDocrootGivesNoBatch(t *testing.T) {
	for name, docroot := range map[string]*Docroot{"folder": open(t, t.TempDir()), "fs": FromFS(fstest.MapFS{})} {
		if all := walkAll(t, docroot, DefaultConfig(), Options{}); len(all) > 0 {
			t.Errorf("%s: %v", name, all)
		}
	}
}

func TestMissingDocrootIsAnError(t *testing.T) {
	if _, err := Open(t.TempDir() + "/nowhere"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	file := t.TempDir() + "/file"
	pages("file").create(t, file[:len(file)-len("/file")])
	if _, err := Open(file); err == nil {
		t.Error("a file opens as a docroot")
	}
}
