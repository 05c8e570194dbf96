package sitewalk_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"sitewalk"
	"sitewalk/mapper"
	"sitewalk/output"
	"sitewalk/scanner"
)

// diskSite is a docroot in memory whose files have the inodes and times that
// they would have on disk, by a clock of its own: so that files can be as old as
// a state that is to be believed needs them, and no test has to wait.
type diskSite struct {
	files fstest.MapFS
	clock time.Time
	inode uint64
}

func newDiskSite() *diskSite { return &diskSite{files: fstest.MapFS{}, clock: siteTime} }

// set gives a path a file.
func (s *diskSite) set(path, content string, modified, changed time.Time, inode uint64) {
	s.files[path] = &fstest.MapFile{
		Data: []byte(content), Mode: 0o644, ModTime: modified,
		Sys: &syscall.Stat_t{Ino: inode, Ctim: syscall.NsecToTimespec(changed.UnixNano())},
	}
}

func (s *diskSite) tick() time.Time {
	s.clock = s.clock.Add(time.Hour)
	return s.clock
}

func (s *diskSite) inodeOf(path string) uint64 { return s.files[path].Sys.(*syscall.Stat_t).Ino }

// write writes a file in place, or makes it.
func (s *diskSite) write(path, content string) {
	now := s.tick()
	s.writeAt(path, content, now)
}

// writeAt is write with a modification time that is set afterwards.
func (s *diskSite) writeAt(path, content string, modified time.Time) {
	s.inode++
	inode := s.inode
	if s.files[path] != nil {
		inode = s.inodeOf(path)
	}
	s.set(path, content, modified, s.tick(), inode)
}

// touch sets a file's modification time.
func (s *diskSite) touch(path string, modified time.Time) {
	s.writeAt(path, string(s.files[path].Data), modified)
}

// rename gives a file another name; what had that is gone.
func (s *diskSite) rename(from, to string) {
	file := s.files[from]
	inode := s.inodeOf(from)
	delete(s.files, from)
	s.set(to, string(file.Data), file.ModTime, s.tick(), inode)
}

// swap has two files change names.
func (s *diskSite) swap(one, other string) {
	s.rename(one, "between")
	s.rename(other, one)
	s.rename("between", other)
}

// diskConfig returns a configuration for a site whose pages are read, and whose
// state is in a folder.
func diskConfig(s *diskSite, folder string) sitewalk.Config {
	config := siteConfig("")
	config.FS, config.Out = s.files, filepath.Join(folder, "out")
	config.State = filepath.Join(folder, "state")
	config.Scanner.Pages.Read = true
	config.Now = func() time.Time { return siteTime.AddDate(1, 0, 0) }
	config.Jobs = 1
	return config
}

// outcome is what a build makes of a site.
type outcome struct {
	findings map[string]sitewalk.Finding
	order    []string
	files    map[string]string // what was published
	empty    bool              // nothing was, for want of pages
}

// published builds anew in config.Out. A site without a page is an outcome too.
func published(t testing.TB, config sitewalk.Config) outcome {
	t.Helper()
	if err := os.RemoveAll(config.Out); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(config.Out, 0o755); err != nil {
		t.Fatal(err)
	}
	o := outcome{findings: map[string]sitewalk.Finding{}}
	config.Found = func(f *sitewalk.Finding) {
		o.findings[f.Path] = *f
		o.order = append(o.order, f.Path)
	}
	_, err := sitewalk.Build(t.Context(), config)
	if o.empty = errors.Is(err, sitewalk.ErrNoPages); err != nil && !o.empty {
		t.Fatal(err)
	}
	o.files = snapshot(t, config.Out)
	return o
}

