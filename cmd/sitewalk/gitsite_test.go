//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sitewalk"
)

// gitSite is a docroot in a repository that real git keeps.
type gitSite struct{ top, docroot string }

// newGitSite makes an empty repository with a docroot in a folder of it; the
// empty string stands for the top.
func newGitSite(t *testing.T, folder string) *gitSite {
	t.Helper()
	program(t, "git")
	top := filepath.Join(publicDir(t), "repository")
	g := &gitSite{top, filepath.Join(top, folder)}
	if err := os.MkdirAll(g.docroot, 0o755); err != nil {
		t.Fatal(err)
	}
	g.git(t, 0, "init", "-q", "--template=", "-b", "main")
	return g
}

// commitTime is when the tests' commits of a day were made, by the committer's
// clock.
func commitTime(day int) time.Time { return time.Date(2022, 5, day, 12, 0, 0, 0, time.UTC) }

// git runs git in the repository, on a day, and returns what it prints. The
// author's date, years before, must not matter.
func (g *gitSite) git(t *testing.T, day int, args ...string) string {
	t.Helper()
	cmd := exec.Command(program(t, "git"), append([]string{"-C", g.top, "-c", "protocol.file.allow=always", "-c", "core.fsync=none"}, args...)...)
	cmd.Env = append(cleanEnv(), "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Author", "GIT_AUTHOR_EMAIL=author@site.test",
		"GIT_COMMITTER_NAME=Committer", "GIT_COMMITTER_EMAIL=committer@site.test",
		"GIT_AUTHOR_DATE=1000000000 +0500", fmt.Sprintf("GIT_COMMITTER_DATE=%d -0800", commitTime(day).Unix()))
	done := finish(t, cmd)
	if done.code != 0 {
		t.Fatalf("git %q ends with %d\n%s%s", args, done.code, done.stdout, done.stderr)
	}
	return done.stdout
}

// commit writes pages of the docroot and commits all that changed.
func (g *gitSite) commit(t *testing.T, day int, pages ...string) {
	t.Helper()
	for _, page := range pages {
		g.write(t, page, fmt.Sprintf("<!doctype html><title>Day %d</title>\n", day))
	}
	g.git(t, 0, "add", "-A")
	g.git(t, day, "commit", "-q", "-m", "commit")
}

func (g *gitSite) write(t *testing.T, page, content string) {
	t.Helper()
	path := filepath.Join(g.docroot, page)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, content)
}

// fileTime is the modification time that date gives to all files.
var fileTime = time.Date(2023, 8, 9, 10, 11, 12, 0, time.UTC)

// date sets the modification times of pages, as a checkout does: they say nothing.
func (g *gitSite) date(t *testing.T) {
	t.Helper()
	for path := range pageBytes(t, g.docroot) {
		if err := os.Chtimes(filepath.Join(g.docroot, path), fileTime, fileTime); err != nil {
			t.Fatal(err)
		}
	}
}

// pageDate is a page's lastmod and where it comes from.
type pageDate struct{ lastMod, source string }

var noDate = pageDate{}

func fromGit(day int) pageDate { return pageDate{writtenDate(commitTime(day)), "git"} }

func fromFile() pageDate { return pageDate{writtenDate(fileTime), "mtime"} }

// writtenDate returns a time as a sitemap has it.
func writtenDate(date time.Time) string { return date.UTC().Format("2006-01-02T15:04:05+00:00") }

