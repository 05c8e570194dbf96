package indexnow_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"sitewalk/internal/indexnow"
	"sitewalk/internal/indexnow/enginetest"
)

const testKey = "0123456789abcdef"

// testSite is the site that the tests submit.
var testSite = indexnow.Site{
	Endpoint: "http://engine.test/indexnow?secret=1", Key: testKey,
	KeyLocation: "http://www.example.com/" + testKey + ".txt", Host: "www.example.com",
}

// A world is a site, an engine and a client, where time passes only while all wait.
type world struct {
	engine *enginetest.Engine
	client *indexnow.Client
	waits  []time.Duration
}

// inWorld runs a test in a world whose site shows a text in place of the key file.
func inWorld(t *testing.T, keyFile string, test func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network := enginetest.NewNetwork()
		defer network.Close()
		w := &world{engine: &enginetest.Engine{Client: network.Client()}}
		network.Hosts["engine.test"] = w.engine
		network.Hosts["www.example.com"] = http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/"+testKey+".txt" || keyFile == "" {
				http.NotFound(out, r)
				return
			}
			fmt.Fprint(out, keyFile)
		})
		w.client = &indexnow.Client{
			HTTP: network.Client(), UserAgent: "sitewalk/1.2", MaxWait: 2 * time.Minute,
			Waiting: func(_ error, wait time.Duration) { w.waits = append(w.waits, wait) },
		}
		defer w.client.Close()
		test(t, w)
	})
}

// submit submits two URLs.
func (w *world) submit(ctx context.Context) (bool, error) {
	return w.client.Submit(ctx, &testSite, []string{"http://www.example.com/a?b=1&c=<d>", "http://www.example.com/ü"})
}

func TestABatchIsAcceptedByTheProtocol(t *testing.T) {
	inWorld(t, testKey+"\n", func(t *testing.T, w *world) {
		if pending, err := w.submit(t.Context()); err != nil || pending {
			t.Fatalf("pending %v, %v", pending, err)
		}
		if got := fmt.Sprint(w.engine.Batches()); got != "[[http://www.example.com/a?b=1&c=<d> http://www.example.com/ü]]" {
			t.Errorf("accepted %s", got)
		}
		w.engine.Trusting = true
		if pending, err := w.submit(t.Context()); err != nil || !pending {
			t.Errorf("202: pending %v, %v", pending, err)
		}
		if w.client.Requests != 2 || len(w.waits) != 0 {
			t.Errorf("%d requests, waited %v", w.client.Requests, w.waits)
		}
	})
}

func TestWhoAsksIsSaid(t *testing.T) {
	inWorld(t, testKey, func(t *testing.T, w *world) {
		agent := ""
		w.engine.Then(func(out http.ResponseWriter, r *http.Request) { agent = r.UserAgent() })
		if _, err := w.submit(t.Context()); err != nil || agent != "sitewalk/1.2" {
			t.Errorf("User-Agent %q, %v", agent, err)
		}
	})
}

