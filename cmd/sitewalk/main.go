// Command sitewalk turns the docroot of a static site into its sitemap.
//
// This package holds what is between people and package sitewalk: flags,
// messages, exit codes, signals, and, for root, the drop to the docroot's
// owner. Start at [run].
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"sitewalk"
)

// The exit codes, which scripts rely on.
const (
	exitDone       = 0 // published, or nothing to change
	exitFailed     = 1 // what was published before is intact
	exitUsage      = 2 // mistake in the command line or the configuration
	exitUnreadable = 3 // published, but some files could not be read
	exitNoPages    = 4 // nothing published, the old set kept
	exitViolations = 5 // check found violations
	exitSignal     = 128
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run runs the command and returns its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := withSignals(context.Background())
	defer stop()
	c := &command{args: args, seen: isTerminal(stdout) || isTerminal(stderr), stdout: stdout, stderr: stderr, environ: os.Getenv, ballast: make([]byte, ballastSize)}
	root := c.root()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return c.code
	}
	code := exitCode(ctx, err)
	if c.flags.asOwner {
		c.tell(told{Failure: c.message(err), Code: code})
	} else {
		c.printError(ctx, err, code)
	}
	return code
}

// ballastSize is how much memory the collector is led to believe is in use. A
// build lives for a second and keeps a few MiB. Left alone, the collector would
// run for every few MiB more; the ballast, which is never touched and so never
// resident, makes it wait for some 40, whatever the size of the site.
const ballastSize = 32 << 20

// command is one run of the command.
type command struct {
	args           []string        // of the command line
	seen           bool            // somebody looks at an output
	own            map[string]bool // the docroots of a process that does one owner's sites
	site           string          // the docroot, of a run that does one site of several; or empty
	stdout, stderr io.Writer
	environ        func(string) string
	flags          flags
	code           int // when there is no error
	printed        bool
	report         *sitewalk.Report // of a run that found no page
	event          string           // of a build that has ended well
	hint           string           // what may have led to no page
	indexTime      time.Time        // see sitewalk.Run
	became         string           // the user that root gave its rights up for, or empty
	states         string           // the folder that --state-dir has for the process's user
	statesErr      error            // why there is none
	ballast        []byte           // see ballastSize; a watch drops it once it has begun
}

func (c *command) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "sitewalk",
		Short: "Turns the docroot of a static site into its sitemap, and keeps it true",
		Long: "sitewalk walks a static site's docroot and publishes its sitemap: shards that stay\n" +
			"the same from one run to the next, and their index, put in place so that no\n" +
			"reader ever sees a broken set.",
		Version:                    version(),
		SilenceUsage:               true,
		SilenceErrors:              true,
		SuggestionsMinimumDistance: 2,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				hint := "sitewalk --help lists them"
				if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
					hint = "did you mean " + near[0] + "?"
				}
				return &usageError{fmt.Errorf("there is no command %q; %s", args[0], hint)}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usageError{flagError(cmd, c.args, err)}
	})
	root.SetVersionTemplate("sitewalk {{.Version}}\n")
	root.AddCommand(c.build(), c.watch(), c.check(), c.explain(), c.htmlReport(), c.submit())
	root.AddCommand(c.initialize(), c.version(), c.completion(), c.man())
	root.SetHelpCommand(help())
	complete(root)
	return root
}

// usageError is a mistake in the command line.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &usageError{fmt.Errorf("%s takes no arguments, but got %q; --docroot names the docroot", cmd.CommandPath(), args[0])}
	}
	return nil
}

// exitCode returns the exit code for an error.
func exitCode(ctx context.Context, err error) int {
	var usage *usageError
	var config *sitewalk.ConfigError
	var sig signalError
	var stopped stoppedError
	switch {
	case errors.As(err, &stopped):
		return exitSignal + int(stopped.signal)
	case errors.As(context.Cause(ctx), &sig) && errors.Is(err, context.Canceled):
		return exitSignal + int(sig.signal)
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE): // whatever could not be read for want of them
		return exitFailed
	case errors.As(err, &usage), errors.As(err, &config):
		return exitUsage
	case errors.Is(err, sitewalk.ErrNoPages):
		return exitNoPages
	}
	return exitFailed
}

// signalError is why the context ended.
type signalError struct{ signal syscall.Signal }

func (e signalError) Error() string { return e.signal.String() }

// withSignals returns a context that ends with a signalError on SIGINT and
// SIGTERM. A second signal ends the process at once.
func withSignals(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			if s, ok := s.(syscall.Signal); ok {
				cancel(signalError{s})
			}
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}
