package scanner

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// PollMode says which folders are looked at now and then instead of being watched.
type PollMode string

// The modes of polling.
const (
	PollAuto   PollMode = "auto"   // those that cannot be watched
	PollAlways PollMode = "always" // all
	PollNever  PollMode = "never"  // none, not even those that cannot be watched
)

// WatcherOptions are what a Watcher goes by.
type WatcherOptions struct {
	Poll PollMode
	// Place is the docroot's path as it was given, absolute, where a link may be;
	// what happens to it is told as [Changes.Place].
	Place string
	// Output is the folder that is published in, absolute and without links, and
	// IsOutput reports whether a file of a name is of the published set: of these,
	// and nothing else that is in Output, [Changes.Outputs] tells.
	Output   string
	IsOutput func(name string) bool
	// IsTemp reports whether a file of a name, wherever it is, is one of sitewalk's
	// own on the way to be published: nothing is told of these.
	IsTemp func(name string) bool
	// Matters reports whether it matters what is written to a file at a path: to a
	// log, say, it does not. Nil means always.
	Matters func(path string) bool
}

// A Watcher gathers hints of what changes in a docroot. Hints are no more than
// that: they may be late, be lost, or name a path that is gone. So a folder is
// watched first and walked afterwards ([Watcher.Enter]), and what a hint names is
// walked anew. The goroutine that takes events from the system does nothing but
// note their paths: the system's buffer is small, and fsnotify hangs when what
// drains it calls it.
type Watcher struct {
	root    string // the docroot's path, absolute and without links
	options WatcherOptions
	hints   hints

	mu       sync.Mutex
	events   *fsnotify.Watcher   // nil if nothing is watched
	folders  map[string]FolderID // what is watched, by path relative to root
	paths    map[FolderID]string // the same, the other way
	polled   map[string]bool     // what cannot be watched
	networks map[uint64]bool     // whether a device is a network's
	short    string              // the limit that is too low, as sysctl(8) names it
	draining sync.WaitGroup
}

// NewWatcher returns a watcher of the docroot at a path: absolute, and without
// links. Nothing is watched yet.
func NewWatcher(root string, options WatcherOptions) *Watcher {
	w := &Watcher{root: root, options: options}
	w.hints.some = make(chan struct{}, 1)
	w.hints.reset()
	w.renew()
	return w
}

// Close ends the watching. No goroutine is left.
func (w *Watcher) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stop()
}

func (w *Watcher) stop() {
	if w.events != nil {
		_ = w.events.Close()
		w.draining.Wait()
		w.events = nil
	}
}

// renew forgets all folders and begins anew.
func (w *Watcher) renew() {
	w.stop()
	w.folders, w.paths = map[string]FolderID{}, map[FolderID]string{}
	w.polled, w.networks = map[string]bool{}, map[uint64]bool{}
	if w.options.Poll == PollAlways {
		return
	}
	events, err := fsnotify.NewBufferedWatcher(eventBuffer)
	if err != nil {
		w.short = shortOf(err, "instances")
		return
	}
	w.events = events
	w.draining.Go(func() { w.drain(events) })
	// The folders that hold the docroot's name tell at once when another folder
	// takes its place. Where they cannot be watched, a look now and then must do. And
	// robots.txt is read before the docroot is walked.
	for _, path := range [...]string{filepath.Dir(w.options.Place), filepath.Dir(w.root), w.root, w.options.Output} {
		_ = events.Add(path)
	}
}

// eventBuffer is how many events wait beside those in the kernel.
const eventBuffer = 4096

// drain notes what the system tells until it ends.
func (w *Watcher) drain(events *fsnotify.Watcher) {
	told, failed := events.Events, events.Errors
	for told != nil || failed != nil {
		select {
		case event, more := <-told:
			if !more {
				told = nil
				continue
			}
			w.note(event)
		case _, more := <-failed:
			if !more {
				failed = nil
				continue
			}
			// Mostly the kernel's queue has overflowed. Whatever it is, an event
			// may be lost.
			w.hints.noteAll()
		}
	}
}

