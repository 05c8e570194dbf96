//go:build !unix

package generator

import (
	"testing"
	"time"
)

var started = time.Now()

// spent returns how long the tests have been running, in want of the processor time.
func spent(*testing.T) time.Duration { return time.Since(started) }
