package sitewalk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"sitewalk/internal/indexnow/enginetest"
)

// A submitModel knows what the engine has accepted, beside what it should have.
type submitModel struct {
	world *submitWorld
	pages map[string]string // the published set: dates by path
	// told is the state in which a URL was when it was accepted last: its date, or gone.
	told map[string]string
	// unsure are URLs of which who submitted them could not know whether they were
	// accepted.
	unsure map[string]bool
	failed string // what went wrong, told once the submission is over
	stop   context.CancelFunc
	killed []byte // the record as it was when the process was killed, or nil
}

const gone = "gone"

func (m *submitModel) state(url string) string {
	if date, listed := m.pages[strings.TrimPrefix(url, submitBase)]; listed {
		return date
	}
	return gone
}

// take notes what the engine has accepted since it was last asked.
func (m *submitModel) take() {
	for _, url := range m.world.engine.URLs() {
		state := m.state(url)
		before, known := m.told[url]
		switch {
		case m.unsure[url]:
		case known && before == state:
			m.failed = fmt.Sprintf("%s is sent again as %s, and has not changed", url, state)
		case !known && state == gone:
			m.failed = fmt.Sprintf("%s is sent as gone, and never was there", url)
		}
		m.told[url] = state
		delete(m.unsure, url)
	}
}

// accept answers by the protocol.
func (m *submitModel) accept(out http.ResponseWriter, r *http.Request) {
	m.world.engine.Accept(out, r)
	m.take()
}

// lose accepts a batch, and loses the answer.
func (m *submitModel) lose(out http.ResponseWriter, r *http.Request) {
	body := m.doubt(r)
	r.Body = io.NopCloser(bytes.NewReader(body))
	m.world.engine.Accept(httptest.NewRecorder(), r)
	m.take()
	m.doubtURLs(body)
	enginetest.Cut(out, r)
}

// doubtful returns a handler after which who submits cannot know what was accepted.
func (m *submitModel) doubtful(handler http.HandlerFunc) http.HandlerFunc {
	return func(out http.ResponseWriter, r *http.Request) {
		m.doubt(r)
		handler(out, r)
	}
}

func (m *submitModel) doubt(r *http.Request) (body []byte) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		m.failed = err.Error()
	}
	m.doubtURLs(body)
	return body
}

func (m *submitModel) doubtURLs(body []byte) {
	var sent struct{ URLList []string }
	if err := json.Unmarshal(body, &sent); err != nil {
		m.failed = err.Error()
	}
	for _, url := range sent.URLList {
		m.unsure[url] = true
	}
}

// interrupt ends the submission while it waits for an answer.
func (m *submitModel) interrupt(out http.ResponseWriter, r *http.Request) {
	m.stop()
	enginetest.Hang(out, r)
}

// kill ends the submission as SIGKILL would: what it does to the record from then on is
// undone. All that it had to submit is in doubt.
func (m *submitModel) kill(out http.ResponseWriter, r *http.Request) {
	record, err := os.ReadFile(m.world.config.State + ".submitted")
	if err != nil {
		m.failed = err.Error()
	}
	m.killed = record
	for url := range m.told {
		m.unsure[url] = true
	}
	for path := range m.pages {
		m.unsure[submitBase+path] = true
	}
	m.stop()
	enginetest.Hang(out, r)
}

func (m *submitModel) change(t *rapid.T) {
	for range rapid.IntRange(0, 8).Draw(t, "changes") {
		path := fmt.Sprintf("page-%d", rapid.IntRange(0, 14).Draw(t, "page"))
		if rapid.IntRange(0, 2).Draw(t, "remove") == 0 {
			delete(m.pages, path)
		} else {
			m.pages[path] = rapid.SampledFrom([]string{"", "2024-01-01", "2024-01-02", "2024-01-02T00:00:00+00:00"}).Draw(t, "date")
		}
	}
	m.pages["always"] = "2024-01-01" // an empty set is not submitted
	m.world.publish(m.pages)
}

// submit submits once, to an engine that has good and bad moments.
func (m *submitModel) submit(t *rapid.T) {
	bad := map[string]http.HandlerFunc{
		"fine": m.accept, "busy": enginetest.Status(429, map[string]string{"Retry-After": "20"}, ""), "broken": m.doubtful(enginetest.Status(500, nil, "")),
		"refused": enginetest.Status(403, nil, ""), "cut": m.doubtful(enginetest.Cut), "hang": m.doubtful(enginetest.Hang), "lost": m.lose, "interrupted": m.doubtful(m.interrupt),
		"killed": m.doubtful(m.kill),
	}
	for _, name := range rapid.SliceOfN(rapid.SampledFrom([]string{
		"fine", "fine", "fine", "fine", "busy", "broken", "refused", "cut", "hang", "lost", "interrupted", "killed",
	}), 0, 12).Draw(t, "answers") {
		m.world.engine.Then(bad[name])
	}
	ctx, stop := context.WithCancel(m.world.ctx)
	defer stop()
	m.stop = stop
	_, err := Submit(ctx, m.world.config, m.world.options)
	m.world.engine.Reset()
	if m.killed != nil {
		if err := os.WriteFile(m.world.config.State+".submitted", m.killed, 0o600); err != nil {
			t.Fatal(err)
		}
		m.killed = nil
	}
	m.take() // what was accepted once the script was over
	if errors.Is(err, ErrLocked) {
		t.Fatal(err)
	}
}

// TestHistoriesOfSubmissions has sites change while engines fail in all ways: no URL is
// sent twice without a change, but if the answer was lost, and once all is well again
// what every URL was submitted as is what it is.
func TestHistoriesOfSubmissions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// In a bubble a test must not be asked for its deadline, which rapid does if it
		// can.
		rapid.Check(struct{ testing.TB }{t}, func(rt *rapid.T) {
			w := newSubmitWorld(t, t.Context())
			defer w.close()
			w.options.batch = rapid.IntRange(1, 5).Draw(rt, "batch")
			m := &submitModel{world: w, pages: map[string]string{}, told: map[string]string{}, unsure: map[string]bool{}}
			for range rapid.IntRange(1, 4).Draw(rt, "rounds") {
				m.change(rt)
				m.submit(rt)
				if m.failed != "" {
					rt.Fatal(m.failed)
				}
			}
			report, err := Submit(w.ctx, w.config, w.options)
			if err != nil {
				rt.Fatal(err)
			}
			m.take()
			if m.failed != "" {
				rt.Fatal(m.failed)
			}
			for path, date := range m.pages {
				if m.told[submitBase+path] != date {
					rt.Fatalf("%s is %q, and was submitted as %q", path, date, m.told[submitBase+path])
				}
			}
			for url, told := range m.told {
				if told != m.state(url) {
					rt.Fatalf("%s is %q, and was submitted as %q", url, m.state(url), told)
				}
			}
			requests := w.engine.Requests()
			if report, err = Submit(w.ctx, w.config, w.options); err != nil || report.Event != "unchanged" || w.engine.Requests() != requests {
				rt.Fatalf("again: %s, %v", counts(report), err)
			}
		})
	})
}
