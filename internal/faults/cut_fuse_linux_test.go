package faults

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// A cutServer shows disks in memory as files of a folder, by the kernel's FUSE
// protocol, so that a loop device can be made of each. The kernel passes what the
// file system on the loop device writes, and its flushes, to the server one by one;
// this is what dm-log-writes does where the kernel has it. The numbers are those of
// /usr/include/linux/fuse.h.
//
// It is a process of its own that touches none of these file systems: whoever does, and
// is killed, waits in the kernel for the answers of a server that must then still be there.
type cutServer struct {
	device int // /dev/fuse

	mu    sync.Mutex
	disks map[uint64]*cutDisk // by inode
	last  uint64              // inode that was given
}

// The requests that are answered.
const (
	fuseLookup      = 1
	fuseForget      = 2
	fuseGetattr     = 3
	fuseSetattr     = 4
	fuseOpen        = 14
	fuseRead        = 15
	fuseWrite       = 16
	fuseStatfs      = 17
	fuseRelease     = 18
	fuseFsync       = 20
	fuseInit        = 26
	fuseInterrupt   = 36
	fuseDestroy     = 38
	fuseBatchForget = 42
)

const (
	fuseRoot     = 1 // the folder's inode
	fuseInHead   = 40
	fuseOutHead  = 16
	fuseMaxWrite = 1 << 17
	// fuseFlags ask for asynchronous reads and for writes of more than a page.
	fuseFlags = 1<<0 | 1<<5
)

func (s *cutServer) disk(inode uint64) *cutDisk {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.disks[inode]
}

// serve answers one request after the other until the folder is unmounted.
func (s *cutServer) serve() error {
	request := make([]byte, fuseMaxWrite+unix.Getpagesize())
	for {
		n, err := unix.Read(s.device, request)
		switch {
		case errors.Is(err, unix.ENODEV):
			return nil
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN), errors.Is(err, unix.ENOENT):
			continue // it was taken back
		case err != nil:
			return os.NewSyscallError("read", err)
		case n < fuseInHead:
			return fmt.Errorf("a request of %d bytes", n)
		}
		answer, errno, silent := s.answer(request[:n])
		if silent {
			continue
		}
		head := make([]byte, fuseOutHead, fuseOutHead+len(answer))
		binary.NativeEndian.PutUint32(head, uint32(fuseOutHead+len(answer)))
		binary.NativeEndian.PutUint32(head[4:], uint32(-int32(errno)))
		copy(head[8:], request[8:16]) // the request's number
		if _, err := unix.Write(s.device, append(head, answer...)); err != nil && !errors.Is(err, unix.ENOENT) {
			return os.NewSyscallError("write", err)
		}
	}
}

// answer does what a request asks for. Some want no answer.
func (s *cutServer) answer(request []byte) (answer []byte, errno unix.Errno, silent bool) {
	inode, in := binary.NativeEndian.Uint64(request[16:]), request[fuseInHead:]
	disk := s.disk(inode)
	switch operation := binary.NativeEndian.Uint32(request[4:]); {
	case operation == fuseForget, operation == fuseBatchForget, operation == fuseInterrupt:
		return nil, 0, true
	case operation == fuseInit:
		var out fuseWords
		return out.put32(7, 31, 1<<16, fuseFlags, 0, fuseMaxWrite, 1).zeros(64 - 28), 0, false
	case operation == fuseLookup:
		var found uint64
		if _, err := fmt.Sscanf(string(in[:len(in)-1]), "disk-%d", &found); err != nil || s.disk(found) == nil {
			return nil, unix.ENOENT, false
		}
		var out fuseWords
		return append(out.put64(found, 1, 0, 0).put32(0, 0), s.attributes(found)...), 0, false
	case operation == fuseGetattr, operation == fuseSetattr:
		var out fuseWords
		return append(out.put64(0).put32(0, 0), s.attributes(inode)...), 0, false
	case operation == fuseStatfs:
		return make([]byte, 80), 0, false
	case operation == fuseRelease, operation == fuseDestroy:
		return nil, 0, false
	case disk == nil:
		return nil, unix.ENOSYS, false
	case operation == fuseOpen:
		return make([]byte, 16), 0, false
	case operation == fuseRead:
		offset, size := int64(binary.NativeEndian.Uint64(in[8:])), int64(binary.NativeEndian.Uint32(in[16:]))
		content := make([]byte, max(0, min(size, disk.size-offset)))
		disk.read(content, offset)
		return content, 0, false
	case operation == fuseWrite:
		const head = 40
		offset, size := int64(binary.NativeEndian.Uint64(in[8:])), binary.NativeEndian.Uint32(in[16:])
		if int(size) > len(in)-head || offset+int64(size) > disk.size {
			return nil, unix.EFBIG, false
		}
		disk.write(in[head:head+size], offset)
		var out fuseWords
		return out.put32(size, 0), 0, false
	case operation == fuseFsync:
		disk.flush()
		return nil, 0, false
	}
	return nil, unix.ENOSYS, false
}

// attributes returns what stat says of the folder or of a disk.
func (s *cutServer) attributes(inode uint64) []byte {
	size, mode := int64(0), uint32(unix.S_IFDIR|0o755)
	if disk := s.disk(inode); disk != nil {
		size, mode = disk.size, unix.S_IFREG|0o600
	}
	var out fuseWords
	return out.put64(inode, uint64(size), uint64(size/512), 0, 0, 0).put32(0, 0, 0, mode, 1, 0, 0, 0, cutBlock, 0)
}

// fuseWords are the numbers of an answer.
type fuseWords []byte

func (w fuseWords) put32(numbers ...uint32) fuseWords {
	for _, number := range numbers {
		w = binary.NativeEndian.AppendUint32(w, number)
	}
	return w
}

func (w fuseWords) put64(numbers ...uint64) fuseWords {
	for _, number := range numbers {
		w = binary.NativeEndian.AppendUint64(w, number)
	}
	return w
}

func (w fuseWords) zeros(n int) []byte { return append(w, make([]byte, n)...) }
