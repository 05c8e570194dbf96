//go:build !unix

package sitewalk

import "math"

// maxJobs returns how many jobs the system has descriptors for: there is no such limit.
func maxJobs() int { return math.MaxInt }
