package faults

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

// counts are how often what was seen.
type counts map[string]int

func (c counts) String() string {
	var seen []string
	for _, what := range sortedKeys(c) {
		seen = append(seen, fmt.Sprintf("%s %d", what, c[what]))
	}
	return strings.Join(seen, ", ")
}

// A tally counts what became of faults, by kind, for the tables in docs/reliability.md.
type tally struct {
	mutex sync.Mutex
	kinds map[string]counts
}

func (c *tally) add(kind, became string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.kinds == nil {
		c.kinds = map[string]counts{}
	}
	if c.kinds[kind] == nil {
		c.kinds[kind] = counts{}
	}
	c.kinds[kind][became]++
}

// log prints the counts, a row of a table a kind.
func (c *tally) log(t testing.TB) {
	t.Helper()
	var rows strings.Builder
	for _, kind := range sortedKeys(c.kinds) {
		total := 0
		for _, n := range c.kinds[kind] {
			total += n
		}
		fmt.Fprintf(&rows, "\n| %s | %d | %v |", kind, total, c.kinds[kind])
	}
	t.Log(rows.String())
}

// seeded returns what a test chooses by, and prints the seed.
func seeded(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
