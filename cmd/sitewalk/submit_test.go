//go:build unix

package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"sitewalk/internal/indexnow/enginetest"
)

// engines are the scripts' search engines, by working folder.
var engines sync.Map

// scriptEngine is a search engine that plays the protocol, and the web server of a
// site:
//
//	engine start FOLDER    begins, and serves a folder: $BASE is its URL, $ENGINE the
//	                       engine's
//	engine then WHAT…      has the next requests answered by a status, by a status and
//	                       Retry-After as in 429:60, by cut, or by the protocol (ok)
//	engine got             prints the paths that were submitted since it was last asked,
//	                       and the pings
//	engine requests N      fails unless there were so many requests in all
func scriptEngine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: engine start|then|got|requests …")
	}
	work := ts.Getenv("WORK")
	if args[0] == "start" {
		engine := new(enginetest.Engine)
		site, endpoint := httptest.NewServer(http.FileServerFS(os.DirFS(ts.MkAbs(args[1])))), httptest.NewServer(engine)
		ts.Defer(site.Close)
		ts.Defer(endpoint.Close)
		engines.Store(work, engine)
		ts.Setenv("BASE", site.URL+"/")
		ts.Setenv("ENGINE", endpoint.URL+"/indexnow")
		return
	}
	found, ok := engines.Load(work)
	if !ok {
		ts.Fatalf("there is no engine yet")
	}
	engine := found.(*enginetest.Engine)
	switch args[0] {
	case "then":
		for _, what := range args[1:] {
			engine.Then(scriptAnswer(ts, what))
		}
	case "got":
		var got []string
		for _, url := range engine.URLs() {
			got = append(got, "/"+strings.TrimPrefix(url, ts.Getenv("BASE")))
		}
		slices.Sort(got)
		for _, sitemap := range engine.Pings() {
			got = append(got, "ping /"+strings.TrimPrefix(sitemap, ts.Getenv("BASE")))
		}
		fmt.Fprintln(ts.Stdout(), strings.Join(got, "\n"))
	case "requests":
		if got := strconv.Itoa(engine.Requests()); got != args[1] {
			ts.Fatalf("there were %s requests", got)
		}
	default:
		ts.Fatalf("unknown: engine %s", args[0])
	}
}

func scriptAnswer(ts *testscript.TestScript, what string) http.HandlerFunc {
	switch what {
	case "ok":
		return nil
	case "cut":
		return enginetest.Cut
	}
	status, later, asks := strings.Cut(what, ":")
	code, err := strconv.Atoi(status)
	ts.Check(err)
	headers := map[string]string{}
	if asks {
		headers["Retry-After"] = later
	}
	return enginetest.Status(code, headers, "the engine's \x1b[2Jwords\n")
}

// TestAStoppedSubmissionKeepsWhatWasAccepted stops a submission of two batches while the
// engine keeps it waiting for the second answer.
func TestAStoppedSubmissionKeepsWhatWasAccepted(t *testing.T) {
	for signal, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		t.Run(signal.String(), func(t *testing.T) {
			docroot, state := publicDir(t), filepath.Join(t.TempDir(), "state")
			site := httptest.NewServer(http.FileServerFS(os.DirFS(docroot)))
			defer site.Close()
			engine := new(enginetest.Engine)
			endpoint := httptest.NewServer(engine)
			defer endpoint.Close()
			const key = "0123456789abcdef"
			writeFile(t, filepath.Join(docroot, key+".txt"), key)
			var sitemap strings.Builder
			sitemap.WriteString("<urlset>")
			for i := range 10_001 {
				fmt.Fprintf(&sitemap, "<url><loc>%s/%d</loc><lastmod>2024-01-01</lastmod></url>\n", site.URL, i)
			}
			writeFile(t, filepath.Join(docroot, "sitemap.xml"), sitemap.String()+"</urlset>")

			asked := make(chan bool)
			engine.Then(nil, func(w http.ResponseWriter, r *http.Request) {
				close(asked)
				enginetest.Hang(w, r)
			})
			args := []string{"submit", "--docroot", docroot, "--base-url", site.URL, "--state", state, "--key", key, "--endpoint", endpoint.URL, "--json"}
			cmd := newCommand(args...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			<-asked
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if got := wait(t, cmd); got != code {
				t.Errorf("exit code %d, want %d\n%s%s", got, code, &stdout, &stderr)
			}
			if text := stdout.String(); !strings.Contains(text, `"event":"error"`) || !strings.Contains(text, `"added":10000,"changed":0,"deleted":0,"left":1,`) {
				t.Errorf("it says %s", text)
			}
			// It is in doubt whether the last one was accepted.
			done := execute(t, args...)
			if done.code != exitDone || !strings.Contains(done.stdout, `"event":"submitted"`) || !strings.Contains(done.stdout, `"added":0,"changed":1,`) {
				t.Errorf("exit code %d: %s%s", done.code, done.stdout, done.stderr)
			}
			if got := len(engine.URLs()); got != 10_001 {
				t.Errorf("%d URLs were accepted in all", got)
			}
		})
	}
}

func TestAVersionIsATokenOfAUserAgent(t *testing.T) {
	for version, want := range map[string]string{
		"(devel)": "devel", "v1.2.3": "v1.2.3", "v0.0.0-20260101000000-abcdef+dirty": "v0.0.0-20260101000000-abcdef+dirty", "a b/c\n": "abc",
	} {
		if got := token(version); got != want {
			t.Errorf("%q: %q", version, got)
		}
	}
}
