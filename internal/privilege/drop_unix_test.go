//go:build unix

package privilege

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// dropChild, set to "UID GID FILE", makes the test binary drop to that owner
// and check what is left; FILE is one that only root can read. Dropping is for
// good, so it cannot be done in the tests' own process.
const dropChild = "SITEWALK_TEST_DROP"

func TestMain(m *testing.M) {
	if args := os.Getenv(dropChild); args != "" {
		if err := runDropChild(args); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func runDropChild(args string) error {
	var o Owner
	var secret string
	if _, err := fmt.Sscan(args, &o.UID, &o.GID, &secret); err != nil {
		return err
	}
	gid, groups, err := groupsOf(o, systemUser)
	if err != nil {
		return err
	}
	const before = 8
	stop := manyThreads(before)
	defer stop()
	if err := Drop(o); err != nil {
		return err
	}
	defer manyThreads(4)() // later threads are like those before

	if IsRoot() {
		return errors.New("still root")
	}
	if runtime.GOOS == "linux" {
		if err := checkThreads(before, int(o.UID), gid, groups); err != nil {
			return err
		}
	}
	for name, err := range map[string]error{
		"setuid":      syscall.Setuid(0),
		"setreuid":    syscall.Setreuid(0, 0),
		"setgid":      syscall.Setgid(0),
		"setgroups":   syscall.Setgroups([]int{0}),
		"chown":       os.Chown(secret, int(o.UID), gid),
		"reading":     readable(secret),
		"another one": Drop(Owner{UID: o.UID + 1, GID: 1}),
	} {
		if err == nil {
			return fmt.Errorf("%s works after dropping", name)
		}
	}
	return nil
}

func readable(path string) error {
	_, err := os.ReadFile(path)
	return err
}

// manyThreads keeps n threads more alive until stop is called.
func manyThreads(n int) (stop func()) {
	var up, down sync.WaitGroup
	done := make(chan struct{})
	for range n {
		up.Add(1)
		down.Go(func() {
			runtime.LockOSThread()
			up.Done()
			<-done
		})
	}
	up.Wait()
	return func() {
		close(done)
		down.Wait()
	}
}

// checkThreads reads from /proc what the kernel thinks of every thread.
func checkThreads(atLeast, uid, gid int, groups []int) error {
	files, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil || len(files) < atLeast {
		return fmt.Errorf("%d threads (%v), want %d at least", len(files), err, atLeast)
	}
	groups = slices.Sorted(slices.Values(groups))
	want := map[string]string{
		"Uid":    strings.TrimSpace(strings.Repeat(fmt.Sprint(uid, " "), 4)), // real, effective, saved, file system
		"Gid":    strings.TrimSpace(strings.Repeat(fmt.Sprint(gid, " "), 4)),
		"Groups": strings.Trim(fmt.Sprint(groups), "[]"),
		"CapPrm": "0000000000000000",
		"CapEff": "0000000000000000",
		"CapAmb": "0000000000000000",
	}
	for _, file := range files {
		status, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		seen := 0
		for line := range strings.Lines(string(status)) {
			key, value, _ := strings.Cut(line, ":")
			if w, ok := want[key]; ok {
				seen++
				if got := strings.Join(strings.Fields(value), " "); got != w {
					return fmt.Errorf("%s: %s is %q, want %q", file, key, got, w)
				}
			}
		}
		if seen != len(want) {
			return fmt.Errorf("%s tells %d things of %d", file, seen, len(want))
		}
	}
	return nil
}

func TestDropIsForGoodInAllThreads(t *testing.T) {
	needRoot(t)
	secret := filepath.Join(makeTree(t, "f root secret"), "secret")
	owners := map[string]Owner{
		"unknown user": {UID: alice, GID: bob},
		"known user":   {UID: 1, GID: bob}, // daemon nearly everywhere
	}
	for name, o := range owners {
		t.Run(name, func(t *testing.T) {
			if _, _, err := groupsOf(o, systemUser); err != nil {
				t.Skipf("this system has no such user to become: %v", err)
			}
			cmd := exec.Command(os.Args[0])
			// The race detector would sleep for a second before it exits.
			cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", fmt.Sprintf("%s=%d %d %s", dropChild, o.UID, o.GID, secret))
			cmd.SysProcAttr = &syscall.SysProcAttr{
				Credential: &syscall.Credential{Uid: 0, Gid: 0, Groups: []uint32{0, 4, 27}},
			}
			if out, err := cmd.CombinedOutput(); err != nil {
				if errors.Is(err, syscall.EPERM) {
					t.Skipf("needs a root who may change users (CAP_SETUID, CAP_SETGID): %v", err)
				}
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

func TestDropToRootChangesNothing(t *testing.T) {
	uid, gid := os.Getuid(), os.Getgid()
	if err := Drop(Owner{GID: bob}); err != nil || os.Getuid() != uid || os.Getgid() != gid {
		t.Errorf("%v, now %d:%d", err, os.Getuid(), os.Getgid())
	}
}

func TestDropWithoutAGroupFailsBeforeAnyChange(t *testing.T) {
	err := Drop(Owner{UID: alice})
	if err == nil || IsRoot() && !strings.Contains(err.Error(), allowRoot) {
		t.Errorf("%v", err)
	}
	if IsRoot() != (os.Getuid() == 0) {
		t.Error("the process has changed")
	}
}

func TestGroupsNeverHoldRoots(t *testing.T) {
	known := func(gid int, groups ...int) *account { return &account{gid, groups} }
	tests := []struct {
		name    string
		gid     uint32
		account *account
		want    []int // first the primary; nil for an error
	}{
		{"unknown user", 33, nil, []int{33}},
		{"unknown user, root's group", 0, nil, nil},
		{"the folder's group is not the user's", 33, known(1001, 1001, 27), []int{1001, 27}},
		{"the folder's group is root's", 0, known(1001), []int{1001}},
		{"in root's group too", 33, known(1001, 0, 1001, 33), []int{1001, 33}},
		{"root's group first, in the folder's", 33, known(0, 0, 27, 33), []int{33, 27}},
		{"root's group first, not in the folder's", 33, known(0, 0, 27), nil},
		{"root's group alone", 0, known(0, 0), nil},
	}
	for _, tt := range tests {
		gid, groups, err := groupsOf(Owner{UID: alice, GID: tt.gid}, func(uint32) (*account, error) { return tt.account, nil })
		if (err != nil) != (tt.want == nil) || !slices.Equal(groups, tt.want) || groups != nil && gid != groups[0] {
			t.Errorf("%s: %d, %v, %v, want %v", tt.name, gid, groups, err, tt.want)
		}
	}
	broken := errors.New("directory server away")
	if _, _, err := groupsOf(Owner{UID: alice, GID: 1}, func(uint32) (*account, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("a lookup that fails: %v", err)
	}
}
