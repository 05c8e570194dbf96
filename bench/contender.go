package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
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
	over    *contender   // what its time is divided by; itself if nil
	seconds []float64
	cpu     []float64 // seconds of processor time: what other programs disturb less
	peak    []float64 // MiB, of the largest single process
}

// runSeries runs all contenders in turn, round after round, and keeps what each took.
// What warms the caches is run first, and not counted.
func runSeries(warming, contenders []*contender, rounds, rareRounds int) {
	for _, c := range warming {
		c.measure("warming")
	}
	for round := range rounds {
		for _, c := range contenders {
			if c.rare && round >= rareRounds {
				continue
			}
			seconds, cpu, peak := c.measure(fmt.Sprint("round ", round+1))
			c.seconds, c.cpu, c.peak = append(c.seconds, seconds), append(c.cpu, cpu), append(c.peak, peak)
		}
	}
}

// measure runs the contender once, and says what it took.
func (c *contender) measure(when string) (seconds, cpu, peak float64) {
	seconds, ended := c.run()
	cpu, peak = (ended.UserTime() + ended.SystemTime()).Seconds(), peakMiB(ended)
	fmt.Fprintf(os.Stderr, "%s: %-34s %7.3f s %7.3f s of CPU %8.1f MiB\n", when, c.name, seconds, cpu, peak)
	return seconds, cpu, peak
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
			floor = c
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
