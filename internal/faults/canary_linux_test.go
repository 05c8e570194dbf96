package faults

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// canarySecret is what the files of a canary hold. Text that is quoted has it.
const canarySecret = "carbuncle"

// canary is a folder, with a file and a folder in it, that tells of everybody who opens,
// lists or changes any of it. To look at its names from above is no such thing.
type canary struct {
	path    string
	watch   int
	places  map[int]string // watch descriptors of inotify
	mayOpen bool           // the folder, without listing it
}

func newCanary(t *testing.T, mode os.FileMode) *canary {
	t.Helper()
	c := &canary{path: filepath.Join(openFolder(t), "outside"), places: map[int]string{}}
	writeFile(t, c.file(), "<meta name=robots content=noindex>\nhttps://"+canarySecret+".example/\nDisallow: /"+canarySecret+"\n"+canarySecret+": 1\n")
	writeFile(t, filepath.Join(c.path, "below", "index.html"), canarySecret)
	must(t, os.Chmod(c.path, mode))
	if mode&0o007 == 0 {
		must(t, os.Chmod(c.file(), 0o600))
	}
	watch, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	must(t, err)
	t.Cleanup(func() { unix.Close(watch) })
	c.watch = watch
	for _, path := range []string{c.path, c.file(), filepath.Join(c.path, "below"), filepath.Join(c.path, "below", "index.html")} {
		place, err := unix.InotifyAddWatch(watch, path, unix.IN_OPEN|unix.IN_ACCESS|unix.IN_MODIFY|unix.IN_CREATE|unix.IN_DELETE|unix.IN_MOVE)
		must(t, err)
		c.places[place] = path
	}
	c.sing(t)
	return c
}

func (c *canary) file() string { return filepath.Join(c.path, "page.html") }

// sing makes sure that the canary tells of what it is to tell of.
func (c *canary) sing(t *testing.T) {
	t.Helper()
	_, err := os.ReadFile(c.file())
	must(t, err)
	_, err = os.ReadDir(c.path)
	must(t, err)
	told := strings.Join(c.events(t), "\n")
	if !strings.Contains(told, "opened "+c.file()) || !strings.Contains(told, "read "+c.path) {
		t.Fatalf("inotify does not tell of what is read: %s", told)
	}
}

// events returns what has happened since the last call.
func (c *canary) events(t *testing.T) (told []string) {
	t.Helper()
	buffer := make([]byte, 64<<10)
	for {
		n, err := unix.Read(c.watch, buffer)
		if err == unix.EAGAIN {
			return told
		}
		must(t, err)
		for rest := buffer[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			place, mask := int(int32(binary.NativeEndian.Uint32(rest))), binary.NativeEndian.Uint32(rest[4:])
			length := int(binary.NativeEndian.Uint32(rest[12:]))
			name := string(bytes.TrimRight(rest[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+length], "\x00"))
			rest = rest[unix.SizeofInotifyEvent+length:]
			what := "changed"
			switch {
			case mask&unix.IN_OPEN != 0 && c.mayOpen && mask&unix.IN_ISDIR != 0:
				continue
			case mask&unix.IN_OPEN != 0:
				what = "opened"
			case mask&unix.IN_ACCESS != 0:
				what = "read"
			}
			told = append(told, what+" "+filepath.Join(c.places[place], name))
		}
	}
}

// judge fails the test if anybody touched the canary.
func (c *canary) judge(t *testing.T, what string) {
	t.Helper()
	if told := c.events(t); len(told) > 0 {
		t.Errorf("%s: %s", what, strings.Join(told, ", "))
	}
}
