//go:build darwin || netbsd

package scanner

import "syscall"

func changed(stat *syscall.Stat_t) *syscall.Timespec { return &stat.Ctimespec }
