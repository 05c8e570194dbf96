//go:build unix

package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// These tests run the steps of action.yml as GitHub's runners do.

// packaging returns the path of a file of this repository's packaging.
func packaging(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../../packaging", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// step runs a step of the action, and returns what it told the runner by the files
// GITHUB_OUTPUT and GITHUB_PATH.
func step(t *testing.T, name, temp string, env ...string) (done outcome, output, path string) {
	t.Helper()
	told := t.TempDir()
	cmd := exec.Command(program(t, "bash"), packaging(t, "action/"+name))
	cmd.Dir = temp
	cmd.Env = append(cleanEnv(), "RUNNER_TEMP="+temp, "RUNNER_OS=Linux", "RUNNER_ARCH=X64",
		"GITHUB_OUTPUT="+filepath.Join(told, "output"), "GITHUB_PATH="+filepath.Join(told, "path"))
	cmd.Env = append(cmd.Env, env...)
	done = finish(t, cmd)
	written := func(name string) string {
		text, err := os.ReadFile(filepath.Join(told, name))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(text)
	}
	return done, written("output"), written("path")
}

func TestTheActionPublishesAndTellsItsOutputs(t *testing.T) {
	temp := publicDir(t)
	// Names and arguments that a shell would take for something else.
	writePages(t, temp, "a $(touch b)/index.html", "a $(touch b)/a.html")
	inputs := func(docroot, args string) []string {
		return []string{"SITEWALK_CONFIG=", "SITEWALK_DOCROOT=" + docroot, "SITEWALK_BASE_URL=" + exampleBase,
			"SITEWALK_ARGS=" + args, "SITEWALK_CACHE=true"}
	}
	for _, test := range []struct {
		docroot, args string
		code          int
		output        string
	}{
		{"a $(touch b)", "", exitDone, "event=published\npages=2\nshards=1\n"},
		{"a $(touch b)", " --no-read\n  --jobs 2 ", exitDone, "event=unchanged\npages=2\nshards=1\n"},
		{"a $(touch b)", "--dry-run --out *", exitDone, "event=dry-run\npages=2\nshards=1\n"},
		{"a $(touch b)", "`touch b`", exitUsage, "event=error\npages=\nshards=\n"},
		{"none", "", exitFailed, "event=error\npages=\nshards=\n"},
	} {
		done, output, _ := step(t, "build", temp, inputs(test.docroot, test.args)...)
		if done.code != test.code || output != test.output {
			t.Errorf("%q, %q: exit code %d, %q\n%s%s", test.docroot, test.args, done.code, output, done.stdout, done.stderr)
		}
	}
	for _, name := range glob(t, temp, "*") {
		if name == "b" {
			t.Error("what an input says was run by a shell")
		}
	}
	if states := glob(t, filepath.Join(temp, "sitewalk", "state", "sitewalk"), "*.state"); len(states) != 1 {
		t.Errorf("of one site these states are kept: %q", states)
	}
	// Without the cache the state is where it always is.
	step(t, "build", temp, append(inputs(".", ""), "SITEWALK_CACHE=false")...)
	if states := glob(t, filepath.Join(temp, "sitewalk", "state", "sitewalk"), "*.state"); len(states) != 1 {
		t.Errorf("without the cache %q are kept for it", states)
	}
}

func TestTheActionPublishesSeveralSites(t *testing.T) {
	temp := publicDir(t)
	writePages(t, temp, "a/index.html", "a/a.html", `b","pages":7/index.html`)
	const a, b, none = "{docroot: a, base_url: 'https://a.example/'}", "{docroot: 'b\",\"pages\":7', base_url: 'https://b.example/'}", "{docroot: none, base_url: 'https://c.example/'}"
	write := func(sites ...string) {
		writeFile(t, filepath.Join(temp, "sites.yaml"), "lastmod: [content]\nsites:\n  - "+strings.Join(sites, "\n  - ")+"\n")
	}
	for _, test := range []struct {
		sites  []string
		args   string
		code   int
		output string
	}{
		{[]string{a, b}, "--dry-run", exitDone, "event=dry-run\npages=3\nshards=2\n"},
		{[]string{a}, "", exitDone, "event=published\npages=2\nshards=1\n"},
		{[]string{a, b}, "", exitDone, "event=published\npages=3\nshards=2\n"},
		{[]string{a, b}, "", exitDone, "event=unchanged\npages=3\nshards=2\n"},
		{[]string{a, none}, "", exitFailed, "event=error\npages=2\nshards=1\n"},
		{[]string{none}, "", exitFailed, "event=error\npages=\nshards=\n"},
	} {
		write(test.sites...)
		done, output, _ := step(t, "build", temp, "SITEWALK_CONFIG=sites.yaml", "SITEWALK_DOCROOT=", "SITEWALK_BASE_URL=",
			"SITEWALK_ARGS="+test.args, "SITEWALK_CACHE=true")
		if done.code != test.code || output != test.output {
			t.Errorf("%q: exit code %d, %q\n%s%s", test.sites, done.code, output, done.stdout, done.stderr)
		}
	}
	if states := glob(t, filepath.Join(temp, "sitewalk", "state", "sitewalk"), "*.state"); len(states) != 2 {
		t.Errorf("of two sites these states are kept: %q", states)
	}
}

// release makes a release of a program that says what it is, as goreleaser names
// its files, and returns its archive.
func release(t *testing.T, server string) (archive string) {
	t.Helper()
	const script = "#!/bin/sh\necho released\n"
	var packed bytes.Buffer
	compressed := gzip.NewWriter(&packed)
	files := tar.NewWriter(compressed)
	err := files.WriteHeader(&tar.Header{Name: "sitewalk", Mode: 0o755, Size: int64(len(script))})
	if err == nil {
		_, err = files.Write([]byte(script))
	}
	if err != nil || files.Close() != nil || compressed.Close() != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(server, "owner/sitewalk/releases/download/v1.2.3")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	archive = filepath.Join(folder, "sitewalk_1.2.3_linux_amd64.tar.gz")
	writeFile(t, archive, packed.String())
	writeFile(t, filepath.Join(folder, "checksums.txt"),
		fmt.Sprintf("%x  %s\n%064d  other\n", sha256.Sum256(packed.Bytes()), filepath.Base(archive), 0))
	return archive
}

func TestTheActionInstallsOnlyWhatTheChecksumsSay(t *testing.T) {
	program(t, "curl")
	server := t.TempDir()
	archive := release(t, server)
	for _, test := range []struct {
		name, version, runner string
		harm                  func()
		said                  string // empty where it is to work
	}{
		{name: "a release", version: "v1.2.3"},
		{name: "no release", version: "v1.2.4", said: "curl"},
		{name: "no version", version: "v1.2.3/../v1.2.3", said: "must be a release such as"},
		{name: "an unknown processor", version: "v1.2.3", runner: "RUNNER_ARCH=RISCV", said: "no release for RISCV"},
		{name: "an archive that is not named", version: "v1.2.3", runner: "RUNNER_ARCH=ARM64", said: "sitewalk_1.2.3_linux_arm64.tar.gz"},
		{name: "a damaged archive", version: "v1.2.3", said: "is not what checksums.txt says", harm: func() {
			writeFile(t, archive, readFile(t, archive)+"x")
		}},
	} {
		if test.harm != nil {
			test.harm()
		}
		temp := t.TempDir()
		done, _, path := step(t, "install", temp, "SITEWALK_VERSION="+test.version, "SITEWALK_SOURCE=/none",
			"SITEWALK_REPOSITORY=owner/sitewalk", "GITHUB_SERVER_URL=file://"+server, cmp.Or(test.runner, "RUNNER_ARCH=X64"))
		installed := filepath.Join(temp, "sitewalk/bin/sitewalk")
		if test.said == "" {
			said, err := exec.Command(installed).Output()
			if done.code != 0 || err != nil || string(said) != "released\n" || strings.TrimSpace(path) != filepath.Dir(installed) {
				t.Errorf("%s: exit code %d, %v, %q, path %q\n%s", test.name, done.code, err, said, path, done.stderr)
			}
			continue
		}
		if _, err := os.Lstat(installed); done.code == 0 || !strings.Contains(done.stderr, test.said) || err == nil {
			t.Errorf("%s: exit code %d, installed %v\n%s", test.name, done.code, err == nil, done.stderr)
		}
	}
}

// The runner replaces what it does not know by nothing, without a word.
func TestTheActionNamesOnlyWhatThereIs(t *testing.T) {
	text := readFile(t, "../../action.yml")
	var action struct {
		Inputs  map[string]struct{ Description string }
		Outputs map[string]struct{ Description, Value string }
		Runs    struct {
			Using string
			Steps []struct{ ID, Uses, Run, Shell string }
		}
	}
	if err := yaml.Unmarshal([]byte(text), &action); err != nil {
		t.Fatal(err)
	}
	if action.Runs.Using != "composite" || len(action.Runs.Steps) == 0 {
		t.Fatalf("the action runs %v", action.Runs)
	}
	for _, match := range regexp.MustCompile(`\binputs\.([a-z-]+)`).FindAllStringSubmatch(text, -1) {
		if _, ok := action.Inputs[match[1]]; !ok {
			t.Errorf("there is no input %s", match[1])
		}
	}
	for name := range action.Inputs {
		if !strings.Contains(text, "inputs."+name) {
			t.Errorf("the input %s is not used", name)
		}
	}
	build := readFile(t, packaging(t, "action/build"))
	for name, output := range action.Outputs {
		if output.Value != "${{ steps.build.outputs."+name+" }}" || !strings.Contains(build, `echo "`+name+`=`) {
			t.Errorf("the output %s is %q", name, output.Value)
		}
	}
	scripts := regexp.MustCompile(`^"\$SITEWALK_SOURCE/packaging/(action/[a-z]+)"$`)
	for _, step := range action.Runs.Steps {
		if step.Uses != "" {
			continue
		}
		match := scripts.FindStringSubmatch(step.Run)
		if match == nil || step.Shell != "bash" {
			t.Errorf("a step runs %q by %q", step.Run, step.Shell)
			continue
		}
		if info, err := os.Stat(packaging(t, match[1])); err != nil || info.Mode()&0o111 == 0 {
			t.Errorf("%s cannot be run: %v", match[1], err)
		}
	}
}

// A release must be what packaging/build makes, whose result is proven to be
// reproducible.
func TestReleasesAreBuiltAsTheScriptBuilds(t *testing.T) {
	var recipe struct {
		Builds []struct{ Env, Flags, Ldflags []string }
	}
	if err := yaml.Unmarshal([]byte(readFile(t, "../../.goreleaser.yaml")), &recipe); err != nil {
		t.Fatal(err)
	}
	if len(recipe.Builds) != 1 {
		t.Fatalf("there are %d builds", len(recipe.Builds))
	}
	build := recipe.Builds[0]
	script := readFile(t, packaging(t, "build"))
	for _, part := range append(append(build.Env, build.Flags...), "-ldflags='"+strings.Join(build.Ldflags, " ")+"'") {
		if !strings.Contains(script, part) {
			t.Errorf("packaging/build does not say %s", part)
		}
	}
}

// The packages install the program where systemd looks for it, and a unit without a
// network must say what cannot be configured for it.
func TestUnitsStartWhatPackagesInstall(t *testing.T) {
	units, err := filepath.Glob("../../examples/systemd/*.service")
	if err != nil || len(units) == 0 {
		t.Fatalf("there are no units: %v", err)
	}
	for _, unit := range units {
		text := readFile(t, unit)
		if !regexp.MustCompile(`(?m)^ExecStart=sitewalk `).MatchString(text) {
			t.Errorf("%s names a path that a package need not have", unit)
		}
		before, _, isolated := strings.Cut(text, "\nPrivateNetwork=true\n")
		said := before[strings.LastIndex(before, "\n# Nothing is sent"):]
		if !isolated || !strings.Contains(said, "submit.auto") || !strings.Contains(said, "--previous") {
			t.Errorf("%s does not say what needs the network", unit)
		}
	}
}
