package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"sync"
	"testing"

	"sitewalk"
)

// A transcript is what was written, by several goroutines; on a full disk, that is
// nothing.
type transcript struct {
	mutex sync.Mutex
	text  strings.Builder
	full  bool
}

func (t *transcript) Write(p []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.full {
		return 0, io.ErrShortWrite
	}
	return t.text.Write(p)
}

func (t *transcript) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.text.String()
}

func (t *transcript) Reset() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.text.Reset()
}

// fill fills the disk.
func (t *transcript) fill() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.full = true
}

// newTestCommand returns a command that writes to transcripts.
func newTestCommand(f flags) (c *command, stdout, stderr *transcript) {
	stdout, stderr = new(transcript), new(transcript)
	f.progress = "never"
	environ := func(name string) string { return map[string]string{"GOGC": "100"}[name] }
	return &command{stdout: stdout, stderr: stderr, environ: environ, flags: f}, stdout, stderr
}

// newTestPrinter returns a printer that has been told that a watch begins.
func newTestPrinter(t *testing.T, f flags) (p *eventPrinter, stdout, stderr *transcript) {
	t.Helper()
	c, stdout, stderr := newTestCommand(f)
	p = newEventPrinter(c)
	config := sitewalk.DefaultConfig()
	if err := p.begin(&config); err != nil {
		t.Fatal(err)
	}
	return p, stdout, stderr
}

// published returns the event of a publication of 1,350 pages.
func published(changed, added, removed int64, written ...string) sitewalk.Event {
	return sitewalk.Event{
		Kind: sitewalk.EventPublished, Changed: changed, Added: added, Removed: removed,
		Report: &sitewalk.Report{Event: "published", Root: "sitemap.xml", Pages: 1350, Shards: 4, Written: written, Seconds: 0.0123},
	}
}

var (
	readyEvent   = sitewalk.Event{Kind: sitewalk.EventReady, Directories: 1234, Mode: "inotify"}
	waitingEvent = sitewalk.Event{Kind: sitewalk.EventWaiting, Err: &fs.PathError{Op: "open", Path: "a\nb", Err: fs.ErrNotExist}}
)

