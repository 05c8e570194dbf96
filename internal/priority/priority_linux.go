package priority

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// threadsFolder has an entry for each thread of the process.
const threadsFolder = "/proc/self/task"

// apply sets one thread after the other, as both system calls go by threads
// whatever their names say (setpriority(2), "C library/kernel differences"). A
// thread begins with what the one that starts it has, so that those which the Go
// runtime starts later are right from the beginning. Those that it starts
// meanwhile are found by looking again, until a look finds no new one.
func (s Settings) apply() error {
	done := map[int]bool{}
	for found := true; found; {
		found = false
		threads, err := threads()
		if err != nil {
			return fmt.Errorf("listing the threads of the process: %w; without /proc its priority cannot be set", err)
		}
		for _, thread := range threads {
			if done[thread] {
				continue
			}
			// One that has ended meanwhile needs nothing.
			if err := s.applyTo(thread); err != nil && !errors.Is(err, unix.ESRCH) {
				return err
			}
			done[thread], found = true, true
		}
	}
	return nil
}

func threads() ([]int, error) {
	entries, err := os.ReadDir(threadsFolder)
	if err != nil {
		return nil, err
	}
	threads := make([]int, 0, len(entries))
	for _, entry := range entries {
		thread, err := strconv.Atoi(entry.Name())
		if err != nil {
			return nil, err
		}
		threads = append(threads, thread)
	}
	return threads, nil
}

func (s Settings) applyTo(thread int) error {
	if s.Nice != 0 {
		if err := unix.Setpriority(unix.PRIO_PROCESS, thread, s.Nice); err != nil {
			return niceError(s.Nice, err)
		}
	}
	if s.IO != nil {
		if err := setIO(thread, *s.IO); err != nil {
			return fmt.Errorf("setting the I/O class %s: %w", s.IO, err)
		}
	}
	return nil
}

// See ioprio_set(2), whose constants x/sys does not have.
const (
	ioWhoProcess = 1
	ioClassShift = 13
)

func setIO(thread int, c IOClass) error {
	value := int(c.class)<<ioClassShift | c.level
	if _, _, errno := unix.Syscall(unix.SYS_IOPRIO_SET, ioWhoProcess, uintptr(thread), uintptr(value)); errno != 0 {
		return errno
	}
	return nil
}
