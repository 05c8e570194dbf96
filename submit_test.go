package sitewalk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sitewalk/internal/indexnow/enginetest"
)

const (
	submitBase = "http://www.example.com/"
	submitKey  = "0123456789abcdef"
	engineURL  = "http://127.0.0.1/indexnow"
	sitePing   = "http://127.0.0.1/ping"
)

// A submitWorld is a published site, an engine, and what it takes to submit the one to
// the other. Time passes only while all wait.
type submitWorld struct {
	t       testing.TB
	ctx     context.Context
	docroot string
	network *enginetest.Network
	engine  *enginetest.Engine
	config  Config
	options SubmitOptions
}

// newSubmitWorld returns a world with a key file and no pages.
func newSubmitWorld(t testing.TB, ctx context.Context) *submitWorld {
	t.Helper()
	folder, err := os.MkdirTemp("", "sitewalk-submit-")
	if err != nil {
		t.Fatal(err)
	}
	w := &submitWorld{t: t, ctx: ctx, docroot: filepath.Join(folder, "site"), network: enginetest.NewNetwork()}
	if err := errors.Join(os.Mkdir(w.docroot, 0o755), os.WriteFile(filepath.Join(w.docroot, submitKey+".txt"), []byte(submitKey), 0o644)); err != nil {
		t.Fatal(err)
	}
	w.engine = &enginetest.Engine{Client: w.network.Client()}
	w.network.Hosts["127.0.0.1"] = w.engine
	w.network.Hosts["www.example.com"] = http.FileServerFS(os.DirFS(w.docroot))
	w.config = DefaultConfig()
	w.config.Scanner.Docroot = w.docroot
	w.config.Mapper.BaseURL = submitBase
	w.config.State = filepath.Join(folder, "cache", "site.state")
	w.config.Submit.IndexNow.Key = submitKey
	w.config.Submit.IndexNow.Endpoint = engineURL
	w.options.Client = w.network.Client()
	return w
}

func (w *submitWorld) close() {
	w.network.Close()
	if err := os.RemoveAll(filepath.Dir(w.docroot)); err != nil {
		w.t.Error(err)
	}
}

// inSubmitWorld runs a test in a world.
func inSubmitWorld(t *testing.T, test func(t *testing.T, w *submitWorld)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newSubmitWorld(t, t.Context())
		defer w.close()
		test(t, w)
	})
}

// publish makes the set one of pages with dates, as another tool would.
func (w *submitWorld) publish(pages map[string]string) {
	w.t.Helper()
	var b strings.Builder
	b.WriteString("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n")
	for _, path := range slices.Sorted(maps.Keys(pages)) {
		fmt.Fprintf(&b, "<url><loc>%s%s</loc>", submitBase, path)
		if date := pages[path]; date != "" {
			fmt.Fprintf(&b, "<lastmod>%s</lastmod>", date)
		}
		b.WriteString("</url>\n")
	}
	b.WriteString("</urlset>\n")
	if err := os.WriteFile(filepath.Join(w.docroot, "sitemap.xml"), []byte(b.String()), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// submit submits, and fails the test unless that goes well.
func (w *submitWorld) submit() SubmitReport {
	w.t.Helper()
	report, err := Submit(w.ctx, w.config, w.options)
	if err != nil {
		w.t.Fatal(err)
	}
	return report
}

// fails submits, and fails the test unless that fails with a text.
func (w *submitWorld) fails(want string) SubmitReport {
	w.t.Helper()
	report, err := Submit(w.ctx, w.config, w.options)
	if err == nil || !strings.Contains(err.Error(), want) || report.Event != "error" {
		w.t.Errorf("%s: got %v, want %q", report.Event, err, want)
	}
	return report
}

// wantURLs compares what the engine has accepted since it was last asked.
func (w *submitWorld) wantURLs(paths ...string) {
	w.t.Helper()
	var want []string
	for _, path := range paths {
		want = append(want, submitBase+path)
	}
	if got := w.engine.URLs(); !slices.Equal(got, want) {
		w.t.Errorf("accepted %q, want %q", got, want)
	}
}

// counts returns what a report counts, in short.
func counts(r SubmitReport) string {
	return fmt.Sprintf("%s +%d ~%d -%d left %d in %d", r.Event, r.Added, r.Changed, r.Deleted, r.Left, r.Requests)
}

func wantCounts(t testing.TB, r SubmitReport, want string) {
	t.Helper()
	if got := counts(r); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// numberedPages returns n pages of a date.
func numberedPages(n int, date string) map[string]string {
	pages := map[string]string{}
	for i := range n {
		pages[fmt.Sprintf("page-%05d.html", i)] = date
	}
	return pages
}

func TestOnlyWhatChangedIsSubmitted(t *testing.T) {
	inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
		w.publish(map[string]string{"": "2024-01-01", "a": "2024-01-01", "b": "2024-01-01T00:00:00+00:00", "c": ""})
		report := w.submit()
		wantCounts(t, report, "submitted +4 ~0 -0 left 0 in 1")
		if !report.First || report.Root != "sitemap.xml" || report.URLs != 4 || report.KeyPending || report.Endpoint != engineURL || report.KeyLocation != submitBase+submitKey+".txt" {
			t.Errorf("%+v", report)
		}
		w.wantURLs("", "a", "b", "c")

		wantCounts(t, w.submit(), "unchanged +0 ~0 -0 left 0 in 0")
		w.publish(map[string]string{"": "2024-01-02", "b": "2024-01-01T00:00:00+00:00", "c": "2024-01-01", "d": "2024-01-01"})
		report = w.submit()
		wantCounts(t, report, "submitted +1 ~2 -1 left 0 in 1")
		if report.First {
			t.Error("it is the first again")
		}
		w.wantURLs("", "c", "d", "a")
		wantCounts(t, w.submit(), "unchanged +0 ~0 -0 left 0 in 0")
		if w.engine.Requests() != 2 {
			t.Errorf("%d requests", w.engine.Requests())
		}
	})
}

func TestBatchesAreWithinTheProtocolsLimit(t *testing.T) {
	inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
		w.publish(numberedPages(25_000, "2024-01-01"))
		wantCounts(t, w.submit(), "submitted +25000 ~0 -0 left 0 in 3")
		var sizes []int
		for _, batch := range w.engine.Batches() {
			sizes = append(sizes, len(batch))
		}
		if !slices.Equal(sizes, []int{10_000, 10_000, 5_000}) {
			t.Errorf("batches of %d", sizes)
		}
		w.publish(numberedPages(10_000, "2024-01-02"))
		wantCounts(t, w.submit(), "submitted +0 ~10000 -15000 left 0 in 3")
	})
}

