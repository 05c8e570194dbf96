//go:build unix

package main

import "syscall"

// keepFromOthers has no program that this one starts get a descriptor.
func keepFromOthers(descriptor int) { syscall.CloseOnExec(descriptor) }
