//go:build unix

package sitewalk

import (
	"math"

	"golang.org/x/sys/unix"
)

// descriptorsPerJob is how many of the descriptors that the process may have there must
// be for each job. A job holds three itself: of a folder, of the one above while that is
// opened, and of a page; and has one more shard written at a time. The rest is for what
// is there once: with 32 descriptors two jobs never run out.
const descriptorsPerJob = 12

// maxJobs returns how many jobs the system has descriptors for, at least one.
func maxJobs() int {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return math.MaxInt
	}
	return max(1, int(min(uint64(limit.Cur)/descriptorsPerJob, math.MaxInt32)))
}
