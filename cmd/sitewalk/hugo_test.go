//go:build unix

package main

import (
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// hugoBase is the base URL in testdata/hugo/hugo.toml.
const hugoBase = "https://hugo.example/"

// buildHugo has real Hugo build the site in testdata/hugo, and returns the docroot.
func buildHugo(t *testing.T) string {
	t.Helper()
	hugo := program(t, "hugo")
	source, err := filepath.Abs("../../testdata/hugo")
	if err != nil {
		t.Fatal(err)
	}
	docroot := filepath.Join(publicDir(t), "public")
	cmd := exec.Command(hugo, "--source", source, "--destination", docroot,
		"--cacheDir", t.TempDir(), "--noBuildLock", "--quiet")
	cmd.Env = cleanEnv()
	if done := finish(t, cmd); done.code != 0 {
		t.Fatalf("hugo ends with %d\n%s%s", done.code, done.stdout, done.stderr)
	}
	return docroot
}

// hugoLocs returns the URLs that Hugo itself lists: those of the languages'
// sitemaps, which its own sitemap names.
func hugoLocs(t *testing.T, docroot string) []string {
	t.Helper()
	var index indexFile
	if err := xml.Unmarshal([]byte(readFile(t, filepath.Join(docroot, "sitemap.xml"))), &index); err != nil {
		t.Fatal(err)
	}
	var locs []string
	for _, sitemap := range index.Sitemaps {
		var shard shardFile
		name := strings.TrimPrefix(sitemap.Loc, hugoBase)
		if err := xml.Unmarshal([]byte(readFile(t, filepath.Join(docroot, name))), &shard); err != nil {
			t.Fatal(err)
		}
		for _, page := range shard.Pages {
			locs = append(locs, page.Loc)
		}
	}
	return locs
}

func TestEveryPageThatHugoListsIsListed(t *testing.T) {
	docroot := buildHugo(t)
	wanted := hugoLocs(t, docroot)
	if len(wanted) < 30 {
		t.Fatalf("Hugo lists only %d pages", len(wanted))
	}
	build(t, "--docroot", docroot, "--base-url", hugoBase)
	p := protocol09
	p.scope = hugoBase
	listed := checkSet(t, docroot, p).locs()
	if lacking := missing(wanted, listed); len(lacking) > 0 {
		t.Errorf("not listed:\n%s", strings.Join(lacking, "\n"))
	}
	// Aliases, and the second and later pages of lists, which Hugo leaves out.
	// Aliases go once pages are read.
	extra := missing(listed, wanted)
	t.Logf("%d of Hugo's pages, and %d that Hugo does not list", len(wanted), len(extra))
	for _, loc := range extra {
		if path := strings.TrimPrefix(loc, hugoBase); strings.Contains(path, "404") || strings.Contains(path, "draft") {
			t.Errorf("%s is listed", loc)
		}
		if !strings.Contains(loc, "/page/") && !isHugoAlias(t, docroot, loc) {
			t.Errorf("%s is neither an alias nor a later page of a list", loc)
		}
	}
}

// isHugoAlias reports whether a URL leads to a page that only redirects.
func isHugoAlias(t *testing.T, docroot, loc string) bool {
	t.Helper()
	path := filepath.Join(docroot, strings.TrimPrefix(loc, hugoBase))
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "index.html")
	}
	return strings.Contains(readFile(t, path), `http-equiv="refresh"`)
}

func TestHugoRebuildLeavesTheSetAsItIs(t *testing.T) {
	docroot := buildHugo(t)
	out := t.TempDir()
	build(t, "--docroot", docroot, "--base-url", hugoBase, "--out", out)
	before := folderBytes(t, out)
	if done := build(t, "--docroot", docroot, "--base-url", hugoBase, "--out", out); !strings.Contains(done.stdout, "nothing to change") {
		t.Errorf("a second run says %q", done.stdout)
	}
	for name, content := range folderBytes(t, out) {
		if before[name] != content {
			t.Errorf("%s has changed", name)
		}
	}
}