func (o *outcome) describe(t testing.TB, path string) string {
	found, ok := o.findings[path]
	if !ok {
		return "not there"
	}
	text, err := json.Marshal(&found)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sameOutcome fails unless two builds made the same of every file.
func sameOutcome(t testing.TB, what string, got, want outcome) {
	t.Helper()
	for _, path := range want.order {
		if got, want := got.describe(t, path), want.describe(t, path); got != want {
			t.Errorf("%s:\n got %s\nwant %s", what, got, want)
		}
	}
	if !slices.Equal(got.order, want.order) {
		t.Errorf("%s: files %q, want %q", what, got.order, want.order)
	}
	sameFiles(t, what, got.files, want.files)
}

// headKinds are heads that say one of the things that pages say.
var headKinds = []string{
	``,
	`<title>plain</title>`,
	`<meta name=robots content=noindex>`,
	`<meta name=googlebot content=none>`,
	`<meta name=otherbot content=noindex>`,
	`<meta name=robots content="unavailable_after: 2024-12-20">`,
	`<meta name=robots content="unavailable_after: 2025-03-01"><meta name=resource-type content=image>`,
	`<meta name=resource-type content=document>`,
	"<meta name=resource-type content='a\nn'>",
	`<link rel=canonical href=/b.html><link rel=canonical href=/a/b/>`,
	`<link rel=canonical href=/a/b/><link rel=canonical href=http://www.h.test/a/b.html>`,
	`<meta http-equiv=refresh content="0; url=/a/">`,
	`<meta http-equiv=refresh content="0; url=/b.html"><meta name=robots content=noindex>`,
	`<meta name=robots content="name=URL"><meta name=URL content="/c.html">`,
	`<link rel=canonical href=/a/b.html>`,
	`<link rel=canonical href=/a/b/>`,
	`<link rel=canonical href=/a/b>`,
	`<link rel=canonical href=http://www.h.test/a/b.html>`,
	`<html lang=en><link rel=alternate hreflang=de href=/b.html><link rel=alternate hreflang=fr href=/c.html>`,
	`<meta property="article:modified_time" content="2024-02-03T04:05:06Z">`,
	`<meta name=date content="2024-02-03">`,
	`<meta name=revisit-after content="7 days">`,
	`<meta name=document-state content=static>`,
	`</head><body><img src=/i.png>`,
	strings.Repeat(" ", 1100) + `<meta name=robots content=noindex>`,
}

// anyHead draws the content of a page. The number is there for lastmod_ignore
// to overlook. All pages are of one size, which so gives no edit away.
func anyHead(t *rapid.T) string {
	kinds := rapid.SliceOfN(rapid.SampledFrom(headKinds), 1, 2).Draw(t, "head")
	page := fmt.Sprintf("<!doctype html><head>%s<p>build=%d", strings.Join(kinds, ""), rapid.IntRange(1, 2).Draw(t, "build"))
	return page + strings.Repeat(" ", max(2500-len(page), 0))
}

var diskPaths = []string{
	"index.html", "a/index.html", "a/b.html", "a/b/index.html", "a/b/c.html", "a.html", "b.html", "c.html",
	"c/x.html", "c/y.html", "d/index.htm", "d/index.html", "d/x.html", "draft/x.html", "draft/y.html", "z.html",
}

// change does something to a site that its owner may do between two builds.
func (s *diskSite) change(t *rapid.T) {
	there := slices.Sorted(maps.Keys(s.files))
	pick := func() string { return rapid.SampledFrom(there).Draw(t, "file") }
	somewhen := siteTime.AddDate(0, 0, rapid.IntRange(-30, 500).Draw(t, "day"))
	path := rapid.SampledFrom(diskPaths).Draw(t, "path")
	switch rapid.IntRange(0, 10).Draw(t, "change") {
	case 0, 1:
		s.write(path, anyHead(t))
	case 2: // as touch -r does after an edit
		file := pick()
		s.writeAt(file, anyHead(t), s.files[file].ModTime)
	case 3:
		s.touch(pick(), somewhen)
	case 4:
		s.rename(pick(), path)
	case 5:
		if len(there) > 1 {
			delete(s.files, pick())
		}
	case 6:
		if one, other := pick(), pick(); one != other {
			s.swap(one, other)
		}
	case 7: // as rsync does
		from := pick()
		s.inode++
		s.set(path, string(s.files[from].Data), s.files[from].ModTime, s.tick(), s.inode)
	case 8:
		s.write("robots.txt", "User-agent: *\nDisallow: "+rapid.SampledFrom([]string{"", "/c/", "/a/b"}).Draw(t, "disallow")+"\n")
	case 9: // as a build does with nothing to build
		file := pick()
		s.write(file, strings.NewReplacer("build=1", "build=2", "build=2", "build=1").Replace(string(s.files[file].Data)))
	case 10:
		s.write("d/.htaccess", rapid.SampledFrom([]string{"", "Require all denied\n"}).Draw(t, "access"))
	}
}

// changeSetting changes one setting, on which facts may or may not depend.
func changeSetting(t *rapid.T, config *sitewalk.Config) {
	pages, urls := &config.Scanner.Pages, &config.Mapper.URLs
	switch rapid.IntRange(0, 12).Draw(t, "setting") {
	case 0:
		config.Mapper.BaseURL = rapid.SampledFrom([]string{"https://h.test/", "http://www.h.test/sub/"}).Draw(t, "base_url")
	case 1:
		urls.Extension = rapid.SampledFrom([]mapper.Extension{mapper.ExtensionKeep, mapper.ExtensionStrip}).Draw(t, "extension")
	case 2:
		urls.Slash = rapid.SampledFrom([]mapper.Slash{mapper.SlashAuto, mapper.SlashNever, mapper.SlashAlways}).Draw(t, "slash")
	case 3:
		pages.Canonical = !pages.Canonical
	case 4:
		pages.Hints = !pages.Hints
	case 5:
		pages.Alternates = !pages.Alternates
	case 6:
		pages.Images = !pages.Images
	case 7:
		pages.Agents = rapid.SampledFrom([][]string{{"*", "googlebot"}, {"*"}, {"otherbot"}}).Draw(t, "agents")
	case 8:
		pages.HeadLimit = rapid.SampledFrom([]scanner.ByteSize{256 << 10, 1 << 10}).Draw(t, "head_limit")
	case 9:
		config.Output.Files.Protocol = rapid.SampledFrom([]output.Protocol{output.Protocol09, output.Protocol084}).Draw(t, "protocol")
	case 10:
		list := rapid.Bool().Draw(t, "list")
		config.Mapper.Rules = []mapper.Rule{{Match: []string{"draft/**"}, List: &list}}
	case 11:
		now := siteTime.AddDate(0, 0, rapid.IntRange(200, 600).Draw(t, "now"))
		config.Now = func() time.Time { return now }
	case 12:
		urls.Index = rapid.SampledFrom([][]string{{"index.html", "index.htm"}, {"index.htm"}, {}}).Draw(t, "index")
	}
}

// memoryDir returns a new folder in memory if the system has such: hundreds of
// builds that wait for a disk take long.
func memoryDir(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "sitewalk")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// eachSite checks a property of random sites. The property is told of each site
// before its first build, and returns what is to be built, and to hold, after
// each time that the owner changed files and perhaps a setting.
func eachSite(t *testing.T, property func(t failer, site *diskSite, config *sitewalk.Config) (build func())) {
	base := memoryDir(t)
	number := 0
	rapid.Check(t, func(r *rapid.T) {
		number++
		folder := filepath.Join(base, fmt.Sprint(number))
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		site := newDiskSite()
		for _, path := range diskPaths {
			if rapid.Bool().Draw(r, path) {
				site.write(path, anyHead(r))
			}
		}
		site.write("index.html", "")
		config := diskConfig(site, folder)
		build := property(failer{t, r}, site, &config)
		for range rapid.IntRange(2, 3).Draw(r, "builds") {
			for range rapid.IntRange(0, 3).Draw(r, "changes") {
				site.change(r)
			}
			if rapid.Bool().Draw(r, "other settings") {
				changeSetting(r, &config)
			}
			build()
		}
	})
}

func TestAStateChangesNothingButWhatIsRead(t *testing.T) {
	eachSite(t, func(t failer, site *diskSite, config *sitewalk.Config) func() {
		config.Mapper.LastMod = rapid.SampledFrom([][]mapper.Source{
			{mapper.SourceMTime}, {mapper.SourceMeta, mapper.SourceMTime}, {},
		}).Draw(t.property, "lastmod")
		return func() {
			scratch := *config
			scratch.State = ""
			want := published(t, scratch)
			sameOutcome(t, "with a state", published(t, *config), want)
		}
	})
}

// rememberedPage is what a model of the state remembers of a page.
type rememberedPage struct {
	content, masked string // masked is empty where nothing is overlooked
	date            time.Time
}

func TestContentKeepsTheDateOfUnchangedBytes(t *testing.T) {
	number := regexp.MustCompile(`build=\d`)
	read := []scanner.Verdict{
		scanner.Listed, scanner.Redirect, scanner.NoIndex, scanner.Expired, scanner.ResourceType, scanner.Canonical, scanner.Duplicate,
	}
	eachSite(t, func(t failer, site *diskSite, config *sitewalk.Config) func() {
		config.Mapper.LastMod = []mapper.Source{mapper.SourceContent}
		model := map[string]rememberedPage{}
		return func() {
			config.Mapper.LastModIgnore = nil
			if rapid.Bool().Draw(t.property, "overlook") {
				config.Mapper.LastModIgnore = []string{number.String()}
			}
			got := published(t, *config)
			now := map[string]rememberedPage{}
			for path, found := range got.findings {
				if !slices.Contains(read, found.Verdict) {
					continue
				}
				file := site.files[path]
				page := rememberedPage{content: string(file.Data), date: file.ModTime}
				if config.Mapper.LastModIgnore != nil {
					page.masked = number.ReplaceAllString(page.content, "")
				}
				before, known := model[path]
				unchanged := before.content == page.content || before.masked == page.masked && page.masked != ""
				if known && unchanged && !before.date.After(config.Now()) {
					page.date = before.date
				}
				now[path] = page
				want := page.date.UTC().Format("2006-01-02T15:04:05+00:00")
				if page.date.After(config.Now()) {
					want = ""
				}
				if found.Verdict == scanner.Listed && found.LastMod != want {
					t.Errorf("%s has lastmod %q, want %q", path, found.LastMod, want)
				}
			}
			if !got.empty {
				model = now
			}
		}
	})
}

// failer is a test that fails as a property of what was drawn.
type failer struct {
	*testing.T
	property *rapid.T
}

func (f failer) Fatal(args ...any)                 { f.property.Fatal(args...) }
func (f failer) Fatalf(format string, args ...any) { f.property.Fatalf(format, args...) }
func (f failer) Error(args ...any)                 { f.property.Error(args...) }
func (f failer) Errorf(format string, args ...any) { f.property.Errorf(format, args...) }
func (f failer) Helper()                           {}
