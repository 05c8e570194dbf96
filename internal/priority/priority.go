// Package priority makes a process give way to others: by its nice value, which
// counts where processes want the processor, and on Linux by its I/O class, which
// counts where they want the disk.
//
// Both belong to the process, not to a site: [Settings.Apply] is called once,
// before the process starts to work.
package priority

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The nice values that there are: the higher, the more a process gives way.
const (
	MinNice = -20
	MaxNice = 19
)

// Settings are what a process is to be given. The zero value leaves it as it is.
type Settings struct {
	// Nice is the nice value, from MinNice to MaxNice; 0 leaves the one that is.
	Nice int
	// IO is the I/O class; nil leaves the one that is.
	IO *IOClass
}

// An IOClass is a scheduling class of ioprio_set(2). The real-time class is left
// out: who walks a disk with it stops everybody else.
type IOClass struct {
	class ioClass
	level int // from 0, the first to be served, to 7; of best-effort alone
}

type ioClass int

// The numbers are the kernel's.
const (
	ioNone       ioClass = 0 // the kernel goes by the nice value
	ioBestEffort ioClass = 2
	ioIdle       ioClass = 3 // only while nobody else wants the disk
)

// defaultLevel is the level of best-effort where none is named, as in ionice(1).
const defaultLevel = 4

// ParseIOClass reads idle, best-effort, best-effort:LEVEL with a level from 0 to
// 7, or none.
func ParseIOClass(text string) (IOClass, error) {
	name, level, leveled := strings.Cut(text, ":")
	switch {
	case text == "none":
		return IOClass{class: ioNone}, nil
	case text == "idle":
		return IOClass{class: ioIdle}, nil
	case text == "best-effort":
		return IOClass{ioBestEffort, defaultLevel}, nil
	case name == "best-effort" && leveled && len(level) == 1 && level[0] >= '0' && level[0] <= '7':
		return IOClass{ioBestEffort, int(level[0] - '0')}, nil
	}
	return IOClass{}, fmt.Errorf("%q is no I/O class; there are idle, best-effort, best-effort:0 to best-effort:7 and none", text)
}

// String returns the class as ParseIOClass reads it.
func (c IOClass) String() string {
	switch c.class {
	case ioIdle:
		return "idle"
	case ioBestEffort:
		return "best-effort:" + strconv.Itoa(c.level)
	}
	return "none"
}

// ErrUnsupported is what Apply's error wraps where the system has no such thing.
var ErrUnsupported = errors.New("not supported on this system")

// Apply gives the process the settings, in all its threads, and so the programs
// that it starts. A nice value below the one that is takes root's rights, or
// RLIMIT_NICE. On Linux it must be called before a process gives its user up:
// from then on the system may hide its threads.
func (s Settings) Apply() error {
	if s.Nice < MinNice || s.Nice > MaxNice {
		return fmt.Errorf("a nice value is from %d to %d, not %d", MinNice, MaxNice, s.Nice)
	}
	if s == (Settings{}) {
		return nil
	}
	return s.apply()
}
