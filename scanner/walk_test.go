package scanner

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// walkFake walks a fake tree and returns all that it found.
func walkFake(t testing.TB, files *fakeTree, jobs int) ([]found, error) {
	t.Helper()
	return walkFakeBy(t, files, DefaultConfig(), jobs)
}

func walkFakeBy(t testing.TB, files *fakeTree, config Config, jobs int) ([]found, error) {
	t.Helper()
	var all []found
	err := walk(context.Background(), files, FromFS(nil), newScanner(t, config, Options{Jobs: jobs}), nil, copyBatch, func(files []found) error {
		all = append(all, files...)
		return nil
	})
	if err == nil && files.holders != 0 {
		t.Errorf("%d holds on folders are left after the walk", files.holders)
	}
	return all, err
}

// randomTree returns a fake tree of about so many files and the verdicts that
// a walk should find in it.
func randomTree(random *rand.Rand, size int) (top *fakeFolder, want []string) {
	var fill func(path string, depth int) *fakeFolder
	fill = func(path string, depth int) *fakeFolder {
		f := &fakeFolder{}
		files := random.IntN(4)
		switch random.IntN(12) {
		case 0:
			files = BatchFiles + random.IntN(3) - 1
		case 1, 2:
			files = 0
		}
		for i := 0; i < 8 && size > 0; i++ {
			size--
			name := fmt.Sprintf("%03d", i)
			if depth < 30 && random.IntN(3) > 0 {
				f.add(name, fill(Join(path, name), depth+1))
				if random.IntN(20) == 0 {
					f.folders[name] = nil
					want = want[:len(want)-len(descendants(want, Join(path, name)))]
					want = append(want, Join(path, name)+" unreadable folder")
				}
				continue
			}
			for j := range files {
				name := fmt.Sprintf("%03d-%04d.html", i, j)
				f.add(name, nil)
				want = append(want, Join(path, name)+" listed")
			}
		}
		random.Shuffle(len(f.entries), func(i, j int) { f.entries[i], f.entries[j] = f.entries[j], f.entries[i] })
		return f
	}
	top = fill("", 0)
	return top, want
}

// descendants returns the lines at the end that are of files in a folder.
func descendants(lines []string, folder string) []string {
	i := len(lines)
	for i > 0 && strings.HasPrefix(lines[i-1], folder+"/") {
		i--
	}
	return lines[i:]
}

// A bubble of synctest makes random delays cost nothing, and panics when a walk
// hangs or leaves a goroutine behind.

func TestOrderHoldsWhateverIsSlow(t *testing.T) {
	for seed := range uint64(64) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			top, want := randomTree(random, 150)
			slow := func(most int) func() {
				if random.IntN(3) == 0 {
					return func() {}
				}
				return func() { time.Sleep(time.Duration(rand.IntN(most))) }
			}
			files := &fakeTree{top: top, pause: slow(5)}
			slowWork, slowEmit := slow(20), slow(20)
			work := func() func(*Batch) []found {
				inner := copyBatch()
				return func(batch *Batch) []found {
					slowWork()
					return inner(batch)
				}
			}
			var all []found
			emitting := false
			jobs := 1 + int(seed)%16
			err := walk(t.Context(), files, FromFS(nil), newScanner(t, DefaultConfig(), Options{Jobs: jobs}), nil, work, func(files []found) error {
				if emitting {
					t.Error("emit is called side by side")
				}
				emitting = true
				slowEmit()
				emitting = false
				all = append(all, files...)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			compare(t, fmt.Sprintf("seed %d", seed), verdicts(all), want)
			if files.holders != 0 {
				t.Errorf("seed %d: %d holds on folders are left", seed, files.holders)
			}
		})
	}
}

