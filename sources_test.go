package sitewalk_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sitewalk"
	"sitewalk/mapper"
)

// datesOf builds, and returns the lastmod of each page.
func datesOf(t *testing.T, config sitewalk.Config) map[string]string {
	t.Helper()
	dates := map[string]string{}
	config.Found = func(f *sitewalk.Finding) { dates[f.Path] = f.LastMod }
	mustBuild(t, config)
	return dates
}

// contentConfig returns a configuration with a state by which pages are dated by
// their content.
func contentConfig(t *testing.T, docroot string) sitewalk.Config {
	config := siteConfig(docroot)
	config.Scanner.Pages.Read = true
	config.Mapper.LastMod = []mapper.Source{mapper.SourceContent}
	config.State = filepath.Join(t.TempDir(), "state")
	return config
}

func touch(t *testing.T, path string, modified time.Time) {
	t.Helper()
	if err := os.Chtimes(path, modified, modified); err != nil {
		t.Fatal(err)
	}
}

func TestPreviousSpeaksForPagesOfWhoseBytesTheStateIsSilent(t *testing.T) {
	docroot := makeSite(t, map[string]string{"index.html": "", "a.html": "a", "b.html": "b"})
	config := contentConfig(t, docroot)
	config.Previous = filepath.Join(t.TempDir(), "sitemap.xml")
	set := `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` +
		`<url><loc>https://h.test/a.html</loc><lastmod>2020-02-02T20:20:20Z</lastmod></url></urlset>`
	if err := os.WriteFile(config.Previous, []byte(set), 0o644); err != nil {
		t.Fatal(err)
	}
	// A run that needs no digests leaves a state that knows the pages.
	withoutDigests := config
	withoutDigests.Mapper.LastMod, withoutDigests.Previous = []mapper.Source{mapper.SourceMTime}, ""
	mustBuild(t, withoutDigests)
	if got, want := datesOf(t, config)["a.html"], "2020-02-02T20:20:20+00:00"; got != want {
		t.Errorf("a page whose bytes the state does not know has lastmod %q, want %q", got, want)
	}

	if err := os.WriteFile(filepath.Join(docroot, "a.html"), []byte("A"), 0o644); err != nil {
		t.Fatal(err)
	}
	touch(t, filepath.Join(docroot, "a.html"), siteTime)
	if got, want := datesOf(t, config)["a.html"], "2024-01-01T12:00:00+00:00"; got != want {
		t.Errorf("a page that has changed has lastmod %q, want %q", got, want)
	}
}

func TestPreviousDoesNotSpeakForAPageThatItsFolderHoldsOtherwise(t *testing.T) {
	docroot := makeSite(t, map[string]string{"changed.html": "new", "gone.html": "x", "odd.html": "x", "same.html": "x"})
	before := makeSite(t, map[string]string{"changed.html": "old", "odd.html/index.html": "x", "same.html": "x"})
	set := `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
	for _, name := range []string{"changed", "gone", "odd", "same"} {
		set += "<url><loc>https://h.test/" + name + ".html</loc><lastmod>2020-02-02</lastmod></url>"
	}
	if err := os.WriteFile(filepath.Join(before, "sitemap.xml"), []byte(set+"</urlset>"), 0o644); err != nil {
		t.Fatal(err)
	}
	config := contentConfig(t, docroot)
	config.Previous = before
	got := datesOf(t, config)
	for path, want := range map[string]string{
		"changed.html": "2024-01-01T12:00:00+00:00", "gone.html": "2020-02-02",
		"odd.html": "2024-01-03T12:00:00+00:00", "same.html": "2020-02-02",
	} {
		if got[path] != want {
			t.Errorf("%s has lastmod %q, want %q", path, got[path], want)
		}
	}
}

func TestACorrectedTimeReplacesAnUnbelievableDate(t *testing.T) {
	docroot := makeSite(t, map[string]string{"index.html": "<title>home</title>"})
	config := contentConfig(t, docroot)
	index := filepath.Join(docroot, "index.html")
	for _, c := range []struct {
		modified time.Time
		want     string
	}{
		{time.Now().AddDate(10, 0, 0), ""},
		{siteTime, "2024-01-01T12:00:00+00:00"},
		{time.Now().AddDate(10, 0, 0), "2024-01-01T12:00:00+00:00"},
		{siteTime.AddDate(0, 1, 0), "2024-01-01T12:00:00+00:00"},
	} {
		touch(t, index, c.modified)
		if got := datesOf(t, config)["index.html"]; got != c.want {
			t.Errorf("with the modification time %v: lastmod %q, want %q", c.modified, got, c.want)
		}
	}
}

func TestSourcesAnswerInTheirOrder(t *testing.T) {
	const said = `<meta property="article:modified_time" content="2021-03-04">`
	docroot := makeSite(t, map[string]string{
		"meta.html": said, "plain.html": "", "rule/meta.html": said, "z.html": strings.ReplaceAll(said, "2021", "2121"),
	})
	config := contentConfig(t, docroot)
	config.Mapper.LastMod = []mapper.Source{mapper.SourceMeta, mapper.SourceContent}
	mtime := []mapper.Source{mapper.SourceMTime}
	config.Mapper.Rules = []mapper.Rule{{Match: []string{"rule/**"}, LastMod: &mtime}}
	for range 2 { // without a state, and with
		got := datesOf(t, config)
		for path, want := range map[string]string{
			"meta.html": "2021-03-04", "plain.html": "2024-01-02T12:00:00+00:00",
			"rule/meta.html": "2024-01-03T12:00:00+00:00", "z.html": "2024-01-04T12:00:00+00:00",
		} {
			if got[path] != want {
				t.Errorf("%s has lastmod %q, want %q", path, got[path], want)
			}
		}
	}
}

func TestAPreviousSitemapThatIsNotThereIsWarnedOfWithoutItsPassword(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	config := contentConfig(t, makeSite(t, map[string]string{"index.html": ""}))
	config.Previous = strings.Replace(server.URL, "://", "://me:secret@", 1) + "/sitemap.xml"
	for _, warning := range mustBuild(t, config).Warnings {
		if warning.Code != "previous-missing" {
			continue
		}
		want := strings.Replace(server.URL, "://", "://me:xxxxx@", 1) + "/sitemap.xml"
		if len(warning.Paths) != 1 || warning.Paths[0] != want || strings.Contains(warning.Message, "secret") {
			t.Errorf("%+v", warning)
		}
		return
	}
	t.Error("it is not warned of")
}