// publish builds with some lastmod sources, and returns what it reports and the
// date of each listed page, by path.
func (g *gitSite) publish(t *testing.T, sources string) (sitewalk.Report, map[string]pageDate) {
	t.Helper()
	g.date(t)
	file := filepath.Join(t.TempDir(), "report.ndjson")
	out := t.TempDir()
	report := buildReading(t, "-c", siteConfig(t, "lastmod: "+sources+"\n"), "--docroot", g.docroot, "--out", out, "--no-state", "--report", file)
	dates, said := map[string]pageDate{}, map[string]string{}
	for _, line := range lines(readFile(t, file)) {
		var found struct {
			Path, Verdict, URL, LastMod string
			Source                      string `json:"lastmod_source"`
		}
		if err := json.Unmarshal([]byte(line), &found); err != nil {
			t.Fatal(err)
		}
		if found.Verdict == "listed" {
			dates[found.Path] = pageDate{found.LastMod, found.Source}
			said[found.URL] = found.LastMod
		}
	}
	if listed := ownPages(t, out, exampleBase).lastMod; !maps.Equal(listed, said) {
		t.Errorf("the set's dates are not those of the report: %q", differences(listed, said))
	}
	return report, dates
}

// wantDates compares dates by path; paths are as they are on disk.
func wantDates(t *testing.T, got, want map[string]pageDate) {
	t.Helper()
	for path, date := range want {
		if found, listed := got[sitewalk.PercentEncode(path)]; !listed {
			t.Errorf("%q is not listed", path)
		} else if found != date {
			t.Errorf("%q has the date %q, want %q", path, found, date)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files are listed, want %d", len(got), len(want))
	}
}

// wantWarnings fails the test unless a report warns of just these.
func wantWarnings(t *testing.T, report sitewalk.Report, codes ...string) {
	t.Helper()
	var told []string
	for _, warning := range report.Warnings {
		// The files of a docroot that was just checked out have one time, as is said.
		if warning.Code != "lastmod-uniform" {
			told = append(told, warning.Code)
		}
	}
	if !slices.Equal(told, codes) {
		t.Errorf("warned of %q, want %q", told, codes)
	}
}

// awkwardNames are names that git quotes in its output unless told otherwise, or
// that a careless reader takes for something else.
var awkwardNames = []string{
	"plain.html", "über uns.html", "о-нас.html", "日本/語.html", `"quoted".html`, `back\slash.html`, "tab\t.html", "line\nend.html",
	"a => b.html", "{a => b}/c.html", ":(top)magic.html", "-rf.html", " lead.html", "100% rye.html", "#1.html",
}

// awkwardBytes are names that only some file systems keep as they are.
var awkwardBytes = []string{"u\u0308.html", "\xff\xfe.html"}

// A repository with a history like that of real sites: every page has the date
// that git itself gives when it is asked for the file alone.
func TestPagesHaveTheDatesOfTheirLastCommits(t *testing.T) {
	awkwardNames := awkwardNames
	if runtime.GOOS == "linux" {
		awkwardNames = slices.Concat(awkwardNames, awkwardBytes)
	}
	for _, folder := range []string{"", "public", "über \"uns\"/public"} {
		t.Run("docroot "+strconv.Quote(folder), func(t *testing.T) {
			g := newGitSite(t, folder)
			g.commit(t, 1, append([]string{"index.html", "old name.html", "deleted.html", "edited.html", "moved/a.html", "moved/b.html"}, awkwardNames...)...)
			g.commit(t, 2, awkwardNames[:8]...)

			g.git(t, 0, "checkout", "-q", "-b", "branch")
			g.commit(t, 3, "branch.html", "both.html")
			g.git(t, 0, "checkout", "-q", "main")
			g.commit(t, 4, "main.html")
			g.git(t, 5, "merge", "-q", "--no-ff", "-m", "merge", "branch")

			// A merge that changes a page by itself, as one that mends a conflict does.
			g.git(t, 0, "checkout", "-q", "-b", "second")
			g.commit(t, 6, "both.html")
			g.git(t, 0, "checkout", "-q", "main")
			g.git(t, 7, "merge", "-q", "--no-ff", "--no-commit", "second")
			g.write(t, "both.html", "<title>Both</title>\n")
			g.commit(t, 7)

			rename := func(from, to string) {
				g.git(t, 0, "mv", "--", filepath.Join(folder, from), filepath.Join(folder, to))
			}
			rename("old name.html", "new näme.html")
			rename("moved", "to")
			g.git(t, 0, "rm", "-q", "--", filepath.Join(folder, "deleted.html"))
			g.commit(t, 8)
			g.commit(t, 9, "edited.html")

			want := map[string]pageDate{
				"index.html": fromGit(1), "edited.html": fromGit(9), "new näme.html": fromGit(8), "to/a.html": fromGit(8), "to/b.html": fromGit(8),
				"branch.html": fromGit(3), "main.html": fromGit(4), "both.html": fromGit(7),
			}
			for i, name := range awkwardNames {
				want[name] = fromGit(1)
				if i < 8 {
					want[name] = fromGit(2)
				}
			}
			for path, date := range want {
				seconds := g.git(t, 0, "--literal-pathspecs", "log", "-1", "--format=%ct", "--", filepath.Join(folder, path))
				if unix, err := strconv.ParseInt(strings.TrimSpace(seconds), 10, 64); err != nil || writtenDate(time.Unix(unix, 0)) != date.lastMod {
					t.Fatalf("git dates %q %q, and not %q", path, seconds, date.lastMod)
				}
			}
			report, dates := g.publish(t, "[git, mtime]")
			wantDates(t, dates, want)
			wantWarnings(t, report)
		})
	}
}

// What is not as it was committed has no date from git: the commit's would be
// older than the page.
func TestDirtyPagesHaveTheirFilesDates(t *testing.T) {
	g := newGitSite(t, "")
	g.commit(t, 1, "clean.html", "edited.html", "staged.html", "renamed.html", "replaced.html", "touched.html")
	writeFile(t, filepath.Join(g.top, ".gitignore"), "ignored.html\n")
	g.commit(t, 2)
	g.write(t, "edited.html", "edited")
	g.write(t, "staged.html", "staged")
	g.git(t, 0, "add", "staged.html")
	g.git(t, 0, "mv", "renamed.html", "new name.html")
	g.write(t, "untracked.html", "new")
	g.write(t, "ignored.html", "ignored")
	g.write(t, "replaced.html", "replaced")
	g.git(t, 0, "add", "replaced.html")
	g.write(t, "replaced.html", "replaced again")
	want := map[string]pageDate{
		"clean.html": fromGit(1), "touched.html": fromGit(1), "edited.html": fromFile(), "staged.html": fromFile(), "replaced.html": fromFile(),
		"new name.html": fromFile(), "untracked.html": fromFile(), "ignored.html": fromFile(),
	}
	report, dates := g.publish(t, "[git, mtime]")
	wantDates(t, dates, want)
	wantWarnings(t, report)
	for path, date := range want {
		if date == fromFile() {
			want[path] = noDate
		}
	}
	_, dates = g.publish(t, "[git]")
	wantDates(t, dates, want)
	if status := g.git(t, 0, "status", "--porcelain", "--", "clean.html", "touched.html"); status != "" {
		t.Errorf("the work tree has changed: %s", status)
	}
}

// Every file of a shallow clone looks as if its oldest commit had made it.
func TestShallowCloneWithholdsWhatItCannotKnow(t *testing.T) {
	origin := newGitSite(t, "public")
	origin.commit(t, 1, "old.html", "older.html", "über.html")
	origin.commit(t, 2, "older.html")
	origin.commit(t, 3, "middle.html")
	origin.commit(t, 4, "new.html")
	clone := func(args ...string) *gitSite {
		top := filepath.Join(publicDir(t), "clone")
		origin.git(t, 0, append(append([]string{"clone", "-q"}, args...), "file://"+origin.top, top)...)
		return &gitSite{top, filepath.Join(top, "public")}
	}
	full := map[string]pageDate{
		"old.html": fromGit(1), "older.html": fromGit(2), "über.html": fromGit(1), "middle.html": fromGit(3), "new.html": fromGit(4),
	}
	for name, test := range map[string]struct {
		depth   string
		sources string
		known   []string
		other   pageDate
	}{
		"nothing known": {"1", "[git, mtime]", nil, fromFile()},
		"one known":     {"2", "[git, mtime]", []string{"new.html"}, fromFile()},
		"two known":     {"3", "[git, mtime]", []string{"middle.html", "new.html"}, fromFile()},
		"git alone":     {"2", "[git]", []string{"new.html"}, noDate},
	} {
		t.Run(name, func(t *testing.T) {
			shallow := clone("--depth", test.depth)
			want := maps.Clone(full)
			for path := range want {
				if !slices.Contains(test.known, path) {
					want[path] = test.other
				}
			}
			report, dates := shallow.publish(t, test.sources)
			wantDates(t, dates, want)
			wantWarnings(t, report, "git-shallow")
			if warning := warningOf(report, "git-shallow"); !strings.HasPrefix(warning.Message, fmt.Sprintf("%d files without a date from git", len(full)-len(test.known))) {
				t.Errorf("the warning says %q", warning.Message)
			}
			shallow.git(t, 0, "fetch", "-q", "--unshallow")
			report, dates = shallow.publish(t, test.sources)
			wantDates(t, dates, full)
			wantWarnings(t, report)
		})
	}
	t.Run("whole history", func(t *testing.T) {
		report, dates := clone().publish(t, "[git, mtime]")
		wantDates(t, dates, full)
		wantWarnings(t, report)
	})
}

// Where git has no answer at all the chain goes on, and the user is told why.
func TestWithoutAnswersFromGitTheChainGoesOn(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(t *testing.T, g *gitSite)
		says  string
	}{
		"no repository": {func(t *testing.T, g *gitSite) {
			if err := os.RemoveAll(filepath.Join(g.top, ".git")); err != nil {
				t.Fatal(err)
			}
		}, "not in a git work tree"},
		"broken repository": {func(t *testing.T, g *gitSite) {
			if err := os.RemoveAll(filepath.Join(g.top, ".git", "objects")); err != nil {
				t.Fatal(err)
			}
		}, ""},
		"broken index": {func(t *testing.T, g *gitSite) {
			writeFile(t, filepath.Join(g.top, ".git", "index"), "no index")
		}, "index"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGitSite(t, "public")
			g.commit(t, 1, "index.html", "über uns.html")
			test.spoil(t, g)
			report, dates := g.publish(t, "[git, mtime]")
			wantDates(t, dates, map[string]pageDate{"index.html": fromFile(), "über uns.html": fromFile()})
			wantWarnings(t, report, "git-unavailable")
			warning := warningOf(report, "git-unavailable")
			if !slices.Equal(warning.Paths, []string{g.docroot}) || len(warning.Details) != 1 || !strings.Contains(warning.Details[0], test.says) {
				t.Errorf("the warning is %q", warning)
			}
		})
	}
	t.Run("no commit yet", func(t *testing.T) {
		g := newGitSite(t, "")
		g.write(t, "index.html", "")
		report, dates := g.publish(t, "[git, mtime]")
		wantDates(t, dates, map[string]pageDate{"index.html": fromFile()})
		wantWarnings(t, report, "git-unavailable")
	})
	t.Run("no git", func(t *testing.T) {
		g := newGitSite(t, "")
		g.commit(t, 1, "index.html")
		cmd := newCommand("build", "-c", siteConfig(t, "lastmod: [git, mtime]\n"), "--docroot", g.docroot, "--no-state")
		cmd.Env = slices.DeleteFunc(cmd.Env, func(variable string) bool { return strings.HasPrefix(variable, "PATH=") })
		cmd.Env = append(cmd.Env, "PATH="+t.TempDir())
		done := finish(t, cmd)
		if done.code != exitDone || !strings.Contains(done.stderr, "git is not installed") || !strings.Contains(done.stderr, "[git-unavailable]") {
			t.Errorf("exit code is %d\n%s", done.code, done.stderr)
		}
	})
}