func TestNoMoreThanSomeResultsWaitForTheirTurn(t *testing.T) {
	many := func(n int, sub func() *fakeFolder) *fakeFolder {
		f := &fakeFolder{}
		for i := range n {
			f.add(fmt.Sprintf("%06d", i), sub())
		}
		return f
	}
	pages := func(n int) *fakeFolder {
		f := &fakeFolder{}
		for i := range n {
			f.add(fmt.Sprintf("%06d.html", i), nil)
		}
		return f
	}
	for name, top := range map[string]*fakeFolder{
		"one folder":          pages(100_000),
		"a file a folder":     many(3000, func() *fakeFolder { return pages(1) }),
		"empty folders":       many(3000, func() *fakeFolder { return pages(0) }),
		"large folders":       many(50, func() *fakeFolder { return pages(2*BatchFiles + 1) }),
		"folders of folders":  many(30, func() *fakeFolder { return many(100, func() *fakeFolder { return pages(3) }) }),
		"folders that vanish": many(3000, func() *fakeFolder { return &fakeFolder{listErr: syscall.EACCES} }),
	} {
		for _, jobs := range []int{1, 2, 16} {
			t.Run(fmt.Sprintf("%s, %d jobs", name, jobs), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					files := &fakeTree{top: top}
					var results, ahead atomic.Int64
					work := func() func(*Batch) int64 {
						return func(batch *Batch) int64 {
							results.Add(1)
							ahead.Add(int64(len(batch.Files)))
							return int64(len(batch.Files))
						}
					}
					resume := make(chan bool)
					emitted := 0
					ended := make(chan error)
					go func() {
						ended <- walk(t.Context(), files, FromFS(nil), newScanner(t, DefaultConfig(), Options{Jobs: jobs}), nil, work, func(n int64) error {
							if emitted++; emitted == 1 || emitted == 40 || emitted == 2*aheadBatches {
								<-resume
							}
							results.Add(-1)
							ahead.Add(-n)
							return nil
						})
					}()
					for {
						synctest.Wait() // every worker waits for the blocked emit
						select {
						case err := <-ended:
							if err != nil {
								t.Error(err)
							}
							return
						default:
						}
						// The bounds are asked before a batch is taken, the one that
						// is needed next is always let through, and how many files a
						// folder's first batch holds is known only once it is read.
						if n := results.Load(); n > aheadBatches+1 {
							t.Errorf("%d results wait, want at most %d", n, aheadBatches+1)
						}
						if n, most := ahead.Load(), int64(aheadFiles+(jobs+1)*BatchFiles); n > most {
							t.Errorf("%d files wait, want at most %d", n, most)
						}
						if n := results.Load(); jobs > 1 && n < 10 {
							t.Errorf("only %d results were made while emit was blocked", n)
						}
						if files.held > 2*jobs+4 {
							t.Errorf("%d folders are held", files.held)
						}
						resume <- true
					}
				})
			})
		}
	}
}

func TestCancelledWalkSaysSo(t *testing.T) {
	for seed := range uint64(64) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 2))
			top, _ := randomTree(random, 100)
			top.add("zzz.html", nil)
			pause := func() { time.Sleep(time.Duration(1 + rand.IntN(5))) }
			files := &fakeTree{top: top, pause: pause}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var cancelled atomic.Bool
			late := 0
			time.AfterFunc(time.Duration(random.IntN(300)), func() { cancelled.Store(true); cancel() })
			err := walk(ctx, files, FromFS(nil), newScanner(t, DefaultConfig(), Options{Jobs: 1 + int(seed)%8}), nil, copyBatch, func([]found) error {
				if cancelled.Load() {
					late++
				}
				pause()
				return nil
			})
			// Walk has seen what the context said last, whatever happens now.
			if cancelled.Load() != (err != nil) || err != nil && !errors.Is(err, context.Canceled) {
				t.Fatalf("seed %d: cancelled %v, got %v", seed, cancelled.Load(), err)
			}
			if late > 1 {
				t.Errorf("seed %d: %d results were emitted after the walk was cancelled", seed, late)
			}
		})
	}
}

