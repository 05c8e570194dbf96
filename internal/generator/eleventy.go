package generator

import (
	"path"
	"strings"
)

// eleventy looks for a site of Eleventy (https://www.11ty.dev/docs/config/).
func (s *survey) eleventy(forced bool) bool {
	p := s.project
	name := s.first(".eleventy.js", "eleventy.config.js", "eleventy.config.mjs", "eleventy.config.cjs", "eleventy.config.ts")
	place, depends := s.dependsOn("@11ty/eleventy")
	if name == "" && !depends && !forced {
		return false
	}
	p.Recognised = place
	var m *module
	if name != "" {
		p.Recognised = Place{name, 0}
		m = s.module(name)
	}
	// The configuration is what the default export returns, and the export named config;
	// the methods of what it is given override both.
	find := func(method string, keys ...string) *value {
		if m == nil {
			return nil
		}
		if method != "" {
			if v := m.calledWith(method); v != nil {
				return v
			}
		}
		for _, config := range [...]*value{m.exported("config"), m.resolve(m.exported(""))} {
			if v := m.find(config, keys...); v != nil && config != nil {
				return v
			}
		}
		return nil
	}
	s.folderOr("dir.output", find("setOutputDirectory", "dir", "output"), "_site")
	input := folderOf(find("setInputDirectory", "dir", "input"), ".")
	data := path.Join(input, folderOf(find("setDataDirectory", "dir", "data"), "_data"))
	site, key := s.eleventyData(within(data))
	s.address(key, site, "pathPrefix", find("", "pathPrefix"))
	s.style("keep", "auto", Place{})
	p.Sitemaps = append(p.Sitemaps, s.templates(within(input))...)
	p.Build = s.script("npx @11ty/eleventy")
	return true
}

// folderOf returns the folder that a setting names, or another.
func folderOf(v *value, otherwise string) string {
	if v.string() == "" {
		return otherwise
	}
	return v.string()
}

// Where sites keep their URL in the global data (https://www.11ty.dev/docs/data-global/):
// the documentation's own name comes first.
var (
	dataNames      = []string{"metadata", "site", "meta", "config"}
	dataExtensions = []string{".js", ".json", ".cjs", ".mjs"}
	dataKeys       = []string{"url", "baseUrl", "baseURL", "siteUrl", "siteURL"}
)

// eleventyData returns the site's URL from the global data, and the name of its key.
func (s *survey) eleventyData(folder string) (site *value, key string) {
	if folder == "" {
		return nil, ""
	}
	for _, base := range dataNames {
		for _, extension := range dataExtensions {
			name := path.Join(folder, base+extension)
			if !s.isFile(name) {
				continue
			}
			find := s.dataOf(name)
			for _, key := range dataKeys {
				if v := find(key); v != nil && (v.isCode() || strings.HasPrefix(v.string(), "http")) {
					return v, key
				}
			}
		}
	}
	return nil, ""
}

// dataOf returns what looks a key up in a file of data.
func (s *survey) dataOf(name string) func(key string) *value {
	if path.Ext(name) == ".json" {
		v := s.settings(name)
		return func(key string) *value { return v.find(key) }
	}
	m := s.module(name)
	if m == nil {
		return func(string) *value { return nil }
	}
	config := m.config()
	return func(key string) *value { return m.find(config, key) }
}

// templates returns the sitemaps that templates in a folder write, by their names.
func (s *survey) templates(folder string) []OwnSitemap {
	if folder == "" {
		return nil
	}
	for _, name := range s.list(folder) {
		if strings.HasPrefix(name, "sitemap.") {
			name = path.Join(folder, name)
			return []OwnSitemap{{"sitemap.xml", Place{name, 0}, "remove " + name}}
		}
	}
	return nil
}