// note notes what an event says.
func (w *Watcher) note(event fsnotify.Event) {
	path := filepath.Clean(event.Name)
	folder, name := filepath.Split(path)
	relative, inside := strings.CutPrefix(path, strings.TrimSuffix(w.root, separator)+separator)
	switch {
	case path == w.root && event.Op == fsnotify.Chmod:
		w.hints.note("") // its permissions concern all that is in it
	case path == w.root: // its watch has ended, even if one with its number is made again
		w.hints.noteAll()
		w.hints.notePlace()
	case path == w.options.Place:
		w.hints.notePlace()
	case path == w.options.Output:
		w.hints.noteOutput("") // it may be gone, and its watch with it
		if inside {
			w.hints.note(filepath.ToSlash(relative))
		}
	case w.options.IsTemp(name):
	case filepath.Clean(folder) == w.options.Output && w.options.IsOutput(name):
		w.hints.noteOutput(name)
	case inside && !(event.Op == fsnotify.Write && w.options.Matters != nil && !w.options.Matters(filepath.ToSlash(relative))):
		w.hints.note(filepath.ToSlash(relative))
	}
}

const separator = string(filepath.Separator)

// Enter has a folder watched that is about to be listed; see [Options.Enter].
func (w *Watcher) Enter(dir string, id FolderID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	network := w.isNetwork(dir, id)
	if w.events == nil || network {
		w.poll(dir)
	}
	if known, found := w.folders[dir]; found {
		if known == id {
			return
		}
		w.forget(dir)
	}
	if w.events == nil {
		return
	}
	if other, found := w.paths[id]; found && id != (FolderID{}) {
		if now, err := FolderIDAt(w.absolute(other)); err == nil && now == id {
			w.poll(dir) // mounted in two places: the system has one watch for both
			return
		}
		// It was moved. The system would go on to tell the old path.
		w.forget(other)
		w.hints.note(other)
	}
	switch err := w.events.Add(w.absolute(dir)); {
	case err == nil:
		w.folders[dir], w.paths[id] = id, dir
		if !network { // where what this machine does is told, and what others do is not
			delete(w.polled, dir)
		}
	case errors.Is(err, syscall.ENOSPC):
		w.short = shortOf(err, "watches")
		w.poll(dir)
	case errors.Is(err, os.ErrNotExist):
		w.hints.note(dir) // it was moved after it was opened
	default:
		w.poll(dir)
	}
}

func (w *Watcher) poll(dir string) {
	if w.options.Poll == PollNever {
		return
	}
	// Of folders in folders whose paths are too long for the system the topmost
	// stands for all: their paths together grow with the square of the depth.
	if len(dir) > maxPath {
		end := strings.IndexByte(dir[maxPath:], '/')
		if end >= 0 {
			dir = strings.Clone(dir[:maxPath+end])
		}
	}
	w.polled[dir] = true
}

// maxPath is the length from which on the system takes no path.
const maxPath = 4096

// isNetwork reports whether a folder's file system tells nothing of what others
// do in it. The devices that were asked are remembered.
func (w *Watcher) isNetwork(dir string, id FolderID) bool {
	if w.options.Poll != PollAuto {
		return false
	}
	network, known := w.networks[id.Device]
	if !known {
		network = isNetwork(w.absolute(dir))
		w.networks[id.Device] = network
	}
	return network
}

func (w *Watcher) absolute(dir string) string {
	if dir == "" {
		return w.root
	}
	return strings.TrimSuffix(w.root, separator) + separator + filepath.FromSlash(dir)
}

// FolderIDAt returns what tells the folder at a path from others. Links are followed.
func FolderIDAt(path string) (FolderID, error) {
	info, err := os.Stat(path)
	if err != nil {
		return FolderID{}, err
	}
	if !info.IsDir() {
		return FolderID{}, &os.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	return FolderIDOf(info), nil
}

// forget ends the watching of one folder.
func (w *Watcher) forget(dir string) {
	// The system may have ended it before.
	_ = w.events.Remove(w.absolute(dir))
	if id := w.folders[dir]; w.paths[id] == dir {
		delete(w.paths, id)
	}
	delete(w.folders, dir)
}

// Changes are what a watcher has gathered.
type Changes struct {
	// All says that hints may have been lost: everything must be walked.
	All bool
	// Place says that another folder may have taken the docroot's place.
	Place bool
	// Paths are those of files and folders, relative to the docroot.
	Paths []string
	// Outputs are the names of published files; an empty one stands for all.
	Outputs []string
}

// WatchOutput has the output folder watched, if it was not there before or another
// has taken its place. What was done to it until then is not told.
func (w *Watcher) WatchOutput() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.events != nil {
		_ = w.events.Add(w.options.Output) // where it cannot be watched, a look now and then must do
	}
}

