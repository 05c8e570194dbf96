package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"sitewalk"
	"sitewalk/internal/privilege"
	"sitewalk/mapper"
)

// configFile is read when it is in the working directory and no other is named.
const configFile = "sitewalk.yaml"

// otherConfigFile is a name that people expect to be read as well.
const otherConfigFile = "sitewalk.yml"

// lastSecond is the end of the year 9999, the last that a lastmod can name.
const lastSecond = 253402300799

// maxJobs is more than any disk is quicker with; each job costs memory.
const maxJobs = 256

// flags are what the command line says.
type flags struct {
	config, docroot, baseURL, out, state string
	stateDir                             string
	previous, report, output             string
	noState, noRead, json                bool
	quiet, verbose, dryRun, allowRoot    bool
	submit                               bool
	jobs                                 int
	progress, ionice                     string
	nice                                 int
	lockWait, siteTimeout                time.Duration

	sites         []string // of several sites
	asOwner, seen bool
	siteConfig    string
	parallel      int
}

func (c *command) build() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Scans the docroot once and publishes its sitemap",
		Long: "build scans the docroot once and publishes its sitemap there. When nothing had to\n" +
			"change, there is nothing to warn of, and no terminal, it prints nothing but with\n" +
			"-v or --json.\n\n" +
			"Exit codes: 0 published, or nothing to change; 1 failed, what was published before\n" +
			"is intact; 2 usage or configuration error; 3 published, but some files could not\n" +
			"be read; 4 no page to list, nothing published; 130, 143 interrupted.",
		Example: "  sitewalk build --docroot public --base-url https://www.example.com/\n" +
			"  sitewalk build -c sitewalk.yaml --json",
		Args: noArguments,
		RunE: c.runBuild,
	}
	c.commonFlags(cmd)
	f, set := &c.flags, cmd.Flags()
	set.BoolVar(&f.dryRun, "dry-run", false, "say what would be written, and write nothing")
	set.StringVar(&f.report, "report", "", "`file` to write what became of each file to, one JSON object a line")
	c.publishFlags(cmd)
	return cmd
}

// publishFlags adds the flags of the commands that publish.
func (c *command) publishFlags(cmd *cobra.Command) {
	f, set := &c.flags, cmd.Flags()
	set.StringVar(&f.progress, "progress", "auto", "show progress: auto, always or never (`mode`)")
	set.BoolVar(&f.submit, "submit", false, "tell search engines what changed, as sitewalk submit does")
	set.DurationVar(&f.lockWait, "lock-wait", 10*time.Second, "how long to wait for another run on the docroot to end")
	set.StringArrayVar(&f.sites, "sites", nil, "`pattern` of folders, each a site's docroot, such as '/home/*/public_html'; may be repeated")
	set.StringVar(&f.siteConfig, "site-config", configFile, "`name`, in the folders of --sites, of the site's own configuration file")
	set.IntVar(&f.parallel, "parallel", 1, "`number` of sites built at a time, which share --jobs")
	set.DurationVar(&f.siteTimeout, "site-timeout", 0, "how long a site may take before its build is given up, or a watch of several no longer waits for it to begin; 0 sets no limit")
	set.BoolVar(&f.asOwner, asOwnerFlag, false, "do the sites that standard input names, for a process that root runs")
	set.BoolVar(&f.seen, seenFlag, false, "somebody looks at the outputs of the process that root runs")
	_, _ = set.MarkHidden(asOwnerFlag), set.MarkHidden(seenFlag)
}

// By these flags a process that root runs tells another that it does the sites of one
// owner, and that somebody looks at what it prints.
const asOwnerFlag, seenFlag = "as-owner", "seen"

