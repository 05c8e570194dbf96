package mapper

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sitewalk/output"
	"sitewalk/scanner"
)

const testNow = 1_700_000_000

// newMapper returns a mapper of the default configuration with the changes that
// change makes.
func newMapper(t testing.TB, change func(*Config)) *Mapper {
	t.Helper()
	return newMapperIn(t, "", change)
}

func newMapperIn(t testing.TB, outputDir string, change func(*Config)) *Mapper {
	t.Helper()
	m, err := tryMapper(outputDir, change)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func tryMapper(outputDir string, change func(*Config)) (*Mapper, error) {
	config := DefaultConfig()
	config.BaseURL = "https://h.test/"
	if change != nil {
		change(&config)
	}
	return New(config, Options{OutputDir: outputDir, Now: func() int64 { return testNow }})
}

// mapPath maps one file. The page's Loc is a copy.
func mapPath(w *Worker, path string) (Page, scanner.Verdict) {
	dir, name := splitPath(path)
	w.Enter(dir)
	file := scanner.File{Name: name}
	page, _ := w.Map(&file)
	page.Loc = slices.Clone(page.Loc)
	return page, file.Verdict
}

func splitPath(path string) (dir, name string) {
	if slash := strings.LastIndexByte(path, '/'); slash >= 0 {
		return path[:slash], path[slash+1:]
	}
	return "", path
}

// locOf returns the URL of a file, or the verdict in brackets.
func locOf(w *Worker, path string) string {
	page, verdict := mapPath(w, path)
	if verdict != scanner.Listed {
		return "[" + verdict.String() + "]"
	}
	return string(page.Loc)
}

func TestURLsFollowIndexExtensionAndSlash(t *testing.T) {
	// What each path becomes, below the base URL, by extension and slash.
	columns := []struct {
		extension Extension
		slash     Slash
	}{
		{ExtensionKeep, SlashAuto}, {ExtensionKeep, SlashAlways}, {ExtensionKeep, SlashNever},
		{ExtensionStrip, SlashAuto}, {ExtensionStrip, SlashAlways}, {ExtensionStrip, SlashNever},
	}
	rows := []struct {
		path string
		want [6]string
	}{
		{"index.html", [6]string{"", "", "", "", "", ""}},
		{"index.htm", [6]string{"", "", "", "", "", ""}},
		{"index.xhtml", [6]string{"", "", "", "", "", ""}},
		{"index.shtml", [6]string{"index.shtml", "index.shtml", "index.shtml", "index", "index/", "index"}},
		{"Index.html", [6]string{"Index.html", "Index.html", "Index.html", "Index", "Index/", "Index"}},
		{"a/index.html", [6]string{"a/", "a/", "a", "a/", "a/", "a"}},
		{"a/b/index.htm", [6]string{"a/b/", "a/b/", "a/b", "a/b/", "a/b/", "a/b"}},
		{"a.d/index.html", [6]string{"a.d/", "a.d/", "a.d", "a.d/", "a.d/", "a.d"}},
		{"page.html", [6]string{"page.html", "page.html", "page.html", "page", "page/", "page"}},
		{"a/page.htm", [6]string{"a/page.htm", "a/page.htm", "a/page.htm", "a/page", "a/page/", "a/page"}},
		{"a/page.xhtml", [6]string{"a/page.xhtml", "a/page.xhtml", "a/page.xhtml", "a/page", "a/page/", "a/page"}},
		{"a/page.shtml", [6]string{"a/page.shtml", "a/page.shtml", "a/page.shtml", "a/page", "a/page/", "a/page"}},
		{"a/page.HTML", [6]string{"a/page.HTML", "a/page.HTML", "a/page.HTML", "a/page.HTML", "a/page.HTML", "a/page.HTML"}},
		{"a/v1.2.html", [6]string{"a/v1.2.html", "a/v1.2.html", "a/v1.2.html", "a/v1.2", "a/v1.2/", "a/v1.2"}},
		{"a/page.html.html", [6]string{"a/page.html.html", "a/page.html.html", "a/page.html.html", "a/page.html", "a/page.html/", "a/page.html"}},
		{"a/data.pdf", [6]string{"a/data.pdf", "a/data.pdf", "a/data.pdf", "a/data.pdf", "a/data.pdf", "a/data.pdf"}},
		{"a/bare", [6]string{"a/bare", "a/bare/", "a/bare", "a/bare", "a/bare/", "a/bare"}},
		{".html", [6]string{".html", ".html", ".html", ".html", ".html", ".html"}},
		{"ü/ß.html", [6]string{"%C3%BC/%C3%9F.html", "%C3%BC/%C3%9F.html", "%C3%BC/%C3%9F.html", "%C3%BC/%C3%9F", "%C3%BC/%C3%9F/", "%C3%BC/%C3%9F"}},
	}
	for i, column := range columns {
		for _, base := range []string{"https://h.test/", "https://h.test/docs/v1/"} {
			w := newMapper(t, func(c *Config) {
				c.BaseURL, c.URLs.Extension, c.URLs.Slash = base, column.extension, column.slash
			}).NewWorker()
			for _, row := range rows {
				if got, want := locOf(w, row.path), base+row.want[i]; got != want {
					t.Errorf("extension %s, slash %s: %s became %s, want %s", column.extension, column.slash, row.path, got, want)
				}
			}
		}
	}
}

func TestIndexNamesAreConfigured(t *testing.T) {
	w := newMapper(t, func(c *Config) { c.URLs.Index = []string{"default.htm"} }).NewWorker()
	for path, want := range map[string]string{
		"a/default.htm": "https://h.test/a/", "a/index.html": "https://h.test/a/index.html",
	} {
		if got := locOf(w, path); got != want {
			t.Errorf("%s became %s, want %s", path, got, want)
		}
	}
	w = newMapper(t, func(c *Config) { c.URLs.Index = []string{} }).NewWorker()
	if got := locOf(w, "index.html"); got != "https://h.test/index.html" {
		t.Errorf("without index names, index.html became %s", got)
	}
	for _, bad := range []string{"", "a/index.html"} {
		_, err := tryMapper("", func(c *Config) { c.URLs.Index = []string{"index.html", bad} })
		if err == nil || !strings.HasPrefix(err.Error(), "urls.index[1]: ") {
			t.Errorf("index %q: error %v", bad, err)
		}
	}
}

func TestLocMustStayUnder2048Characters(t *testing.T) {
	const base = "https://h.test/"
	for _, c := range []struct {
		length int
		want   scanner.Verdict
	}{{2047, scanner.Listed}, {2048, scanner.TooLong}} {
		w := newMapper(t, nil).NewWorker()
		deep := strings.Repeat("d/", (c.length-len(base)-200)/2)
		name := strings.Repeat("n", c.length-len(base)-len(deep)-len(".html")) + ".html"
		page, verdict := mapPath(w, deep+name)
		if verdict != c.want || verdict == scanner.Listed && len(page.Loc) != c.length {
			t.Errorf("a URL of %d characters: %v", c.length, verdict)
		}
		// What counts is the encoded length: ü has six characters.
		encoded := c.length - len(base) - len(".html")
		name = strings.Repeat("ü", encoded/6) + strings.Repeat("n", encoded%6) + ".html"
		if _, verdict = mapPath(w, name); verdict != c.want {
			t.Errorf("an encoded URL of %d characters: %v", c.length, verdict)
		}
	}
}

func TestOnlyURLsBelowTheSitemapAreInScope(t *testing.T) {
	for _, c := range []struct {
		dir, path string
		slash     Slash
		want      string
	}{
		{"", "a.html", SlashAuto, "https://h.test/sub/a.html"},
		{"maps", "maps/a.html", SlashAuto, "https://h.test/sub/maps/a.html"},
		{"maps", "maps/index.html", SlashAuto, "https://h.test/sub/maps/"},
		{"maps", "maps/index.html", SlashNever, "[out-of-scope]"}, // …/maps does not begin with …/maps/
		{"maps", "maps2/a.html", SlashAuto, "[out-of-scope]"},
		{"maps", "index.html", SlashAuto, "[out-of-scope]"},
		{"maps", "map", SlashAuto, "[out-of-scope]"},
		{"my maps/ü", "my maps/ü/a.html", SlashAuto, "https://h.test/sub/my%20maps/%C3%BC/a.html"},
		{"my maps/ü", "my maps/a.html", SlashAuto, "[out-of-scope]"},
	} {
		m := newMapperIn(t, c.dir, func(config *Config) {
			config.BaseURL, config.URLs.Slash = "https://h.test/sub", c.slash
		})
		if got := locOf(m.NewWorker(), c.path); got != c.want {
			t.Errorf("sitemap in %q, slash %s: %s became %s, want %s", c.dir, c.slash, c.path, got, c.want)
		}
	}
}

func TestFolderOfTheSitemapIsSpelledLikeItsPages(t *testing.T) {
	m := newMapperIn(t, "köln", func(c *Config) { c.URLs.Charset = "iso-8859-1" })
	if got, want := m.FileURL("köln", "sitemap.xml"), "https://h.test/k%F6ln/sitemap.xml"; got != want {
		t.Errorf("the sitemap is at %s, want %s", got, want)
	}
	if got, want := locOf(m.NewWorker(), "köln/a.html"), "https://h.test/k%F6ln/a.html"; got != want {
		t.Errorf("the page is at %s, want %s", got, want)
	}
	if _, err := tryMapper("日本", func(c *Config) { c.URLs.Charset = "iso-8859-1" }); err == nil {
		t.Error("a folder that cannot be written in the charset was taken")
	}
}

// TestEnteringStepByStepEqualsAFreshWorker holds a worker that keeps what folders
// have in common to one that knows nothing of folders before.
func TestEnteringStepByStepEqualsAFreshWorker(t *testing.T) {
	section, monthly, half := "blog", ChangeFreq("monthly"), Priority(0.5)
	no, yes := false, true
	configs := []*Mapper{}
	for _, charset := range []string{CharsetBytes, "iso-8859-1"} {
		for _, slash := range []Slash{SlashAuto, SlashAlways, SlashNever} {
			configs = append(configs, newMapperIn(t, "", func(c *Config) {
				c.URLs.Charset, c.URLs.Slash, c.URLs.Extension = charset, slash, ExtensionStrip
				c.Rules = []Rule{
					{Match: scanner.Globs{"a/**"}, Section: &section},
					{Match: scanner.Globs{"**/b/*.html", "ab/**"}, ChangeFreq: &monthly},
					{Match: scanner.Globs{"a/b/**", "*/a/*"}, List: &no},
					{Match: scanner.Globs{"**/ü/**"}, List: &yes, Priority: &half},
				}
			}))
		}
	}
	segment := rapid.SampledFrom([]string{"a", "b", "ab", "a b", "ü", "日", "\xff"})
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(configs).Draw(t, "config")
		worker := m.NewWorker()
		for range rapid.IntRange(1, 12).Draw(t, "visits") {
			dir := strings.Join(rapid.SliceOfN(segment, 0, 5).Draw(t, "dir"), "/")
			for range rapid.IntRange(1, 3).Draw(t, "files") {
				name := rapid.SampledFrom([]string{"index.html", "x.html", "x", "ü.html", "日.html"}).Draw(t, "name")
				path := scanner.Join(dir, name)
				gotPage, got := mapPath(worker, path)
				wantPage, want := mapPath(m.NewWorker(), path)
				if got != want || fmt.Sprintf("%+v", gotPage) != fmt.Sprintf("%+v", wantPage) {
					t.Fatalf("%q: %v %+v, want %v %+v", path, got, gotPage, want, wantPage)
				}
			}
		}
	})
}

