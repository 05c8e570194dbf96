package sitewalk_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sitewalk"
	"sitewalk/mapper"
	"sitewalk/output"
)

// newReleases makes the folders 1 and 2 of a site, with the same pages, and a link to the
// first, current, which is the docroot to be watched.
func newReleases(t *testing.T, pages ...string) (dir string, config sitewalk.Config) {
	t.Helper()
	dir = t.TempDir()
	for _, release := range []string{"1", "2"} {
		for _, page := range pages {
			folder := filepath.Join(dir, release)
			writeIn(t, folder, page, "x")
			if err := os.Chtimes(filepath.Join(folder, page), siteTime, siteTime); err != nil {
				t.Fatal(err)
			}
		}
	}
	config = sitewalk.DefaultConfig()
	config.Mapper.BaseURL = "https://h.test/"
	config.Scanner.Docroot, config.Out = filepath.Join(dir, "current"), t.TempDir()
	config.Output.Files.Gzip, config.Watch.Settle = output.GzipNone, 20*time.Millisecond
	if err := os.Symlink("1", config.Scanner.Docroot); err != nil {
		t.Fatal(err)
	}
	return dir, config
}

// release has the second folder take the place of the first.
func release(t *testing.T, dir string) {
	t.Helper()
	next := filepath.Join(dir, "next")
	if err := errors.Join(os.Symlink("2", next), os.Rename(next, filepath.Join(dir, "current"))); err != nil {
		t.Fatal(err)
	}
}

// untilSays waits until a file has a text.
func untilSays(t *testing.T, text string, path ...string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		content, err := os.ReadFile(filepath.Join(path...))
		if err == nil && strings.Contains(string(content), text) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%q is not in it: %q, %v", text, content, err)
		}
	}
}

// The next release may have the same pages, and a robots.txt without the line.
func TestTheRobotsTxtOfADocrootThatTakesThePlaceOfAnotherNamesTheSet(t *testing.T) {
	dir, config := newReleases(t, "index.html")
	for _, folder := range []string{"1", "2"} {
		writeIn(t, filepath.Join(dir, folder), "robots.txt", "User-agent: *\n")
	}
	config.Mapper.Robots.Update = true
	await(t, watchWith(t, config, nil), sitewalk.EventReady)
	release(t, dir)
	untilSays(t, "\nSitemap: https://h.test/sitemap.xml\n", dir, "2", "robots.txt")
}

// A deployment brings another docroot and other extra URLs at once, and the docroot is
// noticed first.
func TestWatchTakesExtraURLsThatChangeWithTheDocroot(t *testing.T) {
	dir, config := newReleases(t, "index.html")
	writeIn(t, dir, "extra.txt", "")
	config.Mapper.ExtraURLs = []string{filepath.Join(dir, "extra.txt")}
	await(t, watchWith(t, config, nil), sitewalk.EventReady)
	writeIn(t, dir, "extra.txt", "https://h.test/shop\n")
	release(t, dir)
	untilSays(t, "<loc>https://h.test/shop</loc>", config.Out, "sitemap.xml")
}

// Whatever a watch begins anew for, pages that stayed as they were have other URLs where
// others are found to spell theirs otherwise.
func TestWatchRestylesWhatADocrootHasInCommonWithTheOneBefore(t *testing.T) {
	dir, config := newReleases(t, "blog/index.html", "page.html")
	writeIn(t, dir, "2/a/index.html", says("/a/index.html"))
	blog := "blog"
	config.Mapper.URLs.Preset = mapper.PresetAuto
	config.Mapper.Rules = []mapper.Rule{{Match: []string{"blog/**"}, Section: &blog}}
	await(t, watchWith(t, config, nil), sitewalk.EventReady)
	release(t, dir)
	untilSays(t, "<loc>https://h.test/blog/index.html</loc>", config.Out, "sitemap-blog.xml")
}
