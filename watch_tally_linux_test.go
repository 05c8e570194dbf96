package sitewalk_test

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// tally counts what several runs do.
type tally struct {
	mu         sync.Mutex
	runs       int
	rounds     int
	failed     int
	operations map[string]int
	waits      []time.Duration
}

func (c *tally) failures() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

// round counts a round, and now and then says how it goes.
func (c *tally) round(wait time.Duration) (summary string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rounds++
	c.waits = append(c.waits, wait)
	if c.rounds%500 != 0 {
		return ""
	}
	return c.summary()
}

func (c *tally) did(operation string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.operations[operation]++
}

func (c *tally) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.summary()
}

func (c *tally) summary() string {
	waits := slices.Sorted(slices.Values(c.waits))
	at := func(share float64) time.Duration {
		if len(waits) == 0 {
			return 0
		}
		return waits[int(share*float64(len(waits)-1))].Round(time.Millisecond)
	}
	operations := 0
	for _, n := range c.operations {
		operations += n
	}
	return fmt.Sprintf("%d runs, %d rounds, %d operations of %d kinds, %d failures; quiet after %v at the median, %v at 99%%, %v at most",
		c.runs, c.rounds, operations, len(c.operations), c.failed, at(0.5), at(0.99), at(1))
}