// Distrust has everything walked anew, as when hints were lost.
func (w *Watcher) Distrust() { w.hints.noteAll() }

// Some is signalled when there are hints to take.
func (w *Watcher) Some() <-chan struct{} { return w.hints.some }

// Take returns what was gathered since the last call, in no order. Watches at and
// below the paths are ended, all of them before any is set again: a folder that was
// moved would otherwise keep the watch of its old path.
func (w *Watcher) Take() Changes {
	c := w.hints.take()
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.All {
		w.renew()
		return c
	}
	gone := map[string]bool{}
	for _, path := range c.Paths {
		if _, watched := w.folders[path]; watched || w.polled[path] {
			gone[path] = true
		}
	}
	if len(gone) == 0 {
		return c
	}
	var ending []string
	for dir := range w.folders {
		if isBelow(dir, gone) {
			ending = append(ending, dir)
		}
	}
	if len(ending) > manyFolders && len(ending) > len(w.folders)/2 {
		c.All = true // to begin anew is quicker
		w.renew()
		return c
	}
	for _, dir := range ending {
		w.forget(dir)
	}
	w.forgetPolled(gone)
	return c
}

// manyFolders is the number of folders up to which it does not matter how long it
// takes to end their watches one by one.
const manyFolders = 10_000

func (w *Watcher) forgetPolled(gone map[string]bool) {
	for dir := range w.polled {
		if isBelow(dir, gone) {
			delete(w.polled, dir)
		}
	}
}

// Rewalk says that all of the docroot is about to be walked, so that what cannot be
// watched will be found again.
func (w *Watcher) Rewalk() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.polled)
}

// IsBlind reports whether nothing is watched that should be: no means were left for
// it.
func (w *Watcher) IsBlind() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.events == nil && w.options.Poll != PollAlways
}

// isBelow reports whether a path, or that of a folder above it, is among some.
func isBelow(path string, some map[string]bool) bool {
	if len(some) == 1 { // mostly, and there may be very many paths to ask about
		for one := range some {
			below, is := strings.CutPrefix(path, one)
			return is && one != "" && (below == "" || below[0] == '/')
		}
	}
	for path != "" {
		if some[path] {
			return true
		}
		path, _ = split(path)
	}
	return false
}

// Return gives back what was taken and not dealt with.
func (w *Watcher) Return(c Changes) { w.hints.giveBack(c) }

// Polled returns the folders that must be looked at now and then, without those
// that are below another. All of them may be below the docroot itself, "".
func (w *Watcher) Polled() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.polled[""] {
		return []string{""}
	}
	var tops []string
	for dir := range w.polled {
		if above, _ := split(dir); !isBelow(above, w.polled) {
			tops = append(tops, dir)
		}
	}
	return tops
}

// Status returns the number of folders that are watched or polled, and how that is
// done: by the system's means, poll, or mixed.
func (w *Watcher) Status() (folders int, mode string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	folders = len(w.folders)
	for dir := range w.polled {
		if _, watched := w.folders[dir]; !watched {
			folders++
		}
	}
	switch {
	case len(w.folders) == 0:
		mode = "poll"
	case len(w.polled) > 0:
		mode = "mixed"
	default:
		mode = means()
	}
	return folders, mode
}

// means returns what the system watches folders by.
func means() string {
	switch runtime.GOOS {
	case "linux":
		return "inotify"
	case "windows":
		return "ReadDirectoryChangesW"
	case "solaris", "illumos":
		return "fen"
	}
	return "kqueue"
}

// Short returns the name of the limit, as sysctl(8) has it, that kept folders from
// being watched, and a value that would do; the name is empty if none did.
func (w *Watcher) Short() (limit string, enough int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.short == "" {
		return "", 0
	}
	return w.short, enoughFor(w.short, len(w.folders)+len(w.polled))
}