// commonFlags adds the flags of all commands that walk a docroot.
func (c *command) commonFlags(cmd *cobra.Command) {
	f, set := &c.flags, cmd.Flags()
	set.StringVarP(&f.config, "config", "c", "", "configuration `file` (default "+configFile+" in the working directory, if there)")
	set.StringVar(&f.docroot, "docroot", "", "`folder` that the web server serves")
	set.StringVar(&f.baseURL, "base-url", "", "`URL` of the docroot, such as https://www.example.com/")
	set.StringVar(&f.out, "out", "", "any `folder` to publish in, in place of output.dir")
	set.StringVar(&f.state, "state", "", "`file` that a run keeps for the next (default one of this docroot's in the user's cache folder)")
	set.StringVar(&f.stateDir, "state-dir", "", "`folder` for the states, in place of the user's cache folder; root gives each owner one of its own in it")
	set.BoolVar(&f.noState, "no-state", false, "neither read nor keep a state")
	set.StringVar(&f.previous, "previous", "", "sitemap published before, a file, folder or URL (`place`): what dates by content begin with")
	set.BoolVar(&f.noRead, "no-read", false, "do not open pages")
	set.IntVarP(&f.jobs, "jobs", "j", 0, "`number` of folders worked on at a time (default one for each processor)")
	set.BoolVar(&f.json, "json", false, "print the result as JSON")
	set.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing but errors")
	set.BoolVarP(&f.verbose, "verbose", "v", false, "also print what was left out, and why")
	c.priorityFlags(cmd)
	set.BoolVar(&f.allowRoot, "allow-root", false, "as root, stay root instead of becoming the docroot's owner; only where nobody else can write")
}

func (c *command) runBuild(cmd *cobra.Command, _ []string) error {
	if err := c.checkFlags(cmd); err != nil {
		return err
	}
	file, err := c.configPath()
	if err != nil {
		return err
	}
	drop, lister := c.newDropper(), &siteLister{c, file}
	sites, config, err := lister.list(drop)
	switch {
	case err != nil:
		return err
	case sites != nil:
		return c.buildSites(cmd.Context(), sites, drop)
	}
	return c.buildInTime(cmd.Context(), config)
}

// buildSite builds one site, and prints what became of it.
func (c *command) buildSite(ctx context.Context, config sitewalk.Config) error {
	submits, err := c.submits(&config)
	if err != nil {
		return err
	}
	progress, err := c.showProgress(&config)
	if err != nil {
		return err
	}
	if c.flags.verbose || c.flags.dryRun && !c.flags.quiet {
		config.Inferred = func(found mapper.Surveyed) {
			progress.clear()
			c.printInferred(&found)
		}
	}
	reportFile, err := c.createReport(&config)
	if err != nil {
		return err
	}
	report, err := sitewalk.Build(ctx, config)
	progress.clear()
	if closeErr := reportFile.close(); err == nil && closeErr != nil {
		err = fmt.Errorf("the build went well, but its report could not be written: %w", closeErr)
	}
	if err != nil && !errors.Is(err, sitewalk.ErrNoPages) {
		return err
	}
	c.event = report.Event
	if report.Unreadable > 0 {
		c.code = exitUnreadable
	}
	c.hint = noPagesHint(report)
	var submitted *sitewalk.SubmitReport
	if submits && err == nil {
		submitted, err = c.submitBuilt(ctx, config, &report)
	}
	c.printWarnings(report.Warnings)
	if c.nothingToSay(&report) && (submitted == nil || submitted.Event == "unchanged" && len(submitted.Warnings) == 0) {
		return err
	}
	if printErr := c.printBuilt(report, submitted); printErr != nil {
		return printErr
	}
	return err
}

// noPagesHint returns what may have led to no page, if it can be told.
func noPagesHint(report sitewalk.Report) string {
	if report.Pages > 0 {
		return ""
	}
	// What is not included are mostly images and scripts, which say nothing.
	most := report.Excluded["not-included"] / 2
	hint := ""
	if most > 0 && len(report.Excluded) == 1 {
		hint = "no name here is a page's: docroot must be the folder that the web server serves, such as public, dist or _site, or include must say what pages are called"
	}
	for _, reason := range []struct{ name, hint string }{
		{"out-of-scope", "a sitemap may list only what is in its own folder: --out or output.dir names one below the pages"},
		{"robots", "robots.txt disallows the pages, as it does on sites for staging; robots: {respect: false} lists them all the same"},
		{"noindex", "the pages say noindex, as builds for staging do; sitewalk explain shows where"},
		{"protected", "a .htaccess keeps visitors out; sitewalk explain shows which"},
		{"canonical", "the pages name others as canonical; look at base_url, and sitewalk explain shows which"},
	} {
		if n := report.Excluded[reason.name]; n > most {
			most, hint = n, reason.hint
		}
	}
	return hint
}

// configure reads the configuration of one site, lays the flags over it, and, as root,
// drops to the docroot's owner on the way: as soon as it is known who that is.
func (c *command) configure(cmd *cobra.Command) (sitewalk.Config, error) {
	if err := c.checkFlags(cmd); err != nil {
		return sitewalk.Config{}, err
	}
	file, err := c.configPath()
	if err != nil {
		return sitewalk.Config{}, err
	}
	return c.load(c.newDropper(), file)
}

