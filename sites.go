package sitewalk

import (
	"errors"

	"sitewalk/internal/strictyaml"
)

// maxSites is how many sites one file may have. Each takes a few kilobytes of memory, and
// three bytes of the file.
const maxSites = 10_000

// Site returns the configuration of the i-th of c.Sites, from 0: what its entry says,
// and for the rest what the file says for all. Lists replace each other whole. A
// mistake in the entry is a *ConfigError; it does not concern the other sites. With a
// state for all c.State must be empty, since sites cannot share one.
func (c *Config) Site(i int) (Config, error) {
	site := *c
	site.Sites, site.top = nil, c.positions
	positions, err := strictyaml.DecodeNode(&c.Sites[i], &site, strictyaml.Options{File: c.file.path, Quote: c.file.quote})
	if err != nil {
		return Config{}, &ConfigError{err}
	}
	site.positions = positions
	site.resolvePaths(positions.Sets)
	site.remember()
	return site, site.checkSite(c)
}

// LoadSite reads the configuration file of one site over c, which says what all sites
// have in common: its docroot must be set to the site's. In other respects it is as
// [LoadQuoting] and [Config.Site].
func (c *Config) LoadSite(path string, quote bool) (Config, error) {
	site := *c
	site.Sites, site.top = nil, c.positions
	if err := site.read(source{path, quote}); err != nil {
		return Config{}, err
	}
	site.resolvePaths(site.positions.Sets)
	site.remember()
	return site, site.checkSite(c)
}

// checkSite checks what a site may not say, and not share with those that top
// configures too.
func (c *Config) checkSite(top *Config) error {
	switch {
	case len(c.Sites) > 0:
		return c.mistake("sites", "cannot be nested", "write them all at the top of one file")
	case c.State != "" && len(top.Sites) != 1 && !c.positions.Sets("state"):
		return c.mistake("state", "is the same for several sites", "leave it out: each has one of its own then")
	}
	return nil
}

// CheckTogether returns, for each of several configurations, an error if it would get in
// the way of one before it: by publishing under the same name in the same folder, or by
// keeping the same state. Paths count as they are written.
func CheckTogether(configs []*Config) []error {
	problems := make([]error, len(configs))
	type set struct{ folder, dir, root string }
	sets, states := map[set]bool{}, map[string]bool{"": false}
	for i, c := range configs {
		place := set{c.Out, "", c.Output.Files.Root}
		if c.Out == "" {
			place = set{c.Scanner.Docroot, c.Output.Files.Dir, c.Output.Files.Root}
		}
		switch {
		case sets[place]:
			problems[i] = &ConfigError{errors.New("another site before it is published under the same name in the same folder; give one another docroot or output.dir")}
		case states[c.State]:
			problems[i] = &ConfigError{errors.New("another site before it keeps the same state, as of the same docroot; give one a state of its own")}
		default:
			sets[place], states[c.State] = true, c.State != ""
		}
	}
	return problems
}
