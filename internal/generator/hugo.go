package generator

import (
	"slices"
	"strings"
)

// hugoNames are the files of Hugo's settings; the first that is there is read
// (https://gohugo.io/configuration/introduction/).
var hugoNames = []string{
	"hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json",
	"config.toml", "config.yaml", "config.yml", "config.json",
	"config/_default/hugo.toml", "config/_default/hugo.yaml", "config/_default/hugo.yml", "config/_default/hugo.json",
	"config/_default/config.toml", "config/_default/config.yaml", "config/_default/config.yml", "config/_default/config.json",
}

// hugoKeys are settings of which a file named config.* must have one to be Hugo's:
// other programs have files of that name.
var hugoKeys = []string{"baseurl", "languagecode", "locale", "theme", "publishdir", "disablekinds", "defaultcontentlanguage", "markup"}

func (s *survey) hugo(forced bool) bool {
	files := s.hugoFiles()
	if len(files) == 0 && !forced {
		return false
	}
	p := s.project
	// Settings may be spread over several files: one says what the ones before do not.
	find := func(keys ...string) *value {
		for _, file := range files {
			if v := file.find(keys...); v != nil {
				return v
			}
		}
		return nil
	}
	config := "hugo.toml"
	if len(files) > 0 {
		p.Recognised = Place{files[0].place.File, 0}
		config = files[0].place.File
	}
	s.folderOr("publishDir", find("publishdir"), "public")
	s.address("baseURL", find("baseurl"), "", nil)

	// With uglyURLs pages are page.html, and lists dir/index.html, also in links.
	ugly := find("uglyurls")
	s.style("keep", "auto", ugly.placeOr(Place{}))
	p.Style.NamesIndex = ugly.isTrue()
	if kinds := find("disablekinds"); !kinds.has("sitemap") {
		p.Sitemaps = append(p.Sitemaps, OwnSitemap{"sitemap.xml", Place{}, "set " + hugoDisable(config, kinds) + " in " + config})
	}
	p.Exclusions = append(p.Exclusions, Exclusion{"**/page/[0-9]*/**", "the later pages of lists, which Hugo's own sitemap leaves out", true})
	p.Build = "hugo"
	return true
}

// hugoDisable says, in the format of a file, how Hugo is told to write no sitemap.
func hugoDisable(name string, kinds *value) string {
	all := ""
	for _, kind := range slices.Concat(kinds.itemsOf(), []*value{{kind: text, text: "sitemap"}}) {
		if s := kind.string(); s != "" && s == printable(s) && !strings.ContainsAny(s, `"\`) {
			if all != "" {
				all += ", "
			}
			all += `"` + s + `"`
		}
	}
	switch {
	case strings.HasSuffix(name, ".toml"):
		return "disableKinds = [" + all + "] above the first table"
	case strings.HasSuffix(name, ".json"):
		return `"disableKinds": [` + all + "]"
	}
	return "disableKinds: [" + all + "]"
}

// hugoFiles reads Hugo's settings, with all keys in lower case: the file in the
// project's folder, then that in config/_default. Those of themes do not count, nor
// those of other environments.
func (s *survey) hugoFiles() []*value {
	var files []*value
	inFolder := map[bool]bool{}
	for _, name := range hugoNames {
		inDefault := strings.Contains(name, "/")
		if inFolder[inDefault] || !s.isFile(name) {
			continue
		}
		sure := strings.Contains(name, "hugo.") || inDefault
		notes := len(s.project.Notes)
		file := s.settings(name).folded()
		isHugo := sure
		for _, key := range hugoKeys {
			isHugo = isHugo || file.find(key) != nil
		}
		if !isHugo || file.find("base_url") != nil && !sure { // Zola's
			s.project.Notes = s.project.Notes[:notes]
			continue
		}
		if file == nil {
			file = &value{kind: table, place: Place{name, 0}}
		}
		inFolder[inDefault] = true
		files = append(files, file)
	}
	return files
}
