//go:build unix

package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestDocumentedScriptsAreShell(t *testing.T) {
	shell, checked := program(t, "sh"), 0
	for _, snippet := range documentedCode(t) {
		if snippet.language != "sh" {
			continue
		}
		cmd := exec.Command(shell, "-n")
		cmd.Stdin = strings.NewReader(snippet.text)
		if done := finish(t, cmd); done.code != 0 {
			t.Errorf("%v: %s", snippet, done.stderr)
		}
		checked++
	}
	if checked < 20 {
		t.Errorf("only %d scripts were found", checked)
	}
}

// pipelinesBlock returns the first block of docs/pipelines.md.
func pipelinesBlock(t *testing.T) string {
	t.Helper()
	for _, snippet := range documentedCode(t) {
		if snippet.page == "pipelines.md" && snippet.language == "sh" {
			return snippet.text
		}
	}
	t.Fatal("docs/pipelines.md has no block")
	return ""
}

// The Hugo example of docs/pipelines.md, as it is written there, lists what Hugo does,
// keeps dates over a rebuild, and forgets a page that is gone.
func TestTheHugoPipelineDoesWhatItsPageSays(t *testing.T) {
	hugo := program(t, "hugo")
	row := regexp.MustCompile("(?m)^\\| \\[Hugo\\].*? \\| `([^`]+)` \\|").FindStringSubmatch(readFile(t, "../../docs/pipelines.md"))
	if row == nil {
		t.Fatal("docs/pipelines.md has no row for Hugo")
	}
	source := filepath.Join(publicDir(t), "source")
	if err := os.CopyFS(source, os.DirFS(hugoSource)); err != nil {
		t.Fatal(err)
	}
	env := append(cleanEnv(), "HUGO_CACHEDIR="+t.TempDir())
	env[0] += string(os.PathListSeparator) + filepath.Dir(hugo)
	run := func(script string) {
		t.Helper()
		cmd := exec.Command(program(t, "sh"), "-e", "-c", script)
		cmd.Dir, cmd.Env = source, env
		if done := finish(t, cmd); done.code != 0 {
			t.Fatalf("%s ends with %d\n%s%s", script, done.code, done.stdout, done.stderr)
		}
	}
	docroot := filepath.Join(source, "public")
	compare := func() linkedPages {
		t.Helper()
		own := filepath.Join(publicDir(t), "public")
		runHugo(t, source, own, nil)
		pages := ownPages(t, docroot, hugoBase)
		compareAlternates(t, pages, hugoPages(t, own, hugoBase))
		return pages
	}

	run(pipelinesBlock(t))
	run(row[1])
	first := compare()
	if len(first.lastMod) < 35 {
		t.Fatalf("only %d pages are listed", len(first.lastMod))
	}

	run(row[1])
	if again := compare(); !maps.Equal(again.lastMod, first.lastMod) {
		t.Errorf("a rebuild has changed dates: %v, before %v", again.lastMod, first.lastMod)
	}

	posts := glob(t, filepath.Join(source, "content", "posts"), "*.md")
	gone := posts[slices.IndexFunc(posts, func(name string) bool { return !strings.HasPrefix(name, "_") })]
	if err := os.Remove(filepath.Join(source, "content", "posts", gone)); err != nil {
		t.Fatal(err)
	}
	run(row[1])
	if left := compare(); len(left.lastMod) >= len(first.lastMod) {
		t.Errorf("%s is gone, and still %d pages are listed, before %d", gone, len(left.lastMod), len(first.lastMod))
	}
}