func TestWalkOfCancelledContextFails(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, docroot := range []*Docroot{pages("a.html").folder(t), open(t, t.TempDir())} {
		err := Walk(ctx, docroot, newScanner(t, DefaultConfig(), Options{}), copyBatch, func([]found) error { return nil })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

func TestFirstErrorOfEmitEndsTheWalk(t *testing.T) {
	failure := errors.New("disk full")
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 3))
			top, _ := randomTree(random, 100)
			for i := range 5 {
				top.add(fmt.Sprintf("x%d", i), fakeFiles("a.html"))
			}
			left := random.IntN(5)
			err := walk(t.Context(), &fakeTree{top: top}, FromFS(nil), newScanner(t, DefaultConfig(), Options{Jobs: 1 + int(seed)%8}), nil, copyBatch, func([]found) error {
				if left--; left == -1 {
					return failure
				}
				if left < 0 {
					t.Error("emit is called after it failed")
				}
				time.Sleep(time.Duration(rand.IntN(3)))
				return nil
			})
			if err != failure {
				t.Errorf("seed %d: got %v", seed, err)
			}
		})
	}
}

func TestRunningOutEndsTheWalk(t *testing.T) {
	for name, top := range map[string]*fakeFolder{
		"list":    fakeFiles("a.html").add("b", &fakeFolder{listErr: syscall.EMFILE}),
		"partial": fakeFiles("a.html").add("b", &fakeFolder{listErr: syscall.EMFILE, entries: []entry{{name: "c.html", kind: kindFile}}}),
		"root":    {listErr: syscall.EMFILE},
		"hold":    fakeFiles("a.html").add("b", &fakeFolder{holdErr: syscall.EMFILE, entries: []entry{{name: "c.html", kind: kindFile}}}),
		"stat":    {entries: []entry{{name: "c.html", kind: kindFile}}, statErr: map[string]error{"c.html": fmt.Errorf("stat: %w", syscall.EMFILE)}},
		"kind":    fakeFiles("a.html").add("b", &fakeFolder{entries: []entry{{name: "c.html"}}, kindErr: map[string]error{"c.html": syscall.EMFILE}}),
	} {
		for _, jobs := range []int{1, 4} {
			if _, err := walkFake(t, &fakeTree{top: top}, jobs); !errors.Is(err, syscall.EMFILE) {
				t.Errorf("%s, %d jobs: got %v", name, jobs, err)
			}
		}
	}
}

func TestWhatCannotBeReadCountsOnceAndTheWalkGoesOn(t *testing.T) {
	half := fakeFiles("x.html", "y.html").add("sub", fakeFiles("z.html"))
	half.listErr = syscall.EIO
	stale := fakeFiles("a.html", "b.css", "c.html", ".d.html").add("sub", fakeFiles("e.html"))
	stale.holdErr = syscall.ESTALE
	flaky := fakeFiles("gone.html", "here.html", "swapped.html")
	flaky.statErr = map[string]error{"gone.html": syscall.ENOENT, "swapped.html": ErrNotRegular}
	top := fakeFiles("index.html").add("half", half).add("locked", &fakeFolder{listErr: syscall.EACCES}).
		add("stale", stale).add("flaky", flaky).add("empty", &fakeFolder{})
	top.add("vanished", &fakeFolder{})
	top.folders["vanished"] = nil

	want := []string{
		"flaky/gone.html unreadable", "flaky/here.html listed", "flaky/swapped.html unreadable",
		"half unreadable folder", "half/sub/z.html listed", "half/x.html listed", "half/y.html listed",
		"index.html listed", "locked unreadable folder",
		"stale/.d.html hidden", "stale/a.html unreadable", "stale/b.css not-included", "stale/c.html unreadable", "stale/sub/e.html listed",
		"vanished unreadable folder",
	}
	for _, jobs := range []int{1, 2, 8} {
		all, err := walkFake(t, &fakeTree{top: top}, jobs)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, fmt.Sprintf("%d jobs", jobs), verdicts(all), want)
		for _, f := range all {
			if (f.Verdict == Unreadable) != (f.Err != nil) {
				t.Errorf("%v: error %v", f, f.Err)
			}
		}
	}
}

