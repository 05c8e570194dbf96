//go:build unix && !darwin && !freebsd && !netbsd && !aix

package output

import "syscall"

func changeTime(stat *syscall.Stat_t) *syscall.Timespec { return &stat.Ctim }
