package sitewalk

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sitewalk/internal/indexnow/enginetest"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPingsAreAskedForOnceAChange(t *testing.T) {
	inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
		w.config.Submit.IndexNow.Key = ""
		w.config.Submit.Ping = []string{sitePing, "http://127.0.0.1/?s={sitemap}&sitemap={sitemap}"}
		w.publish(map[string]string{"": "2024-01-01"})
		report := w.submit()
		wantCounts(t, report, "submitted +0 ~0 -0 left 0 in 2")
		if len(report.Pings) != 2 || report.Pings[0].Status != 200 {
			t.Errorf("%+v", report.Pings)
		}
		if got := w.engine.Pings(); !slices.Equal(got, []string{submitBase + "sitemap.xml", submitBase + "sitemap.xml"}) {
			t.Errorf("told of %q", got)
		}
		wantCounts(t, w.submit(), "unchanged +0 ~0 -0 left 0 in 0")

		// One that fails is owed.
		w.publish(map[string]string{"": "2024-01-02"})
		w.engine.Then(enginetest.Status(404, nil, ""), nil)
		report = w.fails("ping http://127.0.0.1/ping: the server answers 404 (Not Found)")
		wantCounts(t, report, "error +0 ~0 -0 left 0 in 2")
		report = w.submit()
		wantCounts(t, report, "submitted +0 ~0 -0 left 0 in 1")
		if len(report.Pings) != 1 || !strings.HasPrefix(report.Pings[0].URL, sitePing+"?") {
			t.Errorf("%+v", report.Pings)
		}
		// So is a new one.
		w.config.Submit.Ping = append(w.config.Submit.Ping, sitePing+"/new")
		wantCounts(t, w.submit(), "submitted +0 ~0 -0 left 0 in 1")
	})
}

func TestAPingAndIndexNowDoNotKeepEachOther(t *testing.T) {
	inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
		w.config.Submit.Ping = []string{sitePing}
		w.publish(map[string]string{"": "2024-01-01"})
		w.engine.Then(enginetest.Status(422, nil, ""), nil)
		wantCounts(t, w.fails("422"), "error +0 ~0 -0 left 1 in 2")
		w.engine.Then(nil)
		wantCounts(t, w.submit(), "submitted +1 ~0 -0 left 0 in 1") // and no ping
		w.publish(map[string]string{"": "2024-01-02"})
		w.engine.Then(nil, enginetest.Status(500, nil, ""))
		w.options.MaxWait = -1
		wantCounts(t, w.fails("500"), "error +0 ~1 -0 left 0 in 2")
		wantCounts(t, w.submit(), "submitted +0 ~0 -0 left 0 in 1")
		w.publish(map[string]string{"": "2024-01-03"})
		w.engine.Then(enginetest.Status(400, nil, ""), enginetest.Status(410, nil, ""))
		if report, err := Submit(w.ctx, w.config, w.options); err == nil || !strings.Contains(err.Error(), "400") || !strings.Contains(err.Error(), "410") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", counts(report), err)
		}
	})
}

func TestAKeyThatIsLookedAtLaterIsTold(t *testing.T) {
	inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
		w.engine.Trusting = true
		w.publish(map[string]string{"": "2024-01-01"})
		if report := w.submit(); !report.KeyPending {
			t.Errorf("%+v", report)
		}
	})
}

// late answers by the protocol after a while.
func (w *submitWorld) late(after time.Duration) http.HandlerFunc {
	return func(out http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body) // until then it does not show that the client is gone
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		select {
		case <-time.After(after): // which takes no time here
			w.engine.Accept(out, r)
		case <-r.Context().Done():
		}
	}
}

// TestSlowPingsHoldUpNobody has pings that are all answered well, but each as late as a
// request may be: once of many pings, once of a set of many indexes.
func TestSlowPingsHoldUpNobody(t *testing.T) {
	for name, test := range map[string]struct {
		pings, indexes int
		atMost         time.Duration
	}{
		"many pings":   {10, 1, 250 * time.Second},
		"many indexes": {1, 40, 160 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
				w.config.Submit.IndexNow.Key = ""
				for i := range test.pings {
					w.config.Submit.Ping = append(w.config.Submit.Ping, fmt.Sprint(sitePing, i))
				}
				w.publish(map[string]string{"": "2024-01-01"})
				w.continueIndex(test.indexes)
				for range test.pings * test.indexes {
					w.engine.Then(w.late(29 * time.Second))
				}
				start := time.Now()
				report := w.fails("so as not to hold up others")
				if took := time.Since(start); took > test.atMost || len(report.Pings) < 2 {
					t.Errorf("it took %v with %d pings", took, len(report.Pings))
				}
				// What was not asked for is owed.
				w.engine.Reset()
				w.submit()
				wantCounts(t, w.submit(), "unchanged +0 ~0 -0 left 0 in 0")
			})
		})
	}
}

// continueIndex has the set published by some indexes, each of which names the one
// sitemap and goes on in the next.
func (w *submitWorld) continueIndex(indexes int) {
	w.t.Helper()
	if indexes == 1 {
		return
	}
	set := filepath.Join(w.docroot, "sitemap.xml")
	if err := os.Rename(set, filepath.Join(w.docroot, "pages.xml")); err != nil {
		w.t.Fatal(err)
	}
	for i := range indexes {
		name, next := "sitemap.xml", ""
		if i > 0 {
			name = fmt.Sprintf("sitemap-index-%d.xml", i+1)
		}
		if i+1 < indexes {
			next = fmt.Sprintf("<!-- continued in sitemap-index-%d.xml -->\n", i+2)
		}
		text := "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n<sitemap><loc>" + submitBase + "pages.xml</loc></sitemap>\n" + next + "</sitemapindex>\n"
		if err := os.WriteFile(filepath.Join(w.docroot, name), []byte(text), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
}

// TestALargeSiteGoesThrough has a set of many batches, which an engine takes late: later
// than all patience, and yet no later than it may take for so many; or later than that,
// and then the next submission goes on.
func TestALargeSiteGoesThrough(t *testing.T) {
	for name, test := range map[string]struct {
		late    time.Duration
		atOnce  bool
		longest time.Duration
	}{
		"late":     {9 * time.Second, true, 180 * time.Second},
		"too late": {29 * time.Second, false, 230 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
				const batches, batch = 20, 5
				w.options.batch, w.options.MaxWait = batch, -1
				w.publish(numberedPages(batches*batch, "2024-01-01"))
				for range 2 * batches {
					w.engine.Then(w.late(test.late))
				}
				left := batches * batch
				for left > 0 {
					start := time.Now()
					report, err := Submit(w.ctx, w.config, w.options)
					if took := time.Since(start); took > test.longest {
						t.Errorf("it took %v", took)
					}
					if report.Left >= left || test.atOnce && err != nil || err != nil && !strings.Contains(err.Error(), "so as not to hold up others") {
						t.Fatalf("%d of %d are left: %v", report.Left, left, err)
					}
					left = report.Left
				}
				accepted := w.engine.URLs()
				slices.Sort(accepted)
				if n := len(slices.Compact(accepted)); n != batches*batch {
					t.Errorf("%d URLs are accepted", n)
				}
			})
		})
	}
}
