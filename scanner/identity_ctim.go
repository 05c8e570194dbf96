//go:build unix && !darwin && !freebsd && !netbsd && !aix

package scanner

import "syscall"

func changed(stat *syscall.Stat_t) *syscall.Timespec { return &stat.Ctim }
