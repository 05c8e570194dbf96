package generator

import "strings"

// jekyll looks for a site of Jekyll (https://jekyllrb.com/docs/configuration/options/).
func (s *survey) jekyll(forced bool) bool {
	p := s.project
	name := s.first("_config.yml", "_config.yaml", "_config.toml")
	if name == "" && !forced {
		return false
	}
	var file *value
	if name != "" {
		file = s.settings(name)
		p.Recognised = Place{name, 0}
	}
	s.folderOr("destination", file.find("destination"), "_site")
	s.address("url", file.find("url"), "baseurl", file.find("baseurl"))

	// The styles with names end in .html, but for pretty. With one's own, the pages of
	// the site have no ending either, unless it ends in :output_ext
	// (https://jekyllrb.com/docs/permalinks/).
	permalink := file.find("permalink")
	switch style := permalink.string(); {
	case style == "" || !strings.Contains(style, ":") || strings.HasSuffix(style, "/") || strings.HasSuffix(style, ":output_ext"):
		s.style("keep", "auto", permalink.placeOr(Place{}))
	default:
		p.Canonicals = true
	}
	s.jekyllSitemap(file)
	p.Build = "jekyll build"
	if s.isFile("Gemfile") {
		p.Build = "bundle exec " + p.Build
	}
	return true
}

// jekyllSitemap looks for the plugin that writes a sitemap, in the settings and among
// the gems.
func (s *survey) jekyllSitemap(file *value) {
	const plugin = "jekyll-sitemap"
	for _, key := range [...]string{"plugins", "gems"} {
		for _, item := range file.find(key).itemsOf() {
			if item.string() == plugin {
				s.project.Sitemaps = append(s.project.Sitemaps,
					OwnSitemap{"sitemap.xml", item.place, "remove " + plugin + " from " + key + " in " + item.place.File})
				return
			}
		}
	}
	if place, found := s.line("Gemfile", plugin); found {
		s.project.Sitemaps = append(s.project.Sitemaps, OwnSitemap{"sitemap.xml", place, "remove " + plugin + " from " + place.File})
	}
}
