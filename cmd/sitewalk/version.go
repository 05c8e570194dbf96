package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (c *command) version() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Prints the version",
		Long: "version prints the version on a line of its own, and below it what the program was\n" +
			"built from: the commit, the version of Go and the platform.\n\n" +
			"Exit codes: 0 printed; 1 standard output cannot be written; 2 usage error.",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			built := readBuild()
			if c.flags.json {
				return c.printJSON(built)
			}
			_, err := fmt.Fprint(c.stdout, "sitewalk ", built.Version, "\n", built.details())
			return err
		},
	}
	cmd.Flags().BoolVar(&c.flags.json, "json", false, "print it as JSON")
	return cmd
}

// buildInfo is what the command was built from, as the Go linker noted it: no build
// needs to be told its version.
type buildInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // the commit, where the source was a clone
	Time     string `json:"time,omitempty"`     // of the commit, RFC 3339 in UTC
	Modified bool   `json:"modified"`           // the clone had changes that were not committed
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func readBuild() buildInfo {
	built := buildInfo{Version: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return built
	}
	if info.Main.Version != "" {
		built.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			built.Revision = setting.Value
		case "vcs.time":
			built.Time = setting.Value
		case "vcs.modified":
			built.Modified = setting.Value == "true"
		}
	}
	return built
}

// version returns the version that the command was built from.
func version() string { return readBuild().Version }

// details says in lines of their own what stands behind the version.
func (b *buildInfo) details() string {
	var commit string
	if b.Revision != "" {
		commit = "commit " + b.Revision
		if b.Time != "" {
			commit += " of " + b.Time
		}
		if b.Modified {
			commit += ", with changes that are not committed"
		}
		commit += "\n"
	}
	return commit + b.Go + " on " + b.Platform + "\n"
}
