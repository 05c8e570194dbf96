//go:build unix

package main

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

const sectioned = "output: {max_urls: 40, text: true}\nrules:\n  - {match: 'blog/**', section: blog, priority: 0.8}\n"

// pagesInOrder makes a docroot of the same pages, created in another order for
// each seed, among others that are removed again, so that the file system too
// keeps them in another order.
func pagesInOrder(t *testing.T, docroot string, seed uint64) {
	t.Helper()
	names := append(numbered("blog", 250), numbered("docs", 150)...)
	names = append(names, nastyNames...)
	for i, name := range names[400:] {
		names[400+i] = name + ".html"
	}
	order := rand.New(rand.NewPCG(seed, seed)).Perm(len(names))
	for _, i := range order {
		writePage(t, docroot, "passing-"+names[i], firstDate)
		writePage(t, docroot, names[i], firstDate.AddDate(0, 0, i))
	}
	for _, name := range names {
		if err := os.Remove(filepath.Join(docroot, "passing-"+name)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSamePagesGiveTheSameBytes(t *testing.T) {
	config := siteConfig(t, sectioned)
	var first map[string]string
	for seed, args := range [][]string{{"-j", "1"}, {"-j", "8"}, {"-j", "2"}, nil} {
		docroot, out := publicDir(t), t.TempDir()
		pagesInOrder(t, docroot, uint64(seed))
		build(t, append([]string{"-c", config, "--docroot", docroot, "--out", out}, args...)...)
		files := folderBytes(t, out)
		if first == nil {
			first = files
			if len(files) < 10 {
				t.Fatalf("only %d files", len(files))
			}
		}
		if !maps.Equal(files, first) {
			t.Errorf("run %d %v differs from the first: %d files and %d", seed, args, len(files), len(first))
		}
	}
}

func TestTheEndOfAHistoryIsWhatAFreshBuildWrites(t *testing.T) {
	config := siteConfig(t, sectioned+"lastmod: []\n")
	docroot, out, fresh := publicDir(t), t.TempDir(), t.TempDir()
	names := numbered("blog", 250)
	writePages(t, docroot, names...)
	random := rand.New(rand.NewPCG(1, 2))
	for step := range 8 {
		build(t, "-c", config, "--docroot", docroot, "--out", out)
		for range 5 * step {
			name := names[random.IntN(len(names))]
			if path := filepath.Join(docroot, name); os.Remove(path) != nil {
				writePage(t, docroot, name, firstDate)
			}
		}
	}
	build(t, "-c", config, "--docroot", docroot, "--out", out)
	build(t, "-c", config, "--docroot", docroot, "--out", fresh)
	p := protocol09
	p.scope = exampleBase
	grown, made := checkSet(t, out, p), checkSet(t, fresh, p)
	for _, name := range made.shards {
		if string(grown.xml[name]) != string(made.xml[name]) {
			t.Errorf("%s differs from a fresh build's", name)
		}
	}
	if len(grown.shards) != len(made.shards) {
		t.Errorf("%d shards, and %d in a fresh build", len(grown.shards), len(made.shards))
	}
}
