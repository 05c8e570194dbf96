package main

import (
	"fmt"
	"sitewalk"
	"strings"

	"github.com/spf13/cobra"
)

// shells are the shells that completion knows, with what writes the script.
var shells = map[string]func(root *cobra.Command, c *command) error{
	"bash":       func(root *cobra.Command, c *command) error { return root.GenBashCompletionV2(c.stdout, true) },
	"zsh":        func(root *cobra.Command, c *command) error { return root.GenZshCompletion(c.stdout) },
	"fish":       func(root *cobra.Command, c *command) error { return root.GenFishCompletion(c.stdout, true) },
	"powershell": func(root *cobra.Command, c *command) error { return root.GenPowerShellCompletionWithDesc(c.stdout) },
}

// shellNames are the shells in the order in which people are told of them.
var shellNames = []cobra.Completion{"bash", "zsh", "fish", "powershell"}

func (c *command) completion() *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Prints what completes command lines in a shell",
		Long: "completion prints the script by which a shell completes commands, flags and their\n" +
			"values. SHELL is bash, zsh, fish or powershell. Bash needs the package\n" +
			"bash-completion; zsh needs compinit in ~/.zshrc. A package of sitewalk's brings\n" +
			"the scripts along, except for PowerShell.\n\n" +
			"Exit codes: 0 printed; 1 standard output cannot be written; 2 usage error.",
		Example: "  sitewalk completion bash > ~/.local/share/bash-completion/completions/sitewalk\n" +
			"  sitewalk completion zsh > \"${fpath[1]}/_sitewalk\"\n" +
			"  sitewalk completion fish > ~/.config/fish/completions/sitewalk.fish\n" +
			"  sitewalk completion powershell >> $PROFILE",
		ValidArgs: shellNames,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 && shells[args[0]] != nil {
				return nil
			}
			return &usageError{fmt.Errorf("say for which shell: %s", strings.Join(shellNames, ", "))}
		},
		RunE: func(cmd *cobra.Command, args []string) error { return shells[args[0]](cmd.Root(), c) },
	}
}

// completions are what completes the values of flags, by their names: the same name
// means the same in every command. Other values are files.
var completions = map[string]cobra.CompletionFunc{
	"config":    filesOf("yaml", "yml"),
	"docroot":   folders,
	"out":       folders,
	"dir":       folders,
	"state-dir": folders,
	"base-url":  cobra.FixedCompletions([]cobra.Completion{"https://", "http://"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace),
	"generator": cobra.FixedCompletions(sitewalk.Generators(), cobra.ShellCompDirectiveNoFileComp),
	"progress": words(
		cobra.CompletionWithDesc("auto", "on a terminal"),
		cobra.CompletionWithDesc("always", "at once"),
		"never"),
	"ionice": words(
		cobra.CompletionWithDesc("idle", "leave the disk to all others"),
		cobra.CompletionWithDesc("best-effort", "level 4"),
		cobra.CompletionWithDesc("best-effort:0", "first"),
		cobra.CompletionWithDesc("best-effort:7", "last"),
		cobra.CompletionWithDesc("none", "by the nice value")),
	"nice":      cobra.NoFileCompletions,
	"jobs":      cobra.NoFileCompletions,
	"lock-wait": cobra.NoFileCompletions,
}

func words(of ...cobra.Completion) cobra.CompletionFunc {
	return cobra.FixedCompletions(of, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder)
}

func filesOf(extensions ...cobra.Completion) cobra.CompletionFunc {
	return cobra.FixedCompletions(extensions, cobra.ShellCompDirectiveFilterFileExt)
}

func folders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// complete sets what completes the command lines of all commands below root.
func complete(root *cobra.Command) {
	// cobra would add a command of its own.
	root.CompletionOptions.DisableDefaultCmd = true
	for _, cmd := range root.Commands() {
		// One whose usage names no argument takes none.
		if cmd.ValidArgsFunction == nil && !strings.Contains(cmd.Use, " ") {
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
		for name, completion := range completions {
			if cmd.Flags().Lookup(name) != nil {
				// An error would mean that a flag has two completions.
				_ = cmd.RegisterFlagCompletionFunc(name, completion)
			}
		}
	}
}
