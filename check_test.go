package sitewalk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sitewalk/internal/check"
)

func TestREADMEExplainsEveryCodeOfCheck(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "\n## Check\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, code := range check.Codes() {
		line := "\n| `" + string(code) + "`"
		if code.IsWarning() {
			line += " (warning)"
		}
		if !strings.Contains(section, line+" | ") {
			t.Errorf("README does not explain %s in a line of its own", code)
		}
	}
}

// checkSet checks a set and returns the report, and that what it lists is what was
// told.
func checkSet(t *testing.T, options CheckOptions) CheckReport {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	var told []CheckFinding
	options.Found = func(f *CheckFinding) { told = append(told, *f) }
	report, err := Check(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if len(told) != len(report.Violations)+len(report.Warnings) {
		t.Errorf("%d findings were told, and %d are listed", len(told), len(report.Violations)+len(report.Warnings))
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
	return report
}

// violations returns the violations of a report as lines of code, URL and message.
func violations(report CheckReport) []string {
	var lines []string
	for _, f := range report.Violations {
		lines = append(lines, strings.TrimSpace(f.Code+" "+f.Loc+" "+f.Message))
	}
	slices.Sort(lines)
	return lines
}

// TestSetsOfOthers has what other programs are known for: spaces and # in URLs.
func TestSetsOfOthers(t *testing.T) {
	const base = "https://nasty.example/"
	for name, want := range map[string][]string{
		"static-sitemap-cli.xml": {
			"loc-escaping [x]", "loc-escaping a b", "loc-escaping i%j", "loc-escaping lt<gt>", `loc-escaping q"r`,
			"loc-escaping sub dir", "loc-escaping ümlaut", "loc-fragment c#d",
		},
		"npm-sitemap.xml": {"loc-escaping [x].html", "loc-escaping i%j.html", "loc-fragment c#d.html"},
	} {
		t.Run(name, func(t *testing.T) {
			report := checkSet(t, CheckOptions{Target: filepath.Join("testdata", "check", "others", name), BaseURL: base})
			var got []string
			for _, f := range report.Violations {
				got = append(got, f.Code+" "+strings.TrimPrefix(f.Loc, base))
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("found %q", got)
			}
		})
	}
}

// comparedSite writes a docroot with pages of one date, and returns the configuration
// for it.
func comparedSite(t *testing.T) Config {
	t.Helper()
	docroot := t.TempDir()
	pages := map[string]string{
		"index.html": "<title>A</title>", "b c.html": "<title>B</title>", "d/index.html": "<title>D</title>",
		"hidden.html": `<meta name="robots" content="noindex">`, "404.html": "<title>No</title>",
	}
	for name, content := range pages {
		path := filepath.Join(docroot, name)
		date := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644), os.Chtimes(path, date, date)); err != nil {
			t.Fatal(err)
		}
	}
	config := DefaultConfig()
	config.Scanner.Docroot = docroot
	config.Mapper.BaseURL = "https://www.example.com/"
	return config
}

