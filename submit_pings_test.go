package sitewalk

import (
	"sitewalk/internal/indexnow/enginetest"
	"slices"
	"strings"
	"testing"
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
