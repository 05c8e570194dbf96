//go:build amd64 || arm64

package faults

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// callNames are the calls that a supervisor is asked about.
var callNames = map[int]string{
	unix.SYS_OPENAT: "openat", unix.SYS_CLOSE: "close", unix.SYS_MKDIRAT: "mkdirat",
	unix.SYS_READ: "read", unix.SYS_PREAD64: "pread64", unix.SYS_GETDENTS64: "getdents64", unix.SYS_FLOCK: "flock", unix.SYS_READLINKAT: "readlinkat",
	sysFstatat: "newfstatat", unix.SYS_FSTAT: "fstat",
	unix.SYS_WRITE: "write", unix.SYS_PWRITE64: "pwrite64", unix.SYS_WRITEV: "writev",
	unix.SYS_FTRUNCATE: "ftruncate", unix.SYS_FALLOCATE: "fallocate", unix.SYS_COPY_FILE_RANGE: "copy_file_range",
	unix.SYS_FSYNC: "fsync", unix.SYS_FDATASYNC: "fdatasync",
	unix.SYS_FCHMOD: "fchmod", unix.SYS_FCHMODAT: "fchmodat", unix.SYS_FCHOWN: "fchown", unix.SYS_FCHOWNAT: "fchownat", unix.SYS_UTIMENSAT: "utimensat",
	unix.SYS_RENAMEAT: "renameat", unix.SYS_RENAMEAT2: "renameat2", unix.SYS_LINKAT: "linkat", unix.SYS_SYMLINKAT: "symlinkat", unix.SYS_UNLINKAT: "unlinkat",
}

var callNumbers = func() (numbers []int) {
	for number := range callNames {
		numbers = append(numbers, number)
	}
	return numbers
}()

// A call is one that the command is about to make.
type call struct {
	name  string
	path  string // what it is about; of a rename, the new name
	flags int    // of openat

	process uint32 // or one of its threads
}

// creates reports whether the call makes a file.
func (c *call) creates() bool { return c.name == "openat" && c.flags&unix.O_CREAT != 0 }

// changes reports whether the call changes what is on disk, or makes it durable.
func (c *call) changes() bool {
	switch c.name {
	case "openat":
		return c.creates()
	case "close", "read", "pread64", "getdents64", "flock", "newfstatat", "fstat", "readlinkat":
		return false
	}
	return true
}

// A fault is what becomes of a call: it goes on, fails with an error and does
// nothing, the process is killed before it, or it waits until no other thread goes on.
type fault struct {
	err  unix.Errno
	kill bool
	hold bool
}

var (
	kill = fault{kill: true}
	hold = fault{hold: true}
)

func (f fault) String() string {
	switch {
	case f.kill:
		return "SIGKILL"
	case f.err == 0:
		return "none"
	}
	return unix.ErrnoName(f.err)
}

// A supervisor decides what becomes of a process's calls, one at a time.
type supervisor struct {
	decide func(*call) fault
	pid    int
	done   sync.WaitGroup
	err    error
}

// supervise starts a process that was prepared to ask, and has decide answer for each of
// its calls.
func supervise(t testing.TB, cmd *exec.Cmd, decide func(*call) fault) *supervisor {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	mine, its := os.NewFile(uintptr(pair[0]), "supervisor"), os.NewFile(uintptr(pair[1]), "command")
	defer mine.Close()
	cmd.ExtraFiles = []*os.File{its}
	err = cmd.Start()
	its.Close()
	must(t, err)
	listener, err := receive(int(mine.Fd()))
	if err != nil {
		_ = cmd.Wait()
		lack(t, "the system allows no filter of system calls that asks: %v", err)
	}
	v := &supervisor{decide: decide, pid: cmd.Process.Pid}
	v.done.Go(func() {
		defer unix.Close(listener)
		v.err = v.serve(listener)
	})
	return v
}

// runSupervised runs the command to its end on a stage, and has decide answer for each of
// its calls.
func runSupervised(t testing.TB, s stage, decide func(*call) fault, args ...string) outcome {
	t.Helper()
	cmd := s.asking().prepare(t, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	v := supervise(t, cmd, decide)
	must(t, wait(cmd))
	v.wait(t)
	return outcomeOf(cmd, &stdout, &stderr)
}

// receive returns the descriptor that a process sends.
func receive(socket int) (int, error) {
	text, rights := make([]byte, 16), make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(socket, text, rights, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return -1, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:n])
	if err != nil || len(messages) == 0 {
		return -1, errors.New("the process sent no descriptor")
	}
	descriptors, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return -1, err
	}
	return descriptors[0], nil
}