func TestAnUpdateIsOneLine(t *testing.T) {
	removed := published(0, 0, 0)
	removed.Report.Removed = []string{"sitemap-old.xml.gz"}
	both := published(0, 0, 2, "sitemap.xml")
	both.Report.Removed = []string{"a", "b"}
	small := published(1, 0, 0, "sitemap.xml")
	small.Report.Pages, small.Report.Shards = 1, 1
	for _, test := range []struct {
		event sitewalk.Event
		want  string
	}{
		{published(1, 2, 0, "sitemap.xml", "sitemap-blog.xml.gz"),
			"sitemap.xml, sitemap-blog.xml.gz: 1 page changed, 2 added; 1,350 pages in 4 shards, in 0.01 s"},
		{published(0, 1, 0, "sitemap.xml"), "sitemap.xml: 1 page added; 1,350 pages in 4 shards, in 0.01 s"},
		{published(1000, 1, 2, "a", "b", "c"), "a, b, c: 1,000 pages changed, 1 added, 2 removed; 1,350 pages in 4 shards, in 0.01 s"},
		{published(2, 0, 0, "a", "b", "c", "d"), "a, b, c and 1 more: 2 pages changed; 1,350 pages in 4 shards, in 0.01 s"},
		{published(2, 0, 0, make([]string, 1003)...), ", ,  and 1,000 more: 2 pages changed; 1,350 pages in 4 shards, in 0.01 s"},
		{published(0, 0, 0, "sitemap.xml"), "sitemap.xml: no page changed; 1,350 pages in 4 shards, in 0.01 s"},
		{removed, "no page changed, 1 old file removed; 1,350 pages in 4 shards, in 0.01 s"},
		{both, "sitemap.xml: 2 pages removed, 2 old files removed; 1,350 pages in 4 shards, in 0.01 s"},
		{published(1, 0, 0, "a\n\xff\x1b[2J"), `a\n\xff\x1b[2J: 1 page changed; 1,350 pages in 4 shards, in 0.01 s`},
		{small, "sitemap.xml: 1 page changed; 1 page in 1 shard, in 0.01 s"},
	} {
		if got := updateLine(test.event); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

func TestEventsAreToldToPeople(t *testing.T) {
	p, stdout, stderr := newTestPrinter(t, flags{})
	empty := sitewalk.Event{
		Kind: sitewalk.EventError, Err: fmt.Errorf("publish: %w", sitewalk.ErrNoPages),
		Report: &sitewalk.Report{Event: "error", Excluded: map[string]int64{"noindex": 7}},
	}
	for _, step := range []struct {
		event          sitewalk.Event
		stdout, stderr string // expressions
	}{
		{waitingEvent, ``, `sitewalk: open a\\nb: file does not exist\n`},
		{empty, ``, `left out 7: 7 noindex\nsitewalk: no page to list: [^\n]*; the pages say noindex[^\n]*\n`},
		// The first publication comes as build prints it, though something went wrong before.
		{published(0, 0, 0, "sitemap.xml"), `sitemap\.xml: 1,350 pages in 4 shards, 1 file written, 0 shards unchanged, in 0\.01 s\n`, ``},
		{readyEvent, `watching 1,234 folders \(inotify\); stop with Ctrl-C\n`, ``},
		{published(1, 0, 0, "sitemap.xml"), `\d\d:\d\d:\d\d sitemap\.xml: 1 page changed; 1,350 pages in 4 shards, in 0\.01 s\n`, ``},
		{sitewalk.Event{Kind: sitewalk.EventError, Err: errors.New("disk full")}, ``, `sitewalk: disk full\n`},
	} {
		stdout.Reset()
		stderr.Reset()
		p.event(step.event)
		if !regexp.MustCompile(`\A` + step.stdout + `\z`).MatchString(stdout.String()) {
			t.Errorf("%s: standard output is %q", step.event.Kind, stdout)
		}
		if !regexp.MustCompile(`\A` + step.stderr + `\z`).MatchString(stderr.String()) {
			t.Errorf("%s: standard error is %q", step.event.Kind, stderr)
		}
	}
}

func TestEventsAreLinesOfJSON(t *testing.T) {
	p, stdout, stderr := newTestPrinter(t, flags{json: true})
	p.event(published(0, 0, 0, "sitemap.xml"))
	p.event(readyEvent)
	p.event(waitingEvent)
	p.note("configuration reloaded")
	p.refused(errors.New("sitewalk.yaml:3:1: 100% \xff wrong"))
	output := bufio.NewReader(strings.NewReader(stdout.String()))
	for _, want := range []map[string]any{
		{"event": "published", "pages": 1350.0, "pages_changed": 0.0},
		{"event": "ready", "directories": 1234.0, "mode": "inotify"},
		{"event": "waiting", "message": "open a%0Ab: file does not exist"},
		{"event": "error", "code": 2.0, "message": "sitewalk.yaml:3:1: 100%25 %FF wrong"},
	} {
		line, err := output.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		for key, value := range want {
			if got[key] != value {
				t.Errorf("%s is %v, want %v, in %s", key, got[key], value, line)
			}
		}
	}
	if rest, _ := io.ReadAll(output); len(rest) > 0 || stderr.String() != "" {
		t.Errorf("more is said: %q, %q", rest, stderr)
	}
}

func TestAQuietWatchTellsOfErrorsOnly(t *testing.T) {
	p, stdout, stderr := newTestPrinter(t, flags{quiet: true})
	p.event(published(0, 0, 0, "sitemap.xml"))
	p.event(readyEvent)
	p.event(published(1, 0, 0, "sitemap.xml"))
	p.note("configuration reloaded")
	p.command.printStopped()
	if stdout.String()+stderr.String() != "" {
		t.Errorf("%q, %q", stdout, stderr)
	}
	p.event(waitingEvent)
	p.refused(errors.New("wrong"))
	if want := "sitewalk: open a\\nb: file does not exist\nsitewalk: wrong; the configuration in use stays\n"; stderr.String() != want || stdout.String() != "" {
		t.Errorf("%q, %q", stdout, stderr)
	}
}

func TestAWarningIsNotRepeated(t *testing.T) {
	p, _, stderr := newTestPrinter(t, flags{})
	warn := func(code, message string, paths ...string) sitewalk.Warning {
		return sitewalk.Warning{Code: code, Message: message, Paths: paths}
	}
	for i, step := range []struct {
		warnings []sitewalk.Warning
		told     string
	}{
		{[]sitewalk.Warning{warn("a", "1 thing", "x"), warn("b", "other")}, "a b"},
		{[]sitewalk.Warning{warn("a", "1 thing", "x"), warn("b", "other")}, ""},
		{[]sitewalk.Warning{warn("a", "1 thing", "y"), warn("b", "other")}, "a"},
		{[]sitewalk.Warning{warn("a", "2 things", "y")}, "a"},
		{nil, ""},
		{[]sitewalk.Warning{warn("a", "2 things", "y"), warn("b", "other")}, ""},
		{[]sitewalk.Warning{warn("b", "another")}, "b"},
	} {
		stderr.Reset()
		event := published(1, 0, 0, "sitemap.xml")
		event.Report.Warnings = step.warnings
		p.event(event)
		var told []string
		for _, match := range regexp.MustCompile(`warning: .* \[(\w+)\]\n`).FindAllStringSubmatch(stderr.String(), -1) {
			told = append(told, match[1])
		}
		if got := strings.Join(told, " "); got != step.told {
			t.Errorf("publication %d: warnings %q are told, want %q", i, got, step.told)
		}
	}
}

func TestOutputThatCannotBeWrittenIsAFailure(t *testing.T) {
	for _, f := range []flags{{}, {json: true}} {
		p, stdout, stderr := newTestPrinter(t, f)
		stdout.fill()
		p.event(published(1, 0, 0, "sitemap.xml"))
		err := p.failure()
		if !errors.Is(err, io.ErrShortWrite) || exitCode(t.Context(), err) != exitFailed {
			t.Fatalf("%v, exit code %d", err, exitCode(t.Context(), err))
		}
		p.command.printError(t.Context(), err, exitFailed)
		if want := "sitewalk: standard output cannot be written: short write\n"; stderr.String() != want {
			t.Errorf("standard error is %q", stderr)
		}
	}
}

func TestWhatIsLeftOutIsToldOnlyToThoseWhoAsk(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		p, _, stderr := newTestPrinter(t, flags{verbose: verbose})
		var config sitewalk.Config
		if err := p.begin(&config); err != nil {
			t.Fatal(err)
		}
		if (config.LeftOut != nil) != verbose {
			t.Fatalf("verbose %v: asked for what is left out: %v", verbose, !verbose)
		}
		if verbose {
			config.LeftOut(&sitewalk.Finding{Path: "a\nb"})
			if !strings.HasPrefix(stderr.String(), `left out: a\nb (`) {
				t.Errorf("%q", stderr)
			}
		}
	}
}
