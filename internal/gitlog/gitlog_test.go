package gitlog

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestFileHasTheDateOfItsLastCommit(t *testing.T) {
	r := newRepository(t)
	r.commit(1, "index.html", "1")
	r.commit(2, "blog/post.html", "1")
	r.commit(3, "blog/old.html", "1")
	r.commit(4, "blog/post.html", "2")
	r.commit(5, "", "")
	dates := r.read("")
	want(t, dates, map[string]int{"index.html": 1, "blog/post.html": 4, "blog/old.html": 3, "post.html": 0, "blog": 0, "": 0})
	if dates.Shallow() || dates.Withheld() != 0 {
		t.Errorf("shallow %v, withheld %d", dates.Shallow(), dates.Withheld())
	}
}

func TestAnyNameHasItsDate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the system does not allow these names")
	}
	r := newRepository(t)
	names := []string{
		"a b.html", `"quoted".html`, "line\nend.html", "tab\t.html", "ü.html", "日本/語.html", `back\slash.html`, ":(top)magic.html",
		"-rf", "--all", ":", "*", "[a].html", "?.html", " lead", "trail ", ":100644 100644 1 2 M", "0123456789 1", "\x01\x1b[31m.html",
		"a => b", "{a => b}/c.html", "\n", "#", "!x",
	}
	if runtime.GOOS == "linux" {
		names = append(names, "\xff\xfe.html", "u\u0308.html")
	}
	days := map[string]int{}
	for i, name := range names {
		r.write("docs/"+name, "")
		days[name] = 1 + i%2
		if days[name] == 1 {
			r.git(1, "--literal-pathspecs", "add", "--", "docs/"+name)
		}
	}
	r.git(1, "commit", "-q", "-m", "one")
	r.commit(2, "", "")
	want(t, r.read("docs"), days)
	for _, docroot := range []string{"\nodd \"place\n/docs", ":(top)", "[d]ocs", "*"} {
		r.commit(3, docroot+"/a.html", docroot)
		want(t, r.read(docroot), map[string]int{"a.html": 3})
	}
}

func TestDocrootMayLieAnywhereInTheWorkTree(t *testing.T) {
	r := newRepository(t)
	r.commit(1, "index.html", "")
	r.commit(2, "public/index.html", "")
	r.commit(3, "public/en/index.html", "")
	r.commit(4, "public2/index.html", "")
	r.write("new/index.html", "")
	want(t, r.read(""), map[string]int{"index.html": 1, "public/index.html": 2, "public/en/index.html": 3, "public2/index.html": 4})
	want(t, r.read("public"), map[string]int{"index.html": 2, "en/index.html": 3})
	want(t, r.read("public/en"), map[string]int{"index.html": 3})
	want(t, r.read("new"), map[string]int{"index.html": 0})
	t.Run("symlink", func(t *testing.T) {
		link := filepath.Join(t.TempDir(), "docroot")
		if err := os.Symlink(filepath.Join(r.top, "public"), link); err != nil {
			t.Skip(err)
		}
		dates, err := Read(context.Background(), link)
		if err != nil {
			t.Fatal(err)
		}
		want(t, dates, map[string]int{"index.html": 2, "en/index.html": 3})
	})
	t.Run("linked work tree", func(t *testing.T) {
		other := filepath.Join(t.TempDir(), "other")
		r.git(0, "worktree", "add", "-q", other, "HEAD~1")
		dates, err := Read(context.Background(), filepath.Join(other, "public"))
		if err != nil {
			t.Fatal(err)
		}
		want(t, dates, map[string]int{"index.html": 2, "en/index.html": 3})
	})
	t.Run("relative path", func(t *testing.T) {
		t.Chdir(r.top)
		dates, err := Read(context.Background(), "public")
		if err != nil {
			t.Fatal(err)
		}
		want(t, dates, map[string]int{"index.html": 2, "en/index.html": 3})
	})
}

func TestRenamedFileIsAsOldAsItsPath(t *testing.T) {
	r := newRepository(t)
	r.commit(1, "old.html", strings.Repeat("a line of text\n", 100))
	r.git(2, "mv", "old.html", "new.html")
	r.commit(2, "", "")
	r.git(0, "config", "log.follow", "true")
	r.git(0, "config", "diff.renames", "copies")
	want(t, r.read(""), map[string]int{"old.html": 0, "new.html": 2})
}

func TestFileThatCameBackHasItsNewDate(t *testing.T) {
	r := newRepository(t)
	r.commit(1, "a.html", "same")
	r.commit(2, "b.html", "kept")
	r.git(3, "rm", "-q", "a.html")
	r.commit(3, "", "")
	want(t, r.read(""), map[string]int{"a.html": 0, "b.html": 2})
	r.commit(4, "a.html", "same")
	want(t, r.read(""), map[string]int{"a.html": 4, "b.html": 2})
}

