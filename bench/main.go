// Command bench times whole runs of sitewalk against the floors under any walk
// of a docroot, one that stats all files and one that reads them, against find,
// static-sitemap-cli and the sitemap that Hugo writes itself, all in one interleaved
// series, and prints medians and ratios:
//
//	go run ./bench -docroot DIR -walklimit FILE [-sscli FILE] [-hugo FILE] [-rounds 5]
//
// DIR is made by gendocroot and FILE built from walklimit.c, of ../shared/bench;
// static-sitemap-cli comes from npm. The script bench/all makes and fetches all of
// that, and runs this. A first round, which warms the caches, is not counted.
//
//	go run ./bench -load 1,5,20 -docroot DIR -walklimit FILE
//
// makes docroots of so many million pages in DIR, from few files with many names each,
// keeps them there for the next time, and shows how time and memory grow.
package main

import (
	"flag"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

func main() {
	docroot := flag.String("docroot", "", "docroot to measure on; with -load, folder for docroots")
	walklimit := flag.String("walklimit", "", "the floor's program")
	sscli := flag.String("sscli", "", "static-sitemap-cli's program; left out if empty")
	hugo := flag.String("hugo", "", "Hugo's program; left out if empty")
	hugoPages := flag.Int("hugo-pages", 20_000, "pages of the site that Hugo builds")
	rounds := flag.Int("rounds", 5, "rounds that are counted")
	rareRounds := flag.Int("rare", 1, "of them, rounds in which static-sitemap-cli runs")
	rules := flag.String("rules", "", "configuration file with rules; adds a run with it")
	load := flag.String("load", "", "sizes of docroots in millions of pages, with commas between them")
	flag.Parse()
	if *docroot == "" || *walklimit == "" {
		flag.Usage()
		os.Exit(2)
	}
	temp, err := os.MkdirTemp("", "sitewalk-bench-")
	check(err)
	defer os.RemoveAll(temp)
	program := filepath.Join(temp, "sitewalk")
	build := exec.Command("go", "build", "-o", program, "./cmd/sitewalk")
	build.Stderr = os.Stderr
	check(build.Run())

	bench := &bench{program: program, walklimit: *walklimit, docroot: *docroot, temp: temp}
	if *load != "" {
		bench.load(*load, *rounds)
		return
	}
	stat, read := bench.floors()
	contenders := append([]*contender{stat, read}, bench.builds(stat, read)...)
	byContent := filepath.Join(temp, "content.yaml")
	check(os.WriteFile(byContent, []byte("base_url: "+siteURL+"\nlastmod: [content]\n"), 0o644))
	contenders = append(contenders,
		&contender{name: "state by content, nothing changed", over: stat,
			args: bench.build("content", "--state", bench.path("content.state"), "--config", byContent)},
		&contender{name: "find -printf '%p %T@'", over: stat, args: []string{"find", *docroot, "-type", "f", "-printf", `%p %T@\n`}})
	if *rules != "" {
		contenders = append(contenders, &contender{name: "sitewalk, with " + filepath.Base(*rules), over: stat,
			args: bench.build("rules", "--no-read", "--config", *rules)})
	}
	if *sscli != "" {
		contenders = append(contenders, &contender{name: "static-sitemap-cli", rare: true, over: read,
			args: []string{*sscli, "-b", siteURL, "-r", *docroot, "--no-robots", "-f", "xml", "-o"}})
	}
	if *hugo != "" {
		contenders = append(contenders, hugoContenders(*hugo, program, temp, *hugoPages)...)
	}
	often := slices.DeleteFunc(slices.Clone(contenders), func(c *contender) bool { return c.rare })
	runSeries(often, contenders, *rounds, *rareRounds)
	printTable(contenders)
}

const siteURL = "https://www.example.com/"

// bench is what is measured.
type bench struct {
	program   string // sitewalk
	walklimit string
	docroot   string
	temp      string // for sets and states
}

func (b *bench) path(name string) string { return filepath.Join(b.temp, name) }

// build returns a build of the docroot into a folder.
func (b *bench) build(out string, more ...string) []string {
	return append([]string{b.program, "build", "--docroot", b.docroot, "--base-url", siteURL, "--quiet", "--out", b.path(out)}, more...)
}

// floors returns what no tool can be quicker than: to stat all files, and to read them.
func (b *bench) floors() (stat, read *contender) {
	stat = &contender{name: "walklimit 2 stat", args: []string{b.walklimit, "2", "stat", b.docroot}}
	read = &contender{name: "walklimit 2 read", args: []string{b.walklimit, "2", "read", b.docroot}}
	return stat, read
}

// builds returns the builds that a site goes through, in an order in which each finds
// what it needs of those before.
func (b *bench) builds(stat, read *contender) []*contender {
	without := func(name string) func() error {
		return func() error { return os.RemoveAll(b.path(name)) }
	}
	return []*contender{
		{name: "pages not read, first build", over: stat, args: b.build("first", "--no-read"), before: without("first")},
		{name: "pages not read, nothing changed", over: stat, args: b.build("first", "--no-read")},
		{name: "pages read, no state", over: read, args: b.build("unstated", "--no-state")},
		{name: "pages read, first state", over: read, args: b.build("stated", "--state", b.path("new.state")), before: without("new.state")},
		{name: "state, nothing changed", over: stat, args: b.build("stated", "--state", b.path("new.state"))},
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
