package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"sitewalk/internal/priority"
)

// priorityFlags adds the flags by which a run gives way to others, and heeds them
// before the command does anything: while the process is still the user who
// started it, whose word they are. A process that has become another user can
// neither take a negative nice value nor see its own threads.
func (c *command) priorityFlags(cmd *cobra.Command) {
	f, set := &c.flags, cmd.Flags()
	set.IntVar(&f.nice, "nice", 0, fmt.Sprintf("`value` from %d to %d: the higher, the more the run leaves the processor to others; 0 leaves it as it is", priority.MinNice, priority.MaxNice))
	set.StringVar(&f.ionice, "ionice", "", "on Linux, I/O `class`: idle leaves the disk to all others; best-effort, best-effort:0 to 7; none")
	cmd.PreRunE = func(*cobra.Command, []string) error { return c.setPriority(cmd) }
}

// setPriority gives the process the priority that the flags ask for.
func (c *command) setPriority(cmd *cobra.Command) error {
	f := &c.flags
	settings := priority.Settings{Nice: f.nice}
	if f.nice < priority.MinNice || f.nice > priority.MaxNice {
		return &usageError{fmt.Errorf("--nice must be from %d to %d", priority.MinNice, priority.MaxNice)}
	}
	if cmd.Flags().Changed("ionice") {
		class, err := priority.ParseIOClass(f.ionice)
		if err != nil {
			return &usageError{fmt.Errorf("--ionice: %w", err)}
		}
		settings.IO = &class
	}
	err := settings.Apply()
	if errors.Is(err, priority.ErrUnsupported) {
		return &usageError{err}
	}
	return err
}