func TestMergedFileHasTheDateOfTheBranch(t *testing.T) {
	r := newRepository(t)
	r.commit(1, "both.html", "1")
	r.commit(1, "main.html", "1")
	r.commit(1, "branch.html", "1")
	r.git(0, "checkout", "-q", "-b", "branch")
	r.commit(2, "branch.html", "2")
	r.commit(3, "both.html", "branch")
	r.git(0, "checkout", "-q", "main")
	r.commit(8, "main.html", "2")
	r.commit(4, "both.html", "main")
	if _, err := r.tryGit(9, "", "merge", "-q", "branch"); err == nil {
		t.Fatal("the merge has no conflict")
	}
	r.write("evil.html", "written in the merge")
	r.commit(9, "both.html", "resolved")
	for _, setting := range []string{"log.diffMerges=off", "log.diffMerges=separate"} {
		name, value, _ := strings.Cut(setting, "=")
		r.git(0, "config", name, value)
		want(t, r.read(""), map[string]int{"main.html": 8, "branch.html": 2, "both.html": 9, "evil.html": 9})
	}
}

func TestOldBranchMergedLaterKeepsItsDates(t *testing.T) {
	r := newRepository(t)
	r.commit(10, "main.html", "1")
	r.git(0, "checkout", "-q", "--orphan", "imported")
	r.git(0, "rm", "-q", "-rf", ".")
	r.commit(2, "imported.html", "1")
	r.git(0, "checkout", "-q", "main")
	r.git(12, "merge", "-q", "--allow-unrelated-histories", "-m", "merge", "imported")
	want(t, r.read(""), map[string]int{"main.html": 10, "imported.html": 2})
}

func TestWhatAMergeThrewAwayDatesNothing(t *testing.T) {
	r := newRepository(t)
	r.commit(1, "a.html", "1")
	r.commit(1, "b.html", "1")
	r.git(0, "checkout", "-q", "-b", "branch")
	r.commit(5, "a.html", "thrown away")
	r.commit(6, "b.html", "kept")
	r.git(0, "checkout", "-q", "main")
	r.commit(2, "a.html", "2")
	r.git(7, "merge", "-q", "-s", "ours", "--no-commit", "branch")
	r.commit(7, "b.html", "kept")
	want(t, r.read(""), map[string]int{"a.html": 2, "b.html": 6})
}

func TestSkewedClockDoesNotHideTheLastCommit(t *testing.T) {
	r := newRepository(t)
	r.commit(1, "z.html", "")
	r.commit(20, "a.html", "1")
	r.git(0, "branch", "other")
	r.commit(3, "a.html", "2") // by a clock that is late
	r.git(0, "checkout", "-q", "other")
	r.commit(21, "b.html", "1")
	r.git(0, "checkout", "-q", "main")
	r.git(22, "merge", "-q", "-m", "merge", "other")
	want(t, r.read(""), map[string]int{"a.html": 3, "b.html": 21, "z.html": 1})
}

func TestOnlyFilesThatAreAsCommittedHaveADate(t *testing.T) {
	r := newRepository(t)
	for _, name := range []string{"clean", "touched", "modified", "staged", "unstaged", "deleted", "removed", "restored"} {
		r.write("d/"+name, name)
	}
	r.commit(1, ".gitignore", "ignored")
	r.write("d/modified", "more than before")
	r.write("d/staged", "changed")
	r.git(0, "add", "d/staged")
	r.write("d/unstaged", "changed")
	r.git(0, "add", "d/unstaged")
	r.write("d/unstaged", "unstaged") // as in HEAD, but for the index
	r.write("d/added", "")
	r.git(0, "add", "d/added")
	r.write("d/untracked", "")
	r.write("d/ignored", "")
	r.git(0, "rm", "-q", "--cached", "d/removed")
	if err := os.Remove(filepath.Join(r.top, "d", "deleted")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"touched", "restored"} {
		if err := os.Chtimes(filepath.Join(r.top, "d", name), time.Time{}, time.Unix(day(9), 0)); err != nil {
			t.Fatal(err)
		}
	}
	r.git(0, "config", "diff.autoRefreshIndex", "false")
	index := filepath.Join(r.top, ".git", "index")
	before, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	want(t, r.read("d"), map[string]int{
		"clean": 1, "touched": 1, "restored": 1, "unstaged": 0,
		"modified": 0, "staged": 0, "deleted": 0, "added": 0, "untracked": 0, "ignored": 0, "removed": 0,
	})
	if after, err := os.ReadFile(index); err != nil || string(after) != string(before) {
		t.Errorf("the index was written: %v", err)
	}
}

func TestConflictHasNoDate(t *testing.T) {
	r := newRepository(t)
	r.commit(1, "a.html", "1")
	r.git(0, "checkout", "-q", "-b", "branch")
	r.commit(2, "a.html", "2")
	r.git(0, "checkout", "-q", "main")
	r.commit(3, "a.html", "3")
	if _, err := r.tryGit(4, "", "merge", "-q", "branch"); err == nil {
		t.Fatal("the merge has no conflict")
	}
	want(t, r.read(""), map[string]int{"a.html": 0})
}

