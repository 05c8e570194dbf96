//go:build unix && !linux

package privilege

func top() (place, error) { return namedTop() }

func withholdDescriptors() { withholdEach() }

// confirmSystem has nothing to add to confirm here.
func confirmSystem(uid, gid int) error { return nil }
