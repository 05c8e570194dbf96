package sitewalk_test

import (
	"path/filepath"
	"strings"
	"time"

	"sitewalk"
	"sitewalk/mapper"
	"sitewalk/output"
	"sitewalk/scanner"
)

// modelSetting is a configuration at random.
type modelSetting struct {
	name   string
	config sitewalk.Config
}

// root returns the name of the set's root.
func (s *modelSetting) root() string {
	if s.config.Output.Files.Gzip == output.GzipAll {
		return "sitemap.xml.gz"
	}
	return "sitemap.xml"
}

func anySetting(r *modelRun) modelSetting {
	config := sitewalk.DefaultConfig()
	config.Scanner.Docroot, config.Mapper.BaseURL = r.docroot, "https://h.test/"
	config.Watch.Settle, config.Watch.MaxDelay = 20*time.Millisecond, 200*time.Millisecond
	config.Jobs = 1 + r.IntN(2)
	var names []string
	// perhaps sets something in one of so many configurations.
	perhaps := func(among int, name string, set func()) {
		if r.IntN(among) == 0 {
			names = append(names, name)
			set()
		}
	}
	perhaps(3, "strip, never", func() {
		config.Mapper.URLs.Extension, config.Mapper.URLs.Slash = mapper.ExtensionStrip, mapper.SlashNever
	})
	perhaps(5, "always", func() { config.Mapper.URLs.Slash = mapper.SlashAlways })
	perhaps(6, "strip", func() { config.Mapper.URLs.Extension = mapper.ExtensionStrip })
	perhaps(4, "preset auto", func() {
		urls := sitewalk.DefaultConfig().Mapper.URLs
		urls.Preset = mapper.PresetAuto
		config.Mapper.URLs = urls
	})
	perhaps(2, "sections", func() {
		blog, docs, priority := "blog", "docs", mapper.Priority(0.8)
		config.Mapper.Rules = []mapper.Rule{{Match: []string{"blog/**"}, Section: &blog}, {Match: []string{"docs/**"}, Section: &docs, Priority: &priority}}
	})
	perhaps(2, "small shards", func() { config.Output.Files.MaxURLs = 5 + r.IntN(4) })
	perhaps(6, "content", func() {
		config.Mapper.LastMod = []mapper.Source{mapper.SourceContent}
		r.dated = map[string]datedFile{}
	})
	config.Output.Files.Gzip = pick(r, output.GzipNone, output.GzipNone, output.GzipShards, output.GzipAll)
	names = append(names, "gzip "+string(config.Output.Files.Gzip))
	perhaps(3, "meta", func() {
		if r.dated != nil {
			return
		}
		config.Mapper.LastMod = []mapper.Source{mapper.SourceMeta, mapper.SourceMTime}
	})
	perhaps(8, "no lastmod", func() { config.Mapper.LastMod = nil })
	perhaps(8, "days", func() { config.Output.LastModFormat = output.Date })
	perhaps(4, "extras", func() {
		config.Mapper.ExtraURLs = []string{filepath.Join(r.top, "extra.txt")}
		r.writeExtras(config.Mapper.ExtraURLs[0])
	})
	perhaps(3, "follow", func() { config.Scanner.FollowSymlinks = scanner.FollowInside })
	perhaps(5, "all files", func() { config.Scanner.Include = []string{"**"} })
	perhaps(6, "no read", func() { config.Scanner.Pages.Read = r.dated != nil })
	perhaps(6, "images", func() { config.Scanner.Pages.Images = true })
	perhaps(8, "no canonical", func() { config.Scanner.Pages.Canonical = false })
	perhaps(6, "exclude", func() { config.Scanner.Exclude = []string{"docs/x/**", "**/b.html"} })
	perhaps(4, "text", func() { config.Output.Files.Text = true })
	perhaps(2, "no grace", func() { config.Output.Files.StaleGrace = 0 })
	perhaps(5, "robots line", func() {
		config.Mapper.Robots.Update = true
		// Where it is a page it bears the time at which the line was written.
		config.Scanner.Exclude = append(config.Scanner.Exclude, "robots.txt")
	})
	perhaps(16, "poll", func() { config.Watch.Poll, config.Watch.PollInterval = "always", 50*time.Millisecond })
	perhaps(3, "state", func() { config.State = filepath.Join(r.top, "state") })
	switch r.IntN(8) {
	case 0:
		names, config.Output.Files.Dir = append(names, "dir docs"), "docs"
	case 1, 2:
		names, config.Out = append(names, "out elsewhere"), filepath.Join(r.top, "out")
	}
	return modelSetting{strings.Join(names, ", "), config}
}

func (r *modelRun) writeExtras(path string) {
	lines := ""
	for _, name := range [...]string{"a.html", "blog/", "blog", "blog/a", "docs/x/page.html", "elsewhere", "docs/other"} {
		if r.IntN(2) == 0 {
			lines += "https://h.test/" + name + pick(r, "", " 2024-05-06", " 2024-05-06 weekly 0.3") + "\n"
		}
	}
	_ = r.disk.WriteFile(r.at(path), []byte(lines), 0o644)
}

func pick[T any](r *modelRun, choices ...T) T { return choices[r.IntN(len(choices))] }