func TestLinksAndSubmodulesHaveNoDate(t *testing.T) {
	r := newRepository(t)
	module := newRepository(t)
	module.commit(1, "docs/a.html", "")
	r.commit(2, "index.html", "")
	r.git(3, "submodule", "--quiet", "add", "file://"+filepath.ToSlash(module.top), "module")
	r.git(0, "config", "-f", ".gitmodules", "submodule.module.ignore", "none")
	r.commit(3, "", "")
	days := map[string]int{"index.html": 2, "module": 0, "module/docs/a.html": 0, ".gitmodules": 3}
	if os.Symlink("index.html", filepath.Join(r.top, "link.html")) == nil {
		r.commit(4, "", "")
		days["link.html"] = 0
	}
	want(t, r.read(""), days)
	want(t, r.read("module"), map[string]int{"docs/a.html": 1})
	want(t, r.read("module/docs"), map[string]int{"a.html": 1})
}

func TestSparseCheckoutHasItsDates(t *testing.T) {
	r := newRepository(t)
	r.commit(1, "docs/a.html", "")
	r.commit(2, "blog/b.html", "")
	r.git(0, "sparse-checkout", "set", "--cone", "--sparse-index", "docs")
	if _, err := os.Stat(filepath.Join(r.top, "blog")); err == nil {
		t.Fatal("the checkout is not sparse")
	}
	dates := r.read("")
	if seconds, _ := dates.Find("docs", "a.html"); seconds != day(1) {
		t.Errorf("docs/a.html has the date %d", seconds)
	}
	want(t, r.read("docs"), map[string]int{"a.html": 1})
}

func TestRepositoryWithoutCommitsHasNoDates(t *testing.T) {
	r := newRepository(t)
	r.write("index.html", "")
	want(t, r.read(""), map[string]int{"index.html": 0})
}

func TestWhereThereIsNoWorkTree(t *testing.T) {
	r := newRepository(t)
	r.commit(1, "index.html", "")
	bare := filepath.Join(t.TempDir(), "bare.git")
	r.git(0, "clone", "-q", "--bare", r.top, bare)
	for _, docroot := range []string{t.TempDir(), bare, filepath.Join(r.top, ".git")} {
		if dates, err := Read(context.Background(), docroot); !errors.Is(err, ErrNoRepository) {
			t.Errorf("%s: %v, %v", docroot, dates, err)
		}
	}
}

func TestVariablesOfAHookDoNotLeadAstray(t *testing.T) {
	other := newRepository(t)
	other.commit(9, "index.html", "other")
	r := newRepository(t)
	r.commit(1, "index.html", "")
	t.Setenv("GIT_DIR", filepath.Join(other.top, ".git"))
	t.Setenv("GIT_WORK_TREE", other.top)
	t.Setenv("GIT_INDEX_FILE", filepath.Join(other.top, ".git", "index"))
	t.Setenv("GIT_PREFIX", "elsewhere/")
	t.Setenv("GIT_ICASE_PATHSPECS", "1")
	want(t, r.read(""), map[string]int{"index.html": 1})
	if dates, err := Read(context.Background(), t.TempDir()); !errors.Is(err, ErrNoRepository) {
		t.Errorf("%v, %v", dates, err)
	}
}

func TestMissingGitIsSaid(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Read(context.Background(), t.TempDir()); !errors.Is(err, ErrNoGit) {
		t.Error(err)
	}
}

func TestMissingDocrootIsSaid(t *testing.T) {
	needGit(t)
	_, err := Read(context.Background(), filepath.Join(t.TempDir(), "missing"))
	if err == nil || errors.Is(err, ErrNoRepository) || errors.Is(err, ErrNoGit) {
		t.Error(err)
	}
}

func TestForeignOwnerIsSaidWithAHint(t *testing.T) {
	r := newRepository(t)
	r.commit(1, "index.html", "")
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
	_, err := Read(context.Background(), r.top)
	if err == nil || !strings.Contains(err.Error(), "safe.directory") || strings.ContainsAny(err.Error(), "\r\n") {
		t.Error(err)
	}
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "safe.directory")
	t.Setenv("GIT_CONFIG_VALUE_0", "*")
	want(t, r.read(""), map[string]int{"index.html": 1})
}

func TestBrokenRepositoryIsSaid(t *testing.T) {
	r := newRepository(t)
	r.commit(1, "index.html", "")
	tree := r.git(0, "rev-parse", "HEAD^{tree}")
	if err := os.Remove(filepath.Join(r.top, ".git", "objects", tree[:2], tree[2:])); err != nil {
		t.Fatal(err)
	}
	_, err := Read(context.Background(), r.top)
	if err == nil || !strings.HasPrefix(err.Error(), "git status: bad tree") || strings.ContainsAny(err.Error(), "\r\n") {
		t.Error(err)
	}
}

func TestContextEndsGit(t *testing.T) {
	r := newRepository(t)
	r.commit(1, "index.html", "")
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(cancelled, r.top); err != context.Canceled {
		t.Error(err)
	}
	if runtime.GOOS == "windows" {
		return // it runs no scripts
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "git"), []byte("#!/bin/sh\nexec sleep 60\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	soon, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := Read(soon, r.top); err != context.DeadlineExceeded {
		t.Error(err)
	}
}
