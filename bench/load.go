package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// load measures docroots of several sizes, given in millions of pages, and prints one
// table. Each size is warmed by its floors, and all its runs stand next to each other:
// the caches hold the folders of one size more surely than those of all.
func (b *bench) load(sizes string, rounds int) {
	folder := b.docroot
	fmt.Println("| million pages | command | median s | µs a page | × floor | CPU × floor | peak MiB |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, size := range strings.Split(sizes, ",") {
		millions, err := strconv.ParseFloat(size, 64)
		check(err)
		pages := int(millions * 1e6)
		b.docroot = filepath.Join(folder, "linked-"+size)
		makeLinked(b.docroot, pages)
		stat, read := b.floors()
		contenders := append([]*contender{stat, read}, b.builds(stat, read)...)
		runSeries([]*contender{stat, read}, contenders, rounds, 0)
		for _, c := range contenders {
			floor := c.over
			if floor == nil {
				floor = c
			}
			seconds := median(c.seconds)
			fmt.Printf("| %s | %s | %.2f | %.2f | %.2f | %.2f | %.0f |\n", size, c.name, seconds, seconds/float64(pages)*1e6,
				seconds/median(floor.seconds), median(c.cpu)/median(floor.cpu), median(c.peak))
		}
	}
}

const (
	pagesPerFolder = 100
	// namesPerFile is below what ext4 allows, 65,000.
	namesPerFile = 60_000
)

// makeLinked makes a docroot of so many pages of 2 KB, a hundred in a folder, as
// gendocroot does, unless it is there. The pages are hard links to few files: so that
// twenty million fit on a disk without twenty million inodes, and their folders into
// the caches of the system.
func makeLinked(docroot string, pages int) {
	done := docroot + ".done"
	if _, err := os.Stat(done); err == nil {
		return
	}
	log.Printf("making %s", docroot)
	text := append([]byte("<!doctype html><html lang=en><head><meta charset=utf-8><title>Page</title>\n</head><body>\n"),
		bytes.Repeat([]byte("<p>The quick brown fox jumps over the lazy dog.</p>\n"), 37)...)
	epoch := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	var file, dir string
	for i := range pages {
		if i%pagesPerFolder == 0 {
			dir = filepath.Join(docroot, "docs", fmt.Sprintf("part-%d", i/pagesPerFolder))
			check(os.MkdirAll(dir, 0o755))
		}
		path := filepath.Join(dir, fmt.Sprintf("page-about-thing-%d.html", i))
		if i%namesPerFile > 0 {
			check(os.Link(file, path))
			continue
		}
		file = path
		check(os.WriteFile(file, text, 0o644))
		mtime := epoch.Add(time.Duration(i) * time.Second)
		check(os.Chtimes(file, mtime, mtime))
	}
	check(os.WriteFile(done, nil, 0o644))
}
