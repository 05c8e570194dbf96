package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"sitewalk/internal/privilege"
)

// A process has one user. So root, whose sites belong to several, does its own itself,
// and starts for each other owner a process that becomes that owner and does theirs.
// Such a process is told by --only which sites these are, ends when its standard input
// does, and tells by descriptor 3 what root's process needs to know of it.

// tellDescriptor is where a process for one owner's sites tells.
const tellDescriptor = 3

// ownerSites are the docroots of one owner.
type ownerSites struct {
	uid      uint32
	docroots []string
}

// byOwner divides sites into those that this process does and those that others do,
// which there are only while it is root. A site whose owner cannot be told is this
// process's, which then says why.
func byOwner(sites []site, drop *dropper) (own []site, others []ownerSites) {
	if !drop.root || drop.stay || drop.dropped {
		return sites, nil
	}
	for _, s := range sites {
		owner, err := privilege.OwnerOf(s.owned)
		if err != nil || owner.UID == 0 {
			own = append(own, s)
			continue
		}
		i := slices.IndexFunc(others, func(o ownerSites) bool { return o.uid == owner.UID })
		if i < 0 {
			i = len(others)
			others = append(others, ownerSites{uid: owner.UID})
		}
		others[i].docroots = append(others[i].docroots, s.docroot)
	}
	return own, others
}

// stopDelay is how long another process may take to end when it is told to.
const stopDelay = stopLimit + 5*time.Second

// forOwner returns the command for the process that does one owner's sites, and its
// standard input, which keeps it alive. The caller adds where it tells.
func (c *command) forOwner(ctx context.Context, sites ownerSites, outputs outputs) (*exec.Cmd, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := slices.DeleteFunc(slices.Clone(c.args), func(arg string) bool { return arg == "--" })
	for _, docroot := range sites.docroots {
		args = append(args, "--"+onlyFlag+"="+docroot)
	}
	if c.seen {
		args = append(args, "--"+seenFlag)
	}
	args = append(args, "--jobs="+strconv.Itoa(c.jobsEach()), "--parallel=1")
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopDelay
	cmd.Stdout, cmd.Stderr = &lineWriter{output: outputs.stdout}, &lineWriter{output: outputs.stderr}
	// systemd hears of all sites from this process.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "NOTIFY_SOCKET=") })
	return cmd, nil
}

// runForOwner runs the process for one owner's sites, and hands on what it tells.
func (c *command) runForOwner(ctx context.Context, sites ownerSites, outputs outputs, tell func(*json.Decoder)) error {
	cmd, err := c.forOwner(ctx, sites, outputs)
	if err != nil {
		return err
	}
	alive, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	defer alive.Close()
	told, teller, err := os.Pipe()
	if err != nil {
		return err
	}
	defer told.Close()
	cmd.ExtraFiles = []*os.File{teller}
	err = cmd.Start()
	teller.Close()
	if err != nil {
		return err
	}
	tell(json.NewDecoder(told))
	return cmd.Wait()
}

// buildElsewhere builds the sites of other owners, each owner's in a process.
func (c *command) buildElsewhere(ctx context.Context, others []ownerSites, outputs outputs) tally {
	tallies := make([]tally, len(others))
	atATime(c.flags.parallel, len(others), func(i int) {
		tallies[i] = c.buildFor(ctx, others[i], outputs)
	})
	var total tally
	for _, t := range tallies {
		total.add(t)
	}
	return total
}

// buildFor builds one owner's sites, and says so if the process that does it fails
// before it can tell.
func (c *command) buildFor(ctx context.Context, sites ownerSites, outputs outputs) tally {
	var t tally
	told := false
	err := context.Cause(ctx)
	if err == nil {
		err = c.runForOwner(ctx, sites, outputs, func(teller *json.Decoder) {
			told = teller.Decode(&t) == nil
		})
	}
	if told {
		return t
	}
	t = tally{Failed: len(sites.docroots), Code: exitFailed}
	switch {
	case ctx.Err() != nil:
		t.Code = exitCode(ctx, ctx.Err())
	case hasExited(err):
		t.Code = childCode(err)
	default:
		c.printError(ctx, fmt.Errorf("the sites of user %d: %w", sites.uid, err), t.Code)
	}
	return t
}

// hasExited reports whether the error is that of a process that has ended by itself,
// which then has said why.
func hasExited(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.Exited()
}

// childCode returns the exit code for how a process ended.
func childCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode()
	}
	return exitFailed
}

// buildAsOwner builds the sites of one owner for root's process.
func (c *command) buildAsOwner(ctx context.Context, sites []site, drop *dropper) error {
	ctx, err := c.becomeOwner(ctx, sites, drop)
	if err != nil {
		return err
	}
	t := c.buildHere(ctx, sites, drop, shareOutputs(c.stdout, c.stderr))
	c.code = t.Code
	teller := os.NewFile(tellDescriptor, "tell")
	defer teller.Close()
	return json.NewEncoder(teller).Encode(t)
}

// becomeOwner becomes the owner of all the sites, and returns a context that ends when
// root's process has.
func (c *command) becomeOwner(ctx context.Context, sites []site, drop *dropper) (context.Context, error) {
	if len(sites) == 0 {
		return ctx, errors.New("the sites are gone")
	}
	owner, err := privilege.OwnerOf(sites[0].owned)
	if err != nil {
		return ctx, fmt.Errorf("docroot: %w", err)
	}
	if err := drop.drop(owner); err != nil {
		return ctx, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel(signalError{syscall.SIGTERM})
	}()
	return ctx, nil
}
