package scanner

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// bulk is a result that takes memory.
type bulk struct{}

func (bulk) Size() int { return 8 << 20 }

// TestLargeResultsAreNotMadeFarAhead is about pages with thousands of links: as many
// finished batches as else may wait for their turn would take gigabytes.
func TestLargeResultsAreNotMadeFarAhead(t *testing.T) {
	for _, jobs := range []int{1, 2, 16} {
		synctest.Test(t, func(t *testing.T) {
			folders := &fakeFolder{}
			for i := range 200 {
				folder := &fakeFolder{}
				folder.add("page.html", nil)
				folders.add(string(rune('A'+i%26))+string(rune('a'+i/26)), folder)
			}
			var made, emitted atomic.Int64
			work := func() func(*Batch) bulk {
				return func(*Batch) bulk {
					made.Add(1)
					return bulk{}
				}
			}
			resume, ended := make(chan bool), make(chan error)
			go func() {
				ended <- walk(t.Context(), &fakeTree{top: folders}, FromFS(nil), newScanner(t, DefaultConfig(), Options{Jobs: jobs}), nil, work, func(bulk) error {
					if emitted.Add(1) == 20 {
						<-resume
					}
					return nil
				})
			}()
			synctest.Wait() // every worker waits for the blocked emit
			most := int64(aheadFiles*sizePerFile/(8<<20) + jobs + 1)
			if waiting := made.Load() - emitted.Load(); waiting > most {
				t.Errorf("%d jobs: %d results of 8 MiB wait, want at most %d", jobs, waiting, most)
			}
			close(resume)
			if err := <-ended; err != nil || emitted.Load() < 200 {
				t.Errorf("%d jobs: %v after %d results", jobs, err, emitted.Load())
			}
		})
	}
}
