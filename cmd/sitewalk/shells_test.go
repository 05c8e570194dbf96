//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// bashCompletion is the package that what cobra writes for bash builds on.
const bashCompletion = "/usr/share/bash-completion/bash_completion"

// ask runs a script in a shell, in a folder that has one configuration, and returns
// what it prints.
func ask(t *testing.T, shell string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program(t, shell), args...)
	cmd.Dir = t.TempDir()
	writeFile(t, filepath.Join(cmd.Dir, "site.yaml"), "")
	writeFile(t, filepath.Join(cmd.Dir, "page.html"), "")
	cmd.Env = append(cleanEnv(), "HOME="+cmd.Dir, "TERM=xterm")
	said := finish(t, cmd)
	if said.code != 0 || said.stderr != "" {
		t.Fatalf("%s: exit code %d\n%s%s", shell, said.code, said.stdout, said.stderr)
	}
	return said.stdout
}

// completionScript returns the file of the script for a shell.
func completionScript(t *testing.T, shell string) string {
	t.Helper()
	done := execute(t, "completion", shell)
	if done.code != exitDone || done.stderr != "" {
		t.Fatalf("exit code %d, %s", done.code, done.stderr)
	}
	path := filepath.Join(t.TempDir(), shell)
	writeFile(t, path, done.stdout)
	return path
}

func TestBashCompletes(t *testing.T) {
	script := completionScript(t, "bash")
	ask(t, "bash", "-n", script)
	if _, err := os.Stat(bashCompletion); err != nil {
		lack(t, "the package bash-completion is not installed, and this test needs it")
	}
	// compopt is bash's own, and works only while somebody presses Tab.
	const complete = `compopt() { :; }; source ` + bashCompletion + `; source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9
__start_sitewalk
printf '%s\n' "${COMPREPLY[@]}"`
	for line, want := range map[string]string{
		"sitewalk bu":                 "build",
		"sitewalk build --progress a": "auto,always",
		"sitewalk build --ionice id":  "idle",
		"sitewalk build -c ":          "site.yaml",
	} {
		said := ask(t, "bash", append([]string{"--norc", "-c", complete, "bash", script}, strings.Split(line, " ")...)...)
		var words []string
		for _, line := range lines(said) {
			words = append(words, strings.Fields(line)[0])
		}
		if got := strings.Join(words, ","); got != want {
			t.Errorf("%q is completed by %q, not %q", line, got, want)
		}
	}
}

func TestZshCompletes(t *testing.T) {
	script := completionScript(t, "zsh")
	ask(t, "zsh", "-n", script)
	// zsh completes only for who types at a terminal, which zpty plays.
	said := ask(t, "zsh", "-f", "-c", `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT=; autoload -U compinit; compinit -u -D; source $1; echo RE''ADY"
zpty -r -m shell out '*READY*'
zpty -n -w shell $'sitewalk build --progress \t'
zpty -r -m shell out '*never*'
zpty -d shell
print -r -- "$out"`, "zsh", script)
	if !strings.Contains(said, "auto    -- on a terminal") {
		t.Errorf("--progress is completed by %q", said)
	}
}

func TestFishCompletes(t *testing.T) {
	script := completionScript(t, "fish")
	ask(t, "fish", "-n", script)
	for line, want := range map[string]string{
		"sitewalk bu":                 "build\tScans the docroot once and publishes its sitemap\n",
		"sitewalk build --progress n": "never\n",
		"sitewalk man sitewalk-w":     "sitewalk-watch.1\n",
	} {
		if said := ask(t, "fish", "-c", "source $argv[1]; complete -C $argv[2]", script, line); said != want {
			t.Errorf("%q is completed by %q, not %q", line, said, want)
		}
	}
}

// PowerShell is to be had nowhere but from Microsoft: where it is missing, only
// that there is a script is tested, by completion.txtar.
func TestPowerShellCompletes(t *testing.T) {
	if _, err := exec.LookPath("pwsh"); err != nil {
		t.Skip("pwsh is not installed, and Debian has no package of it: completion.txtar looks at the script alone")
	}
	script := completionScript(t, "powershell")
	said := ask(t, "pwsh", "-NoProfile", "-Command", `. `+script+`
$line = 'sitewalk build --progress a'
(TabExpansion2 -inputScript $line -cursorColumn $line.Length).CompletionMatches.CompletionText`)
	if !strings.HasPrefix(said, "auto") {
		t.Errorf("--progress is completed by %q", said)
	}
}

func TestManReadsEveryPage(t *testing.T) {
	man := program(t, "man")
	dir := t.TempDir()
	if done := execute(t, "man", "--dir", dir); done.code != exitDone {
		t.Fatal(done)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "man*", "*"))
	if err != nil || len(pages) < 7 {
		t.Fatal(pages, err)
	}
	for _, page := range pages {
		cmd := exec.Command(man, "--warnings", "-E", "UTF-8", "-l", page)
		cmd.Env = append(cleanEnv(), "LC_ALL=C.UTF-8", "MANWIDTH=80", "MANROFFOPT=-wall")
		said := finish(t, cmd)
		if said.code != 0 || said.stderr != "" {
			t.Errorf("%s: exit code %d, %s", filepath.Base(page), said.code, said.stderr)
		}
		if !strings.Contains(said.stdout, "SEE ALSO") {
			t.Errorf("%s is shown as %.500s", filepath.Base(page), said.stdout)
		}
	}
}
