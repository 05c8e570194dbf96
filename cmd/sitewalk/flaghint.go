package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sitewalk/internal/spelling"
)

// flagError is what people are told of flags that cannot be read. args are all of the
// command line.
func flagError(cmd *cobra.Command, args []string, err error) error {
	hint := flagHint(cmd, args, err)
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		if wanted := wantedValues[invalid.GetFlag().Value.Type()]; wanted != "" {
			name := "--" + invalid.GetFlag().Name
			if short := invalid.GetFlag().Shorthand; short != "" {
				name = "-" + short + ", " + name
			}
			return fmt.Errorf("invalid argument %q for %q: it takes %s; %s", invalid.GetValue(), name, wanted, hint)
		}
	}
	return fmt.Errorf("%w; %s", err, hint)
}

// wantedValues says what flags take, by the type of their values.
var wantedValues = map[string]string{
	"bool": "true or false", "int": "a whole number", "duration": "a time such as 10s or 2m",
}

// flagHint says what may have been meant by flags that cannot be read, or else where the
// flags are listed.
func flagHint(cmd *cobra.Command, args []string, err error) string {
	for _, arg := range args {
		name, isShort := strings.CutPrefix(arg, "-")
		name, _, _ = strings.Cut(name, "=")
		if isShort && len(name) > 1 && cmd.Flags().Lookup(name) != nil {
			return fmt.Sprintf("did you mean --%s, with two dashes?", name)
		}
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		name := unknown.GetSpecifiedName()
		if near := nearestFlag(cmd.Flags(), name); near != "" {
			return "did you mean --" + near + "?"
		}
		if !cmd.HasParent() {
			if command := commandWith(cmd, name); command != "" {
				return fmt.Sprintf("say what to do first, as in %s %s --%s; %s --help lists the commands", cmd.Name(), command, name, cmd.Name())
			}
		}
	}
	return cmd.CommandPath() + " --help lists the flags"
}

// maxMistyped is the distance up to which a flag may have been meant, and maxFlagName
// the length up to which one is looked for, in bytes.
const maxMistyped, maxFlagName = 2, 32

// nearestFlag returns the flag that is most like a name: one that begins with it, or
// differs in two letters at most; of several the shortest. There may be none, "".
func nearestFlag(flags *pflag.FlagSet, name string) string {
	if len(name) > maxFlagName {
		return ""
	}
	name = strings.ToLower(name)
	nearest, least := "", min(maxMistyped, len(name)-1)+1
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden {
			return
		}
		distance := spelling.Distance(name, flag.Name)
		if len(name) > 1 && strings.HasPrefix(flag.Name, name) {
			distance = 0
		}
		if distance < least || distance == least && len(flag.Name) < len(nearest) {
			nearest, least = flag.Name, distance
		}
	})
	return nearest
}

// commandWith returns the first command that has a flag, or "".
func commandWith(root *cobra.Command, flag string) string {
	for _, command := range root.Commands() {
		if command.Flags().Lookup(flag) != nil {
			return command.Name()
		}
	}
	return ""
}
