//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"sitewalk"
)

// checkWithItself holds a set that the tests have checked to sitewalk check: both must
// find it good.
func checkWithItself(t *testing.T, folder, baseURL string) {
	t.Helper()
	targets := []string{folder}
	for _, list := range glob(t, folder, "sitemap*.txt") {
		targets = append(targets, filepath.Join(folder, list))
	}
	for _, target := range targets {
		done := execute(t, "check", target, "--json", "--base-url", baseURL)
		var report sitewalk.CheckReport
		if err := json.Unmarshal([]byte(done.stdout), &report); err != nil {
			t.Fatalf("exit code is %d, and %v\n%s%s", done.code, err, done.stdout, done.stderr)
		}
		for _, f := range report.Violations {
			// Some tests date pages to the first days of 1970, which a build believes.
			if f.Code != "lastmod-early" {
				t.Errorf("sitewalk check finds %+v", f)
			}
		}
	}
}

// checkReport runs sitewalk check --json and returns what it says.
func checkReport(t *testing.T, code int, args ...string) sitewalk.CheckReport {
	t.Helper()
	done := execute(t, append([]string{"check", "--json"}, args...)...)
	var report sitewalk.CheckReport
	if err := json.Unmarshal([]byte(done.stdout), &report); done.code != code || err != nil || done.stderr != "" {
		t.Fatalf("exit code is %d, not %d, and %v\n%s%s", done.code, code, err, done.stdout, done.stderr)
	}
	return report
}

// codesFound returns the codes of findings, sorted and each once.
func codesFound(findings []sitewalk.CheckFinding) []string {
	var codes []string
	for _, f := range findings {
		codes = append(codes, f.Code)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// TestCheckOfHugosOwnSet has the index of a site in several languages, whose sitemaps
// list each other's folders.
func TestCheckOfHugosOwnSet(t *testing.T) {
	docroot := buildHugo(t)
	report := checkReport(t, exitViolations, docroot)
	if report.URL != hugoBase+"sitemap.xml" || report.Shards != 3 || report.Pages < 30 {
		t.Errorf("it is %s, with %d sitemaps and %d pages", report.URL, report.Shards, report.Pages)
	}
	if got := codesFound(report.Violations); !slices.Equal(got, []string{"loc-scope"}) {
		t.Errorf("found %q", got)
	}
	// A line in robots.txt lets them be where they are.
	robots := filepath.Join(docroot, "robots.txt")
	writeFile(t, robots, readFile(t, robots)+"\nSitemap: "+hugoBase+"sitemap.xml\n")
	report = checkReport(t, exitDone, docroot)
	if len(report.Violations)+len(report.Warnings) > 0 {
		t.Errorf("found %+v", report)
	}
	// Hugo dates pages by what their sources say, and a build by their files.
	report = checkReport(t, exitViolations, docroot, "--docroot", docroot, "--base-url", hugoBase, "--no-state")
	if got := codesFound(report.Violations); !slices.Equal(got, []string{"lastmod-differs"}) {
		t.Errorf("compared, found %q", got)
	}
}

// TestCheckOfServedSet has sitewalk's own set, served by an ordinary file server.
func TestCheckOfServedSet(t *testing.T) {
	docroot := publicDir(t)
	server := httptest.NewServer(http.FileServer(http.Dir(docroot)))
	defer server.Close()
	writePages(t, docroot, numbered("p", 300)...)
	writeFile(t, filepath.Join(docroot, "robots.txt"), "Sitemap: "+server.URL+"/sitemap.xml\n")
	config := siteConfig(t, "output: {max_urls: 50}\n")
	build(t, "-c", config, "--docroot", docroot, "--base-url", server.URL)
	report := checkReport(t, exitDone, server.URL)
	if report.Pages != 300 || report.Shards < 6 || len(report.Warnings) > 0 {
		t.Errorf("found %+v", report)
	}
	if report = checkReport(t, exitDone, server.URL, "--docroot", docroot, "--no-read", "--no-state"); report.Pages != 300 {
		t.Errorf("compared, found %+v", report)
	}
	if err := os.Remove(filepath.Join(docroot, "p", "00", "page-0007.html")); err != nil {
		t.Fatal(err)
	}
	report = checkReport(t, exitViolations, server.URL, "--docroot", docroot, "--no-read", "--no-state")
	if len(report.Violations) != 1 || report.Violations[0].Loc != server.URL+"/p/00/page-0007.html" || report.Violations[0].Code != "listed-without-file" {
		t.Errorf("without a page, found %+v", report.Violations)
	}
}

// TestCheckGivesUpInTime has a server that does not answer.
func TestCheckGivesUpInTime(t *testing.T) {
	released := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-released:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	defer close(released)
	done := execute(t, "check", server.URL+"/sitemap.xml", "--timeout", "100ms")
	if done.code != exitFailed || !strings.Contains(done.stderr, "could not be checked within 100ms") {
		t.Errorf("exit code is %d\n%s%s", done.code, done.stdout, done.stderr)
	}
}

// TestCheckIsInterrupted sends a signal while a server is silent, when a temporary
// file may be open.
func TestCheckIsInterrupted(t *testing.T) {
	asked := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, "<urlset")
		w.(http.Flusher).Flush()
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer server.Close()
	temporary := t.TempDir()
	cmd := newCommand("check", server.URL+"/sitemap.xml")
	cmd.Env = append(cmd.Env, "TMPDIR="+temporary)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := wait(t, cmd); code != exitSignal+int(syscall.SIGTERM) {
		t.Errorf("exit code is %d", code)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}

// TestCheckAsRootBecomesTheOwner has a set that is another user's, with a sitemap that
// only root may read.
func TestCheckAsRootBecomesTheOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	set := publicDir(t)
	writeFile(t, filepath.Join(set, "sitemap.xml"),
		`<sitemapindex xmlns="`+protocol09.namespace+`"><sitemap><loc>`+exampleBase+`a.xml</loc></sitemap></sitemapindex>`)
	writeFile(t, filepath.Join(set, "a.xml"), `<urlset xmlns="`+protocol09.namespace+`"><url><loc>`+exampleBase+`</loc></url></urlset>`)
	for _, path := range []string{set, filepath.Join(set, "sitemap.xml")} {
		if err := os.Chown(path, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(set, "a.xml"), 0o600); err != nil {
		t.Fatal(err)
	}
	report := checkReport(t, exitViolations, set)
	if got := codesFound(report.Violations); !slices.Equal(got, []string{"missing-shard"}) {
		t.Errorf("found %q", got)
	}
	checkReport(t, exitDone, set, "--allow-root")
	// So it is where a configuration of root's own is at hand.
	config := siteConfig(t, "docroot: "+t.TempDir()+"\n")
	report = checkReport(t, exitViolations, set, "-c", config)
	if got := codesFound(report.Violations); !slices.Equal(got, []string{"missing-shard"}) {
		t.Errorf("beside a configuration of root's, found %q", got)
	}
}
