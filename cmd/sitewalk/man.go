package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func (c *command) man() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "man [PAGE]",
		Short: "Prints a manual page, or installs all of them",
		Long: "man prints a manual page, sitewalk.1 if none is named, as man -l reads it. With --dir\n" +
			"it writes all pages into the folders man1 and man5 of a folder, such as\n" +
			"/usr/local/share/man. They bear the date that SOURCE_DATE_EPOCH says, or none.\n\n" +
			"Exit codes: 0 written; 1 a file or standard output cannot be written; 2 usage error.",
		Example: "  sitewalk man sitewalk-build.1 | man -l -\n" +
			"  sitewalk man --dir /usr/local/share/man",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			date, err := c.sourceDate()
			if err != nil {
				return err
			}
			pages := manual(cmd.Root(), date)
			switch {
			case cmd.Flags().Changed("dir") && len(args) > 0:
				return &usageError{fmt.Errorf("--dir writes all pages; leave %q out", args[0])}
			case cmd.Flags().Changed("dir") && dir == "":
				return &usageError{fmt.Errorf("--dir is empty; give it a value, or leave it out")}
			case dir != "":
				return writeManual(dir, pages)
			}
			name := "sitewalk.1"
			if len(args) > 0 {
				name = args[0]
			}
			page, ok := pages[name]
			for _, full := range []string{name + ".1", "sitewalk-" + name + ".1", name + ".5"} {
				if !ok {
					page, ok = pages[full]
				}
			}
			if !ok || len(args) > 1 {
				return &usageError{fmt.Errorf("name one of the pages %s", strings.Join(slices.Sorted(maps.Keys(pages)), ", "))}
			}
			_, err = fmt.Fprint(c.stdout, page)
			return err
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return slices.Sorted(maps.Keys(manual(cmd.Root(), time.Time{}))), cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "`folder` to write all pages in")
	return cmd
}

// writeManual writes pages into a folder of manuals, each into the folder of its
// section.
func writeManual(dir string, pages map[string]string) error {
	for name, page := range pages {
		folder := filepath.Join(dir, "man"+strings.TrimPrefix(filepath.Ext(name), "."))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(page), 0o644); err != nil {
			return err
		}
	}
	return nil
}
