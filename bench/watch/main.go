//go:build linux

// Command watch measures what a watch of a docroot costs, and how long it takes to
// publish what changes there:
//
//	go run ./bench/watch -docroot DIR [-edits 100] [-move FOLDER] [-burst 200000] [-steady 10m]
//
// DIR is made by gendocroot, of ../shared/bench, and is changed: a newline is
// added to each edited page, FOLDER is renamed and renamed back, and a burst of
// files is made and removed. With -steady pages change for so long without a pause, and
// what was published at the end is compared with a fresh build. The set is published
// elsewhere.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	docroot := flag.String("docroot", "", "docroot to measure on, which is changed")
	edits := flag.Int("edits", 100, "pages to edit, one after the other")
	rounds := flag.Int("rounds", 3, "times to start with watches and without")
	move := flag.String("move", "", "folder of the docroot to rename, and rename back")
	burst := flag.Int("burst", 0, "files to make at once")
	lasts := flag.Duration("steady", 0, "how long to change pages without a pause")
	rate := flag.Int("rate", 200, "of these changes, how many a second")
	flag.Parse()
	if *docroot == "" {
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

	var watched, polled []float64
	for range *rounds {
		polled = append(polled, start(program, *docroot, temp, "always").stop())
		watched = append(watched, start(program, *docroot, temp, "auto").stop())
	}
	w := start(program, *docroot, temp, "auto")
	defer w.stop()
	fmt.Printf("%d pages, %d folders (%s), ready after %.2f s, without watches %.2f s (medians of %d)\n",
		w.pages, w.folders, w.mode, at(watched, 0.5), at(polled, 0.5), *rounds)
	time.Sleep(3 * time.Second)
	cpu := w.cpu()
	time.Sleep(10 * time.Second)
	fmt.Printf("idle: %.2f %% of a processor, %.0f MiB resident, %.0f MiB at most\n", 10*(w.cpu()-cpu), w.memory("VmRSS"), w.memory("VmHWM"))
	w.edit(somePages(*docroot, *edits))
	if *burst > 0 {
		w.burst(*docroot, *burst, 0)
		w.burst(*docroot, *burst, 5*time.Second)
	}
	if *move != "" {
		w.move(filepath.Join(*docroot, *move))
	}
	if *lasts > 0 {
		w.steady(program, *docroot, temp, *rate, *lasts)
	}
	fmt.Printf("at the end: %.0f MiB resident, %.0f MiB at most\n", w.memory("VmRSS"), w.memory("VmHWM"))
}

// watch is a sitewalk that watches.
type watch struct {
	cmd     *exec.Cmd
	lines   *bufio.Scanner
	ready   float64 // seconds until it was
	pages   int64
	folders int
	mode    string
	scan    float64 // seconds that the first build took
}

// event is what it prints.
type event struct {
	Event       string
	Pages       int64
	Written     []string
	Directories int
	Mode        string
	Seconds     float64
	Added       int64 `json:"pages_added"`
	Removed     int64 `json:"pages_removed"`
}

func start(program, docroot, temp, poll string) *watch {
	config := filepath.Join(temp, poll+".yaml")
	check(os.WriteFile(config, []byte("base_url: https://www.example.com/\nwatch: {poll: "+poll+"}\n"), 0o644))
	w := &watch{cmd: exec.Command(program, "watch", "--json", "--no-state", "--config", config, "--docroot", docroot, "--out", filepath.Join(temp, "out"))}
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} // should this program be killed
	output, err := w.cmd.StdoutPipe()
	check(err)
	w.lines = bufio.NewScanner(output)
	w.lines.Buffer(nil, 1<<20)
	begun := time.Now()
	check(w.cmd.Start())
	first := w.next()
	w.pages, w.scan = first.Pages, first.Seconds
	ready := w.next()
	w.ready = time.Since(begun).Seconds()
	w.folders, w.mode = ready.Directories, ready.Mode
	return w
}

func (w *watch) stop() (ready float64) {
	check(w.cmd.Process.Signal(syscall.SIGTERM))
	_ = w.cmd.Wait()
	return w.ready
}

func (w *watch) next() event {
	if !w.lines.Scan() {
		log.Fatalf("the watch has ended: %v", w.lines.Err())
	}
	return w.parse()
}

