//go:build unix

package privilege

import (
	"errors"
	"fmt"
	"io/fs"
	"os/user"
	"slices"
	"strconv"
	"syscall"
)

// IsRoot reports whether the process has root's rights (its effective user).
func IsRoot() bool { return syscall.Geteuid() == 0 }

// Drop makes the whole process, with all its threads, o's user for good, and
// has made sure of it when it returns nil. For root as owner it does nothing;
// for any other it is an error if the process is not root.
//
// The groups are those of the user, where the system knows them: o.GID is not
// among them unless the user is a member, since a docroot's group is often the
// web server's, and that can read other customers' files. Of a user whom the
// system does not know o.GID is the only group. Root's group is never kept; if
// no other is left, Drop fails before it has changed anything.
//
// After any later error the process may be half-way between the two and must
// end. Descriptors that are open stay open, but no program that is started gets
// one of them, other than the standard three: its user could take them from it.
// The environment stays as it is: HOME may still be root's, so a cache folder
// found by it cannot be written. On Linux the kernel then hides most of /proc/self from the process
// itself (proc(5), dumpable), which also keeps its user from tracing it.
func Drop(o Owner) error {
	if o.UID == 0 {
		return nil
	}
	if !IsRoot() {
		return fmt.Errorf("only root can become %s", userName(o.UID))
	}
	who := userName(o.UID) // before files become unreadable
	gid, groups, err := groupsOf(o, systemUser)
	if err != nil {
		return fmt.Errorf("becoming %s: %w", who, err)
	}
	withholdDescriptors()
	if err := become(int(o.UID), gid, groups); err != nil {
		return fmt.Errorf("becoming %s: %w; run it as that user instead, or pass %s to go on as root", who, err, allowRoot)
	}
	return nil
}

// maxDescriptor bounds the search for descriptors that whoever started root's
// process has left open, such as a panel's database, where the system has no call
// for all of them.
const maxDescriptor = 1 << 16

// withholdEach sees to it that no program that is started gets a descriptor.
func withholdEach() {
	for descriptor := 3; descriptor < maxDescriptor; descriptor++ {
		syscall.CloseOnExec(descriptor)
	}
}

// become takes on the user and groups, in the one order that works: without
// root's rights groups cannot be changed any more. In Go the calls of package
// syscall change all threads; those of x/sys/unix only one.
func become(uid, gid int, groups []int) error {
	err := syscall.Setgroups(groups)
	if errors.Is(err, syscall.EINVAL) && len(groups) > leastGroupsMax {
		err = syscall.Setgroups(groups[:leastGroupsMax])
	}
	if err != nil {
		return fmt.Errorf("setgroups: %w", err)
	}
	if err := syscall.Setgid(gid); err != nil {
		return fmt.Errorf("setgid: %w", err)
	}
	if err := syscall.Setuid(uid); err != nil {
		return fmt.Errorf("setuid: %w", err)
	}
	return confirm(uid, gid, groups)
}

// leastGroupsMax is how many groups any system takes (NGROUPS_MAX on macOS).
const leastGroupsMax = 16

// confirm makes sure that the process is this user and no other, and that no
// way leads back.
func confirm(uid, gid int, groups []int) error {
	if syscall.Getuid() != uid || syscall.Geteuid() != uid || syscall.Getgid() != gid || syscall.Getegid() != gid {
		return errors.New("the system did not change the user")
	}
	have, err := syscall.Getgroups()
	if err != nil {
		return fmt.Errorf("getgroups: %w", err)
	}
	for _, g := range have {
		if !slices.Contains(groups, g) {
			return fmt.Errorf("the system left group %d in place", g)
		}
	}
	if err := confirmSystem(uid, gid); err != nil {
		return err
	}
	// The first asks for the real and saved user, the second for the effective.
	if syscall.Setuid(0) == nil || syscall.Setreuid(-1, 0) == nil || syscall.Setgid(0) == nil {
		return errors.New("the process could become root again")
	}
	return nil
}

// An account is what the system knows of a user.
type account struct {
	gid    int
	groups []int // perhaps without gid
}

// groupsOf chooses the group and the supplementary groups, that group first,
// for o. lookup answers nil for a user that is not known.
func groupsOf(o Owner, lookup func(uid uint32) (*account, error)) (gid int, groups []int, err error) {
	a, err := lookup(o.UID)
	if err != nil {
		return 0, nil, err
	}
	own := int(o.GID)
	switch {
	case a == nil && own == 0:
		return 0, nil, fmt.Errorf("no user has this id, and the group of its folder is root's, which is not kept; chgrp the folder, or pass %s to go on as root", allowRoot)
	case a == nil:
		return own, []int{own}, nil
	case a.gid != 0:
		gid = a.gid
	case own != 0 && slices.Contains(a.groups, own):
		gid = own
	default:
		return 0, nil, fmt.Errorf("its primary group is root's, which is not kept; give it another, or pass %s to go on as root", allowRoot)
	}
	groups = []int{gid}
	for _, g := range a.groups {
		if g != 0 && !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	return gid, groups, nil
}

// systemUser looks a user up in the system's databases. Without cgo these are
// /etc/passwd and /etc/group alone.
func systemUser(uid uint32) (*account, error) {
	u, err := user.LookupId(strconv.FormatUint(uint64(uid), 10))
	if unknown := user.UnknownUserIdError(0); errors.As(err, &unknown) || errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the latter: a container without /etc/passwd
	}
	if err != nil {
		return nil, fmt.Errorf("looking up its groups: %w", err)
	}
	var a account
	if a.gid, err = strconv.Atoi(u.Gid); err != nil {
		return nil, fmt.Errorf("looking up its groups: %w", err)
	}
	ids, err := u.GroupIds()
	if err != nil {
		return &a, nil // fewer groups are fewer rights
	}
	for _, id := range ids {
		if g, err := strconv.Atoi(id); err == nil {
			a.groups = append(a.groups, g)
		}
	}
	return &a, nil
}
