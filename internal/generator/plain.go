package generator

import (
	"path"
	"slices"
	"strings"
)

// docroots are the folders that servers and hosts serve, and builds write to.
var docroots = []string{".", "public", "www", "htdocs", "public_html", "html", "site", "docs", "dist", "build", "_site", "out"}

// plain looks for pages that lie there as they are served.
func (s *survey) plain(forced bool) bool {
	p := s.project
	docroot := Setting{Value: s.given.Docroot, Given: s.given.Docroot != ""}
	if !docroot.Given {
		docroot = s.publishFolder()
	}
	for _, folder := range docroots {
		if docroot.Value == "" && s.indexOf(folder) != "" {
			docroot.Value = folder
		}
	}
	for _, folder := range docroots {
		if docroot.Value == "" && slices.ContainsFunc(s.list(folder), isPage) {
			docroot.Value = folder
		}
	}
	if docroot.Value == "" {
		if !forced {
			return false
		}
		docroot.Value = "."
	}
	p.Docroot = docroot
	s.address("", nil, "", nil)
	if name := s.indexOf(within(docroot.Value)); name != "" {
		p.Recognised = Place{name, 0}
		if data, err := s.read(name); err == nil {
			canonical, _ := pageURLs(string(data[:min(len(data), maxHead)]))
			p.Canonicals = canonical.text != ""
		}
	}
	return true
}

func isPage(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm", ".xhtml":
		return true
	}
	return false
}

// indexOf returns the index file of a folder, or "".
func (s *survey) indexOf(folder string) string {
	if folder == "" { // outside of the project's
		return ""
	}
	return s.first(path.Join(folder, "index.html"), path.Join(folder, "index.htm"), path.Join(folder, "index.xhtml"))
}

// publishFolder returns the folder that the settings of a host name, if it has pages.
func (s *survey) publishFolder() Setting {
	for _, setting := range []struct {
		file string
		keys []string
	}{
		{"netlify.toml", []string{"build", "publish"}}, // https://docs.netlify.com/configure-builds/file-based-configuration/
		{"wrangler.toml", []string{"pages_build_output_dir"}},
		{"wrangler.jsonc", []string{"pages_build_output_dir"}}, // https://developers.cloudflare.com/pages/functions/wrangler-configuration/
		{"wrangler.json", []string{"pages_build_output_dir"}},
		{"vercel.json", []string{"outputDirectory"}}, // https://vercel.com/docs/project-configuration
	} {
		if !s.isFile(setting.file) {
			continue
		}
		v := s.settings(setting.file).find(setting.keys...)
		if folder := within(v.string()); v.string() != "" && folder != "" && s.indexOf(folder) != "" {
			return Setting{Value: folder, Place: v.place}
		}
	}
	return Setting{}
}
