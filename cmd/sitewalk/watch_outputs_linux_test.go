package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A spy tells what others open in folders.
type spy struct {
	fd      int
	folders map[int]string
}

func spyOn(t *testing.T, folders ...string) *spy {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	s := &spy{fd, map[int]string{}}
	for _, folder := range folders {
		watch, err := unix.InotifyAddWatch(fd, folder, unix.IN_OPEN)
		if err != nil {
			t.Fatal(err)
		}
		s.folders[watch] = folder
	}
	return s
}

// opened returns the paths of the files and folders opened since the last call.
func (s *spy) opened(t *testing.T) (paths []string) {
	t.Helper()
	buffer := make([]byte, 1<<16)
	for {
		n, err := unix.Read(s.fd, buffer)
		if err == unix.EAGAIN {
			return paths
		}
		if err != nil {
			t.Fatal(err)
		}
		for events := buffer[:n]; len(events) > 0; {
			watch, length := int32(binary.NativeEndian.Uint32(events)), binary.NativeEndian.Uint32(events[12:])
			name, _, _ := strings.Cut(string(events[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+length]), "\x00")
			paths = append(paths, filepath.Join(s.folders[int(watch)], name))
			events = events[unix.SizeofInotifyEvent+length:]
		}
	}
}

// reads returns how often the process has read anything. When nothing happens it
// reads the table of mounts, once a second.
func (w *watched) reads(t *testing.T) int {
	t.Helper()
	_, after, _ := strings.Cut(readFile(t, fmt.Sprintf("/proc/%d/io", w.cmd.Process.Pid)), "syscr: ")
	count, _, _ := strings.Cut(after, "\n")
	reads, err := strconv.Atoi(count)
	if err != nil {
		t.Fatal(err)
	}
	return reads
}

// letTimePass waits until the process has twice looked at the mounts, having had
// nothing else to do in between.
func (w *watched) letTimePass(t *testing.T) {
	t.Helper()
	const idle = 100 * time.Millisecond
	reads, since, looks := w.reads(t), time.Now(), 0
	until(t, "two looks at the mounts", func() bool {
		if now := w.reads(t); now != reads {
			if time.Since(since) > idle {
				looks++
			}
			reads, since = now, time.Now()
		}
		return looks == 2
	})
}

func TestItsOwnOutputsDoNotWakeTheWatch(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, numbered("a", 60)...)
	writePages(t, docroot, "b/index.html")
	w := newWatched(t, docroot, quick+"output: {max_urls: 20, text: true}\nrobots: {update: true}\n").insideDocroot()
	w.start(t)
	w.awaitReady(t)
	placePage(t, docroot, "b/new.html", firstDate)
	w.await(t, "published")
	w.letTimePass(t)
	before, spy := snapshot(t, docroot), spyOn(t, docroot, filepath.Join(docroot, "a"), filepath.Join(docroot, "b"))
	w.letTimePass(t)
	if opened := spy.opened(t); len(opened) > 0 {
		t.Errorf("though nothing happens the watch opens %q", opened)
	}
	wantUntouched(t, before, snapshot(t, docroot))
	if events, _ := w.probe(t); len(events) > 0 {
		t.Errorf("it tells of %v", events)
	}
}

func TestAnOutputThatIsLostOrDamagedIsMadeAgainAsItWas(t *testing.T) {
	t.Parallel()
	docroot := publicDir(t)
	writePages(t, docroot, numbered("a", 60)...)
	w := newWatched(t, docroot, quick+"output: {max_urls: 20, gzip: none, text: true}\n").insideDocroot()
	w.start(t)
	w.awaitReady(t)
	w.converges(t)
	// A shard changes after the index was made, so that its date there is another.
	setTime(t, filepath.Join(docroot, "a/00/page-0003.html"), firstDate.AddDate(1, 0, 0))
	w.await(t, "published")
	whole := folderBytes(t, docroot)
	shard := glob(t, docroot, "sitemap-*.xml")[1]
	for name, spoil := range map[string]func(path string){
		"removed":  func(path string) { remove(t, path) },
		"emptied":  func(path string) { writeFile(t, path, "") },
		"appended": func(path string) { writeFile(t, path, readFile(t, path)+"\n") },
		"replaced": func(path string) {
			move(t, docroot, shard, "passing")
			move(t, docroot, "passing", filepath.Base(path))
		},
		"a link":    func(path string) { link(t, "/etc/passwd", path) },
		"unlinked":  func(path string) { remove(t, path); writeFile(t, path, "junk") },
		"renamed":   func(path string) { move(t, docroot, filepath.Base(path), "sitemap-old.xml") },
		"half gone": func(path string) { writeFile(t, path, readFile(t, path)[:100]) },
	} {
		for _, output := range []string{shard, "sitemap.xml", "sitemap.txt"} {
			spoil(filepath.Join(docroot, output))
			// All of them, as what is spoiled next must be whole.
			differs := func() string {
				for file, want := range whole {
					if content, err := os.ReadFile(filepath.Join(docroot, file)); err != nil || string(content) != want {
						return file
					}
				}
				return ""
			}
			for end := time.Now().Add(timeout); differs() != ""; time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("%s, %s: %s does not come back:\n%s", output, name, differs(), w.said())
				}
			}
			_ = os.RemoveAll(filepath.Join(docroot, "sitemap-old.xml"))
		}
	}
	w.probe(t)
	w.converges(t)
}
