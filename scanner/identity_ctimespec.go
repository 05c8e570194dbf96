//go:build darwin || freebsd || netbsd

package scanner

import "syscall"

func changed(stat *syscall.Stat_t) *syscall.Timespec { return &stat.Ctimespec }
