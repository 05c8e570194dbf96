package faults

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A namespace is where a test may mount what it likes: nobody else sees it, and it is
// gone with the last process in there, however that ends.
type namespace int

const (
	// ofAnyUser lets whoever runs the tests mount file systems in memory. Nobody becomes
	// root in there: as root, sitewalk would refuse to work below folders of users that
	// the namespace does not know.
	ofAnyUser namespace = iota
	// ofRoot takes root, who can mount disks, too.
	ofRoot
)

// namespaceVariable tells a test that it runs in a namespace of its own.
const namespaceVariable = "SITEWALK_FAULTS_NAMESPACE"

// inNamespace reports whether the test runs in a namespace of its own. If not, it runs the
// test once more, in one, and reports false: then that was it.
func inNamespace(t *testing.T, kind namespace) bool {
	t.Helper()
	if os.Getenv(namespaceVariable) == t.Name() {
		return true
	}
	limit := 10 * time.Minute
	if end, bounded := t.Deadline(); bounded {
		limit = time.Until(end) - time.Second
	}
	cmd := exec.Command("/proc/self/exe", "-test.v", "-test.run=^"+t.Name()+"$", "-test.timeout="+limit.String())
	cmd.Env = append(os.Environ(), namespaceVariable+"="+t.Name(), commandVariable+"="+sitewalk(t))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	switch {
	case kind == ofAnyUser:
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
		cmd.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN}
	case os.Geteuid() != 0:
		lack(t, "only root can mount a disk: run as root")
	default:
		cmd.SysProcAttr.Unshareflags = syscall.CLONE_NEWNS
	}
	output, err := cmd.CombinedOutput()
	said := string(output)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		t.Errorf("%v\n%s", err, said)
	case err != nil:
		lack(t, "the system allows no namespaces: %v", err)
	case strings.Contains(said, "--- SKIP: "+t.Name()+" "):
		t.Skip(said)
	case !strings.Contains(said, "--- PASS: "+t.Name()+" "):
		t.Errorf("in its own namespace the test does not run:\n%s", said)
	default:
		t.Log(said)
	}
	return false
}