// checkFlags refuses values of flags that make no sense, whatever the
// configuration.
func (c *command) checkFlags(cmd *cobra.Command) error {
	f := &c.flags
	fail := func(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }
	switch {
	case f.jobs < 0 || f.jobs > maxJobs:
		return fail("--jobs must be from 1 to %d, or 0 for one for each processor", maxJobs)
	case f.state != "" && f.noState:
		return fail("--state and --no-state exclude each other")
	case f.stateDir != "" && (f.noState || f.state != ""):
		return fail("--state-dir excludes --state and --no-state")
	case f.quiet && f.verbose:
		return fail("--quiet and --verbose exclude each other")
	case f.lockWait < 0:
		return fail("--lock-wait must not be negative")
	case cmd.Flags().Lookup("parallel") != nil && (f.parallel < 1 || f.parallel > maxJobs):
		return fail("--parallel must be from 1 to %d", maxJobs)
	case f.siteTimeout < 0:
		return fail("--site-timeout must not be negative")
	case len(f.sites) == 0 && cmd.Flags().Changed("site-config"):
		return fail("--site-config is for --sites")
	}
	for _, name := range [...]string{"config", "docroot", "base-url", "out", "state", "state-dir", "previous", "report", "site-config", "output"} {
		// A script's variable that is not set must not mean the working directory.
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed && flag.Value.String() == "" {
			return fail("--%s is empty; give it a value, or leave it out", name)
		}
	}
	if len(f.sites) > 0 {
		if err := c.checkSiteFlags(); err != nil {
			return err
		}
	}
	if f.asOwner {
		if err := c.readOwn(os.Stdin); err != nil {
			return err
		}
	}
	date, err := c.sourceDate()
	c.indexTime = date
	return err
}

// newDropper returns what takes root's rights away from this process.
func (c *command) newDropper() *dropper {
	return &dropper{
		root: privilege.IsRoot(), stay: c.flags.allowRoot, say: c.say,
		became:  func(owner privilege.Owner) { c.became = fmt.Sprintf("user %d", owner.UID) },
		prepare: c.prepareStates,
	}
}

// load reads the configuration file, unless its path is empty, as the user that
// drop makes of the process, and lays the flags over it.
func (c *command) load(drop *dropper, file string) (sitewalk.Config, error) {
	config, err := drop.load(file, c.flags.docroot)
	if err == nil && len(config.Sites) > 0 {
		config, err = pick(config, file, "")
	}
	if err == nil {
		c.lay(&config, drop)
	}
	return config, err
}

// lay lays the flags over a configuration.
func (c *command) lay(config *sitewalk.Config, drop *dropper) {
	f := &c.flags
	if f.docroot != "" {
		config.Scanner.Docroot = f.docroot
	}
	if f.baseURL != "" && len(f.sites) == 0 {
		config.Mapper.BaseURL = f.baseURL
	}
	if f.noRead {
		config.Scanner.Pages.Read = false
	}
	config.Out, config.Jobs, config.DryRun, config.LockWait = f.out, f.jobs, f.dryRun, f.lockWait
	config.Previous, config.IndexTime = f.previous, c.indexTime
	c.placeState(config, drop)
	config.CheckDocroot = drop.check
}

// sourceDate returns the time that is to stand in for the current one, or zero
// (https://reproducible-builds.org/specs/source-date-epoch/).
func (c *command) sourceDate() (time.Time, error) {
	epoch := c.environ("SOURCE_DATE_EPOCH")
	if epoch == "" {
		return time.Time{}, nil
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil || seconds < 0 || seconds > lastSecond {
		return time.Time{}, &usageError{fmt.Errorf("SOURCE_DATE_EPOCH is %q, not a number of seconds since 1970", epoch)}
	}
	return time.Unix(seconds, 0), nil
}

// configPath returns the path of the configuration file, or "".
func (c *command) configPath() (string, error) {
	path := c.flags.config
	if path == "" {
		if _, err := os.Lstat(configFile); errors.Is(err, fs.ErrNotExist) {
			if _, err := os.Lstat(otherConfigFile); err == nil {
				return "", &usageError{fmt.Errorf("there is a %s; it is read if it is called %s, or named with -c", otherConfigFile, configFile)}
			}
			return "", nil
		}
		path = configFile
	}
	return path, nil
}
