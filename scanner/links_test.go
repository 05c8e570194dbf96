package scanner

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func followInside(c *Config) { c.FollowSymlinks = FollowInside }

func TestLinksStandForWhatIsInside(t *testing.T) {
	for _, test := range []struct {
		name   string
		config func(*Config)
		site   site
		want   []string
	}{
		{
			name: "to files and folders, relative",
			site: pages("a/x.html", "a/y.html -> x.html", "b/c/z.html -> ../../a/x.html", "d -> a", "e/f -> ../b/c"),
			want: []string{
				"a/x.html listed", "a/y.html listed", "b/c/z.html listed", "d/x.html listed", "d/y.html listed", "e/f/z.html listed",
			},
		}, {
			name: "chains and links on the way",
			site: pages("real/x.html", "one -> two", "two -> three", "three -> ./real/.", "f.html -> one/x.html", "g.html -> f.html"),
			want: []string{
				"f.html listed", "g.html listed", "one/x.html listed", "real/x.html listed", "three/x.html listed", "two/x.html listed",
			},
		}, {
			name: "dangling, and through a file",
			site: pages("a.html", "b.html -> nowhere.html", "c.html -> a.html/x.html", "d.html -> a.html/", "e -> nowhere/", "f.html -> a.html/../a.html"),
			want: []string{"a.html listed", "b.html symlink", "c.html symlink", "d.html symlink", "e symlink", "f.html symlink"},
		}, {
			name: "out of the docroot, also to come back",
			site: pages("a/x.html", "b.html -> ../x.html", "c -> ..", "d -> a/../..", "e -> /etc", "f.html -> /etc/passwd", "a/g -> ../../DOCROOT/a", "h -> OUTSIDE", "i -> a/.."),
			want: []string{"a/g symlink", "a/x.html listed", "b.html symlink", "c symlink", "d symlink", "e symlink", "f.html symlink", "h symlink", "i symlink"},
		}, {
			name: "cycles",
			site: pages("a/x.html", "a/up -> ..", "a/self -> .", "a/b/back -> ../../a", "loop.html -> loop.html", "ping -> pong", "pong -> ping", "docroot -> .", "here -> a/up"),
			want: []string{
				"a/b/back symlink", "a/self symlink", "a/up symlink", "a/x.html listed", "docroot symlink", "here symlink",
				"loop.html symlink", "ping symlink", "pong symlink",
			},
		}, {
			name: "folders that link to each other",
			site: pages("a/x.html", "a/to-b -> ../b", "b/y.html", "b/to-a -> ../a"),
			want: []string{
				"a/to-b/to-a symlink", "a/to-b/y.html listed", "a/x.html listed",
				"b/to-a/to-b symlink", "b/to-a/x.html listed", "b/y.html listed",
			},
		}, {
			name: "to what is sensitive, hidden or excluded",
			config: func(c *Config) {
				c.Exclude, c.Allow = Globs{"private", "drafts/*.html", "shop/secret/**"}, Globs{".open"}
			},
			site: pages(".git/x.html", ".hidden/x.html", ".open/x.html", "private/x.html", "drafts/x.html", "drafts/sub/y.html", "shop/a.html", "shop/secret/b.html",
				"a -> .git", "b.html -> .git/x.html", "c -> .hidden", "d -> .open", "e -> private", "f.html -> private/x.html", "g -> drafts", "h -> shop", "i -> h/secret",
				"j.html -> .env", ".env"),
			want: []string{
				".env sensitive", ".git sensitive folder", ".hidden hidden folder", ".open/x.html listed allowed",
				"a sensitive", "b.html sensitive", "c hidden", "d/x.html listed",
				"drafts/sub/y.html listed", "drafts/x.html excluded", "e excluded", "f.html excluded",
				"g/sub/y.html listed", "g/x.html excluded", "h/a.html listed", "h/secret excluded folder", "i excluded", "j.html sensitive",
				"private excluded folder", "shop/a.html listed", "shop/secret excluded folder",
			},
		}, {
			name:   "the link's own name counts as well",
			config: func(c *Config) { c.Exclude = Globs{"drafts"} },
			site:   pages("a/x.html", "a/style", ".hid -> a", "drafts -> a", "404.html -> a/x.html", "p.css -> a/x.html", "style.html -> a/style", "b/404 -> ../a"),
			want: []string{
				".hid hidden", "404.html error-page", "a/style not-included", "a/x.html listed", "b/404/style not-included", "b/404/x.html listed",
				"drafts excluded", "p.css not-included", "style.html listed",
			},
		}, {
			name:   "to own outputs",
			config: func(c *Config) { c.Include = Globs{"**"} },
			site:   pages("sitemap.xml", "a.xml -> sitemap.xml", "b/c.xml -> ../a.xml", "d/e -> .."),
			want:   []string{"a.xml own-output", "b/c.xml own-output", "d/e symlink", "sitemap.xml own-output"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			outside := t.TempDir()
			pages("x.html").create(t, outside)
			dir := t.TempDir()
			for i := range test.site {
				target := strings.ReplaceAll(test.site[i].target, "OUTSIDE", outside)
				test.site[i].target = strings.ReplaceAll(target, "DOCROOT", filepath.Base(dir))
			}
			test.site.create(t, dir)
			config := with(followInside)
			if test.config != nil {
				test.config(&config)
			}
			options := Options{Own: func(dir, name string) bool { return dir == "" && name == "sitemap.xml" }}
			docroot := open(t, dir)
			compare(t, "native", verdicts(walkAll(t, docroot, config, options)), test.want)
			options.Portable = true
			compare(t, "portable", verdicts(walkAll(t, docroot, config, options)), test.want)
			compare(t, "MapFS", verdicts(walkAll(t, FromFS(test.site.mapFS()), config, options)), test.want)
		})
	}
}