func (w *watch) parse() (e event) {
	check(json.Unmarshal(w.lines.Bytes(), &e))
	return e
}

// edit changes pages one after the other, and waits for each to be published.
func (w *watch) edit(pages []string) {
	var latency, work []float64
	cpu := w.cpu()
	for _, page := range pages {
		time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
		file, err := os.OpenFile(page, os.O_APPEND|os.O_WRONLY, 0)
		check(err)
		_, err = file.WriteString("\n")
		check(err)
		check(file.Close())
		begun := time.Now()
		e := w.next()
		latency = append(latency, time.Since(begun).Seconds()*1000)
		work = append(work, e.Seconds*1000)
		if e.Event != "published" || len(e.Written) > 2 {
			log.Fatalf("an edit gave %+v", e)
		}
	}
	fmt.Printf("%d edits: published after %.0f ms at the median, %.0f ms at 99 %%, %.0f ms at most; of that work %.1f ms at the median; %.1f ms of processor time each\n",
		len(pages), at(latency, 0.5), at(latency, 0.99), at(latency, 1), at(work, 0.5), (w.cpu()-cpu)*1000/float64(len(pages)))
}

// burst makes many files at once, and removes them. The watch is stopped meanwhile for
// some time, if that is not 0, so that the system's queue of events overflows.
func (w *watch) burst(docroot string, files int, stopped time.Duration) {
	dir := filepath.Join(docroot, "burst")
	check(os.Mkdir(dir, 0o755))
	begun := time.Now()
	if stopped > 0 {
		check(w.cmd.Process.Signal(syscall.SIGSTOP))
	}
	for i := range files {
		check(os.WriteFile(filepath.Join(dir, fmt.Sprintf("page-%06d.html", i)), []byte("<!doctype html><title>page</title>"), 0o644))
	}
	if stopped > 0 {
		time.Sleep(time.Until(begun.Add(stopped)))
		check(w.cmd.Process.Signal(syscall.SIGCONT))
	}
	made := time.Now()
	w.await(func(e event) bool { return e.Pages == w.pages+int64(files) })
	fmt.Printf("burst of %d files, stopped for %v: published %.2f s after the end; the first scan took %.2f s\n",
		files, stopped, time.Since(made).Seconds(), w.scan)
	check(os.RemoveAll(dir))
	w.await(func(e event) bool { return e.Pages == w.pages })
}

// move renames a folder, and renames it back.
func (w *watch) move(dir string) {
	for _, names := range [][2]string{{dir, dir + "-moved"}, {dir + "-moved", dir}} {
		check(os.Rename(names[0], names[1]))
		begun := time.Now()
		e := w.await(func(e event) bool { return e.Added > 0 })
		fmt.Printf("folder of %d pages moved: published after %.2f s\n", e.Added, time.Since(begun).Seconds())
	}
}

func (w *watch) await(is func(event) bool) event {
	for {
		if e := w.next(); is(e) {
			return e
		}
	}
}

// cpu returns the processor time that the watch has used, in seconds.
func (w *watch) cpu() float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.cmd.Process.Pid))
	check(err)
	// https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: utime and stime, in
	// hundredths of a second, are the 12th and 13th field behind the name.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	user, err := strconv.Atoi(fields[11])
	check(err)
	system, err := strconv.Atoi(fields[12])
	check(err)
	return float64(user+system) / 100
}

// memory returns a line of the watch's status, in MiB.
func (w *watch) memory(name string) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.cmd.Process.Pid))
	check(err)
	_, after, _ := strings.Cut(string(text), name+":")
	kib, err := strconv.Atoi(strings.Fields(after)[0])
	check(err)
	return float64(kib) / 1024
}

// somePages returns so many pages of a docroot, chosen at random.
func somePages(docroot string, count int) []string {
	var chosen []string
	seen := 0
	check(filepath.WalkDir(docroot, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".html") {
			return err
		}
		if seen++; len(chosen) < count {
			chosen = append(chosen, path)
		} else if i := rand.IntN(seen); i < count {
			chosen[i] = path
		}
		return nil
	}))
	rand.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	return chosen
}

// at returns the value at a share of some values, from 0 to 1.
func at(values []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
