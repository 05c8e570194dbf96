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
// Such a process reads from its standard input which docroots these are, ends when that
// does, and tells by descriptor 3 what root's process needs to know of it.

// tellDescriptor is where a process for one owner's sites tells.
const tellDescriptor = 3

// told is what it tells.
type told struct {
	Ready   bool   // all its watches have begun
	Tally   *tally // of its builds
	Failure string // why it could do nothing, and its exit code then
	Code    int
}

// tell tells root's process.
func (c *command) tell(what told) {
	teller := os.NewFile(tellDescriptor, "tell")
	_ = json.NewEncoder(teller).Encode(what) // without root's process there is nobody to tell
}

// readOwn reads which docroots are this process's to do.
func (c *command) readOwn(input io.Reader) error {
	keepFromOthers(tellDescriptor)
	var docroots [][]byte // names are any bytes
	if err := json.NewDecoder(input).Decode(&docroots); err != nil {
		return &usageError{fmt.Errorf("--%s: %w", asOwnerFlag, err)}
	}
	c.own = map[string]bool{}
	for _, docroot := range docroots {
		c.own[string(docroot)] = true
	}
	return nil
}

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
	args = append(args, "--"+asOwnerFlag)
	if c.seen {
		args = append(args, "--"+seenFlag)
	}
	args = append(args, "--jobs="+strconv.Itoa(c.jobsEach()), "--parallel=1")
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error {
		var sig signalError
		if errors.As(context.Cause(ctx), &sig) {
			return cmd.Process.Signal(sig.signal)
		}
		if context.Cause(ctx) == errSlow { // it has had its while to stop by itself
			return cmd.Process.Kill()
		}
		return cmd.Process.Signal(syscall.SIGTERM)
	}
	cmd.WaitDelay = stopDelay
	cmd.Stdout, cmd.Stderr = &lineWriter{output: outputs.stdout}, &lineWriter{output: outputs.stderr}
	// systemd hears of all sites from this process.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "NOTIFY_SOCKET=") })
	return cmd, nil
}

// runForOwner runs the process for one owner's sites, and hands on what it tells. When ctx
// ends, the process is told to stop, and is killed if it does not: its owner may have
// stopped it for ever (SIGSTOP).
func (c *command) runForOwner(ctx context.Context, sites ownerSites, outputs outputs, hear func(told)) error {
	cmd, err := c.forOwner(ctx, sites, outputs)
	if err != nil {
		return err
	}
	alive, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	defer alive.Close()
	hearer, teller, err := os.Pipe()
	if err != nil {
		return err
	}
	defer hearer.Close()
	cmd.ExtraFiles = []*os.File{teller}
	err = cmd.Start()
	teller.Close()
	if err != nil {
		return err
	}
	docroots := make([][]byte, len(sites.docroots))
	for i, docroot := range sites.docroots {
		docroots[i] = []byte(docroot)
	}
	// It reads this before it does anything else; if it cannot, it ends.
	_ = json.NewEncoder(alive).Encode(docroots)
	for decoder := json.NewDecoder(hearer); ; {
		var what told
		if decoder.Decode(&what) != nil {
			return cmd.Wait()
		}
		hear(what)
	}
}

// fail prints of each of an owner's sites why it cannot be done.
func (c *command) fail(ctx context.Context, sites ownerSites, outputs outputs, why error, code int) {
	for _, docroot := range sites.docroots {
		c.forSite(docroot, outputs).printError(ctx, why, code)
	}
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

// buildFor builds one owner's sites, and says of each why not if that process does not.
func (c *command) buildFor(ctx context.Context, sites ownerSites, outputs outputs) tally {
	var heard told
	err := context.Cause(ctx)
	if err == nil {
		limited, cancel := withinTime(ctx, c.siteTimes(len(sites.docroots)))
		err = inTime(limited, c.runForOwner(limited, sites, outputs, func(what told) { heard = what }))
		cancel()
	}
	if heard.Tally != nil {
		heard.Tally.Code = notInterrupted(heard.Tally.Code)
		return *heard.Tally
	}
	t := tally{Failed: len(sites.docroots), Code: exitFailed}
	switch {
	case ctx.Err() != nil:
		err, t.Code = ctx.Err(), exitCode(ctx, ctx.Err())
	case heard.Failure != "":
		err, t.Code = errors.New(heard.Failure), notInterrupted(heard.Code)
	default:
		err = fmt.Errorf("the process for user %d: %w", sites.uid, err)
	}
	c.fail(ctx, sites, outputs, err, t.Code)
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
		return notInterrupted(exit.ExitCode())
	}
	return exitFailed
}

// notInterrupted returns the exit code that another owner's process counts with: its
// owner can send it a signal, which interrupts those sites and not the whole run.
func notInterrupted(code int) int {
	if code > exitSignal {
		return exitFailed
	}
	return code
}

// buildAsOwner builds the sites of one owner for root's process.
func (c *command) buildAsOwner(ctx context.Context, sites []site, drop *dropper) error {
	ctx, err := c.becomeOwner(ctx, sites, drop)
	if err != nil {
		return err
	}
	t := c.buildHere(ctx, sites, drop, shareOutputs(c.stdout, c.stderr))
	c.code = t.Code
	c.tell(told{Tally: &t})
	return nil
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
