package scanner

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// shortOf returns the name of the limit, of instances or watches, by which the
// system has refused: the lower of the machine's and the user namespace's.
// https://man7.org/linux/man-pages/man7/inotify.7.html
func shortOf(err error, what string) string {
	if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EMFILE) {
		return ""
	}
	machine, namespace := "fs.inotify.max_user_"+what, "user.max_inotify_"+what
	if limit, ok := sysctl(namespace); ok {
		if upper, ok := sysctl(machine); !ok || limit < upper {
			return namespace
		}
	}
	return machine
}

// sysctl returns the value of a kernel parameter.
func sysctl(name string) (value int, ok bool) {
	text, err := os.ReadFile("/proc/sys/" + strings.ReplaceAll(name, ".", "/"))
	if err != nil {
		return 0, false
	}
	value, err = strconv.Atoi(strings.TrimSpace(string(text)))
	return value, err == nil
}

// enoughFor returns a value of a limit that leaves room for others when a number of
// folders is watched.
func enoughFor(limit string, folders int) int {
	if strings.HasSuffix(limit, "instances") {
		return 1024
	}
	enough := 1 << 19
	for enough < 2*folders {
		enough *= 2
	}
	return enough
}
