package priority

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// asChild says that the process is the one that the test below starts: what it
// sets cannot be taken back without rights.
const asChild = "SITEWALK_TEST_PRIORITY"

// startThreads starts goroutines that each keep a thread to themselves, until
// release is called.
func startThreads(n int) (release func()) {
	var started, ended sync.WaitGroup
	hold := make(chan struct{})
	started.Add(n)
	for range n {
		ended.Go(func() {
			runtime.LockOSThread()
			started.Done()
			<-hold
		})
	}
	started.Wait()
	return func() { close(hold); ended.Wait() }
}

func TestEveryThreadIsSetOldOrNew(t *testing.T) {
	if os.Getenv(asChild) == "" {
		child := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
		child.Env = append(os.Environ(), asChild+"=1")
		if said, err := child.CombinedOutput(); err != nil || !strings.Contains(string(said), "threads are right") {
			t.Errorf("%v\n%s", err, said)
		}
		return
	}
	defer startThreads(20)()
	// Others start while the settings are applied.
	meanwhile := make(chan func())
	go func() { meanwhile <- startThreads(50) }()
	class := IOClass{ioBestEffort, 6}
	if err := (Settings{Nice: 11, IO: &class}).Apply(); err != nil {
		t.Fatal(err)
	}
	defer (<-meanwhile)()
	defer startThreads(20)()
	threads, err := threads()
	if err != nil || len(threads) < 90 {
		t.Fatalf("%d threads, %v", len(threads), err)
	}
	for _, thread := range threads {
		nice, err := unix.Getpriority(unix.PRIO_PROCESS, thread)
		if nice = 20 - nice; err != nil || nice != 11 { // the system call tells 1 to 40
			t.Errorf("thread %d has the nice value %d, %v", thread, nice, err)
		}
		io, _, errno := unix.Syscall(unix.SYS_IOPRIO_GET, ioWhoProcess, uintptr(thread), 0)
		if errno != 0 || int(io) != int(ioBestEffort)<<ioClassShift|6 {
			t.Errorf("thread %d has the I/O priority %#x, %v", thread, io, errno)
		}
	}
	t.Logf("%d threads are right", len(threads))
}
