package main

import "github.com/spf13/cobra"

// help returns the command that says how others are used.
func help() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Says how a command is used",
		Long:  "help says how a command is used, as COMMAND --help does.\n\nExit codes: 0 said; 2 there is no such command.",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			for _, other := range cmd.Root().Commands() {
				if len(args) == 0 && other.IsAvailableCommand() {
					names = append(names, cobra.CompletionWithDesc(other.Name(), other.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			about, _, err := cmd.Root().Find(args)
			if err == nil && len(args) > 0 && about == cmd.Root() {
				err = about.Args(about, args)
			}
			if err != nil {
				return err
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}