func TestAFailureInTheMiddleIsGoneOnFrom(t *testing.T) {
	inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
		w.options.batch = 2
		w.publish(numberedPages(7, "2024-01-01"))
		w.engine.Then(nil, nil, enginetest.Status(400, nil, "enough"))
		wantCounts(t, w.fails("400"), "error +4 ~0 -0 left 3 in 3")
		w.wantURLs("page-00000.html", "page-00001.html", "page-00002.html", "page-00003.html")

		wantCounts(t, w.submit(), "submitted +3 ~0 -0 left 0 in 2")
		w.wantURLs("page-00004.html", "page-00005.html", "page-00006.html")
		wantCounts(t, w.submit(), "unchanged +0 ~0 -0 left 0 in 0")
	})
}

func TestEnginesThatAreBusyAreWaitedFor(t *testing.T) {
	inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
		w.publish(map[string]string{"": "2024-01-01"})
		w.engine.Then(enginetest.Status(429, map[string]string{"Retry-After": "30"}, ""), enginetest.Cut, nil)
		var waits []string
		w.options.Waiting = func(err error, wait time.Duration) {
			waits = append(waits, fmt.Sprint(err, " ", wait >= 30*time.Second))
		}
		start := time.Now()
		wantCounts(t, w.submit(), "submitted +1 ~0 -0 left 0 in 3")
		if took := time.Since(start); took < 31*time.Second || took > 32*time.Second {
			t.Errorf("it took %v", took)
		}
		if len(waits) != 2 || waits[0] != "the server answers 429 (Too Many Requests) true" {
			t.Errorf("told %q", waits)
		}
	})
}

func TestAnInterruptedSubmissionIsGoneOnFrom(t *testing.T) {
	inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
		w.options.batch = 2
		w.publish(numberedPages(5, "2024-01-01"))
		ctx, stop := context.WithCancel(w.ctx)
		w.engine.Then(nil, func(out http.ResponseWriter, r *http.Request) {
			stop()
			enginetest.Hang(out, r)
		})
		report, err := Submit(ctx, w.config, w.options)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		wantCounts(t, report, "error +2 ~0 -0 left 3 in 2")
		w.wantURLs("page-00000.html", "page-00001.html")
		// Of the batch that was under way, nobody knows whether it was accepted.
		wantCounts(t, w.submit(), "submitted +1 ~2 -0 left 0 in 2")
		w.wantURLs("page-00002.html", "page-00003.html", "page-00004.html")
	})
}

func TestABaselineIsSubmittedToNobody(t *testing.T) {
	inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
		w.config.Submit.Ping = []string{sitePing}
		w.publish(map[string]string{"": "2024-01-01", "a": "2024-01-01"})
		w.options.Baseline = true
		wantCounts(t, w.submit(), "baseline +2 ~0 -0 left 0 in 0")
		w.options.Baseline = false
		wantCounts(t, w.submit(), "unchanged +0 ~0 -0 left 0 in 0")
		w.publish(map[string]string{"": "2024-01-02", "a": "2024-01-01"})
		wantCounts(t, w.submit(), "submitted +0 ~1 -0 left 0 in 2")
	})
}

