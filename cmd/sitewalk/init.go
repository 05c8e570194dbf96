package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sitewalk"
	"sitewalk/internal/privilege"
)

// initFlags are what only init is told.
type initFlags struct {
	generator string
	print     bool
}

// initialize returns the command init.
func (c *command) initialize() *cobra.Command {
	own := &initFlags{}
	cmd := &cobra.Command{
		Use:   "init [FOLDER]",
		Short: "Writes a configuration for the site in a folder, having recognised its generator",
		Long: "init recognises what builds the site in a folder (by default the working directory):\n" +
			strings.Join(sitewalk.Generators(), ", ") + ".\n" +
			"It reads the base URL and the output folder from the generator's own settings,\n" +
			"writes a short " + configFile + " with a comment for each line, and says what to run\n" +
			"next. It runs no code of the project, and overwrites nothing.\n\n" +
			"Exit codes: 0 written, or printed; 1 failed; 2 usage error, nothing was recognised,\n" +
			"or there is a configuration already.",
		Example: "  sitewalk init\n" +
			"  sitewalk init website --print\n" +
			"  sitewalk init --base-url https://www.example.com/ --docroot public",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return &usageError{fmt.Errorf("%s takes one folder, but got %d; run it once for each", cmd.CommandPath(), len(args))}
			}
			if len(args) == 1 && args[0] == "" {
				return &usageError{errors.New("the folder's name is empty; name it, or leave it out for the working directory")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := "."
			if len(args) > 0 {
				folder = args[0]
			}
			return c.runInit(cmd, folder, own)
		},
	}
	f, set := &c.flags, cmd.Flags()
	set.StringVarP(&f.config, "config", "c", "", "`file` to write (default "+configFile+" in the folder)")
	set.StringVar(&f.docroot, "docroot", "", "`folder` that the web server serves, in place of what is found")
	set.StringVar(&f.baseURL, "base-url", "", "`URL` of the docroot, in place of what is found")
	set.StringVar(&own.generator, "generator", "", "take the site for that generator's, whatever is found (`name`)")
	set.BoolVar(&own.print, "print", false, "print the configuration, and write no file")
	set.BoolVar(&f.json, "json", false, "print what was found as JSON")
	set.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing but errors, and what --print or --json ask for")
	set.BoolVarP(&f.verbose, "verbose", "v", false, "also print as which user it runs")
	set.BoolVar(&f.allowRoot, "allow-root", false, "as root, stay root instead of becoming the folder's owner; only where nobody else can write")
	return cmd
}

func (c *command) runInit(cmd *cobra.Command, folder string, own *initFlags) error {
	if err := c.checkFlags(cmd); err != nil {
		return err
	}
	if flag := cmd.Flags().Lookup("generator"); flag.Changed && own.generator == "" {
		return &usageError{errors.New("--generator is empty; give it a value, or leave it out")}
	}
	file := c.flags.config
	if file == "" {
		file = filepath.Join(folder, configFile)
	}
	project, err := c.openProject(folder, file)
	if err != nil {
		return err
	}
	defer project.Close()
	if !own.print {
		if _, err := os.Lstat(file); err == nil {
			return errConfigExists(file)
		}
	}
	options := sitewalk.ProposeOptions{Generator: own.generator, BaseURL: c.flags.baseURL}
	if options.Project, err = pathBetween(filepath.Dir(file), folder); err != nil {
		return err
	}
	if c.flags.docroot != "" {
		if options.Docroot, err = pathBetween(folder, c.flags.docroot); err != nil {
			return err
		}
	}
	proposal, err := sitewalk.Propose(project, options)
	if errors.Is(err, sitewalk.ErrNoSite) {
		return &usageError{fmt.Errorf("%s: %w; run it where the site's project is, or name the folder that is served with --docroot", folder, err)}
	}
	if err != nil {
		return err
	}
	if !own.print {
		if err := createConfig(file, proposal.YAML); err != nil {
			return err
		}
	}
	c.printWarnings(proposal.Warnings)
	return c.printProposal(proposal, folder, file, own.print)
}

// openProject opens the project's folder, and becomes its owner first if root runs the
// command; of a folder of root's, the owner of the folder in which file is to be written.
func (c *command) openProject(folder, file string) (*os.Root, error) {
	drop := c.newDropper()
	if err := settleFolder(drop, folder); err != nil {
		return nil, err
	}
	project, err := os.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &usageError{err}
	}
	if err != nil {
		return nil, err
	}
	info, err := project.Stat(".")
	if err == nil {
		err = drop.check(info)
	}
	if err == nil && !drop.dropped {
		err = settleFolder(drop, filepath.Dir(file))
	}
	if err != nil {
		project.Close()
		return nil, err
	}
	return project, nil
}

// settleFolder makes the process a folder's owner, if root runs it. One that is missing
// is a mistake in the command line.
func settleFolder(drop *dropper, folder string) error {
	err := drop.settle(folder, privilege.FileTrust{})
	var missing *missingDocroot
	if errors.As(err, &missing) {
		return &usageError{missing.err}
	}
	return err
}

// pathBetween returns the path that leads from one folder to another, with slashes, or
// the absolute one where none does.
func pathBetween(from, to string) (string, error) {
	absoluteFrom, err := filepath.Abs(from)
	if err != nil {
		return "", err
	}
	absoluteTo, err := filepath.Abs(to)
	if err != nil {
		return "", err
	}
	between, err := filepath.Rel(absoluteFrom, absoluteTo)
	if err != nil {
		between = absoluteTo
	}
	return filepath.ToSlash(between), nil
}

func errConfigExists(file string) error {
	return &usageError{fmt.Errorf("%s exists already: edit it, or see with --print what init would write", file)}
}

// createConfig creates a file that must not be there yet, nor a link of its name. It
// appears whole, or not at all.
func createConfig(file string, content []byte) error {
	folder, err := os.OpenRoot(filepath.Dir(file))
	if errors.Is(err, fs.ErrNotExist) {
		return &usageError{err}
	}
	if err != nil {
		return err
	}
	defer folder.Close()
	name := filepath.Base(file)
	draft := "." + name + "." + strings.ToLower(rand.Text())
	if err := writeNew(folder, draft, content); err != nil {
		return err
	}
	err = folder.Link(draft, name)
	_ = folder.Remove(draft)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = writeNew(folder, name, content) // there are file systems without hard links
	}
	if errors.Is(err, fs.ErrExist) {
		return errConfigExists(file)
	}
	return err
}

// writeNew writes a file that must not be there yet, durably.
func writeNew(folder *os.Root, name string, content []byte) (err error) {
	file, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = folder.Remove(name)
	}
	return err
}