// TestWhatMayPassInAnAccessFileIsTold has a .htaccess that cannot be read deny all, and
// its folder count as unreadable where a later run may be able to read it.
func TestWhatMayPassInAnAccessFileIsTold(t *testing.T) {
	for err, told := range map[error]bool{syscall.EIO: true, syscall.ESTALE: true, syscall.EACCES: false, ErrNotRegular: false} {
		shut := fakeFiles(".htaccess", "a.html").add("sub", fakeFiles("b.html"))
		shut.statErr = map[string]error{".htaccess": err}
		all, walkErr := walkFake(t, &fakeTree{top: fakeFiles("index.html").add("shut", shut)}, 2)
		if walkErr != nil {
			t.Fatal(walkErr)
		}
		want := []string{"index.html listed", "shut unreadable folder", "shut/.htaccess sensitive", "shut/a.html protected", "shut/sub/b.html protected"}
		if !told {
			want = slices.Delete(want, 1, 2)
		}
		compare(t, err.Error(), verdicts(all), want)
		if _, walkErr := walkFake(t, &fakeTree{top: shut}, 2); (walkErr != nil) != told || told && !errors.Is(walkErr, err) {
			t.Errorf("%v in the docroot itself: got %v", err, walkErr)
		}
	}
}

func TestPartOfTheDocrootIsNoDocroot(t *testing.T) {
	top := fakeFiles("index.html")
	top.listErr = syscall.EIO
	if _, err := walkFake(t, &fakeTree{top: top}, 2); !errors.Is(err, syscall.EIO) {
		t.Errorf("got %v", err)
	}
}

func TestRemovedDocrootIsAnError(t *testing.T) {
	for _, top := range []*fakeFolder{fakeFiles("index.html"), fakeFiles()} {
		if _, err := walkFake(t, &fakeTree{top: top, goneBy: errGone}, 2); !errors.Is(err, errGone) {
			t.Errorf("got %v", err)
		}
	}
}

func TestWhatAFolderDoesNotTellIsAsked(t *testing.T) {
	top := &fakeFolder{
		folders: map[string]*fakeFolder{"docs": fakeFiles("a.html"), ".git": fakeFiles("b.html")},
		kinds:   map[string]kind{"index.html": kindFile, "docs": kindFolder, ".git": kindFolder, "fifo.html": kindOther, "link.html": kindLink},
		kindErr: map[string]error{"locked": syscall.EACCES, ".env": syscall.EACCES},
	}
	for _, name := range []string{"index.html", "docs", ".git", "fifo.html", "link.html", "locked", ".env", "vanished.html"} {
		top.entries = append(top.entries, entry{name: name})
	}
	files := &fakeTree{top: top}
	all, err := walkFake(t, files, 2)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "verdicts", verdicts(all), []string{
		".env sensitive", ".git sensitive folder", "docs/a.html listed", "fifo.html not-regular", "index.html listed",
		"link.html symlink", "locked unreadable", "vanished.html unreadable",
	})
	slices.Sort(files.stats)
	compare(t, "stat", files.stats, []string{"docs/a.html", "index.html"})
}

func TestOnlyCandidatesAreAskedForTheirTimes(t *testing.T) {
	files := &fakeTree{top: fakeFiles("a.html", "b.css", ".c.html", "404.html", "d.bak").add("sub", fakeFiles("e.jpg", "f.html"))}
	if _, err := walkFake(t, files, 1); err != nil {
		t.Fatal(err)
	}
	slices.Sort(files.stats)
	compare(t, "stat", files.stats, []string{"a.html", "sub/f.html"})
}

func TestFoldersLeftOutAreNotOpened(t *testing.T) {
	top := fakeFiles("a.html")
	for _, name := range []string{".git", ".hidden", "drafts", "other", "docs"} {
		top.add(name, fakeFiles("x.html"))
	}
	top.folders["docs"].add("drafts", fakeFiles("x.html")).add("Node_Modules", fakeFiles("x.html"))
	files := &fakeTree{top: top}
	config := with(func(c *Config) { c.Include, c.Exclude = Globs{"*.html", "docs/**"}, Globs{"**/drafts"} })
	err := walk(t.Context(), files, FromFS(nil), newScanner(t, config, Options{}), nil, copyBatch, func([]found) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files.lists)
	compare(t, "listed folders", files.lists, []string{"", "docs"})
}
