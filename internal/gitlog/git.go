package gitlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// maxAnswer is the length in bytes of the longest answer that is kept as a
// whole, and maxComplaint that of the longest complaint.
const (
	maxAnswer    = 16 << 20
	maxComplaint = 64 << 10
)

// git is the git program, at work in a docroot.
type git struct {
	program string
	docroot string
	options []string      // those before the command, of all commands
	answers time.Duration // within which git must have answered a short question
}

// A repository may be anybody's. One whose files are FIFOs keeps git waiting for ever,
// and one of a few kilobytes can describe more files than git ever comes to an end with.
const (
	// maxAnswering is how long git may take for what it has only to look up.
	maxAnswering = time.Minute
	// maxReading is how long it may take for all.
	maxReading = 10 * time.Minute
	// maxMemory is how much memory it may take for its data, in bytes: several times
	// what the history of Linux takes.
	maxMemory = 1 << 30
)

// errSlow says that git has taken longer than it may.
var errSlow = errors.New("git takes too long: the repository is damaged, holds what is no file, or is too large")

func newGit(docroot string) (*git, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return nil, ErrNoGit
		}
		return nil, err
	}
	return &git{program: program, docroot: docroot, answers: maxAnswering, options: []string{"--no-pager",
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", // which could start programs
		"-c", "diff.orderFile=/dev/null", // which may be missing
	}}, nil
}

// environment is what every git is told. Pathspecs are taken literally because
// a pathspec could be magic; the locale decides in which language git answers.
var environment = []string{
	"LC_ALL=C", "GIT_LITERAL_PATHSPECS=1", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0",
	"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_PAGER=",
}

// isForGit reports whether git is told a variable of the environment: where the user's
// and the system's settings are, and how programs run here. All else may be somebody's
// secret. When root has become the owner of a docroot, that owner can look into git.
func isForGit(name string) bool {
	switch {
	case withheldVariables[name]:
		return false
	case runtime.GOOS == "windows": // where much is needed, and there is no such owner
		return true
	}
	switch name {
	case "PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "TZ", "SUDO_UID":
		return true
	}
	return strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_")
}

// withheldVariables are those that say which repository is meant, as git
// rev-parse --local-env-vars lists them, and those at odds with literal
// pathspecs. GIT_CONFIG_COUNT and the like are passed on: by them containers
// and build services say which directories are safe.
var withheldVariables = map[string]bool{
	"GIT_DIR": true, "GIT_COMMON_DIR": true, "GIT_WORK_TREE": true, "GIT_IMPLICIT_WORK_TREE": true, "GIT_PREFIX": true,
	"GIT_INDEX_FILE": true, "GIT_OBJECT_DIRECTORY": true, "GIT_ALTERNATE_OBJECT_DIRECTORIES": true, "GIT_CONFIG": true,
	"GIT_SHALLOW_FILE": true, "GIT_GRAFT_FILE": true, "GIT_REPLACE_REF_BASE": true, "GIT_NO_REPLACE_OBJECTS": true,
	"GIT_INTERNAL_SUPER_PREFIX": true, "GIT_NAMESPACE": true,
	"GIT_GLOB_PATHSPECS": true, "GIT_NOGLOB_PATHSPECS": true, "GIT_ICASE_PATHSPECS": true,
}

// errEnough is returned by a function that reads what git says, when it has
// heard enough. Git is then stopped, and that is no error.
var errEnough = errors.New("enough")