func TestConcurrentWorkersAgree(t *testing.T) {
	m := newMapper(t, func(c *Config) { c.URLs.Charset = "shift_jis" })
	done := make(chan string)
	for range 8 {
		go func() {
			var all strings.Builder
			w := m.NewWorker()
			for i := range 200 {
				all.WriteString(locOf(w, fmt.Sprintf("日本/%d/ページ%d.html", i/10, i)))
			}
			done <- all.String()
		}()
	}
	first := <-done
	for range 7 {
		if other := <-done; other != first {
			t.Error("two workers mapped the same files to other URLs")
		}
	}
}

func TestLastModIsWhatDatePrints(t *testing.T) {
	if _, err := exec.LookPath("date"); err != nil {
		t.Skip("no date program to compare with")
	}
	dir := t.TempDir()
	times := []time.Time{
		time.Unix(1, 0), time.Unix(1, 999_999_999), time.Unix(59, 0), time.Unix(86399, 999_999_999), time.Unix(86400, 0),
		time.Unix(951782400, 1), time.Unix(1072915199, 500_000_000), time.Unix(testNow, 999_999_999),
		time.Unix(2147483647, 0), time.Unix(2147483648, 0), time.Unix(4102444799, 0),
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		times = append(times, time.Unix(1+random.Int64N(4_000_000_000), random.Int64N(1e9)))
	}
	args := []string{}
	for i, modified := range times {
		path := filepath.Join(dir, fmt.Sprintf("%03d.html", i))
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, modified, modified); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	probe, err := exec.Command("date", "--iso-8601=seconds", "-u", "-r", args[0]).Output()
	if err != nil || strings.TrimSpace(string(probe)) != "1970-01-01T00:00:01+00:00" {
		t.Skipf("date is not GNU's: %q, %v", probe, err)
	}
	config := DefaultConfig()
	config.BaseURL = "https://h.test/"
	m, err := New(config, Options{Now: func() int64 { return 5_000_000_000 }})
	if err != nil {
		t.Fatal(err)
	}
	w, renderer := m.NewWorker(), output.NewRenderer(output.DateTime)
	for _, path := range args {
		want, err := exec.Command("date", "--iso-8601=seconds", "-u", "-r", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		file := scanner.File{Name: filepath.Base(path), ModTime: info.ModTime().UnixNano()}
		page, _ := w.Map(&file)
		page.LastMod = file.ModSeconds()
		xml := string(renderer.Append(nil, &page.Page))
		if !strings.Contains(xml, "<lastmod>"+strings.TrimSpace(string(want))+"</lastmod>") {
			t.Errorf("date says %s of %v; written was %s", want, info.ModTime(), xml)
		}
	}
}

func TestDatesThatNobodyBelievesAreLeftOut(t *testing.T) {
	now := int64(testNow)
	config := DefaultConfig()
	config.BaseURL = "https://h.test/"
	m, err := New(config, Options{Now: func() int64 { return now }})
	if err != nil {
		t.Fatal(err)
	}
	w := m.NewWorker()
	for _, c := range []struct {
		modified     int64
		unbelievable bool
	}{
		{-62135596800, true}, {-1, true}, {0, true}, {1, false},
		{testNow - 1, false}, {testNow, false}, {testNow + 1, true}, {1 << 60, true},
	} {
		if w.IsBelievable(c.modified) == c.unbelievable {
			t.Errorf("a file of time %d: unbelievable %v", c.modified, !c.unbelievable)
		}
	}
	now += 10
	if !w.IsBelievable(testNow + 10) {
		t.Error("a file that was written during the build counts as one from the future")
	}
}

func TestRulesSetTheSourcesOfDates(t *testing.T) {
	w := newMapper(t, func(c *Config) {
		c.Rules = []Rule{
			{Match: scanner.Globs{"docs/**"}, LastMod: &[]Source{SourceGit, SourceMTime}},
			{Match: scanner.Globs{"docs/old/**"}, LastMod: &[]Source{}},
		}
	}).NewWorker()
	for path, want := range map[string][]Source{
		"index.html": {SourceMTime}, "docs/a.html": {SourceGit, SourceMTime}, "docs/old/a.html": {},
	} {
		if page, _ := mapPath(w, path); !slices.Equal(page.Sources, want) {
			t.Errorf("%s: %v, want %v", path, page.Sources, want)
		}
	}
}

// isPchar is RFC 3986's grammar, written again.
func isPchar(b byte) bool {
	return strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@", b) >= 0
}

// checkLoc holds a URL to RFC 3986: pchar and slashes only, and net/url agrees.
func checkLoc(t *testing.T, loc, base string) (path string) {
	t.Helper()
	rest, ok := strings.CutPrefix(loc, base)
	if !ok {
		t.Fatalf("%q does not begin with %q", loc, base)
	}
	for i := 0; i < len(rest); i++ {
		switch {
		case rest[i] == '/' || isPchar(rest[i]):
		case rest[i] == '%' && i+2 < len(rest) && strings.IndexByte(upperHex, rest[i+1]) >= 0 && strings.IndexByte(upperHex, rest[i+2]) >= 0:
		default:
			t.Fatalf("%q has a character at %d that a path may not have", loc, i)
		}
	}
	u, err := url.Parse(loc)
	if err != nil {
		t.Fatal(err)
	}
	if u.RawQuery != "" || u.Fragment != "" || u.String() != loc {
		t.Fatalf("net/url reads %q as %q", loc, u)
	}
	decoded, err := url.PathUnescape(rest)
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

func FuzzEscape(f *testing.F) {
	for _, seed := range []string{
		"a.html", "a b.html", "100%.html", "a#b?c.html", `"'<>&.html`, "ü.html", "u\u0308.html", "\xfc.html", "\x00\x01\x7f\x80\xff",
		"a/b/c", "日本/語.html", "%41.html", "a+b;c=d,e:f@g!h$i(j)*k~l.html", "..a/...", "[]{}|\\^`", "\u2028\ufeff\ufffd", ":/a:b",
	} {
		f.Add(seed)
	}
	m := newMapper(f, func(c *Config) { c.URLs.Index = nil })
	f.Fuzz(func(t *testing.T, path string) {
		if len(path) > 600 || slices.ContainsFunc(strings.Split(path, "/"), func(s string) bool { return s == "" || s == "." || s == ".." }) {
			return // no path of a file
		}
		page, verdict := mapPath(m.NewWorker(), path)
		if verdict != scanner.Listed {
			t.Fatalf("%q: %v", path, verdict)
		}
		if got := checkLoc(t, string(page.Loc), "https://h.test/"); got != path {
			t.Errorf("%q became %s, which decodes to %q", path, page.Loc, got)
		}
		// A URL that was made is one that may be listed as it is.
		if loc, rest, warning, err := m.checkURL(string(page.Loc)); err == nil && warning == "" && (loc != string(page.Loc) || rest != path) {
			t.Errorf("%s as an extra URL became %s, of path %q", page.Loc, loc, rest)
		} else if err != nil {
			t.Errorf("%s as an extra URL: %v", page.Loc, err)
		}
	})
}

func configError(t *testing.T, err error) *ConfigError {
	t.Helper()
	var bad *ConfigError
	if !errors.As(err, &bad) {
		t.Fatalf("error %v is no *ConfigError", err)
	}
	return bad
}
