package generator

import "net/url"

// astro looks for a site of Astro
// (https://docs.astro.build/reference/configuration-reference/).
func (s *survey) astro(forced bool) bool {
	p := s.project
	name := s.first("astro.config.mjs", "astro.config.js", "astro.config.ts", "astro.config.mts", "astro.config.cjs", "astro.config.cts")
	place, depends := s.dependsOn("astro")
	if name == "" && !depends && !forced {
		return false
	}
	p.Recognised = place
	var m *module
	var config *value
	if name != "" {
		p.Recognised = Place{name, 0}
		m = s.module(name)
		config = m.config()
	}
	if output := m.find(config, "output"); output.string() == "server" {
		s.note(NoteNotStatic, output.place, "output in %s is server: Astro then makes pages on demand; "+
			"if it is to list those that are prerendered, name their folder with --docroot dist/client", output.place)
	}
	s.folderOr("outDir", m.find(config, "outDir"), "dist")
	s.address("site", originOf(m.find(config, "site")), "base", m.find(config, "base"))

	slash, format := m.find(config, "trailingSlash"), m.find(config, "build", "format")
	switch {
	case slash.isCode() || format.isCode() || format.string() == "preserve":
		p.Canonicals = true
	case slash.string() == "never":
		s.style("strip", "never", slash.place)
	case format.string() == "file" && slash.string() == "always":
		s.style("strip", "always", format.place)
	case format.string() == "file":
		s.style("strip", "never", format.place)
	default: // a folder for each page
		s.style("keep", "auto", slash.placeOr(Place{}))
	}
	for _, integration := range m.find(config, "integrations").itemsOf() {
		if integration.is(call) && m.imports[integration.text] == "@astrojs/sitemap" {
			p.Sitemaps = append(p.Sitemaps, OwnSitemap{"sitemap-index.xml", integration.place,
				"remove " + integration.text + "() from integrations in " + integration.place.File})
		}
	}
	p.Build = s.script("npx astro build")
	return true
}

// originOf returns a URL without its path, which Astro resolves base against, and so
// drops.
func originOf(site *value) *value {
	u, err := url.Parse(site.string())
	if err != nil || u.Host == "" {
		return site
	}
	u.Path, u.RawPath = "/", ""
	origin := *site
	origin.text = u.String()
	return &origin
}