// run runs a command of git and has its output read.
func (g *git) run(ctx context.Context, read func(io.Reader) error, arguments ...string) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(running, g.program, append(g.options[:len(g.options):len(g.options)], arguments...)...)
	cmd.Dir = g.docroot
	for _, variable := range cmd.Environ() {
		if name, _, _ := strings.Cut(variable, "="); isForGit(name) {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	cmd.Env = append(cmd.Env, environment...)
	var complaint complaint
	cmd.Stderr = &complaint
	output, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	kill := detach(cmd)
	cmd.Cancel = func() error {
		err := kill()
		output.Close() // also where a process of git's own still holds it
		return err
	}
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return cmp.Or(ctx.Err(), fmt.Errorf("git: %w", err))
	}
	limitMemory(cmd.Process)
	readErr := read(output)
	if readErr != nil {
		stop()
	}
	waitErr := cmd.Wait()
	switch {
	case context.Cause(ctx) == errSlow:
		return errSlow
	case ctx.Err() != nil:
		return ctx.Err()
	case readErr == errEnough:
		return nil
	case readErr != nil:
		return fmt.Errorf("git %s: %w", arguments[0], readErr)
	case waitErr != nil:
		return &refusal{arguments[0], cmd.ProcessState.ExitCode(), complaint.line()}
	}
	return nil
}

// answer runs a command of git whose output is short.
func (g *git) answer(ctx context.Context, arguments ...string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, g.answers, errSlow)
	defer cancel()
	var text []byte
	err := g.run(ctx, func(output io.Reader) (err error) {
		text, err = io.ReadAll(io.LimitReader(output, maxAnswer))
		if err == nil && len(text) == maxAnswer {
			err = errors.New("the answer is too long")
		}
		return err
	}, arguments...)
	return string(text), err
}

// switchFiltersOff sets the filters that the repository's own configuration
// defines to nothing: git runs a file through them to compare it. A file that
// was changed by a filter then counts as modified where git has to look inside.
func (g *git) switchFiltersOff(ctx context.Context) error {
	answer, err := g.answer(ctx, "config", "-z", "--show-scope", "--name-only", "--get-regexp", `^filter\.`)
	var refused *refusal
	if errors.As(err, &refused) && refused.code == 1 {
		return nil // there is none
	}
	if err != nil {
		return err
	}
	done := map[string]bool{}
	fields := strings.Split(answer, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		scope, key := fields[i], fields[i+1]
		name := key[:strings.LastIndexByte(key, '.')+1]
		if scope != "local" && scope != "worktree" || done[name] {
			continue
		}
		if strings.Contains(name, "=") || len(done) == maxFilters {
			return fmt.Errorf("cannot switch off the filter %q of the repository's configuration", key)
		}
		done[name] = true
		for _, setting := range []string{"clean=", "process=", "required=false"} {
			g.options = append(g.options, "-c", name+setting)
		}
	}
	return nil
}

// maxFilters is how many filters are switched off: each takes room on the
// command line.
const maxFilters = 100

// refusal is the failure of a command of git.
type refusal struct {
	command   string
	code      int    // the exit code, -1 if a signal ended git
	complaint string // one line
}

func (r *refusal) Error() string {
	text := "git " + r.command + ": "
	if r.complaint == "" {
		return text + "exit code " + strconv.Itoa(r.code)
	}
	text += r.complaint
	if strings.Contains(r.complaint, "dubious ownership") || strings.HasPrefix(r.complaint, "unsafe repository") {
		text += "; if you trust its owner, name it with: git config --global --add safe.directory DIR"
	}
	return text
}

// complaint is the beginning of what git writes to standard error.
type complaint struct{ text []byte }

func (c *complaint) Write(p []byte) (int, error) {
	c.text = append(c.text, p[:min(len(p), maxComplaint-len(c.text))]...)
	return len(p), nil
}

// line returns the first line that says why git gave up, or else the first one.
func (c *complaint) line() string {
	first, _, _ := strings.Cut(string(c.text), "\n")
	for line := range strings.Lines(string(c.text)) {
		for _, prefix := range []string{"fatal: ", "error: "} {
			if reason, found := strings.CutPrefix(line, prefix); found {
				return printable(reason)
			}
		}
	}
	return printable(first)
}

// printable returns a line without what could upset a terminal.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(strings.TrimSpace(line), "?"))
}