func TestSetComparedWithFiles(t *testing.T) {
	config := comparedSite(t)
	extra := filepath.Join(t.TempDir(), "extra.txt")
	if err := os.WriteFile(extra, []byte("https://www.example.com/extra 2023-01-02\nhttps://www.example.com/d/\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	config.Mapper.ExtraURLs = []string{extra}
	const same = "2024-05-06T07:08:09+00:00"
	for name, test := range map[string]struct {
		pages []string // URL below the base, and lastmod
		want  []string // code, and URL below the base
	}{
		"as built":        {[]string{"", same, "b%20c.html", same, "d/", same, "extra", "2023-01-02"}, nil},
		"other forms":     {[]string{"", "2024-05-06T09:08:09+02:00", "b%20c.html", "2024-05-06", "d/", "", "extra", "2023-01-02T12:00:00Z"}, nil},
		"other dates":     {[]string{"", "2024-05-06T07:08:10Z", "b%20c.html", "2024-05-04", "d/", same, "extra", ""}, []string{"lastmod-differs ", "lastmod-differs b%20c.html"}},
		"page missing":    {[]string{"", same, "extra", ""}, []string{"missing-page b%20c.html", "missing-page d/"}},
		"no file":         {[]string{"", same, "b%20c.html", same, "d/", same, "extra", "", "e.html", ""}, []string{"listed-without-file e.html"}},
		"left out":        {[]string{"", same, "b%20c.html", same, "d/", same, "extra", "", "hidden.html", same}, []string{"listed-without-file hidden.html"}},
		"in another form": {[]string{"index.html", same, "b%20c.html", same, "d/", same, "extra", ""}, []string{"listed-without-file index.html", "missing-page "}},
	} {
		t.Run(name, func(t *testing.T) {
			var set strings.Builder
			set.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
			for i := 0; i < len(test.pages); i += 2 {
				fmt.Fprintf(&set, "<url><loc>%s%s</loc>", config.Mapper.BaseURL, test.pages[i])
				if lastMod := test.pages[i+1]; lastMod != "" {
					fmt.Fprintf(&set, "<lastmod>%s</lastmod>", lastMod)
				}
				set.WriteString("</url>")
			}
			set.WriteString("</urlset>")
			path := filepath.Join(t.TempDir(), "sitemap.xml")
			if err := os.WriteFile(path, []byte(set.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			report := checkSet(t, CheckOptions{Target: path, BaseURL: config.Mapper.BaseURL, Docroot: config.Scanner.Docroot, Build: &config})
			var got []string
			for _, f := range report.Violations {
				got = append(got, f.Code+" "+strings.TrimPrefix(f.Loc, config.Mapper.BaseURL))
				if f.Code == "missing-page" && !strings.HasPrefix(f.File, config.Scanner.Docroot) {
					t.Errorf("the page's file is %s", f.File)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, test.want) {
				t.Errorf("found %+v", report.Violations)
			}
		})
	}
}

// TestComparingWritesNothing compares with a docroot that has no page, and looks that
// nothing changed there.
func TestComparingWritesNothing(t *testing.T) {
	config := comparedSite(t)
	config.Scanner.Exclude = []string{"**"}
	config.State = filepath.Join(t.TempDir(), "state")
	set := filepath.Join(config.Scanner.Docroot, "sitemap.xml")
	if err := os.WriteFile(set, []byte(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://www.example.com/</loc></url></urlset>`), 0o644); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadDir(config.Scanner.Docroot)
	if err != nil {
		t.Fatal(err)
	}
	report := checkSet(t, CheckOptions{Target: set, BaseURL: config.Mapper.BaseURL, Docroot: config.Scanner.Docroot, Build: &config})
	if got := violations(report); len(got) != 1 || !strings.HasPrefix(got[0], "listed-without-file ") {
		t.Errorf("found %q", got)
	}
	after, err := os.ReadDir(config.Scanner.Docroot)
	if err != nil || len(after) != len(before) {
		t.Errorf("%v and then %v, %v", before, after, err)
	}
	if _, err := os.Stat(config.State); err == nil {
		t.Error("a state was written")
	}
}

func TestCheckReportListsSoManyOfEachCode(t *testing.T) {
	var list strings.Builder
	for i := range MaxListed + 500 {
		fmt.Fprintf(&list, "https://www.example.com/%d|\n", i)
	}
	path := filepath.Join(t.TempDir(), "sitemap.txt")
	if err := os.WriteFile(path, []byte(list.String()+"https://www.example.com/#a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	report, err := Check(t.Context(), CheckOptions{Target: path})
	if err != nil || len(report.Violations) != MaxListed+1 || report.Counts["loc-escaping"] != MaxListed+500 || report.Counts["loc-fragment"] != 1 {
		t.Errorf("%d violations, %v, %v", len(report.Violations), report.Counts, err)
	}
}

func TestCheckReportAsJSON(t *testing.T) {
	report := CheckReport{
		Root: "50%\xff/sitemap.xml", Pages: 2, Shards: 1, Warnings: []CheckFinding{}, Counts: map[string]int64{"a": 1},
		Violations: []CheckFinding{
			{File: "50%\xff\n", Line: 1, Column: 2, Loc: "https://h/a%20b\u0085<", Code: "a", Message: "b & \x00"},
			{File: "https://h/a%20b.xml", Code: "a", Message: "m"},
		},
	}
	got, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"root":"50%25%FF/sitemap.xml","url":"","pages":2,"shards":1,"violations":[` +
		`{"file":"50%25%FF%0A","line":1,"column":2,"loc":"https://h/a%20b%C2%85\u003c","code":"a","message":"b \u0026 %00"},` +
		`{"file":"https://h/a%20b.xml","loc":"","code":"a","message":"m"}],"warnings":[],"counts":{"a":1}}`
	if string(got) != want {
		t.Errorf("it is\n%s\nnot\n%s", got, want)
	}
}

func TestCheckFails(t *testing.T) {
	if _, err := Check(t.Context(), CheckOptions{Target: filepath.Join(t.TempDir(), "none")}); !errors.Is(err, ErrAbsent) {
		t.Errorf("without a set the error is %v", err)
	}
	config := comparedSite(t)
	config.Mapper.BaseURL = ""
	var mistake *ConfigError
	if _, err := Check(t.Context(), CheckOptions{Target: config.Scanner.Docroot, Build: &config}); !errors.As(err, &mistake) {
		t.Errorf("without a base URL the error is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Check(ctx, CheckOptions{Target: "testdata/check/good/index"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled, the error is %v", err)
	}
}