func TestADryRunAsksNobodyAndWritesNothing(t *testing.T) {
	inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
		w.config.Submit.Ping = []string{sitePing + "?a=b", "http://127.0.0.1/{sitemap}/now"}
		w.publish(map[string]string{"": "2024-01-01", "a": "2024-01-01", "b": "2024-01-01"})
		w.submit()
		w.publish(map[string]string{"": "2024-01-02", "b": "2024-01-01", "c": "2024-01-01"})
		record, requests := readRecord(t, w), w.engine.Requests()
		var found []string
		w.options.DryRun = true
		w.options.Found = func(change Change, url string) { found = append(found, fmt.Sprintf("%c%s", change, url)) }
		report := w.submit()
		wantCounts(t, report, "dry-run +1 ~1 -1 left 0 in 3")
		if !slices.Equal(found, []string{"~" + submitBase, "+" + submitBase + "c", "-" + submitBase + "a"}) {
			t.Errorf("found %q", found)
		}
		if len(report.Pings) != 2 || report.Pings[0].URL != sitePing+"?a=b&sitemap=http%3A%2F%2Fwww.example.com%2Fsitemap.xml" ||
			report.Pings[1].URL != "http://127.0.0.1/http%3A%2F%2Fwww.example.com%2Fsitemap.xml/now" {
			t.Errorf("pings %+v", report.Pings)
		}
		if readRecord(t, w) != record || w.engine.Requests() != requests {
			t.Error("the dry run has done something")
		}
		// Nor where nothing is known, and nothing can be written.
		w.config.State = filepath.Join(w.docroot, "sitemap.xml", "no-folder", "state")
		if _, err := Submit(w.ctx, w.config, w.options); err == nil {
			t.Error("a state below a file is taken")
		}
		w.config.State = filepath.Join(w.docroot, "no-folder", "state")
		wantCounts(t, w.submit(), "dry-run +3 ~0 -0 left 0 in 3")
		if _, err := os.Stat(filepath.Dir(w.config.State)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the folder: %v", err)
		}
	})
}

func readRecord(t testing.TB, w *submitWorld) string {
	t.Helper()
	content, err := os.ReadFile(w.config.State + ".submitted")
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestADamagedOrForeignRecordIsSetAside(t *testing.T) {
	for name, spoil := range map[string]func(w *submitWorld) error{
		"damaged": func(w *submitWorld) error { return os.Truncate(w.config.State+".submitted", 60) },
		"foreign": func(w *submitWorld) error {
			return os.WriteFile(w.config.State+".submitted", []byte("something else"), 0o600)
		},
		"of another base URL": func(w *submitWorld) error {
			w.config.Mapper.BaseURL = "https://www.example.com/"
			w.config.Submit.IndexNow.KeyLocation = submitBase + submitKey + ".txt"
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
				w.publish(map[string]string{"": "2024-01-01"})
				w.submit()
				if err := spoil(w); err != nil {
					t.Fatal(err)
				}
				record := readRecord(t, w)
				report := w.submit()
				wantCounts(t, report, "submitted +1 ~0 -0 left 0 in 1")
				if len(report.Warnings) != 1 || report.Warnings[0].Code != "submitted-unusable" || !report.First {
					t.Errorf("%+v", report)
				}
				if kept, err := os.ReadFile(w.config.State + ".submitted.unusable"); err != nil || string(kept) != record {
					t.Errorf("set aside: %v", err)
				}
				wantCounts(t, w.submit(), "unchanged +0 ~0 -0 left 0 in 0")
			})
		})
	}
}

// TestWhatIsAcceptedBetweenTwoSavesIsRemembered runs by the real clock, by which the
// record is not saved after each batch.
func TestWhatIsAcceptedBetweenTwoSavesIsRemembered(t *testing.T) {
	w := newSubmitWorld(t, t.Context())
	defer w.close()
	w.options.batch = 1
	w.publish(numberedPages(9, "2024-01-01"))
	w.engine.Then(nil, nil, nil, nil, nil, enginetest.Status(400, nil, ""))
	wantCounts(t, w.fails("400"), "error +5 ~0 -0 left 4 in 6")
	wantCounts(t, w.submit(), "submitted +4 ~0 -0 left 0 in 4")
	wantCounts(t, w.submit(), "unchanged +0 ~0 -0 left 0 in 0")
}

func TestREADMEExplainsTheWarningsOfSubmissions(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{warnSubmitUndated, warnSubmitOutside, warnSubmittedUnused, "submit-failed"} {
		if !strings.Contains(string(readme), "`"+code+"`") {
			t.Errorf("README does not explain %s", code)
		}
	}
}