func TestAFailureForGoodSaysWhatItMeansAtOnce(t *testing.T) {
	for name, test := range map[string]struct {
		keyFile string
		answer  http.HandlerFunc
		want    []string
	}{
		"no key file":      {"", nil, []string{"403 (Forbidden)", testSite.KeyLocation, "--create-key-file"}},
		"another key":      {"fedcba9876543210", nil, []string{"403 (Forbidden)", "holds another key"}},
		"bad request":      {testKey, enginetest.Status(400, nil, "what?"), []string{`answers 400 (Bad Request): "what?"`, "submit.indexnow.endpoint"}},
		"not of the host":  {testKey, enginetest.Status(422, nil, ""), []string{"422", "www.example.com", "base_url"}},
		"not there":        {testKey, enginetest.Status(404, nil, "<html>"), []string{"404", "submit.indexnow.endpoint"}},
		"another success":  {testKey, enginetest.Status(204, nil, ""), []string{"204"}},
		"redirect":         {testKey, enginetest.Status(308, map[string]string{"Location": "http://elsewhere.test/"}, ""), []string{"308", "redirects to", "not followed"}},
		"redirect by GET":  {testKey, enginetest.Status(302, map[string]string{"Location": "http://www.example.com/" + testKey + ".txt"}, ""), []string{"302", "redirects to"}},
		"controls and ESC": {testKey, enginetest.Status(400, nil, "a\x1b[2J\n\xffb"), []string{`a\x1b[2J \xffb`}},
		"endless":          {testKey, enginetest.Endless(400), []string{"400", "…"}},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, test.keyFile, func(t *testing.T, w *world) {
				if test.answer != nil {
					w.engine.Then(test.answer)
				}
				start := time.Now()
				_, err := w.submit(t.Context())
				if err == nil {
					t.Fatal("no error")
				}
				for _, want := range append(test.want, "IndexNow, http://engine.test/indexnow: ") {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%q does not say %q", err, want)
					}
				}
				if strings.ContainsFunc(err.Error(), unicode.IsControl) || strings.Contains(err.Error(), "secret") || len(err.Error()) > 1000 {
					t.Errorf("unfit to print: %q", err)
				}
				if w.client.Doubtful {
					t.Error("it counts as doubtful")
				}
				if w.engine.Requests() != 1 || time.Since(start) > time.Second {
					t.Errorf("%d requests in %v", w.engine.Requests(), time.Since(start))
				}
			})
		})
	}
}

func TestWhatMayPassIsTriedAgain(t *testing.T) {
	busy := enginetest.Status(429, nil, "")
	for name, answers := range map[string][]http.HandlerFunc{
		"429":        {busy},
		"5xx":        {enginetest.Status(500, nil, ""), enginetest.Status(503, nil, ""), enginetest.Status(599, nil, "")},
		"cut":        {enginetest.Cut, enginetest.Cut},
		"hang":       {enginetest.Hang},
		"endless":    {enginetest.Endless(502)},
		"four times": {busy, busy, busy, busy},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, testKey, func(t *testing.T, w *world) {
				w.engine.Then(answers...)
				if _, err := w.submit(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got := len(w.engine.Batches()); got != 1 || w.client.Requests != len(answers)+1 {
					t.Errorf("%d batches accepted after %d requests", got, w.client.Requests)
				}
				for i, wait := range w.waits {
					if longest := time.Second << i; wait < longest/2 || wait > longest {
						t.Errorf("wait %d is %v", i, wait)
					}
				}
			})
		})
	}
}

func TestASuccessWithAnEndlessAnswerIsOne(t *testing.T) {
	inWorld(t, testKey, func(t *testing.T, w *world) {
		w.engine.Then(enginetest.Endless(200))
		if _, err := w.submit(t.Context()); err != nil || w.client.Requests != 1 {
			t.Errorf("%d requests, %v", w.client.Requests, err)
		}
	})
}

func TestRetryAfterIsHonouredInBothForms(t *testing.T) {
	for name, test := range map[string]struct {
		headers  func() map[string]string
		min, max time.Duration
	}{
		"seconds":  {func() map[string]string { return map[string]string{"Retry-After": "70"} }, 70 * time.Second, 70 * time.Second},
		"zero":     {func() map[string]string { return map[string]string{"Retry-After": "0"} }, time.Second / 2, time.Second},
		"nonsense": {func() map[string]string { return map[string]string{"Retry-After": "-5 minutes"} }, time.Second / 2, time.Second},
		"date": {func() map[string]string {
			return map[string]string{"Retry-After": time.Now().Add(time.Minute).UTC().Format(http.TimeFormat)}
		}, 59 * time.Second, time.Minute},
		"date of a server whose clock is wrong": {func() map[string]string {
			now := time.Now().Add(-72 * time.Hour).UTC()
			return map[string]string{"Date": now.Format(http.TimeFormat), "Retry-After": now.Add(40 * time.Second).Format(http.TimeFormat)}
		}, 40 * time.Second, 40 * time.Second},
		"past date": {func() map[string]string {
			return map[string]string{"Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"}
		}, time.Second / 2, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, testKey, func(t *testing.T, w *world) {
				w.engine.Then(enginetest.Status(429, test.headers(), ""))
				start := time.Now()
				if _, err := w.submit(t.Context()); err != nil {
					t.Fatal(err)
				}
				if waited := time.Since(start); waited < test.min || waited > test.max {
					t.Errorf("waited %v, want %v to %v", waited, test.min, test.max)
				}
			})
		})
	}
}