func TestAbsoluteLinksIntoTheDocrootAreFollowed(t *testing.T) {
	dir := t.TempDir()
	alias := filepath.Join(t.TempDir(), "alias")
	if err := os.Symlink(dir, alias); err != nil {
		t.Fatal(err)
	}
	pages("a/x.html", "b -> "+dir+"/a", "c.html -> "+alias+"/a/x.html", "d -> "+dir, "e.html -> "+dir+"x/a/x.html",
		"f.html -> "+dir+"/../"+filepath.Base(dir)+"/a/x.html", "g.html -> "+dir+"/b/x.html").create(t, dir)
	config := with(followInside)

	compare(t, "by its own path", verdicts(walkAll(t, open(t, dir), config, Options{})), []string{
		"a/x.html listed", "b/x.html listed", "c.html symlink", "d symlink", "e.html symlink", "f.html symlink", "g.html listed",
	})
	compare(t, "by a link", verdicts(walkAll(t, open(t, alias), config, Options{})), []string{
		"a/x.html listed", "b/x.html listed", "c.html listed", "d symlink", "e.html symlink", "f.html symlink", "g.html listed",
	})
	compare(t, "a relative path", verdicts(walkAll(t, openRelative(t, dir), config, Options{})), []string{
		"a/x.html listed", "b/x.html listed", "c.html symlink", "d symlink", "e.html symlink", "f.html symlink", "g.html listed",
	})
}

func openRelative(t *testing.T, dir string) *Docroot {
	t.Chdir(filepath.Dir(dir))
	return open(t, filepath.Base(dir))
}

func TestLinksToFilesHaveTheTargetsDates(t *testing.T) {
	s := site{{path: "a.html", size: 7, mtime: 1_234_567_890}, {path: "b.html", mode: fs.ModeSymlink, target: "a.html"}}
	want := []string{`"a.html" listed 7 bytes of 1234567890`, `"b.html" listed 7 bytes of 1234567890`}
	compare(t, "native", describe(walkAll(t, s.folder(t), with(followInside), Options{})), want)
	compare(t, "portable", describe(walkAll(t, s.folder(t), with(followInside), Options{Portable: true})), want)
}

func TestFortyLinksAreFollowedAndNoMore(t *testing.T) {
	// link-NN leads over NN links to the page.
	names := []string{"link-00.html"}
	var want []string
	for i := 1; i <= maxLinks+1; i++ {
		names = append(names, fmt.Sprintf("link-%02d.html -> link-%02d.html", i, i-1))
	}
	for i := range maxLinks + 2 {
		want = append(want, fmt.Sprintf("link-%02d.html listed", i))
	}
	want[maxLinks+1] = "link-41.html symlink"
	compare(t, "chain", verdicts(walkAll(t, pages(names...).folder(t), with(followInside), Options{})), want)
}

func TestFoldersThatLinkToTheNextEndAfterFortyLinks(t *testing.T) {
	// Each folder links to the next, so that the walk goes ever deeper without
	// coming round.
	names := []string{}
	for i := range 60 {
		names = append(names, fmt.Sprintf("d%02d/next -> ../d%02d", i, i+1))
	}
	config := with(func(c *Config) { followInside(c); c.Include = Globs{"d00/**"} })
	all := walkAll(t, pages(append(names, "d60/x.html")...).folder(t), config, Options{})
	if len(all) == 0 {
		t.Fatal("nothing found")
	}
	for _, f := range all {
		if depth := strings.Count(f.dir, "/next"); depth > maxLinks {
			t.Fatalf("%d links deep: %v", depth, f)
		}
	}
}

// TestWhatALinkHidesIsUnreadable has what a link leads to not be found out: only where
// there is nothing is the link all that there is.
func TestWhatALinkHidesIsUnreadable(t *testing.T) {
	for err, want := range map[error]string{
		syscall.EIO: "a.html unreadable", syscall.ESTALE: "a.html unreadable", syscall.EACCES: "a.html unreadable",
		fs.ErrNotExist: "a.html symlink", syscall.ENOTDIR: "a.html symlink", syscall.ELOOP: "a.html symlink", syscall.ENAMETOOLONG: "a.html symlink",
	} {
		top := &fakeFolder{entries: []entry{{name: "a.html", kind: kindLink}, {name: ".env", kind: kindLink}}}
		all, walkErr := walkFakeBy(t, &fakeTree{top: top, astray: err}, with(followInside), 2)
		if walkErr != nil {
			t.Fatal(walkErr)
		}
		kept := ".env symlink"
		if strings.HasSuffix(want, "unreadable") {
			kept = ".env sensitive"
		}
		compare(t, err.Error(), verdicts(all), []string{kept, want})
	}
}
