package faults

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/rpc"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// cutServerKey, in the environment, makes a process of the tests a server of disks.
const cutServerKey = "SITEWALK_CUT_SERVER"

func init() {
	if os.Getenv(cutServerKey) != "" {
		if err := serveCutDisks(); err != nil {
			fmt.Fprintln(os.Stderr, "serve disks:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// The files that such a process is given.
const (
	cutServerDevice = 3 // /dev/fuse
	cutServerSocket = 4 // where it is told what to do
)

// serveCutDisks is the server's whole life: it ends when the folder is unmounted.
func serveCutDisks() error {
	socket, err := net.FileConn(os.NewFile(cutServerSocket, "socket"))
	if err != nil {
		return err
	}
	s := &cutServer{device: cutServerDevice, disks: map[uint64]*cutDisk{}, last: fuseRoot}
	orders := rpc.NewServer()
	if err := orders.Register(&CutOrders{s}); err != nil {
		return err
	}
	go orders.ServeConn(socket)
	return s.serve()
}

// CutOrders is what the tests ask of the server. Package net/rpc wants the names to be
// exported.
type CutOrders struct{ server *cutServer }

// CutOrder says how to cut the power of a disk.
type CutOrder struct {
	Disk         uint64
	Moment, Loss int
	Seed         uint64
}

// Add makes an empty disk of a size, and returns its number.
func (o *CutOrders) Add(size int64, disk *uint64) error {
	*disk = o.server.add(newCutDisk(size))
	return nil
}

// Record has a disk remember what is written to it from now on.
func (o *CutOrders) Record(disk uint64, _ *struct{}) error {
	o.server.disk(disk).record()
	return nil
}

// Moment returns the present moment in the life of a disk.
func (o *CutOrders) Moment(disk uint64, moment *int) error {
	*moment = o.server.disk(disk).moment()
	return nil
}

// Cut returns the number of what a power cut leaves of a disk.
func (o *CutOrders) Cut(order CutOrder, disk *uint64) error {
	keep := cutLosses[order.Loss].keep(rand.New(rand.NewPCG(order.Seed, 0)))
	*disk = o.server.add(o.server.disk(order.Disk).cut(order.Moment, keep))
	return nil
}

// Forget ends the life of a disk.
func (o *CutOrders) Forget(disk uint64, _ *struct{}) error {
	o.server.mu.Lock()
	defer o.server.mu.Unlock()
	delete(o.server.disks, disk)
	return nil
}

func (s *cutServer) add(disk *cutDisk) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	s.disks[s.last] = disk
	return s.last
}

// cutDisks are the disks of a server, as a test sees them.
type cutDisks struct {
	folder string
	orders *rpc.Client
}

// newCutDisks starts a server, and mounts its folder until the test ends.
func newCutDisks(t *testing.T) *cutDisks {
	t.Helper()
	device, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		lack(t, "a disk that remembers its writes needs FUSE: %v", err)
	}
	defer device.Close()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	theirs, mine := os.NewFile(uintptr(pair[0]), "socket"), os.NewFile(uintptr(pair[1]), "socket")
	defer theirs.Close()
	defer mine.Close()
	socket, err := net.FileConn(mine)
	if err != nil {
		t.Fatal(err)
	}
	d := &cutDisks{folder: t.TempDir(), orders: rpc.NewClient(socket)}
	options := fmt.Sprintf("fd=%d,rootmode=%o,user_id=0,group_id=0", device.Fd(), unix.S_IFDIR)
	if err := unix.Mount("sitewalk-disks", d.folder, "fuse", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		lack(t, "a disk that remembers its writes needs FUSE: mount: %v", err)
	}
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), cutServerKey+"=1")
	server.ExtraFiles, server.Stderr = []*os.File{device, theirs}, os.Stderr
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL}
	started, ended := make(chan error), make(chan error, 1)
	go func() {
		// The server is to be killed when this thread ends, which waits for nothing else:
		// so it ends as soon as the process is killed, and other threads, which wait for
		// the server, can end too.
		runtime.LockOSThread()
		err := server.Start()
		started <- err
		if err == nil {
			ended <- server.Wait()
		}
	}()
	if err := <-started; err != nil {
		_ = unix.Unmount(d.folder, unix.MNT_DETACH)
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unmount(d.folder); err != nil {
			t.Errorf("unmount the disks: %v", err)
			_ = server.Process.Kill()
		}
		if err := <-ended; err != nil {
			t.Errorf("the server of the disks: %v", err)
		}
		if err := d.orders.Close(); err != nil && !errors.Is(err, rpc.ErrShutdown) && !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	})
	return d
}

// file returns the path of a disk.
func (d *cutDisks) file(disk uint64) string {
	return filepath.Join(d.folder, fmt.Sprint("disk-", disk))
}

// order has the server do something.
func (d *cutDisks) order(t *testing.T, what string, with, result any) {
	t.Helper()
	if err := d.orders.Call("CutOrders."+what, with, result); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}
