package scanner

import (
	"encoding/binary"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// direntBuffer is the size of the buffer that folders are read into: some
// 1,500 names of ordinary length at a time.
const direntBuffer = 64 << 10

// linuxTree walks a real folder by descriptors: every name is opened, listed
// and asked about relative to the folder that holds it, and no link is
// followed, so that renaming or linking folders meanwhile leads nowhere else.
//
// Only so many folders are held open; the others are opened anew from the
// nearest open one above them when they are needed again, and must then be the
// same folder as before. That bounds the descriptors for a folder 3,000 deep.
type linuxTree struct {
	mu    sync.Mutex
	top   *linuxNode
	open  int // folders in the ring of idle ones
	limit int
	// idle is a ring of the folders that are open and not in use, the one
	// longest unused last.
	idle linuxNode

	buffers sync.Pool // of *listBuffers
}

type linuxNode struct {
	tree   *linuxTree
	parent *linuxNode
	name   string

	// The following are guarded by tree.mu.
	holders int // slots and subfolders that may need the folder again
	users   int // calls that use fd now
	fd      int // -1 when closed
	// identity is what the folder was when it was closed to save descriptors.
	identity            *unix.Stat_t
	newer, longerUnused *linuxNode // in the ring of idle folders
}

func nativeTree(folder *os.Root) (tree, error) {
	top, err := folder.Open(".")
	if err != nil {
		return nil, err
	}
	defer top.Close()
	fd, err := unix.FcntlInt(top.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	t := &linuxTree{limit: descriptorLimit()}
	t.idle.newer, t.idle.longerUnused = &t.idle, &t.idle
	t.buffers.New = func() any { return new(listBuffers) }
	// The top is in use until close: it is where all others are found again.
	t.top = &linuxNode{tree: t, fd: fd, users: 1, holders: 1}
	return t, nil
}

// descriptorLimit returns how many unused folders may stay open: an eighth of
// what the process may open, so that the rest of the program has enough.
func descriptorLimit() int {
	limit := 256
	var rlimit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &rlimit) == nil && rlimit.Cur/8 < uint64(limit) {
		limit = max(int(rlimit.Cur/8), 4)
	}
	return limit
}

func (t *linuxTree) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.idle.newer != &t.idle {
		unix.Close(t.idle.newer.shut())
	}
	unix.Close(t.top.fd)
}

func (t *linuxTree) root() (node, error) {
	t.top.retain()
	return t.top, nil
}

func (t *linuxTree) lookup(real string) (node, error) {
	n := t.top
	n.retain()
	for real != "" {
		name, rest, _ := strings.Cut(real, "/")
		child := n.child(name)
		n.release()
		n, real = child.(*linuxNode), rest
	}
	return n, nil
}

func (t *linuxTree) inspect(real string) (kind, string, error) {
	dir, name := split(real)
	holder, _ := t.lookup(dir)
	n := holder.(*linuxNode)
	defer n.release()
	k, err := n.kind(name)
	if err != nil || k != kindLink {
		return k, "", err
	}
	fd, err := n.use()
	if err != nil {
		return k, "", err
	}
	defer n.unuse()
	target := make([]byte, unix.PathMax)
	length, err := unix.Readlinkat(fd, name, target)
	if err != nil {
		return k, "", err
	}
	return k, string(target[:length]), nil
}

func (n *linuxNode) id() (FolderID, error) {
	fd, err := n.use()
	if err != nil {
		return FolderID{}, err
	}
	defer n.unuse()
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return FolderID{}, err
	}
	return FolderID{uint64(stat.Dev), stat.Ino}, nil
}

func (n *linuxNode) child(name string) node {
	n.retain()
	return &linuxNode{tree: n.tree, parent: n, name: name, fd: -1, holders: 1}
}

func (n *linuxNode) retain() {
	n.tree.mu.Lock()
	n.holders++
	n.tree.mu.Unlock()
}

func (n *linuxNode) release() {
	t := n.tree
	var room [4]int
	unneeded := room[:0]
	t.mu.Lock()
	for n != nil {
		if n.holders--; n.holders > 0 {
			break
		}
		if n.fd >= 0 && n.users == 0 {
			unneeded = append(unneeded, n.shut())
		}
		// A folder needs the one above it only to be opened again.
		n = n.parent
	}
	t.mu.Unlock()
	for _, fd := range unneeded {
		unix.Close(fd)
	}
}

// shut takes an open folder out of the ring of idle ones and returns its
// descriptor, to be closed when tree.mu is free again: the others are not to
// wait for the kernel.
func (n *linuxNode) shut() int {
	n.leaveIdle()
	fd := n.fd
	n.fd = -1
	return fd
}

func (n *linuxNode) leaveIdle() {
	n.newer.longerUnused, n.longerUnused.newer = n.longerUnused, n.newer
	n.newer, n.longerUnused = nil, nil
	n.tree.open--
}

