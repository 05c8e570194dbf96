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
	// prepare, if not nil, is called with the owner before, while there are rights.
	prepare func(privilege.Owner)

	dropped bool
	// settled says that the process remains the user that it is: another is
	// refused.
	settled bool
	docroot string          // whose owner was looked at
	owner   privilege.Owner // of the docroot
	known   bool
	trust   privilege.FileTrust // in the configuration file that was read last
}

// again returns a dropper that reads the configuration once more, in a process
// that has found its user. It goes by the same rules, but a file or a docroot for
// which the process would have to become another user is refused.
func (d *dropper) again() *dropper {
	return &dropper{root: d.root, stay: d.stay, say: d.say, became: d.became, dropped: d.dropped, settled: true}
}

// load reads the configuration, if there is a file, and drops: to the owner of
// the docroot that the flag names, before the file is read; else to the file's
// owner, who may name only a docroot of its own; and if that is root, to the
// owner of the docroot that the file names. A file with several sites names several
// docroots: without the flag it is left to the caller to settle each.
func (d *dropper) load(file, docroot string) (sitewalk.Config, error) {
	config := sitewalk.DefaultConfig()
	var trust privilege.FileTrust
	var err error
	if file != "" && d.root {
		if trust, err = privilege.InspectFile(file); err != nil {
			return config, &usageError{err}
		}
	}
	d.trust = trust
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
	switch {
	case len(config.Sites) > 0 && docroot != "":
		return pick(config, file, docroot)
	case len(config.Sites) == 0 && docroot == "":
		err = d.settleNamed(file, config.Scanner.Docroot, trust)
	}
	return config, err
}

// loadSite reads the configuration of one site of several, over what it inherits,
// and drops as load does.
func (d *dropper) loadSite(file string, inherited *sitewalk.Config) (config sitewalk.Config, err error) {
	var trust privilege.FileTrust
	if d.root {
		if trust, err = privilege.InspectFile(file); err != nil {
			return config, &usageError{err}
		}
	}
	if err = d.drop(trust.Owner); err != nil {
		return config, err
	}
	if config, err = inherited.LoadSite(file, d.mayQuote(file, trust)); err != nil {
		return config, err
	}
	return config, d.settleNamed(file, config.Scanner.Docroot, trust)
}

// settleNamed settles a docroot that a configuration file names, whose name is not told
// if the file may be somebody else's.
func (d *dropper) settleNamed(file, docroot string, trust privilege.FileTrust) error {
	err := d.settle(docroot, trust)
	if err != nil && trust.Linked {
		return fmt.Errorf("the docroot that %s names is not there, or may not be named by it", file)
	}
	return err
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
	if errors.Is(err, fs.ErrNotExist) {
		return &missingDocroot{err}
	}
	if err != nil {
		return fmt.Errorf("docroot: %w", err)
	}
	if trust.Owner.UID != 0 && trust.Owner.UID != owner.UID {
		return fmt.Errorf("the configuration file belongs to user %d and the docroot to user %d: "+
			"a file that root does not own may name only docroots of its own owner", trust.Owner.UID, owner.UID)
	}
	d.docroot, d.owner, d.known = docroot, owner, true
	if owner.UID == 0 && d.dropped {
		return d.refuse(owner)
	}
	return d.drop(owner)
}

// drop makes the process the user owner, unless that is root, whose word is good
// for any user.
func (d *dropper) drop(owner privilege.Owner) error {
	switch {
	case !d.root || d.stay || owner.UID == 0:
		return nil
	case d.settled && int(owner.UID) != os.Geteuid():
		return d.refuse(owner)
	case d.settled || d.dropped:
		return nil
	}
	if d.prepare != nil {
		d.prepare(owner)
	}
	if err := privilege.Drop(owner); err != nil {
		return err
	}
	d.dropped = true
	d.became(owner)
	d.say("running as user %d, whose docroot it is", owner.UID)
	return nil
}

// refuse says that the process cannot become another user any more.
func (d *dropper) refuse(owner privilege.Owner) error {
	return fmt.Errorf("the configuration, or the docroot that it names, belongs to user %d by now, and sitewalk runs as user %d: "+
		"stop it and start it anew", owner.UID, os.Geteuid())
}

// check fails if the docroot that was opened is neither the one whose owner was
// looked at, nor another of the same owner: while a watch runs, one release
// follows the other. A watch may call it while the configuration is read again.
func (d *dropper) check(opened fs.FileInfo) error {
	if !d.known || d.owner.IsOf(opened) {
		return nil
	}
	owner, err := privilege.OwnerOf(d.docroot)
	switch {
	case err != nil:
		return fmt.Errorf("the docroot was replaced: %w", err)
	case owner.UID != d.owner.UID:
		return fmt.Errorf("the docroot was replaced by one of user %d, and was user %d's: start sitewalk anew", owner.UID, d.owner.UID)
	case !owner.IsOf(opened):
		return errors.New("the docroot was replaced while it was opened")
	}
	return nil
}

// missingDocroot says that there is no docroot whose owner root could become.
type missingDocroot struct{ err error }

func (e *missingDocroot) Error() string { return "docroot: " + e.err.Error() }
func (e *missingDocroot) Unwrap() error { return e.err }
