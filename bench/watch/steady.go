//go:build linux

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"
)

const (
	// steadyPages is how many pages take turns.
	steadyPages = 20_000
	// quietAfter is how long a watch has told nothing when it counts as having
	// published all.
	quietAfter = 15 * time.Second
)

// steady changes pages at a rate a second for some time: of eight changes six edit a
// page, one makes a file and one removes one. It prints what the watch takes, minute by
// minute, and then whether what it published equals a fresh build.
func (w *watch) steady(program, docroot, temp string, rate int, lasts time.Duration) {
	pages := somePages(docroot, steadyPages)
	dir := filepath.Join(docroot, "steady")
	check(os.Mkdir(dir, 0o755))
	defer os.RemoveAll(dir)
	events := make(chan event, 1000)
	go func() {
		defer close(events)
		for w.lines.Scan() {
			events <- w.parse()
		}
	}()
	fmt.Printf("%d changes a second for %v\n\n| minute | changes | publications | processor | resident | at most |\n|---|---|---|---|---|---|\n", rate, lasts)
	var made []string
	changes, published := 0, 0
	cpu, begun := w.cpu(), time.Now()
	ticks, minutes := time.NewTicker(time.Second/time.Duration(rate)), time.NewTicker(time.Minute)
	defer ticks.Stop()
	defer minutes.Stop()
	for minute := 1; time.Since(begun) < lasts; {
		select {
		case <-ticks.C:
			// A ticker drops ticks that nobody has time for.
			for due := int(time.Since(begun).Seconds() * float64(rate)); changes < due; changes++ {
				made = change(pages, dir, made, changes)
			}
		case e := <-events:
			if e.Event != "published" {
				check(fmt.Errorf("the watch told %+v", e))
			}
			published++
		case <-minutes.C:
			now := w.cpu()
			fmt.Printf("| %d | %d | %d | %.0f %% | %.0f MiB | %.0f MiB |\n", minute, changes, published, (now-cpu)/60*100, w.memory("VmRSS"), w.memory("VmHWM"))
			cpu, minute = now, minute+1
		}
	}
	for quiet := false; !quiet; {
		select {
		case <-events:
			published++
		case <-time.After(quietAfter):
			quiet = true
		}
	}
	fresh := filepath.Join(temp, "fresh")
	build := exec.Command(program, "build", "--quiet", "--no-state", "--base-url", "https://www.example.com/", "--docroot", docroot, "--out", fresh)
	build.Stderr = os.Stderr
	check(build.Run())
	files, differing := compare(fresh, filepath.Join(temp, "out"))
	fmt.Printf("\nin all %d changes and %d publications; %.0f MiB resident at the end; %d files of the set, of which %d differ from a fresh build's\n",
		changes, published, w.memory("VmRSS"), files, differing)
	if differing > 0 {
		check(fmt.Errorf("the watch has drifted"))
	}
}

// change makes the n-th change, and returns the files that have been made and not
// removed.
func change(pages []string, dir string, made []string, n int) []string {
	switch n % 8 {
	case 0:
		path := filepath.Join(dir, fmt.Sprintf("page-%07d.html", n))
		check(os.WriteFile(path, []byte("<!doctype html><title>page</title>"), 0o644))
		return append(made, path)
	case 4:
		if len(made) > 100 {
			i := rand.IntN(len(made))
			check(os.Remove(made[i]))
			made[i] = made[len(made)-1]
			return made[:len(made)-1]
		}
	}
	file, err := os.OpenFile(pages[rand.IntN(len(pages))], os.O_APPEND|os.O_WRONLY, 0)
	check(err)
	_, err = file.WriteString("\n")
	check(err)
	check(file.Close())
	return made
}

// lastMods are what the index says of its shards, which tells when each changed.
var lastMods = regexp.MustCompile(`<lastmod>[^<]*</lastmod>`)

// compare returns the number of files in a set, and of those that another lacks or has
// otherwise, but for the dates in the index.
func compare(fresh, kept string) (files, differing int) {
	entries, err := os.ReadDir(fresh)
	check(err)
	for _, entry := range entries {
		want, err := os.ReadFile(filepath.Join(fresh, entry.Name()))
		check(err)
		got, _ := os.ReadFile(filepath.Join(kept, entry.Name()))
		if bytes.Contains(want, []byte("<sitemapindex")) {
			want, got = lastMods.ReplaceAll(want, nil), lastMods.ReplaceAll(got, nil)
		}
		files++
		if !bytes.Equal(want, got) {
			differing++
		}
	}
	return files, differing
}
