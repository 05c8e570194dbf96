package sitewalk_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sitewalk"
	"sitewalk/output"
)

// A deployment brings another docroot and other extra URLs at once, and the docroot is
// noticed first.
func TestWatchTakesExtraURLsThatChangeWithTheDocroot(t *testing.T) {
	dir := t.TempDir()
	for _, release := range []string{"1", "2"} {
		writeIn(t, filepath.Join(dir, release), "index.html", "x")
		if err := os.Chtimes(filepath.Join(dir, release, "index.html"), siteTime, siteTime); err != nil {
			t.Fatal(err)
		}
	}
	list := filepath.Join(dir, "extra.txt")
	writeIn(t, dir, "extra.txt", "")
	config := sitewalk.DefaultConfig()
	config.Mapper.BaseURL, config.Mapper.ExtraURLs = "https://h.test/", []string{list}
	config.Scanner.Docroot, config.Out = filepath.Join(dir, "current"), t.TempDir()
	config.Output.Files.Gzip, config.Watch.Settle = output.GzipNone, 20*time.Millisecond
	if err := os.Symlink("1", config.Scanner.Docroot); err != nil {
		t.Fatal(err)
	}
	await(t, watchWith(t, config, nil), sitewalk.EventReady)
	next := filepath.Join(dir, "next")
	if err := errors.Join(os.Symlink("2", next), os.WriteFile(list, []byte("https://h.test/shop\n"), 0o644), os.Rename(next, config.Scanner.Docroot)); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		set, err := os.ReadFile(filepath.Join(config.Out, "sitemap.xml"))
		if err == nil && strings.Contains(string(set), "<loc>https://h.test/shop</loc>") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("listed is %s, %v", set, err)
		}
	}
}