func TestPatienceEnds(t *testing.T) {
	busy := enginetest.Status(503, nil, "")
	for name, test := range map[string]struct {
		answers  []http.HandlerFunc
		requests int
		atMost   time.Duration
		want     string
	}{
		"after five tries":  {[]http.HandlerFunc{busy, busy, busy, busy, busy, busy}, 5, 15 * time.Second, "at the last of 5 tries"},
		"hangs":             {[]http.HandlerFunc{enginetest.Hang, enginetest.Hang, enginetest.Hang, enginetest.Hang, enginetest.Hang}, 4, 2*time.Minute + 30*time.Second, "no answer within 30s"},
		"asked for an hour": {[]http.HandlerFunc{enginetest.Status(429, map[string]string{"Retry-After": "3600"}, "")}, 1, 0, "in 1h0m0s"},
		"asked for ages":    {[]http.HandlerFunc{enginetest.Status(429, map[string]string{"Retry-After": "18446744073709551615"}, "")}, 1, 0, "--max-wait"},
		"asked twice for a minute and a half": {[]http.HandlerFunc{
			enginetest.Status(429, map[string]string{"Retry-After": "90"}, ""), enginetest.Status(429, map[string]string{"Retry-After": "90"}, ""),
		}, 2, 90 * time.Second, "in 1m30s"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, testKey, func(t *testing.T, w *world) {
				w.engine.Then(test.answers...)
				start := time.Now()
				_, err := w.submit(t.Context())
				if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "run it again later") {
					t.Errorf("got %v, want %q", err, test.want)
				}
				if took := time.Since(start); took > test.atMost || w.client.Requests != test.requests {
					t.Errorf("%d requests in %v, want %d in %v", w.client.Requests, took, test.requests, test.atMost)
				}
			})
		})
	}
}

func TestNoPatienceIsOneTry(t *testing.T) {
	inWorld(t, testKey, func(t *testing.T, w *world) {
		w.client.MaxWait = -1
		w.engine.Then(enginetest.Cut)
		if _, err := w.submit(t.Context()); !errors.Is(err, indexnow.ErrImpatient) || w.client.Requests != 1 {
			t.Errorf("%d requests, %v", w.client.Requests, err)
		}
	})
}

func TestAnEndedContextEndsARequestAndAWait(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"request": enginetest.Hang, "wait": enginetest.Status(429, map[string]string{"Retry-After": "60"}, ""),
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, testKey, func(t *testing.T, w *world) {
				w.engine.Then(answer)
				ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
				defer stop()
				start := time.Now()
				_, err := w.submit(ctx)
				if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 3*time.Second {
					t.Errorf("after %v: %v", time.Since(start), err)
				}
			})
		})
	}
}

func TestWhatMayHaveBeenAcceptedIsInDoubt(t *testing.T) {
	busy := enginetest.Status(429, map[string]string{"Retry-After": "3600"}, "")
	for name, test := range map[string]struct {
		answers []http.HandlerFunc
		want    bool
	}{
		"busy":               {[]http.HandlerFunc{busy}, false},
		"cut":                {[]http.HandlerFunc{enginetest.Cut, busy}, true},
		"hang":               {[]http.HandlerFunc{enginetest.Hang, busy}, true},
		"at fault":           {[]http.HandlerFunc{enginetest.Status(504, nil, ""), busy}, true},
		"cut, then refused":  {[]http.HandlerFunc{enginetest.Cut, enginetest.Status(403, nil, "")}, true},
		"busy, then refused": {[]http.HandlerFunc{enginetest.Status(429, nil, ""), enginetest.Status(403, nil, "")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, testKey, func(t *testing.T, w *world) {
				w.engine.Then(test.answers...)
				if _, err := w.submit(t.Context()); err == nil || w.client.Doubtful != test.want {
					t.Errorf("doubtful: %v, %v", w.client.Doubtful, err)
				}
				w.engine.Then(busy)
				if _, err := w.submit(t.Context()); err == nil || w.client.Doubtful {
					t.Errorf("the next batch: doubtful %v, %v", w.client.Doubtful, err)
				}
			})
		})
	}
}

