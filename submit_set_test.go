package sitewalk

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sitewalk/output"
	"strings"
	"testing"
	"time"
)

func TestWhatTheKeyFileDoesNotVouchForStays(t *testing.T) {
	inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
		w.publish(map[string]string{"blog/a": "2024-01-01", "b": "2024-01-01", "blog/ü": "2024-01-01", "blog/c\td": "2024-01-01"})
		w.submit()
		w.engine.Batches()
		if err := errors.Join(os.Mkdir(filepath.Join(w.docroot, "blog"), 0o755), os.WriteFile(filepath.Join(w.docroot, "blog", "key.txt"), []byte(submitKey), 0o644)); err != nil {
			t.Fatal(err)
		}
		w.config.Submit.IndexNow.KeyLocation = submitBase + "blog/key.txt"
		w.publish(map[string]string{"blog/a": "2024-01-02", "c": "2024-01-01"})
		report := w.submit()
		wantCounts(t, report, "submitted +0 ~1 -0 left 0 in 1")
		w.wantURLs("blog/a")
		if report.Outside != 1 || len(report.Warnings) != 1 || report.Warnings[0].Code != "submit-outside" || report.Warnings[0].Paths[0] != submitBase+"c" {
			t.Errorf("%+v", report)
		}
		// With the key back at the root the rest follows.
		w.config.Submit.IndexNow.KeyLocation = ""
		wantCounts(t, w.submit(), "submitted +1 ~0 -1 left 0 in 1")
		w.wantURLs("c", "b")
	})
}

func TestPagesWithoutDatesAreWarnedOf(t *testing.T) {
	inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
		w.publish(map[string]string{"": "", "a": "", "b": "2024-01-01"})
		report := w.submit()
		if len(report.Warnings) != 1 || report.Warnings[0].Code != "submit-undated" || !strings.HasPrefix(report.Warnings[0].Message, "2 URLs ") {
			t.Errorf("%+v", report.Warnings)
		}
	})
}

func TestTheSetThatSitewalkPublishesIsSubmitted(t *testing.T) {
	inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
		for i := range 60 {
			if err := os.WriteFile(filepath.Join(w.docroot, fmt.Sprintf("page-%02d.html", i)), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		w.config.Scanner.Pages.Read = false
		w.config.Output.Files.MaxURLs = 20
		for _, gzip := range []output.Gzip{output.GzipShards, output.GzipAll, output.GzipNone} {
			w.config.Output.Files.Gzip = gzip
			w.config.Output.Files.Root = "map.xml"
			if _, err := Build(w.ctx, w.config); err != nil {
				t.Fatal(err)
			}
			if report := w.submit(); report.URLs != 60 || report.Event == "submitted" != (gzip == output.GzipShards) || !strings.HasPrefix(report.Root, "map.xml") {
				t.Errorf("%s: %+v", gzip, report)
			}
		}
	})
}

func TestSubmittingDoesNotKeepTheSetFromBeingPublished(t *testing.T) {
	inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
		if err := os.WriteFile(filepath.Join(w.docroot, "index.html"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		w.publish(map[string]string{"": "2024-01-01"})
		w.engine.Then(func(out http.ResponseWriter, r *http.Request) {
			if _, err := Build(w.ctx, w.config); err != nil {
				t.Errorf("build: %v", err)
			}
			// But another submission waits, and gives up.
			w.config.LockWait = time.Second
			start := time.Now()
			if _, err := Submit(w.ctx, w.config, w.options); !errors.Is(err, ErrLocked) || time.Since(start) < time.Second {
				t.Errorf("after %v: %v", time.Since(start), err)
			}
			w.engine.Accept(out, r)
		})
		wantCounts(t, w.submit(), "submitted +1 ~0 -0 left 0 in 1")
		wantCounts(t, w.submit(), "submitted +0 ~1 -0 left 0 in 1")
	})
}

func TestASetThatIsBeingPublishedIsWaitedFor(t *testing.T) {
	inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
		w.publish(map[string]string{"": "2024-01-01"})
		folder, err := output.OpenFolder(w.docroot, false)
		if err != nil {
			t.Fatal(err)
		}
		defer folder.Close()
		unlock, err := folder.Lock(w.ctx, 0)
		if err != nil {
			t.Fatal(err)
		}
		w.fails("locked")
		time.AfterFunc(time.Second, unlock)
		w.config.LockWait = 2 * time.Second
		w.submit()
	})
}

func TestNothingIsSubmittedThatCannotBeRemembered(t *testing.T) {
	inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
		w.publish(map[string]string{"": "2024-01-01"})
		if err := os.MkdirAll(filepath.Join(filepath.Dir(w.config.State), ".site.state.submitted.tmp", "full"), 0o700); err != nil {
			t.Fatal(err)
		}
		w.fails("cannot be remembered")
		if w.engine.Requests() != 0 {
			t.Errorf("%d requests", w.engine.Requests())
		}
	})
}

