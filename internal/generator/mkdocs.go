package generator

// mkDocs looks for documentation of MkDocs
// (https://www.mkdocs.org/user-guide/configuration/).
func (s *survey) mkDocs(forced bool) bool {
	p := s.project
	name := s.first("mkdocs.yml", "mkdocs.yaml")
	if name == "" && !forced {
		return false
	}
	var file *value
	if name != "" {
		file = s.settings(name)
		p.Recognised = Place{name, 0}
	}
	// https://www.mkdocs.org/user-guide/configuration/#configuration-inheritance
	var parent *value
	if above := within(file.find("INHERIT").string()); above != "" && printable(above) == above && s.isFile(above) {
		parent = s.settings(above)
	}
	find := func(key string) *value {
		if v := file.find(key); v != nil {
			return v
		}
		return parent.find(key)
	}
	s.folderOr("site_dir", find("site_dir"), "site")
	s.address("site_url", find("site_url"), "", nil)
	folders := find("use_directory_urls")
	s.style("keep", "auto", folders.placeOr(Place{}))
	p.Style.NamesIndex = folders.isFalse()
	p.Sitemaps = append(p.Sitemaps, OwnSitemap{"sitemap.xml", Place{},
		"set custom_dir below theme in " + p.configOr("mkdocs.yml") + ", with an empty sitemap.xml in that folder"})
	theme := find("theme")
	if theme.string() == "readthedocs" || theme.find("name").string() == "readthedocs" {
		p.Exclusions = append(p.Exclusions, Exclusion{"search.html", "the page of results of a search", false})
	}
	p.Build = "mkdocs build"
	return true
}
