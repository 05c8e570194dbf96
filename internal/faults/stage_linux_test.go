//go:build amd64 || arm64

package faults

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stageVariable tells a process of this test that it is to become the command, and
// under which conditions.
const stageVariable = "SITEWALK_FAULTS_STAGE"

func init() {
	if os.Getenv(stageVariable) != "" {
		becomeCommand()
	}
}

// A stage is what the command is to run under.
type stage struct {
	files    uint64 // descriptors that it may have; 0 for as many as the system lets it
	fileSize uint64 // bytes that a file may have; likewise
	asked    bool   // a supervisor is asked about its calls
}

// prepare has cmd become the command under the stage's conditions.
func (s stage) prepare(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := under([]string{"/proc/self/exe"}, command(t, args...))
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d %d %t", stageVariable, s.files, s.fileSize, s.asked))
	return cmd
}

// asking returns the stage for a process that is supervised.
func (s stage) asking() stage {
	s.asked = true
	return s
}

// becomeCommand sets the conditions, and becomes the command that the arguments name.
func becomeCommand() {
	runtime.LockOSThread() // the filter is this thread's, and so is what it becomes
	failed := func(what string, err error) {
		fmt.Fprintln(os.Stderr, "stage:", what, err)
		os.Exit(stageFailed)
	}
	var s stage
	if _, err := fmt.Sscan(os.Getenv(stageVariable), &s.files, &s.fileSize, &s.asked); err != nil {
		failed("read conditions:", err)
	}
	if s.fileSize > 0 {
		if err := syscall.Setrlimit(unix.RLIMIT_FSIZE, &syscall.Rlimit{Cur: s.fileSize, Max: s.fileSize}); err != nil {
			failed("limit files:", err)
		}
	}
	if s.files > 0 {
		if err := syscall.Setrlimit(unix.RLIMIT_NOFILE, &syscall.Rlimit{Cur: s.files, Max: s.files}); err != nil {
			failed("limit descriptors:", err)
		}
	}
	if s.asked {
		if err := ask(stageSocket); err != nil {
			failed("filter calls:", err)
		}
	}
	failed("execute:", syscall.Exec(os.Args[1], os.Args[1:], cleanEnv()))
}

const (
	// stageFailed is the exit code of a process that could not become the command.
	stageFailed = 97
	// stageSocket is the descriptor through which the supervisor is given its own.
	stageSocket = 3
)

// ask installs a filter that has the calls of this thread, and of all that come from
// it, wait for a supervisor, and sends that its descriptor.
func ask(socket int) error {
	unix.CloseOnExec(socket)
	load := unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS} // the number of the call
	program := []unix.SockFilter{load}
	for i, number := range callNumbers {
		program = append(program, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: uint8(len(callNumbers) - i), K: uint32(number)})
	}
	program = append(program,
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	listener, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(&filter)))
	if errno != 0 {
		return errno
	}
	unix.CloseOnExec(int(listener))
	return unix.Sendmsg(socket, []byte{0}, unix.UnixRights(int(listener)), nil, 0)
}
