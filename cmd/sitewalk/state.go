package main

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"sitewalk"
	"sitewalk/internal/privilege"
)

// placeState says where the state is kept: where the flag says, or the file, or
// in the folder of --state-dir, or in the user's cache folder.
func (c *command) placeState(config *sitewalk.Config, drop *dropper) {
	switch {
	case c.flags.noState:
		config.State = ""
	case c.flags.state != "":
		config.State = c.flags.state
	case config.State == "":
		folder, err := c.stateFolder(drop)
		if err != nil {
			config.NoState = err
			return
		}
		config.State = filepath.Join(folder, stateName(config.Scanner.Docroot))
	}
}

// stateFolder returns the folder for the states of the user that the process runs as.
func (c *command) stateFolder(drop *dropper) (string, error) {
	if c.flags.stateDir == "" {
		folder, err := cacheFolder(drop.dropped)
		return filepath.Join(folder, "sitewalk"), err
	}
	switch {
	case !drop.root:
		return c.flags.stateDir, nil
	case !drop.dropped:
		return privilege.FolderFor(c.flags.stateDir, privilege.Owner{})
	}
	return c.states, c.statesErr
}

// prepareStates gives the user that root's process is about to become a folder in that
// of --state-dir: users who run no programs themselves have no home, and so no cache
// folder.
func (c *command) prepareStates(owner privilege.Owner) {
	if c.flags.stateDir != "" {
		c.states, c.statesErr = privilege.FolderFor(c.flags.stateDir, owner)
	}
}

// cacheFolder returns the cache folder of the user that the process runs as. dropped says
// that it has become another user, whom the environment does not know; a service or a
// cron job may have no environment at all. XDG_CACHE_HOME counts on
// every system, so that a pipeline can say it for any.
// https://specifications.freedesktop.org/basedir-spec/latest/
func cacheFolder(dropped bool) (string, error) {
	if !dropped {
		if folder := os.Getenv("XDG_CACHE_HOME"); filepath.IsAbs(folder) {
			return folder, nil
		}
		if folder, err := os.UserCacheDir(); err == nil {
			return folder, nil
		}
	}
	owner, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(owner.HomeDir) {
		return "", fmt.Errorf("user %s has no home", owner.Username)
	}
	return filepath.Join(owner.HomeDir, ".cache"), nil
}

// stateName returns the name of a docroot's state: recognisable, and another for
// each docroot. It goes by the path as given: where a link leads to one release
// after the other, dates are to outlive them.
func stateName(docroot string) string {
	path, err := filepath.Abs(docroot)
	if err != nil {
		path = docroot
	}
	return fmt.Sprintf("%.40s-%016x.state", filepath.Base(path), xxhash.Sum64String(path))
}
