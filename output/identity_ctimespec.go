//go:build darwin || freebsd || netbsd

package output

import "syscall"

func changeTime(stat *syscall.Stat_t) *syscall.Timespec { return &stat.Ctimespec }