func TestWithoutASetNothingIsSubmitted(t *testing.T) {
	inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
		w.fails("run sitewalk build first")
		w.publish(map[string]string{"": "2024-01-01"})
		w.submit()
		w.publish(nil)
		w.fails("lists no page")
		if err := os.WriteFile(filepath.Join(w.docroot, "sitemap.xml"), []byte("<urlset><url><loc>http://www.example.com/</loc>"), 0o644); err != nil {
			t.Fatal(err)
		}
		w.fails("read the published sitemap: ")
		w.config.Out = filepath.Join(w.docroot, "nowhere")
		w.fails("run sitewalk build first")
		if w.engine.Requests() != 1 {
			t.Errorf("%d requests", w.engine.Requests())
		}
	})
}

func TestALinkOutOfTheDocrootIsNoSet(t *testing.T) {
	inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
		w.publish(map[string]string{"secret": "2024-01-01"})
		outside := filepath.Join(filepath.Dir(w.docroot), "outside.xml")
		if err := errors.Join(os.Rename(filepath.Join(w.docroot, "sitemap.xml"), outside), os.Symlink(outside, filepath.Join(w.docroot, "sitemap.xml"))); err != nil {
			t.Fatal(err)
		}
		if report, err := Submit(w.ctx, w.config, w.options); err == nil {
			t.Errorf("%+v", report)
		}
	})
}

func TestWhatCannotBeSubmittedIsAMistake(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(c *Config)
		want  string
	}{
		"nobody to tell":  {func(c *Config) { c.Submit = DefaultConfig().Submit }, "set submit.indexnow.key"},
		"no state":        {func(c *Config) { c.State = "" }, "--no-state"},
		"no place for it": {func(c *Config) { c.State, c.NoState = "", errors.New("no home") }, "no home"},
		"local": {func(c *Config) {
			c.Mapper.BaseURL, c.Submit.IndexNow.Endpoint = "http://localhost/", "https://engine.example/"
		}, "no search engine can look"},
		"private": {func(c *Config) {
			c.Mapper.BaseURL, c.Submit.Ping = "http://10.1.2.3/", []string{"https://engine.example/"}
		}, "no search engine can look"},
		"no base URL":        {func(c *Config) { c.Mapper.BaseURL = "" }, "base_url is missing"},
		"key too short":      {func(c *Config) { c.Submit.IndexNow.Key = "short" }, "submit.indexnow.key must be 8 to 128"},
		"endpoint by http":   {func(c *Config) { c.Submit.IndexNow.Endpoint = "http://engine.example/" }, "submit.indexnow.endpoint must begin with https://"},
		"endpoint of no web": {func(c *Config) { c.Submit.IndexNow.Endpoint = "file:///etc/passwd" }, "submit.indexnow.endpoint must be an https URL"},
		"password":           {func(c *Config) { c.Submit.IndexNow.Endpoint = "https://a:b@engine.example/" }, "submit.indexnow.endpoint must be an https URL"},
		"key elsewhere":      {func(c *Config) { c.Submit.IndexNow.KeyLocation = "https://cdn.example.com/k.txt" }, "submit.indexnow.key_location must be of the host of base_url"},
		"key in a folder":    {func(c *Config) { c.Submit.IndexNow.KeyLocation = submitBase + "blog/" }, "submit.indexnow.key_location must be"},
		"ping of no web":     {func(c *Config) { c.Submit.Ping = []string{"https://a.example/", "mailto:a@example.com"} }, "submit.ping[1] must be"},
		"quiet too short":    {func(c *Config) { c.Submit.Quiet = 0 }, "submit.quiet must be at least 1s"},
		"auto and nobody":    {func(c *Config) { c.Submit = DefaultConfig().Submit; c.Submit.Auto = true }, "submit.auto is set"},
	} {
		t.Run(name, func(t *testing.T) {
			inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
				w.publish(map[string]string{"": "2024-01-01"})
				test.spoil(&w.config)
				_, err := Submit(w.ctx, w.config, w.options)
				var mistake *ConfigError
				if !errors.As(err, &mistake) || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
					t.Errorf("got %v, want %q", err, test.want)
				}
				if w.engine.Requests() != 0 {
					t.Errorf("%d requests", w.engine.Requests())
				}
			})
		})
	}
}

func TestALocalSiteMayBeSubmittedToItself(t *testing.T) {
	inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
		w.config.Mapper.BaseURL = "http://localhost/"
		w.config.Submit.Ping = []string{sitePing}
		if err := w.config.CheckSubmit(); err != nil {
			t.Error(err)
		}
	})
}

func TestBuildAndWatchAskNobodyByThemselves(t *testing.T) {
	inSubmitWorld(t, func(t *testing.T, w *submitWorld) {
		w.config.Submit.Auto = true
		if err := os.WriteFile(filepath.Join(w.docroot, "index.html"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Build(w.ctx, w.config); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(w.config.State + ".submitted"); !errors.Is(err, fs.ErrNotExist) || w.engine.Requests() != 0 {
			t.Errorf("%d requests, %v", w.engine.Requests(), err)
		}
	})
}
