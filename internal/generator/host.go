package generator

import "strings"

// host finds where the project is published. The names are those of the presets of the
// configuration's urls. Files that point to more than one host decide nothing, nor do
// _redirects and _headers, which several have.
func (s *survey) host() {
	hosts := map[string]Place{}
	note := func(host, file string) {
		if file != "" {
			hosts[host] = Place{file, 0}
		}
	}
	note("netlify", s.first("netlify.toml"))
	note("vercel", s.first("vercel.json"))
	note("cloudflare-pages", s.first("wrangler.toml", "wrangler.json", "wrangler.jsonc"))
	note("github-pages", s.cname())
	note("apache", s.first(".htaccess", "static/.htaccess", "public/.htaccess"))
	if place, found := s.dependsOn("gh-pages"); found {
		hosts["github-pages"] = place
	}
	if place, found := s.workflow(); found {
		hosts["github-pages"] = place
	}
	if place, found := s.line("Gemfile", "github-pages"); found {
		hosts["github-pages"] = place
	}
	if len(hosts) != 1 {
		return
	}
	for host, place := range hosts {
		if host != "vercel" { // which has no preset
			s.project.Host, s.project.HostPlace = host, place
		}
	}
}

// pagesActions are what workflows of GitHub publish its Pages with.
var pagesActions = []string{
	"actions/deploy-pages", "actions/jekyll-build-pages", "peaceiris/actions-gh-pages",
	"JamesIves/github-pages-deploy-action", "mkdocs gh-deploy",
}

// workflow returns where a workflow publishes to GitHub Pages.
func (s *survey) workflow() (Place, bool) {
	const folder = ".github/workflows"
	looked := 0
	for _, name := range s.list(folder) {
		if !strings.HasSuffix(name, ".yml") && !strings.HasSuffix(name, ".yaml") {
			continue
		}
		if looked++; looked > maxFiles {
			break
		}
		if place, found := s.line(folder+"/"+name, pagesActions...); found {
			return place, true
		}
	}
	return Place{}, false
}

// line returns the first line of a file that holds one of some words, outside of a
// comment that # begins.
func (s *survey) line(name string, words ...string) (Place, bool) {
	data, err := s.read(name)
	if err != nil {
		return Place{}, false
	}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for _, word := range words {
			if strings.Contains(line, word) {
				return Place{name, number}, true
			}
		}
	}
	return Place{}, false
}
