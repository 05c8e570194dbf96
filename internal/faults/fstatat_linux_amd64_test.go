package faults

import "golang.org/x/sys/unix"

// sysFstatat is the call that the kernel names newfstatat.
const sysFstatat = unix.SYS_NEWFSTATAT
