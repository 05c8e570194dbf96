package scanner

import (
	"io"
	"io/fs"
	"strings"
	"sync"
	"syscall"
)

// fakeFolder is a folder that answers as a test wants it to.
type fakeFolder struct {
	entries []entry
	folders map[string]*fakeFolder // an entry that is not here has vanished
	kinds   map[string]kind        // of entries that are unknown; one that is not here has vanished
	listErr error
	holdErr error
	kindErr map[string]error
	statErr map[string]error
}

// add adds a file, or a subfolder unless that is nil.
func (f *fakeFolder) add(name string, sub *fakeFolder) *fakeFolder {
	k := kindFile
	if sub != nil {
		k = kindFolder
		if f.folders == nil {
			f.folders = map[string]*fakeFolder{}
		}
		f.folders[name] = sub
	}
	f.entries = append(f.entries, entry{name: name, kind: k})
	return f
}

// fakeFiles returns a folder of the named files.
func fakeFiles(names ...string) *fakeFolder {
	f := &fakeFolder{}
	for _, name := range names {
		f.add(name, nil)
	}
	return f
}

// fakeTree is a tree of fake folders that counts what is held.
type fakeTree struct {
	top    *fakeFolder
	pause  func() // called before every answer, where not nil
	goneBy error  // the answer of intact
	astray error  // the answer of inspect: a fake tree has no links that lead anywhere

	mu      sync.Mutex
	holders int      // of all nodes
	held    int      // nodes with holders, but for those that stand above others only
	stats   []string // paths that stat was asked about
	lists   []string // folders that were read
}

type fakeNode struct {
	tree    *fakeTree
	folder  *fakeFolder // nil if it has vanished
	path    string
	holders int
	using   int
}

func (t *fakeTree) newNode(f *fakeFolder, path string) *fakeNode {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.holders++
	t.held++
	return &fakeNode{tree: t, folder: f, path: path, holders: 1}
}

func (t *fakeTree) root() (node, error) { return t.newNode(t.top, ""), nil }

func (t *fakeTree) lookup(real string) (node, error) {
	f := t.top
	for name := range strings.SplitSeq(real, "/") {
		if f != nil && name != "" {
			f = f.folders[name]
		}
	}
	return t.newNode(f, real), nil
}

func (t *fakeTree) inspect(string) (kind, string, error) { return 0, "", t.astray }

func (t *fakeTree) intact() error { return t.goneBy }
func (t *fakeTree) close()        {}

func (t *fakeTree) wait() {
	if t.pause != nil {
		t.pause()
	}
}

func (n *fakeNode) list(l *listing) error {
	n.tree.wait()
	n.tree.mu.Lock()
	n.tree.lists = append(n.tree.lists, n.path)
	n.tree.mu.Unlock()
	if n.folder == nil {
		return fs.ErrNotExist
	}
	for _, e := range n.folder.entries {
		if err := l.add([]byte(e.name), e.kind); err != nil {
			return err
		}
	}
	l.seal()
	return n.folder.listErr
}

func (n *fakeNode) child(name string) node {
	return n.tree.newNode(n.folder.folders[name], Join(n.path, name))
}

func (n *fakeNode) kind(name string) (kind, error) {
	if err := n.folder.kindErr[name]; err != nil {
		return kindUnknown, err
	}
	if k, ok := n.folder.kinds[name]; ok {
		return k, nil
	}
	return kindUnknown, syscall.ENOENT
}

func (n *fakeNode) stat(name string, file *File) error {
	n.tree.mu.Lock()
	defer n.tree.mu.Unlock()
	if n.using <= 0 || n.holders <= 0 {
		panic("stat of a folder that is not held")
	}
	n.tree.stats = append(n.tree.stats, Join(n.path, name))
	file.Size = 1
	return n.folder.statErr[name]
}

func (n *fakeNode) open(name string, file *File) (io.ReadCloser, error) {
	if err := n.stat(name, file); err != nil {
		return nil, err
	}
	return io.NopCloser(strings.NewReader("x")), nil
}

func (n *fakeNode) hold() error {
	n.tree.wait()
	if n.folder.holdErr != nil {
		return n.folder.holdErr
	}
	n.tree.mu.Lock()
	defer n.tree.mu.Unlock()
	n.using++
	return nil
}

func (n *fakeNode) id() (FolderID, error) { return FolderID{}, nil }

func (n *fakeNode) letGo() {
	n.tree.mu.Lock()
	defer n.tree.mu.Unlock()
	if n.using--; n.using < 0 {
		panic("let go of a folder that is not held")
	}
}

func (n *fakeNode) retain() {
	n.tree.mu.Lock()
	defer n.tree.mu.Unlock()
	if n.holders <= 0 {
		panic("retained a folder that was given up")
	}
	n.holders++
	n.tree.holders++
}

func (n *fakeNode) release() {
	n.tree.mu.Lock()
	defer n.tree.mu.Unlock()
	n.tree.holders--
	if n.holders--; n.holders == 0 {
		n.tree.held--
	} else if n.holders < 0 {
		panic("released a folder more often than it was held")
	}
}
