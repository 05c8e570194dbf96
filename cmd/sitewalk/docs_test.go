//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/text/encoding/htmlindex"
)

// agree builds the sitemap of a docroot, and fails the test for each file of
// which the report and a judgement do not say the same.
func (j *judgement) agree(t *testing.T, baseURL string) {
	t.Helper()
	var err error
	if j.base, err = url.Parse(strings.TrimSuffix(baseURL, "/") + "/"); err != nil {
		t.Fatal(err)
	}
	settings := "urls: {extension: keep}\n"
	if j.bare {
		settings = "urls: {extension: strip, slash: never}\n"
	}
	settings += fmt.Sprintf("exclude: [%s]\nrules: [{match: [none, %s], list: false}]\n", yamlList(j.exclude), yamlList(j.unlist))
	config, report := filepath.Join(t.TempDir(), "sitewalk.yaml"), filepath.Join(t.TempDir(), "report.ndjson")
	writeFile(t, config, settings)
	begun := time.Now()
	done := execute(t, "build", "-c", config, "--docroot", j.docroot, "--base-url", baseURL,
		"--out", t.TempDir(), "--no-state", "--report", report)
	took := time.Since(begun)
	if done.code != exitDone {
		t.Fatalf("exit code is %d\n%s%s", done.code, done.stdout, done.stderr)
	}
	t.Logf("%v: %s%s", took.Round(time.Millisecond), done.stdout, done.stderr)

	opinions := j.judge(t)
	reported := readReport(t, report)
	disagreements := 0
	differ := func(name string, format string, args ...any) {
		if disagreements++; disagreements <= 20 {
			t.Errorf("%.200q: %.1000s", name, fmt.Sprintf(format, args...))
		}
	}
	for name, said := range reported {
		if opinion, ok := opinions[name]; !ok {
			differ(name, "reported as %v, and is not there", said)
		} else if said != opinion {
			page := ""
			if opinion.URL != "" {
				page = readFile(t, filepath.Join(j.docroot, name))
			}
			differ(name, "reported as %v, and should be %v: %.400q", said, opinion, page)
		}
	}
	for name, opinion := range opinions {
		if _, ok := reported[name]; !ok {
			differ(name, "is not reported, and should be %v", opinion)
		}
	}
	if disagreements > 20 {
		t.Errorf("%d disagreements in all", disagreements)
	}
}

// yamlList writes globs as the elements of a list in YAML.
func yamlList(globs []string) string {
	quoted := make([]string, len(globs))
	for i, glob := range globs {
		quoted[i] = strconv.Quote(glob)
	}
	return strings.Join(quoted, ", ")
}

// readReport returns the lines of a report by path. No path may have two.
func readReport(t *testing.T, file string) map[string]opinion {
	t.Helper()
	reported := map[string]opinion{}
	for _, line := range lines(readFile(t, file)) {
		var finding struct{ Path, Verdict, URL, LastMod string }
		if err := json.Unmarshal([]byte(line), &finding); err != nil {
			t.Fatal(err)
		}
		name, err := url.PathUnescape(finding.Path)
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := reported[name]; twice {
			t.Errorf("%q is reported twice", name)
		}
		reported[name] = opinion{finding.Verdict, finding.URL, finding.LastMod}
	}
	return reported
}

// TestExampleSiteIsJudgedAlike judges the site that comes along, published into
// its own docroot.
func TestExampleSiteIsJudgedAlike(t *testing.T) {
	docroot := publicDir(t)
	if err := os.CopyFS(docroot, os.DirFS(filepath.FromSlash("../../testdata/site"))); err != nil {
		t.Fatal(err)
	}
	build(t, "--docroot", docroot, "--base-url", "https://bakery.example/")
	j := judgement{docroot: docroot, written: []string{"sitemap.xml"}}
	j.agree(t, "https://bakery.example/")
}

var (
	repeatDirective = regexp.MustCompile(`%\{repeat (\d+) ([^}]*)\}`)
	hexDirective    = regexp.MustCompile(`%\{hex ([0-9A-F ]+)\}`)
)