// wait waits until all of the process has ended.
func (v *supervisor) wait(t testing.TB) {
	t.Helper()
	if v.done.Wait(); v.err != nil {
		t.Fatal(v.err)
	}
}

// notification is struct seccomp_notif, and response struct seccomp_notif_resp, of
// linux/seccomp.h.
type notification struct {
	id            uint64
	thread, flags uint32
	number        int32
	architecture  uint32
	instruction   uint64
	arguments     [6]uint64
}

type response struct {
	id    uint64
	value int64
	err   int32
	flags uint32
}

// serve decides about calls until no thread is left that could make one.
func (v *supervisor) serve(listener int) error {
	var held []response
	send := func(answer *response) error {
		if err := control(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(answer)); err != 0 && err != unix.ENOENT {
			return fmt.Errorf("answer: %w", err)
		}
		return nil
	}
	for {
		ready := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
		quiet := -1
		if len(held) > 0 {
			quiet = 5 // milliseconds
		}
		switch n, err := unix.Poll(ready, quiet); {
		case err == unix.EINTR:
			continue
		case err != nil:
			return fmt.Errorf("wait for a call: %w", err)
		case n == 0:
			for i := range held {
				if err := send(&held[i]); err != nil {
					return err
				}
			}
			held = nil
			continue
		}
		if ready[0].Revents&unix.POLLIN == 0 {
			return nil // all have ended
		}
		var asked notification
		switch err := control(listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&asked)); err {
		case 0:
		case unix.EINTR, unix.ENOENT: // the thread that asked is gone
			continue
		default:
			return fmt.Errorf("receive a call: %w", err)
		}
		answer := response{id: asked.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		switch become := v.decide(asked.call()); {
		case become.kill:
			_ = syscall.Kill(v.pid, syscall.SIGKILL)
			continue
		case become.hold:
			held = append(held, answer)
			continue
		case become.err != 0:
			answer.err, answer.flags = -int32(become.err), 0
		}
		if err := send(&answer); err != nil {
			return err
		}
	}
}

func control(listener int, request uintptr, argument unsafe.Pointer) unix.Errno {
	_, _, err := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), request, uintptr(argument))
	return err
}

// call returns the call that a thread waits in. What it is about is empty if the
// thread is gone.
func (n *notification) call() *call {
	c := &call{name: callNames[int(n.number)], process: n.thread}
	a := &n.arguments
	switch c.name {
	case "openat":
		c.flags = int(int32(a[2]))
		fallthrough
	case "newfstatat", "readlinkat", "mkdirat", "fchmodat", "fchownat", "utimensat", "unlinkat":
		c.path = n.pathAt(a[0], a[1])
	case "renameat", "renameat2", "linkat":
		c.path = n.pathAt(a[2], a[3])
	case "symlinkat":
		c.path = n.pathAt(a[1], a[2])
	case "copy_file_range":
		c.path = n.descriptor(a[2])
	default:
		c.path = n.descriptor(a[0])
	}
	return c
}

// descriptor returns the path of a thread's open file.
func (n *notification) descriptor(number uint64) string {
	link := fmt.Sprintf("/proc/%d/fd/%d", n.thread, int32(number))
	if int32(number) == unix.AT_FDCWD {
		link = fmt.Sprintf("/proc/%d/cwd", n.thread)
	}
	path, _ := os.Readlink(link)
	return path
}

// pathAt returns the path that a descriptor and the text at an address stand for.
func (n *notification) pathAt(folder, address uint64) string {
	text := n.text(address)
	switch {
	case filepath.IsAbs(text):
		return filepath.Clean(text)
	case text == "":
		return n.descriptor(folder)
	}
	return filepath.Join(n.descriptor(folder), text)
}

// text returns the text that ends with a zero at an address of a thread.
func (n *notification) text(address uint64) string {
	var text []byte
	page := uint64(os.Getpagesize())
	for address != 0 && len(text) < unix.PathMax {
		part := make([]byte, page-address%page) // what follows may not be there
		local := []unix.Iovec{{Base: &part[0]}}
		local[0].SetLen(len(part))
		got, err := unix.ProcessVMReadv(int(n.thread), local, []unix.RemoteIovec{{Base: uintptr(address), Len: len(part)}}, 0)
		if err != nil {
			return ""
		}
		before, _, ends := bytes.Cut(part[:got], []byte{0})
		text = append(text, before...)
		if ends {
			break
		}
		address += uint64(got)
	}
	return string(text)
}
