package generator

// zola looks for a site of Zola, whose one required setting is base_url
// (https://www.getzola.org/documentation/getting-started/configuration/).
func (s *survey) zola(forced bool) bool {
	p := s.project
	var file *value
	name := s.first("zola.toml", "config.toml")
	if name != "" {
		file = s.settings(name)
	}
	if !forced && file.find("base_url") == nil {
		return false
	}
	if file != nil {
		p.Recognised = Place{name, 0}
	} else {
		name = "config.toml"
	}
	s.folderOr("output_dir", file.find("output_dir"), "public")
	s.address("base_url", file.find("base_url"), "", nil)
	s.style("keep", "auto", Place{})
	if !file.find("generate_sitemap").isFalse() {
		p.Sitemaps = append(p.Sitemaps, OwnSitemap{"sitemap.xml", Place{}, "set generate_sitemap = false above the first table in " + name + " (Zola 0.20 or later)"})
	}
	p.Build = "zola build"
	return true
}