// corpusPage returns a page of scanner/head's corpus as its directives ask for.
func corpusPage(t *testing.T, text string) string {
	t.Helper()
	label := ""
	for strings.HasPrefix(text, "%") && !strings.HasPrefix(text, "%{") {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		if argument, found := strings.CutPrefix(line, "%encode "); found {
			label = argument
		}
	}
	text = repeatDirective.ReplaceAllStringFunc(text, func(directive string) (repeated string) {
		match := repeatDirective.FindStringSubmatch(directive)
		times, err := strconv.Atoi(match[1])
		if err != nil {
			t.Fatal(err)
		}
		parts := make([]string, times)
		for i := range parts {
			parts[i] = strings.ReplaceAll(match[2], "#", strconv.Itoa(i))
		}
		return strings.Join(parts, "")
	})
	if label != "" {
		label, marked := strings.CutSuffix(label, "-bom")
		if marked {
			text = "\ufeff" + text
		}
		to, err := htmlindex.Get(label)
		if err != nil {
			t.Fatal(err)
		}
		if text, err = to.NewEncoder().String(text); err != nil {
			t.Fatal(err)
		}
	}
	return hexDirective.ReplaceAllStringFunc(text, func(directive string) (raw string) {
		for _, digits := range strings.Fields(hexDirective.FindStringSubmatch(directive)[1]) {
			b, err := strconv.ParseUint(digits, 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			raw += string([]byte{byte(b)})
		}
		return raw
	})
}

// TestCorpusOfHeadsIsJudgedAlike gives each page of scanner/head's corpus a
// folder of its own, in which it stands as index file and beside it.
func TestCorpusOfHeadsIsJudgedAlike(t *testing.T) {
	archives, err := filepath.Glob(filepath.FromSlash("../../scanner/head/testdata/*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	docroot, pages := publicDir(t), 0
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range archive.Files {
			extension := filepath.Ext(file.Name)
			base := strings.TrimSuffix(file.Name, extension)
			if extension == ".want" || base == "deep-templates" { // too deep for a tree
				continue
			}
			folder := filepath.Join(docroot, strings.TrimSuffix(filepath.Base(name), ".txtar"), base)
			if err := os.MkdirAll(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			page := corpusPage(t, string(file.Data))
			writeFile(t, filepath.Join(folder, "index"+extension), page)
			writeFile(t, filepath.Join(folder, "page"+extension), page)
			pages++
		}
	}
	if pages < 150 {
		t.Fatalf("the corpus has only %d pages", pages)
	}
	j := judgement{docroot: docroot}
	j.agree(t, "https://www.example.com/")
}

// documentation is what TestDebianDocumentationIsJudgedAlike reads: packages, the
// folders in them that would be served, and where.
var documentation = []struct{ docroot, base string }{
	{"rust-doc/usr/share/doc/rust-doc/html", "https://doc.example.com/"},
	{"openjdk-17-doc/usr/share/doc/openjdk-17-jre-headless", "https://www.example.com/java/"},
	{"python3.11-doc/usr/share/doc/python3.11/html", "https://docs.example.com/3.11/"},
	{"libboost1.81-doc/usr/share/doc/libboost1.81-doc", "https://www.example.com/boost"},
}

// TestDebianDocumentationIsJudgedAlike judges tens of thousands of pages that
// others have made. .ci/debian-docs fetches them, and names their folder in
// SITEWALK_DOCS.
func TestDebianDocumentationIsJudgedAlike(t *testing.T) {
	folder := os.Getenv("SITEWALK_DOCS")
	if folder == "" {
		t.Skip("SITEWALK_DOCS does not name a folder with Debian's documentation: .ci/debian-docs fetches it")
	}
	for _, site := range documentation {
		t.Run(strings.Split(site.docroot, "/")[0], func(t *testing.T) {
			j := judgement{docroot: filepath.Join(folder, filepath.FromSlash(site.docroot))}
			j.agree(t, site.base)
		})
	}
}
