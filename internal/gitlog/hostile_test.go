//go:build unix

package gitlog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// programSettings are the settings by which a repository can name programs that
// git status and git log could start. Each gets a trap of its own.
var programSettings = []string{
	"core.fsmonitor", "core.pager", "pager.log", "pager.status", "core.editor", "core.sshCommand", "credential.helper", "gpg.program",
	"diff.external", "diff.evil.command", "diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge", "filter.lasting.process",
	"alias.log", "alias.status", "alias.rev-parse",
}

// otherSettings are those that change what git prints.
var otherSettings = []string{
	"log.showSignature=true", "filter.evil.required=true", "filter.lasting.required=true",
	"color.ui=always", "color.diff=always", "color.status=always", "diff.noprefix=true", "diff.relative=true", "diff.orderFile=missing",
	"diff.renames=copies", "diff.ignoreSubmodules=all", "diff.submodule=log", "diff.autoRefreshIndex=false",
	"log.showRoot=false", "log.diffMerges=off", "log.follow=true", "log.date=human", "log.decorate=full", "log.abbrevCommit=true", "core.abbrev=7",
	"format.pretty=fuller", "notes.displayRef=*", "core.quotePath=true", "i18n.logOutputEncoding=utf-16",
	"status.branch=true", "status.short=false", "status.showStash=true", "status.renames=copies", "status.relativePaths=true",
	"status.showUntrackedFiles=all", "status.submoduleSummary=true",
}

// TestNothingThatTheRepositoryNamesIsStarted sets every trap, and then has git
// alone step into them.
func TestNothingThatTheRepositoryNamesIsStarted(t *testing.T) {
	r := newRepository(t)
	r.write(".gitattributes", "*.html filter=evil diff=evil\n*.htm filter=lasting\n")
	r.write("docs/dirty.html", "1")
	r.write("docs/touched.htm", "1")
	r.commit(1, "docs/touched.html", "1")
	r.write("docs/signed.html", "1")
	r.git(0, "add", "docs/signed.html")
	signed := "tree " + r.git(0, "write-tree") + "\nparent " + r.git(0, "rev-parse", "HEAD") +
		fmt.Sprintf("\nauthor A <a@site.test> %[1]d +0000\ncommitter C <c@site.test> %[1]d +0000", day(2)) +
		"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n\nsigned\n"
	id, err := r.tryGit(0, signed, "hash-object", "-t", "commit", "-w", "--stdin")
	if err != nil {
		t.Fatal(id)
	}
	r.git(0, "reset", "-q", "--soft", id)
	r.write("docs/dirty.html", "2")
	for _, name := range []string{"touched.html", "touched.htm"} {
		if err := os.Chtimes(filepath.Join(r.top, "docs", name), time.Time{}, time.Unix(day(9), 0)); err != nil {
			t.Fatal(err)
		}
	}

	traps, sprung := t.TempDir(), t.TempDir()
	hooks := filepath.Join(r.top, ".git", "hooks")
	if err := os.Mkdir(hooks, 0o755); err != nil {
		t.Fatal(err)
	}
	set := func(folder, name string) string {
		trap := filepath.Join(folder, name)
		if err := os.WriteFile(trap, []byte("#!/bin/sh\n>"+filepath.Join(sprung, name)+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return trap
	}
	set(hooks, "post-index-change")
	var config strings.Builder
	add := func(name, value string) {
		dot := strings.LastIndexByte(name, '.')
		header := name[:dot]
		if section, subsection, found := strings.Cut(header, "."); found {
			header = fmt.Sprintf("%s %q", section, subsection)
		}
		fmt.Fprintf(&config, "[%s]\n%s = %q\n", header, name[dot+1:], value)
	}
	for _, name := range programSettings {
		trap := set(traps, name)
		if strings.HasPrefix(name, "alias.") || name == "credential.helper" {
			trap = "!" + trap
		}
		add(name, trap)
	}
	for _, setting := range otherSettings {
		name, value, _ := strings.Cut(setting, "=")
		add(name, value)
	}
	file, err := os.OpenFile(filepath.Join(r.top, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteString(config.String())
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	started := func() []string {
		entries, err := os.ReadDir(sprung)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		return names
	}

	want(t, r.read(""), map[string]int{"docs/dirty.html": 0, "docs/touched.html": 1, "docs/touched.htm": 1, "docs/signed.html": 2, ".gitattributes": 1})
	want(t, r.read("docs"), map[string]int{"dirty.html": 0, "touched.html": 1, "touched.htm": 1, "signed.html": 2})
	if names := started(); len(names) > 0 {
		t.Errorf("started: %q", names)
	}
	for _, arguments := range [][]string{{"status"}, {"log", "-1"}, {"diff", "-O/dev/null", "HEAD", "--", "docs/dirty.html"}} {
		r.tryGit(0, "", arguments...)
	}
	for _, name := range []string{"core.fsmonitor", "filter.evil.clean", "filter.lasting.process", "gpg.program", "diff.evil.command"} {
		if !slices.Contains(started(), name) {
			t.Errorf("git alone did not step into the trap %s", name)
		}
	}
}

func TestSubmoduleIsNotLookedInto(t *testing.T) {
	r := newRepository(t)
	module := newRepository(t)
	module.commit(1, "a.html", "")
	r.git(2, "submodule", "--quiet", "add", "file://"+module.top, "module")
	r.commit(2, "index.html", "")
	sprung := filepath.Join(t.TempDir(), "sprung")
	inside := &repository{t, filepath.Join(r.top, "module")}
	inside.git(0, "config", "filter.evil.clean", "touch "+sprung)
	inside.write(".gitattributes", "*.html filter=evil\n")
	inside.write("a.html", "changed")
	want(t, r.read(""), map[string]int{"index.html": 2, ".gitmodules": 2})
	if _, err := os.Stat(sprung); err == nil {
		t.Error("the filter of the submodule was started")
	}
	r.tryGit(0, "", "status")
	if _, err := os.Stat(sprung); err != nil {
		t.Error("git alone does not start the filter of the submodule")
	}
}

func TestFilterThatCannotBeSwitchedOffIsAnError(t *testing.T) {
	r := newRepository(t)
	r.commit(1, "index.html", "")
	r.git(0, "config", "filter.a=b.clean", "touch started")
	if _, err := Read(context.Background(), r.top); err == nil || !strings.Contains(err.Error(), "filter.a=b.clean") {
		t.Error(err)
	}
}

func TestFilterOfTheUserIsTrusted(t *testing.T) {
	r := newRepository(t)
	r.git(0, "config", "--global", "filter.upper.clean", "tr a-z A-Z")
	r.write(".gitattributes", "*.html filter=upper\n")
	r.commit(1, "a.html", "lower")
	if err := os.Chtimes(filepath.Join(r.top, "a.html"), time.Time{}, time.Unix(day(9), 0)); err != nil {
		t.Fatal(err)
	}
	want(t, r.read(""), map[string]int{"a.html": 1, ".gitattributes": 1})
	r.git(0, "config", "filter.upper.clean", "tr a-z A-Z")
	want(t, r.read(""), map[string]int{"a.html": 0, ".gitattributes": 1})
}
