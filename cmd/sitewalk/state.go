package main

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"sitewalk"
)

// placeState says where the state is kept: where the flag says, or the file, or
// in the user's cache folder. dropped says that the process has become another
// user, whose cache folder the environment does not know.
func (c *command) placeState(config *sitewalk.Config, dropped bool) {
	switch {
	case c.flags.noState:
		config.State = ""
	case c.flags.state != "":
		config.State = c.flags.state
	case config.State == "":
		folder, err := cacheFolder(dropped)
		if err != nil {
			config.NoState = err
			return
		}
		config.State = filepath.Join(folder, "sitewalk", stateName(config.Scanner.Docroot))
	}
}

// cacheFolder returns the cache folder of the user that the process runs as. A
// service or a cron job may have no environment to tell it. XDG_CACHE_HOME counts on
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
