package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// hugoContenders compare sitewalk with the sitemap that Hugo writes itself while it
// builds a site of so many pages: what that takes is the difference between two builds,
// with it and without.
func hugoContenders(hugo, program, temp string, pages int) []*contender {
	site := filepath.Join(temp, "hugo")
	check(os.MkdirAll(filepath.Join(site, "layouts", "_default"), 0o755))
	write := func(name, content string) {
		check(os.WriteFile(filepath.Join(site, name), []byte(content), 0o644))
	}
	write("hugo.toml", "baseURL = 'https://www.example.com/'\ndisableKinds = ['taxonomy', 'term', 'rss', '404']\n")
	write("plain.toml", "baseURL = 'https://www.example.com/'\ndisableKinds = ['taxonomy', 'term', 'rss', '404', 'sitemap']\n")
	const page = "<!doctype html><html><head><title>{{ .Title }}</title><link rel=canonical href={{ .Permalink }}></head><body>{{ .Content }}</body></html>\n"
	for _, kind := range []string{"single", "list", "home"} {
		write(filepath.Join("layouts", "_default", kind+".html"), page)
	}
	const perFolder = 100
	for i := range pages {
		folder := filepath.Join("content", fmt.Sprintf("f%04d", i/perFolder))
		if i%perFolder == 0 {
			check(os.MkdirAll(filepath.Join(site, folder), 0o755))
		}
		write(filepath.Join(folder, fmt.Sprintf("p%06d.md", i)), fmt.Sprintf("---\ntitle: Page %d\ndate: 2026-01-02\n---\nSome words of page %d.\n", i, i))
	}
	public := filepath.Join(temp, "hugo-public")
	build := func(config string) []string {
		return []string{hugo, "--quiet", "--source", site, "--config", config, "--destination", public, "--noBuildLock"}
	}
	plain := &contender{name: "hugo, no sitemap", args: build(filepath.Join(site, "plain.toml"))}
	return []*contender{
		plain,
		{name: "hugo, with its sitemap", args: build(filepath.Join(site, "hugo.toml")), over: plain},
		{name: "sitewalk on what hugo built", over: plain, args: []string{program, "build", "--quiet", "--no-state",
			"--docroot", public, "--base-url", "https://www.example.com/", "--out", filepath.Join(temp, "hugo-set")}},
	}
}
