//go:build unix

package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	syscall.Umask(0o022) // tests give files to other users, who must be able to read them
	testscript.Main(withCache{m}, map[string]func(){"sitewalk": main})
}

// cache is the folder in which the command keeps its states while tests run: they
// are not to be left in the user's own.
var cache string

// withCache makes and removes cache around the tests.
type withCache struct{ *testing.M }

func (m withCache) Run() int {
	var err error
	if cache, err = os.MkdirTemp("", "sitewalk-cache-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(cache)
	return m.M.Run()
}

// TestScript runs testdata/script: what the command does, as its users see it.
// Beside testscript's own commands there are
//
//	exits CODE PROGRAM…    runs a program that must end with that exit code, and
//	                       that must tell of a mistake, 2, in one line
//	page NAME…             writes pages, each with a date of its own; "NAME" is unquoted
//	pages FOLDER N         writes N pages in a folder
//	date TIME FILE…        sets modification times
//	locs FILE…             prints the URLs that sitemaps list, one a line
//	plain FILE             prints a file, uncompressed
//	touched FOLDER FILE    writes to FILE what would change if FOLDER's files were touched
//	nobody FILE…           gives files to another user, if root runs the test
//	write FILE '"TEXT"'    writes a file, keeping the date of one that is there
//	engine WHAT…           is a search engine: see scriptEngine
//	verdicts FILE          prints the verdicts and paths of a file of --report or
//	                       explain --json, and fails where it breaks its contract
//
// and the condition [e2e], which holds where SITEWALK_E2E=1 forbids to skip a
// script for want of a program.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:         filepath.Join("..", "..", "testdata", "script"),
		WorkdirRoot: publicDir(t),
		Setup: func(env *testscript.Env) error {
			site, err := filepath.Abs("../../testdata/site")
			env.Setenv("SITE", site)
			env.Setenv("GORACE", noRaceSleep)
			env.Setenv("XDG_CACHE_HOME", env.WorkDir+"/cache")
			env.Setenv("TZ", "Asia/Kolkata") // which nothing must depend on
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": scriptExits, "page": scriptPage, "pages": scriptPages, "date": scriptDate,
			"locs": scriptLocs, "plain": scriptPlain, "touched": scriptTouched, "nobody": scriptNobody,
			"write": scriptWrite, "verdicts": scriptVerdicts, "engine": scriptEngine,
		},
		Condition: func(condition string) (bool, error) {
			if condition != "e2e" {
				return false, fmt.Errorf("unknown condition %q", condition)
			}
			return os.Getenv("SITEWALK_E2E") == "1", nil
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGUMENT…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%v", err)
	}
	code := 0
	if exit != nil {
		code = exit.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit code is %d, not %d", code, want)
	}
	if said := ts.ReadFile("stderr"); code == exitUsage && len(lines(said)) != 1 {
		ts.Fatalf("a mistake is told in %d lines", len(lines(said)))
	}
}

func scriptPage(ts *testscript.TestScript, _ bool, args []string) {
	for i, name := range args {
		if unquoted, err := strconv.Unquote(name); err == nil {
			name = unquoted
		}
		makePage(ts, name, firstDate.Add(time.Duration(i)*time.Hour))
	}
}

func scriptPages(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	for i := range n {
		makePage(ts, fmt.Sprintf("%s/page-%03d.html", args[0], i), firstDate.Add(time.Duration(i)*time.Hour))
	}
}

func makePage(ts *testscript.TestScript, name string, modified time.Time) {
	path := ts.MkAbs(name)
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	ts.Check(os.WriteFile(path, []byte("<title>A page</title>\n"), 0o644))
	ts.Check(os.Chtimes(path, modified, modified))
}

func scriptDate(ts *testscript.TestScript, _ bool, args []string) {
	date, err := time.Parse(time.RFC3339, args[0])
	ts.Check(err)
	for _, name := range args[1:] {
		ts.Check(os.Chtimes(ts.MkAbs(name), date, date))
	}
}

func scriptLocs(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		var file struct {
			Pages    []listedPage `xml:"url"`
			Sitemaps []listedPage `xml:"sitemap"`
		}
		ts.Check(xml.Unmarshal(plainFile(ts, name), &file))
		for _, page := range append(file.Pages, file.Sitemaps...) {
			fmt.Fprintln(ts.Stdout(), page.Loc)
		}
	}
}

func scriptPlain(ts *testscript.TestScript, _ bool, args []string) {
	_, err := ts.Stdout().Write(plainFile(ts, args[0]))
	ts.Check(err)
}

func plainFile(ts *testscript.TestScript, name string) []byte {
	content := []byte(ts.ReadFile(name))
	if !strings.HasSuffix(name, ".gz") {
		return content
	}
	reader, err := gzip.NewReader(bytes.NewReader(content))
	ts.Check(err)
	var plain bytes.Buffer
	_, err = plain.ReadFrom(reader)
	ts.Check(err)
	return plain.Bytes()
}

func scriptTouched(ts *testscript.TestScript, _ bool, args []string) {
	folder := ts.MkAbs(args[0])
	var list strings.Builder
	ts.Check(filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(&list, "%q inode %d of %d, %x\n", path[len(folder):],
			info.Sys().(*syscall.Stat_t).Ino, info.ModTime().UnixNano(), sha256.Sum256(content))
		return err
	}))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(list.String()), 0o644))
}

func scriptWrite(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: write FILE '\"TEXT\"'")
	}
	text, err := strconv.Unquote(args[1])
	ts.Check(err)
	path := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	before, err := os.Stat(path)
	ts.Check(os.WriteFile(path, []byte(text), 0o644))
	if err == nil {
		ts.Check(os.Chtimes(path, before.ModTime(), before.ModTime()))
	}
}

// verdictKeys are the keys of an object that tells of a file.
var verdictKeys = []string{
	"path", "verdict", "detail", "url", "section", "shard", "lastmod", "lastmod_source", "changefreq", "priority", "rules",
}

func scriptVerdicts(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	if text != "" && !strings.HasSuffix(text, "\n") {
		ts.Fatalf("%s ends within a line", args[0])
	}
	seen := map[string]bool{}
	for _, line := range lines(text) {
		var found struct {
			Path, Verdict, Detail string
			Rules                 []int
		}
		var fields map[string]json.RawMessage
		ts.Check(json.Unmarshal([]byte(line), &fields))
		ts.Check(json.Unmarshal([]byte(line), &found))
		for key := range fields {
			if !slices.Contains(verdictKeys, key) {
				ts.Fatalf("%s has the unknown key %q", line, key)
			}
		}
		if found.Path == "" || found.Verdict == "" || found.Rules == nil {
			ts.Fatalf("%s lacks its path, its verdict or its rules", line)
		}
		if strings.ContainsFunc(found.Path+found.Detail, unicode.IsControl) || !utf8.ValidString(line) {
			ts.Fatalf("%q holds more than plain text", line)
		}
		if seen[found.Path] {
			ts.Fatalf("%s has two verdicts", found.Path)
		}
		seen[found.Path] = true
		fmt.Fprintln(ts.Stdout(), found.Verdict, found.Path)
	}
}

func scriptNobody(ts *testscript.TestScript, _ bool, args []string) {
	if os.Geteuid() != 0 {
		return
	}
	for _, name := range args {
		ts.Check(filepath.WalkDir(ts.MkAbs(name), func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, 65534, 65534)
		}))
	}
}
