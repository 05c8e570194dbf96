package state

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// numbered returns a site of folders of so many pages each.
func numbered(folders, each int) site {
	s := site{}
	for i := range folders {
		for j := range each {
			id := Identity{Size: int64(j), ModTime: testTime.UnixNano() + int64(i), ChangeTime: testTime.UnixNano(), Inode: uint64(i*each + j)}
			s[fmt.Sprintf("folder-%03d/page-%03d.html", i, j)] = Page{Identity: id}
		}
	}
	return s
}

// edit changes one page.
func (s site) edit(path string) {
	page := s[path]
	page.Size++
	s[path] = page
}

func TestUnchangedSiteWritesNothing(t *testing.T) {
	path := statePath(t)
	s := numbered(10, 7)
	s["folder-001/page-001.html"] = Page{Facts: "noindex", Digest: 1}
	s["folder-002/page-001.html"] = Page{Racy: true} // which matches never, and is the same again
	if !s.save(t, path, 5, 8) {
		t.Fatal("the first state was not written")
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if s.save(t, path, 5, 8) {
		t.Error("the same state was written")
	}
	after, err := os.Stat(path)
	if err != nil || !os.SameFile(before, after) || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the file was replaced: %v, %v", after, err)
	}
}

func TestEditRewritesOneChapter(t *testing.T) {
	path := statePath(t)
	s := numbered(20, 10)
	s.save(t, path, 10, 20)
	members := func() map[string]bool {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r := open(t, path)
		defer r.Close()
		all := map[string]bool{}
		for _, entry := range r.chapters {
			all[string(content[entry.offset:entry.end()])] = true
		}
		return all
	}
	before := members()
	s.edit("folder-007/page-003.html")
	if !s.save(t, path, 10, 20) {
		t.Fatal("nothing was written")
	}
	after := members()
	maps.DeleteFunc(after, func(chapter string, _ bool) bool { return before[chapter] })
	if len(before) != 10 || len(after) != 1 {
		t.Errorf("%d of %d chapters are new", len(after), len(before))
	}
}

func TestGrowthLeavesNoSmallChapters(t *testing.T) {
	path := statePath(t)
	s := site{}
	for i := range 60 {
		s[fmt.Sprintf("%03d/index.html", i)] = Page{}
		s.save(t, path, 10, 16)
	}
	r := open(t, path)
	defer r.Close()
	if len(r.chapters) > 60/4+1 {
		t.Errorf("%d chapters for 60 pages", len(r.chapters))
	}
}

func TestGrowthLeavesNoLargeChapters(t *testing.T) {
	path := statePath(t)
	const weight = 16
	s := site{}
	for i := range 60 { // each in front of all others
		s[fmt.Sprintf("%03d/index.html", 60-i)] = Page{}
		s.save(t, path, 10, weight)
	}
	r := open(t, path)
	defer r.Close()
	for i, entry := range r.chapters {
		if entry.weight() > weight*3/2 || entry.weight() < weight/4 {
			t.Errorf("chapter %d of %d has a weight of %d", i, len(r.chapters), entry.weight())
		}
	}
}

func TestOtherSettingsAreSavedOfAnEmptySite(t *testing.T) {
	path := statePath(t)
	site{}.save(t, path, 1, 1)
	for _, want := range []bool{true, false} {
		r, err := Open(path, testSettings+1)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		w := NewWriter(path, r, testSettings+1, testTime)
		if written, err := w.Commit(); written != want || err != nil {
			t.Errorf("written is %v, %v", written, err)
		}
	}
}

func TestRemovedPagesAreForgotten(t *testing.T) {
	path := statePath(t)
	s := numbered(4, 4)
	s.save(t, path, 4, 4)
	for name := range s {
		if !strings.HasPrefix(name, "folder-000") {
			delete(s, name)
		}
	}
	if !s.save(t, path, 4, 4) || !maps.Equal(load(t, path), s) {
		t.Errorf("got %v", load(t, path))
	}
	clear(s)
	if !s.save(t, path, 4, 4) || s.save(t, path, 4, 4) || len(load(t, path)) != 0 {
		t.Errorf("got %v", load(t, path))
	}
}

