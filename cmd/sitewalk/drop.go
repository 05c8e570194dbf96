package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"sitewalk"
	"sitewalk/internal/privilege"
)

// dropper makes root the docroot's owner.
type dropper struct {
	root bool // the process was started by root
	stay bool // and is told to remain root
	say  func(format string, args ...any)
	// became is called with the owner once the process is that user.
	became func(privilege.Owner)

	dropped bool
	owner   privilege.Owner // of the docroot
	known   bool
}

// load reads the configuration, if there is a file, and drops: to the owner of
// the docroot that the flag names, before the file is read; else to the file's
// owner, who may name only a docroot of its own; and if that is root, to the
// owner of the docroot that the file names.
func (d *dropper) load(file, docroot string) (sitewalk.Config, error) {
	config := sitewalk.DefaultConfig()
	var trust privilege.FileTrust
	var err error
	if file != "" && d.root {
		if trust, err = privilege.InspectFile(file); err != nil {
			return config, &usageError{err}
		}
	}
	if docroot == "" && file == "" {
		docroot = config.Scanner.Docroot
	}
	if docroot != "" {
		err = d.settle(docroot, trust)
	} else {
		err = d.drop(trust.Owner)
	}
	if err != nil || file == "" {
		return config, err
	}
	if config, err = sitewalk.LoadQuoting(file, d.mayQuote(file, trust)); err != nil {
		return config, err
	}
	if docroot == "" {
		if err = d.settle(config.Scanner.Docroot, trust); err != nil && trust.Linked {
			err = errors.New("the docroot that the configuration names is not there, or may not be named by it")
		}
	}
	return config, err
}

// mayQuote reports whether messages may repeat what the file says: not if it may
// be a link to somebody else's.
func (d *dropper) mayQuote(file string, trust privilege.FileTrust) bool {
	if d.root {
		return !trust.Linked
	}
	info, err := os.Lstat(file)
	return err == nil && info.Mode()&fs.ModeSymlink == 0
}

// settle finds the docroot's owner, refuses a docroot that is not of the owner of
// the configuration file, if that is not root, and drops to the owner.
func (d *dropper) settle(docroot string, trust privilege.FileTrust) error {
	if !d.root || d.stay && trust.Owner.UID == 0 {
		return nil
	}
	owner, err := privilege.OwnerOf(docroot)
	if err != nil {
		return fmt.Errorf("docroot: %w", err)
	}
	if trust.Owner.UID != 0 && trust.Owner.UID != owner.UID {
		return fmt.Errorf("the configuration file belongs to user %d and the docroot to user %d: "+
			"a file that root does not own may name only docroots of its own owner", trust.Owner.UID, owner.UID)
	}
	d.owner, d.known = owner, true
	return d.drop(owner)
}

func (d *dropper) drop(owner privilege.Owner) error {
	if !d.root || d.stay || d.dropped || owner.UID == 0 {
		return nil
	}
	if err := privilege.Drop(owner); err != nil {
		return err
	}
	d.dropped = true
	d.became(owner)
	d.say("running as user %d, whose docroot it is", owner.UID)
	return nil
}

// check fails if the docroot that was opened is not the one whose owner was
// looked at.
func (d *dropper) check(opened fs.FileInfo) error {
	if d.known && !d.owner.IsOf(opened) {
		return errors.New("the docroot was replaced while it was opened")
	}
	return nil
}