// use returns the folder's descriptor, which stays valid until unuse.
func (n *linuxNode) use() (int, error) {
	t := n.tree
	t.mu.Lock()
	if n.fd >= 0 {
		if n.users++; n.users == 1 {
			n.leaveIdle()
		}
		t.mu.Unlock()
		return n.fd, nil
	}
	identity := n.identity
	t.mu.Unlock()

	above, err := n.parent.use()
	if err != nil {
		return -1, err
	}
	fd, err := openFolder(above, n.name)
	n.parent.unuse()
	if err != nil {
		return -1, err
	}
	if identity != nil {
		var now unix.Stat_t
		if err := unix.Fstat(fd, &now); err != nil || now.Dev != identity.Dev || now.Ino != identity.Ino {
			unix.Close(fd)
			return -1, unix.ESTALE
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if n.fd >= 0 { // another worker was quicker
		unix.Close(fd)
		if n.users == 0 {
			n.leaveIdle()
		}
	} else {
		n.fd = fd
	}
	n.users++
	return n.fd, nil
}

// unuse ends a use. A folder that somebody may need again stays open, at the
// cost of the one that has been unused for longest.
func (n *linuxNode) unuse() {
	if unneeded := n.leave(); unneeded >= 0 {
		unix.Close(unneeded)
	}
}

// leave ends a use and returns a descriptor to close, or -1.
func (n *linuxNode) leave() int {
	t := n.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	if n.users--; n.users > 0 {
		return -1
	}
	if n.holders == 0 {
		fd := n.fd
		n.fd = -1
		return fd
	}
	n.longerUnused, n.newer = t.idle.longerUnused, &t.idle
	n.longerUnused.newer, t.idle.longerUnused = n, n
	if t.open++; t.open <= t.limit {
		return -1
	}
	oldest := t.idle.newer
	if oldest.identity == nil {
		oldest.identity = new(unix.Stat_t)
		if unix.Fstat(oldest.fd, oldest.identity) != nil {
			oldest.identity = nil
		}
	}
	return oldest.shut()
}

func openFolder(above int, name string) (int, error) {
	for {
		fd, err := unix.Openat(above, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

func (n *linuxNode) list(l *listing) error {
	fd, err := n.use()
	if err != nil {
		return err
	}
	defer n.unuse()
	if n == n.tree.top {
		if _, err := unix.Seek(fd, 0, 0); err != nil {
			return err
		}
	}
	buffers := n.tree.buffers.Get().(*listBuffers)
	defer n.tree.buffers.Put(buffers)
	l.open = buffers.names[:0]
	defer func() {
		l.seal()
		l.open = nil
	}()
	for {
		length, err := unix.Getdents(fd, buffers.dirents[:])
		if err == unix.EINTR {
			continue
		}
		if length <= 0 || err != nil {
			return err
		}
		l.entries = slices.Grow(l.entries, length/32)
		if err := parseDirents(buffers.dirents[:length], l); err != nil {
			return err
		}
	}
}

// listBuffers are what a folder is read with.
type listBuffers struct {
	dirents [direntBuffer]byte
	names   [maxText]byte // listing.open
}

// parseDirents adds what getdents64(2) returned, without . and .., to a listing.
func parseDirents(dirents []byte, l *listing) error {
	const reclen, dtype, nameStart = 16, 18, 19 // in struct linux_dirent64
	for len(dirents) > nameStart {
		size := int(binary.NativeEndian.Uint16(dirents[reclen:]))
		name := dirents[nameStart:size]
		end := 0
		for name[end] != 0 {
			end++
		}
		if !(end == 1 && name[0] == '.') && !(end == 2 && name[0] == '.' && name[1] == '.') && end > 0 {
			if err := l.add(name[:end], kindOfDirent(dirents[dtype])); err != nil {
				return err
			}
		}
		dirents = dirents[size:]
	}
	return nil
}

func kindOfDirent(dtype byte) kind {
	switch dtype {
	case unix.DT_REG:
		return kindFile
	case unix.DT_DIR:
		return kindFolder
	case unix.DT_LNK:
		return kindLink
	case unix.DT_UNKNOWN:
		return kindUnknown
	}
	return kindOther
}

func (n *linuxNode) kind(name string) (kind, error) {
	fd, err := n.use()
	if err != nil {
		return kindUnknown, err
	}
	defer n.unuse()
	var stat unix.Stat_t
	for {
		err := unix.Fstatat(fd, name, &stat, unix.AT_SYMLINK_NOFOLLOW)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return kindUnknown, err
		}
		return kindOfDirent(byte(stat.Mode & unix.S_IFMT >> 12)), nil
	}
}

func (n *linuxNode) hold() error {
	_, err := n.use()
	return err
}

func (n *linuxNode) letGo() { n.unuse() }

func (n *linuxNode) stat(name string, file *File) error {
	var stat unix.Stat_t
	err := fstatat(n.fd, name, &stat)
	for err == unix.EINTR {
		err = fstatat(n.fd, name, &stat)
	}
	if err != nil {
		return err
	}
	return fill(file, &stat)
}

// fill fills in what stat says of a file.
func fill(file *File, stat *unix.Stat_t) error {
	if stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return ErrNotRegular
	}
	file.Size, file.Inode = stat.Size, stat.Ino
	file.ModTime = nanos(int64(stat.Mtim.Sec), int64(stat.Mtim.Nsec))
	file.ChangeTime = nanos(int64(stat.Ctim.Sec), int64(stat.Ctim.Nsec))
	return nil
}

func (n *linuxNode) open(name string, file *File) (io.ReadCloser, error) {
	fd, err := openat(n.fd, name)
	for err == unix.EINTR {
		fd, err = openat(n.fd, name)
	}
	if err == unix.ELOOP {
		return nil, ErrNotRegular // it has become a link
	}
	if err != nil {
		return nil, err
	}
	var stat unix.Stat_t
	if err = unix.Fstat(fd, &stat); err == nil {
		err = fill(file, &stat)
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return linuxFile(fd), nil
}

const openFlags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC | unix.O_LARGEFILE

// linuxFile is a file by its descriptor. An os.File would do, but costs more than
// to read a page.
type linuxFile int

func (f linuxFile) Read(p []byte) (int, error) {
	for {
		n, err := unix.Read(int(f), p)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

func (f linuxFile) Close() error { return unix.Close(int(f)) }

func (t *linuxTree) intact() error {
	var stat unix.Stat_t
	if err := unix.Fstat(t.top.fd, &stat); err != nil {
		return err
	}
	if stat.Nlink == 0 {
		return errGone
	}
	return nil
}
