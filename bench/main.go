// Command bench times whole runs of sitewalk against the floors under any walk
// of a docroot, one that stats all files and one that reads them, against find,
// static-sitemap-cli and the sitemap that Hugo writes itself, all in one interleaved
// series, and prints medians and ratios:
//
//	go run ./bench -docroot DIR -walklimit FILE [-sscli FILE] [-hugo FILE] [-rounds 5]
//
// DIR is made by gendocroot and FILE built from walklimit.c, of ../shared/bench;
// static-sitemap-cli comes from npm. The script bench/all makes and fetches all of
// that, and runs this. The first round, which warms the page cache, is not counted.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// contender is a command that is timed.
type contender struct {
	name    string
	args    []string
	before  func() error // before each run, not timed
	rare    bool         // too slow to run in every round
	floor   int          // index of what its time is divided by
	over    *contender   // what its time is divided by instead, if it is not nil
	seconds []float64
	cpu     []float64 // seconds of processor time: what other programs disturb less
	peak    []float64 // MiB, of the largest single process
}

func main() {
	docroot := flag.String("docroot", "", "docroot to measure on")
	walklimit := flag.String("walklimit", "", "the floor's program")
	sscli := flag.String("sscli", "", "static-sitemap-cli's program; left out if empty")
	hugo := flag.String("hugo", "", "Hugo's program; left out if empty")
	hugoPages := flag.Int("hugo-pages", 20_000, "pages of the site that Hugo builds")
	rounds := flag.Int("rounds", 5, "rounds that are counted")
	rareRounds := flag.Int("rare", 1, "of them, rounds in which static-sitemap-cli runs")
	rules := flag.String("rules", "", "configuration file with rules; adds a run with it")
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

	const url = "https://www.example.com/"
	ours := func(out string, more ...string) []string {
		return append([]string{program, "build", "--docroot", *docroot, "--base-url", url,
			"--quiet", "--out", filepath.Join(temp, out)}, more...)
	}
	without := func(name string) func() error {
		return func() error { return os.RemoveAll(filepath.Join(temp, name)) }
	}
	byContent := filepath.Join(temp, "content.yaml")
	check(os.WriteFile(byContent, []byte("base_url: "+url+"\nlastmod: [content]\n"), 0o644))
	state := func(name string) string { return filepath.Join(temp, name+".state") }
	const readFloor = 1 // index of walklimit 2 read
	contenders := []*contender{
		{name: "walklimit 2 stat", args: []string{*walklimit, "2", "stat", *docroot}},
		{name: "walklimit 2 read", args: []string{*walklimit, "2", "read", *docroot}, floor: readFloor},
		{name: "pages not read, first build", args: ours("first", "--no-read"), before: without("first")},
		{name: "pages not read, nothing changed", args: ours("again", "--no-read")},
		{name: "pages read, no state", args: ours("unstated", "--no-state"), floor: readFloor},
		{name: "pages read, first state", args: ours("stated", "--state", state("new")), before: without("new.state"), floor: readFloor},
		{name: "state, nothing changed", args: ours("warm", "--state", state("warm"))},
		{name: "state by content, nothing changed", args: ours("content", "--state", state("content"), "--config", byContent)},
		{name: "find -printf '%p %T@'", args: []string{"find", *docroot, "-type", "f", "-printf", `%p %T@\n`}},
	}
	if *rules != "" {
		contenders = append(contenders, &contender{name: "sitewalk, with " + filepath.Base(*rules), args: ours("rules", "--no-read", "--config", *rules)})
	}
	if *sscli != "" {
		contenders = append(contenders, &contender{name: "static-sitemap-cli", rare: true,
			args: []string{*sscli, "-b", url, "-r", *docroot, "--no-robots", "-f", "xml", "-o"}})
	}
	if *hugo != "" {
		contenders = append(contenders, hugoContenders(*hugo, program, temp, *hugoPages)...)
	}
	for round := range *rounds + 1 {
		for _, c := range contenders {
			if c.rare && (round == 0 || round > *rareRounds) {
				continue
			}
			seconds, ended := c.run()
			cpu, peak := (ended.UserTime() + ended.SystemTime()).Seconds(), peakMiB(ended)
			fmt.Fprintf(os.Stderr, "round %d: %-34s %7.3f s %7.3f s of CPU %8.1f MiB\n", round, c.name, seconds, cpu, peak)
			if round > 0 {
				c.seconds, c.cpu, c.peak = append(c.seconds, seconds), append(c.cpu, cpu), append(c.peak, peak)
			}
		}
	}
	printTable(contenders)
}

func (c *contender) run() (seconds float64, ended *os.ProcessState) {
	if c.before != nil {
		check(c.before())
	}
	cmd := exec.Command(c.args[0], c.args[1:]...)
	cmd.Stdout, cmd.Stderr = io.Discard, os.Stderr
	start := time.Now()
	err := cmd.Run()
	seconds = time.Since(start).Seconds()
	if err != nil {
		log.Fatalf("%s: %v", strings.Join(c.args, " "), err)
	}
	return seconds, cmd.ProcessState
}

// printTable prints medians and ratios as Markdown.
func printTable(contenders []*contender) {
	fmt.Println("| command | median s | min–max | × floor | CPU s | × floor | peak MiB |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, c := range contenders {
		if len(c.seconds) == 0 {
			continue
		}
		floor := c.over
		if floor == nil {
			floor = contenders[c.floor]
		}
		m, cpu := median(c.seconds), median(c.cpu)
		fmt.Printf("| %s | %.3f | %.3f–%.3f | %.2f | %.2f | %.2f | %.0f |\n", c.name, m, slices.Min(c.seconds), slices.Max(c.seconds),
			m/median(floor.seconds), cpu, cpu/median(floor.cpu), slices.Max(c.peak))
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