func TestOtherSettingsKeepDigestsAndDates(t *testing.T) {
	path := statePath(t)
	want := Page{Identity: Identity{Size: 1}, Digest: 2, Masked: 3, Date: 4, DateOnly: true, Facts: "noindex"}
	site{"a/b": want}.save(t, path, 1, 1)
	r, err := Open(path, testSettings+1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var b Batch
	b.Reset("a")
	b.AddIdentity("b", want.Identity)
	if r.SameSettings() || r.Run(&b) != nil {
		t.Error("a batch matches under other settings")
	}
	want.Facts, want.Racy = "", true
	if got, ok := r.NewCursor().Lookup("a", "b"); !ok || got != want {
		t.Errorf("got %+v, %v", got, ok)
	}
	if !r.header.saved.Equal(testTime) {
		t.Errorf("saved at %v", r.header.saved)
	}
	// The settings alone are worth writing.
	w := NewWriter(path, r, testSettings+1, testTime)
	b.Add("b", &want)
	if err := w.Append(&b); err != nil {
		t.Fatal(err)
	}
	if written, err := w.Commit(); !written || err != nil {
		t.Errorf("written is %v, %v", written, err)
	}
}

func TestNothingIsRememberedWithoutAState(t *testing.T) {
	var r *Reader
	var b Batch
	b.AddIdentity("a", Identity{})
	if run := r.Run(&b); run != nil || r.Err() != nil || r.SameSettings() || r.Close() != nil {
		t.Error("nil remembers something")
	}
	if _, ok := r.NewCursor().Lookup("", "a"); ok {
		t.Error("nil knows a page")
	}
}

func TestPagesThatWereNotAddedKeepTheirBatchFromMatching(t *testing.T) {
	path := statePath(t)
	w := NewWriter(path, nil, testSettings, testTime)
	var b Batch
	b.Add("a", &Page{})
	b.Add("c", &Page{})
	if err := w.Append(&b); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	r := open(t, path)
	defer r.Close()
	for _, names := range []string{"ac", "abc", "a", "ab", "acd", "c", "b"} {
		b.Reset("")
		for _, name := range names {
			b.AddIdentity(string(name), Identity{})
		}
		if got := r.Run(&b) != nil; got != (names == "ac") {
			t.Errorf("%s: matches is %v", names, got)
		}
	}
}

func TestLargePagesAreRememberedInPart(t *testing.T) {
	path := statePath(t)
	large := strings.Repeat("f", maxFacts)
	s := site{"a": {Digest: 1, Facts: large}, "b": {Digest: 2, Facts: large + "f"}}
	long := strings.Repeat("d", maxPath-2)
	s[long+"/x"] = Page{Digest: 3}
	s[long+"/xy"] = Page{Digest: 4}
	s["nul\x00"] = Page{Digest: 5}
	for i := range maxBatchFacts/maxFacts + 1 {
		s[fmt.Sprintf("many/%02d", i)] = Page{Facts: large}
	}
	for i := range maxBatchPages + 1 {
		s[fmt.Sprintf("more/%04d", i)] = Page{}
	}
	s.save(t, path, maxBatchPages+1, chapterWeight)
	delete(s, long+"/xy")
	delete(s, "nul\x00")
	delete(s, fmt.Sprintf("more/%04d", maxBatchPages))
	s["b"] = Page{Digest: 2, Racy: true}
	for i := range 2 {
		s[fmt.Sprintf("many/%02d", maxBatchFacts/maxFacts-1+i)] = Page{Racy: true}
	}
	got := load(t, path)
	if !maps.Equal(got, s) {
		for name := range s {
			if got[name] != s[name] {
				t.Errorf("%.20q is not as it should be", name)
			}
		}
		t.Errorf("%d pages, want %d", len(got), len(s))
	}
	if s.save(t, path, maxBatchPages+1, chapterWeight) {
		t.Error("it was written again")
	}
}

func TestDisorderIsAnError(t *testing.T) {
	add := func(w *Writer, dir string, names ...string) error {
		var b Batch
		b.Reset(dir)
		for _, name := range names {
			b.Add(name, &Page{})
		}
		return w.Append(&b)
	}
	path := statePath(t)
	w := NewWriter(path, nil, testSettings, testTime)
	if err := add(w, "", "b", "a"); err == nil {
		t.Error("names may go back")
	}
	w.Discard()
	w = NewWriter(path, nil, testSettings, testTime)
	if err := add(w, "b", "a", "a", "b"); err != nil {
		t.Error(err)
	}
	if err := add(w, "a", "a"); err == nil {
		t.Error("folders may go back")
	}
	if written, err := w.Commit(); written || err == nil {
		t.Errorf("committed: %v, %v", written, err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); len(left) > 0 || err != nil {
		t.Errorf("%v is left, %v", left, err)
	}
}

func TestDraftsOfKilledRunsAreRemoved(t *testing.T) {
	path := statePath(t)
	s := numbered(2, 2)
	random := strings.Repeat("a", draftRandom)
	strangers := []string{".site.state.tmp", ".other.state." + random + ".tmp", ".site.state." + random[1:] + "A.tmp", "site.state." + random + ".tmp", ".site.state." + random + ".tmp.x"}
	leave := func() {
		for _, name := range append(strangers, ".site.state."+random+".tmp") {
			if err := os.WriteFile(filepath.Join(filepath.Dir(path), name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, want := range []bool{true, false} {
		leave()
		if written := s.save(t, path, 2, 2); written != want {
			t.Errorf("written is %v", written)
		}
		if left, err := os.ReadDir(filepath.Dir(path)); len(left) != len(strangers)+1 || err != nil {
			t.Errorf("%v is left, %v", left, err)
		}
	}
	// A run that is killed leaves the old state and a draft.
	s.edit("folder-000/page-000.html")
	w := NewWriter(path, nil, testSettings, testTime)
	var b Batch
	b.Add("a", &Page{})
	if err := w.Append(&b); err != nil {
		t.Fatal(err)
	}
	if len(load(t, path)) != 4 {
		t.Error("the old state is gone before Commit")
	}
	w.draft.file.Close()
	if !s.save(t, path, 2, 2) || !maps.Equal(load(t, path), s) {
		t.Error("the state is not the new one")
	}
	if left, err := os.ReadDir(filepath.Dir(path)); len(left) != len(strangers)+1 || err != nil {
		t.Errorf("%v is left, %v", left, err)
	}
}

func TestDiscardLeavesTheOldState(t *testing.T) {
	path := statePath(t)
	s := numbered(2, 2)
	s.save(t, path, 2, 2)
	w := NewWriter(path, nil, testSettings, testTime)
	var b Batch
	b.Add("a", &Page{})
	if err := w.Append(&b); err != nil {
		t.Fatal(err)
	}
	w.Discard()
	w.Discard()
	if err := w.Append(&b); err == nil {
		t.Error("a discarded writer takes a batch")
	}
	if written, err := w.Commit(); written || err == nil {
		t.Errorf("a discarded writer commits: %v, %v", written, err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); len(left) != 1 || err != nil || !maps.Equal(load(t, path), s) {
		t.Errorf("%v is left, %v", left, err)
	}
}

func TestStateIsForItsOwnerOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are of unix")
	}
	path := statePath(t)
	site{"a": {}}.save(t, path, 1, 1)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestWriterFailsWithoutAFolder(t *testing.T) {
	w := NewWriter(filepath.Join(t.TempDir(), "no", "state"), nil, testSettings, time.Time{})
	if written, err := w.Commit(); written || err == nil {
		t.Errorf("%v, %v", written, err)
	}
}

func TestUnreadableChaptersAreForgotten(t *testing.T) {
	path := statePath(t)
	s := numbered(6, 2)
	s.save(t, path, 2, 4)
	r := open(t, path)
	defer r.Close()
	w := NewWriter(path, r, testSettings, testTime)
	defer w.Discard()
	var b Batch
	keep := func(i int) *Run {
		b.Reset(fmt.Sprintf("folder-%03d", i))
		for j := range 2 {
			name := fmt.Sprintf("page-%03d.html", j)
			b.AddIdentity(name, s[join(b.dir, name)].Identity)
		}
		return r.Run(&b)
	}
	for i := range 3 {
		if err := w.Keep(keep(i)); err != nil {
			t.Fatal(err)
		}
	}
	r.file.Close()
	if run := keep(4); run != nil || r.Err() == nil {
		t.Errorf("got %v of a closed file, and the error %v", run, r.Err())
	}
	if written, err := w.Commit(); !written || err != nil {
		t.Fatal(written, err)
	}
	if got := load(t, path); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestWorkersMayBeAheadOfTheWriter(t *testing.T) {
	path := statePath(t)
	s := numbered(300, 3)
	s["folder-100/page-001.html"] = Page{Facts: "f"}
	for round := range 4 {
		s.edit(fmt.Sprintf("folder-%03d/page-002.html", 70*round))
		s.saveWithWorkers(t, path)
		if !maps.Equal(load(t, path), s) {
			t.Fatalf("round %d: the state is not the site", round)
		}
	}
}

// saveWithWorkers is save as several goroutines do it.
func (s site) saveWithWorkers(t *testing.T, path string) {
	old := open(t, path)
	defer old.Close()
	w := NewWriter(path, old, testSettings, testTime)
	w.weight, w.hasty = 20, true
	defer w.Discard()
	type result struct {
		run   *Run
		batch *Batch
	}
	all := s.batches(2)
	results := make([]chan result, len(all))
	for i := range results {
		results[i] = make(chan result, 1)
	}
	next := make(chan int)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			cursor := old.NewCursor()
			for i := range next {
				b := new(Batch)
				b.Reset(all[i].dir)
				for _, name := range all[i].names {
					b.AddIdentity(name, s[join(b.dir, name)].Identity)
				}
				run := old.Run(b)
				if run != nil {
					_, _ = run.AppendPages(nil)
				} else {
					for _, name := range all[i].names {
						_, _ = cursor.Lookup(b.dir, name)
						page := s[join(b.dir, name)]
						b.Add(name, &page)
					}
				}
				results[i] <- result{run, b}
			}
		})
	}
	workers.Go(func() {
		defer close(next)
		for i := range all {
			next <- i
		}
	})
	for _, c := range results {
		r := <-c
		var err error
		if r.run != nil {
			err = w.Keep(r.run)
		} else {
			err = w.Append(r.batch)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	workers.Wait()
	if _, err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}
