package generator

// docusaurus looks for a site of Docusaurus
// (https://docusaurus.io/docs/api/docusaurus-config).
func (s *survey) docusaurus(forced bool) bool {
	p := s.project
	name := s.first("docusaurus.config.ts", "docusaurus.config.mts", "docusaurus.config.cts", "docusaurus.config.js", "docusaurus.config.mjs", "docusaurus.config.cjs")
	if name == "" && !forced {
		return false
	}
	var m *module
	var config *value
	if name != "" {
		p.Recognised = Place{name, 0}
		m = s.module(name)
		config = m.config()
	}
	s.folderOr("", nil, "build")
	s.address("url", m.find(config, "url"), "baseUrl", m.find(config, "baseUrl"))

	// https://docusaurus.io/docs/api/docusaurus-config#trailingSlash: left undefined,
	// pages are written into folders and linked to without a slash, which some hosts
	// redirect and others do not.
	switch slash := m.find(config, "trailingSlash"); {
	case slash.isTrue():
		s.style("keep", "auto", slash.place)
	case slash.isFalse():
		s.style("strip", "never", slash.place)
	default:
		p.Canonicals = true
	}
	s.docusaurusSitemap(m, config, p.configOr("docusaurus.config.js"))
	p.Build = s.script("npx docusaurus build")
	return true
}

// docusaurusSitemap finds what writes a sitemap: the preset classic, unless its option
// sitemap is false, or the plugin by itself.
func (s *survey) docusaurusSitemap(m *module, config *value, name string) {
	for _, preset := range m.find(config, "presets").itemsOf() {
		preset = m.resolve(preset)
		named, options := preset, (*value)(nil)
		if preset.is(list) && len(preset.items) > 0 {
			named = m.resolve(preset.items[0])
			if len(preset.items) > 1 {
				options = preset.items[1]
			}
		}
		if named.is(call) && len(named.items) == 1 { // require.resolve("…")
			named = named.items[0]
		}
		if n := named.string(); n != "classic" && n != "@docusaurus/preset-classic" {
			continue
		}
		if !m.find(options, "sitemap").isFalse() {
			s.project.Sitemaps = append(s.project.Sitemaps,
				OwnSitemap{"sitemap.xml", named.place, "set sitemap: false in the options of the preset classic in " + name})
		}
	}
	for _, plugin := range m.find(config, "plugins").itemsOf() {
		if plugin.has("@docusaurus/plugin-sitemap") || plugin.is(list) && len(plugin.items) > 0 && plugin.items[0].string() == "@docusaurus/plugin-sitemap" {
			s.project.Sitemaps = append(s.project.Sitemaps,
				OwnSitemap{"sitemap.xml", plugin.place, "remove @docusaurus/plugin-sitemap from plugins in " + name})
		}
	}
}