func TestPings(t *testing.T) {
	inWorld(t, testKey, func(t *testing.T, w *world) {
		const ping = "http://engine.test/ping?sitemap=http%3A%2F%2Fwww.example.com%2Fsitemap.xml"
		if status, err := w.client.Ping(t.Context(), ping); status != 200 || err != nil {
			t.Errorf("%d, %v", status, err)
		}
		if got := w.engine.Pings(); len(got) != 1 || got[0] != "http://www.example.com/sitemap.xml" {
			t.Errorf("told of %q", got)
		}
		w.engine.Then(enginetest.Status(410, nil, "gone"))
		status, err := w.client.Ping(t.Context(), ping)
		if status != 410 || err == nil || err.Error() != `ping http://engine.test/ping: the server answers 410 (Gone): "gone"` {
			t.Errorf("%d, %v", status, err)
		}
		w.client.MaxWait = -1
		w.engine.Then(enginetest.Cut)
		if status, err := w.client.Ping(t.Context(), ping); status != 0 || err == nil || strings.Contains(err.Error(), "sitemap=") {
			t.Errorf("%d, %v", status, err)
		}
		// What only the sitemap's URL makes none.
		if status, err := w.client.Ping(t.Context(), "http://http%3A%2F%2Fwww.example.com/?token=secret"); status != 0 || err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%d, %v", status, err)
		}
	})
}

func TestScopeIsTheKeyFilesFolder(t *testing.T) {
	for _, test := range []struct {
		key, loc string
		want     bool
	}{
		{"https://h.test/k.txt", "https://h.test/", true},
		{"https://h.test/k.txt", "https://h.test", true},
		{"https://h.test/k.txt", "http://h.test/a", true},
		{"https://h.test/k.txt", "https://H.Test:443/a", true},
		{"https://h.test/k.txt", "https://h.test:8443/a", false},
		{"https://h.test:8443/k.txt", "https://h.test:8443/a", true},
		{"https://h.test/k.txt", "https://h.test.evil.test/a", false},
		{"https://h.test/k.txt", "https://www.h.test/a", false},
		{"https://h.test/k.txt", "https://u:p@h.test/a", false},
		{"https://h.test/k.txt", "ftp://h.test/a", false},
		{"https://h.test/k.txt", "/a", false},
		{"https://h.test/k.txt", "https://h.test/%zz", true}, // not a URL, but of the host
		{"https://h.test/k.txt", "https://h.test/.well-known/a", true},
		{"https://h.test/blog/k.txt", "https://h.test/blog/a", true},
		{"https://h.test/blog/k.txt", "https://h.test/blog", false},
		{"https://h.test/blog/k.txt", "https://h.test/blogs/a", false},
		{"https://h.test/blog/k.txt", "https://h.test/blog/../a", false},
		{"https://h.test/blog/k.txt", "https://h.test/blog/.a/b", true},
		{"https://h.test/blog/k.txt", "https://h.test/a", false},
		{"https://h.test/b%20c/k.txt", "https://h.test/b%20c/d", true},
		{"https://h.test", "https://h.test/a", true},
	} {
		location, err := url.Parse(test.key)
		if err != nil {
			t.Fatal(err)
		}
		if scope := indexnow.NewScope(location); scope.Contains([]byte(test.loc)) != test.want {
			t.Errorf("%s vouches for %s: %v", test.key, test.loc, !test.want)
		}
	}
}

func TestKeys(t *testing.T) {
	for key, want := range map[string]bool{
		"": false, "1234567": false, "12345678": true, "Ab-9-----": true, "with_underscore": false, "12345678\n": false,
		strings.Repeat("k", 128): true, strings.Repeat("k", 129): false, "schlüssel": false,
	} {
		if indexnow.IsKey(key) != want {
			t.Errorf("%q: %v", key, !want)
		}
	}
	if a, b := indexnow.NewKey(), indexnow.NewKey(); a == b || !indexnow.IsKey(a) {
		t.Errorf("new keys %q and %q", a, b)
	}
}
