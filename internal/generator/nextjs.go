package generator

import "strings"

// nextJS looks for a site of Next.js that is exported
// (https://nextjs.org/docs/app/guides/static-exports).
func (s *survey) nextJS(forced bool) bool {
	p := s.project
	name := s.first("next.config.js", "next.config.mjs", "next.config.ts", "next.config.mts", "next.config.cjs")
	place, depends := s.dependsOn("next")
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
	output := m.find(config, "output")
	older := strings.Contains(s.packages.find("scripts", "build").string(), "next export")
	switch {
	case output.string() == "export":
		s.mayDiffer("output", output)
	case output.isCode():
		s.computed("output", output)
	case !older:
		s.note(NoteNotStatic, p.Recognised, "%s does not say output: 'export', so that next build writes no static site; "+
			"say it, or name the folder that is served with --docroot", p.configOr("next.config.js"))
	}
	s.folderOr("distDir", m.find(config, "distDir"), "out")
	s.address("metadataBase", s.metadataBase(), "basePath", m.find(config, "basePath"))
	switch slash := m.find(config, "trailingSlash"); {
	case slash.isCode():
		s.computed("trailingSlash", slash)
		p.Canonicals = true
	case slash.isTrue():
		s.style("keep", "auto", slash.place)
	default:
		s.style("strip", "never", slash.placeOr(Place{}))
	}
	s.nextSitemap()
	p.Build = s.script("npx next build")
	return true
}

// metadataBase returns the site's URL from the metadata of the top layout, if that says
// it (https://nextjs.org/docs/app/api-reference/functions/generate-metadata#metadatabase).
func (s *survey) metadataBase() *value {
	name := s.first("src/app/layout.tsx", "src/app/layout.jsx", "src/app/layout.ts", "src/app/layout.js",
		"app/layout.tsx", "app/layout.jsx", "app/layout.ts", "app/layout.js")
	if name == "" {
		return nil
	}
	m := s.module(name)
	if m == nil {
		return nil
	}
	return m.find(m.exported("metadata"), "metadataBase")
}

// nextSitemap looks for the file that Next.js makes a sitemap of, and for the package
// next-sitemap.
func (s *survey) nextSitemap() {
	var names []string
	for _, folder := range [...]string{"src/app/", "app/"} {
		for _, name := range [...]string{"sitemap.ts", "sitemap.js", "sitemap.tsx", "sitemap.xml"} {
			names = append(names, folder+name)
		}
	}
	if name := s.first(names...); name != "" {
		s.project.Sitemaps = append(s.project.Sitemaps, OwnSitemap{"sitemap.xml", Place{name, 0}, "remove " + name})
	}
	if place, found := s.dependsOn("next-sitemap"); found {
		s.project.Sitemaps = append(s.project.Sitemaps, OwnSitemap{"sitemap.xml", place, "remove next-sitemap from the scripts of package.json"})
	}
}
