package mapper

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"sitewalk/internal/strictyaml"
)

// Preset names what serves the docroot, or has built it: then [URLs.Index],
// [URLs.Extension] and [URLs.Slash] are as it has them, unless they are set too.
type Preset string

// The values of [URLs.Preset].
const (
	PresetNone            Preset = ""
	PresetHugo            Preset = "hugo"
	PresetGitHubPages     Preset = "github-pages"
	PresetNetlify         Preset = "netlify"
	PresetCloudflarePages Preset = "cloudflare-pages"
	PresetNginx           Preset = "nginx"
	PresetApache          Preset = "apache"
	// PresetAuto has the pages' own canonicals say it. Package mapper, which opens no
	// file, takes it for PresetNone: a [Survey] finds out what it stands for.
	PresetAuto Preset = "auto"
)

// presetNames are the values of urls.preset, in the order in which people are told
// of them.
var presetNames = []string{
	string(PresetAuto), string(PresetHugo), string(PresetGitHubPages), string(PresetNetlify),
	string(PresetCloudflarePages), string(PresetNginx), string(PresetApache),
}

// UnmarshalYAML takes a preset's name, or empty text for none.
func (p *Preset) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode && node.Value == "" {
		*p = PresetNone
		return nil
	}
	return strictyaml.OneOf(node, (*string)(p), presetNames...)
}

// A serving is how a host serves files: the URLs that answer at once, and do not
// send visitors on to another.
type serving struct {
	index     []string // shown for their folders; nil for what [URLs.Index] is by default
	extension Extension
	stripped  []string // the extensions that fall away, with ExtensionStrip
	slash     Slash
}

// onlyIndexHTML is all that hosts agree on. Where one shows more for a folder,
// index.htm answers under its own name too.
var onlyIndexHTML = []string{"index.html"}

// servings are the presets. All hosts show a folder under a URL with a slash, and
// send visitors there who ask for it without.
//
// What hosts do with a page.html, a folder and the two together was measured for all
// of them that need no server of one's own, in
// https://github.com/slorber/trailing-slash-guide.
var servings = map[Preset]serving{
	// Pages are folders with an index.html, and the server is another's business;
	// with uglyURLs, canonicals say more than this could: PresetAuto asks them.
	// https://gohugo.io/configuration/ugly-urls/
	PresetHugo: {extension: ExtensionKeep, slash: SlashAuto},

	// Both /page.html and /page answer, and neither leads to the other. The name with
	// its extension does the least harm: it is what Jekyll, which GitHub runs, calls
	// pages by default, in its canonicals and sitemaps too; and it means the same file
	// on any other server. Of page.htm there is no other name.
	// https://jekyllrb.com/docs/permalinks/#extensionless-permalinks
	// https://github.com/isaacs/github/issues/1628
	PresetGitHubPages: {index: onlyIndexHTML, extension: ExtensionKeep, slash: SlashAuto},

	// Both /page.html and /page answer. Pretty URLs, which are on unless they are
	// switched off, rewrite the links on pages to the latter, and send /page/ there.
	// https://answers.netlify.com/t/pretty-urls-url-routing-and-trailing-slashes/29261
	// That .htm is treated alike, but nothing else, is said in
	// https://github.com/netlify/netlify-dev-plugin/pull/70
	PresetNetlify: {
		index:     []string{"index.html", "index.htm"},
		extension: ExtensionStrip, stripped: []string{".html", ".htm"}, slash: SlashAuto,
	},

	// /page.html is sent to /page, and /dir/index.html to /dir/; .htm is an extension
	// like any other.
	// https://developers.cloudflare.com/pages/configuration/serving-pages/#route-matching
	// https://github.com/cloudflare/workers-sdk/blob/main/packages/pages-shared/asset-server/handler.ts
	PresetCloudflarePages: {
		index: onlyIndexHTML, extension: ExtensionStrip, stripped: []string{".html"}, slash: SlashAuto,
	},

	// Files have the names that they have on disk, unless try_files says otherwise;
	// index is index.html by default, and a folder's name is completed by a redirect.
	// https://nginx.org/en/docs/http/ngx_http_index_module.html
	PresetNginx: {index: onlyIndexHTML, extension: ExtensionKeep, slash: SlashAuto},

	// Likewise, unless MultiViews or mod_rewrite say otherwise: DirectoryIndex is
	// index.html by default, and DirectorySlash is on.
	// https://httpd.apache.org/docs/2.4/mod/mod_dir.html
	PresetApache: {index: onlyIndexHTML, extension: ExtensionKeep, slash: SlashAuto},
}

// presetKeys are keys of urls on which a preset has a say.
type presetKeys struct{ index, extension, slash bool }

// NoteKeys takes the keys of urls that a configuration file sets, as package
// strictyaml tells them: a preset leaves those alone, also where they are set to what
// is the default. Where the URLs were set before, as by what a file's entry inherits
// from, the nearer word counts: a preset takes the place of all that they said.
func (u *URLs) NoteKeys(keys []string) {
	sets := presetKeys{slices.Contains(keys, "index"), slices.Contains(keys, "extension"), slices.Contains(keys, "slash")}
	if slices.Contains(keys, "preset") {
		defaults := DefaultConfig().URLs
		if !sets.index {
			u.Index = defaults.Index
		}
		if !sets.extension {
			u.Extension = defaults.Extension
		}
		if !sets.slash {
			u.Slash = defaults.Slash
		}
		u.set = presetKeys{}
	}
	if u.Preset != PresetNone {
		u.set.index = u.set.index || sets.index
		u.set.extension = u.set.extension || sets.extension
		u.set.slash = u.set.slash || sets.slash
	}
}

// own returns the keys that are set apart from the preset: by a file, or to another
// value than the default.
func (u *URLs) own() presetKeys {
	return presetKeys{
		index:     u.set.index || !slices.Equal(u.Index, defaultIndex),
		extension: u.set.extension || u.Extension != ExtensionKeep,
		slash:     u.set.slash || u.Slash != SlashAuto,
	}
}

// Resolve returns the URLs without a preset: with its values where they do not set
// their own. For PresetAuto these are the defaults.
func (u URLs) Resolve() URLs {
	host, known := servings[u.Preset]
	own := u.own()
	u.Preset, u.set = PresetNone, presetKeys{}
	if !known {
		return u
	}
	if !own.index && host.index != nil {
		u.Index = slices.Clone(host.index)
	}
	if !own.extension {
		u.Extension, u.stripped = host.extension, host.stripped
	}
	if !own.slash {
		u.Slash = host.slash
	}
	return u
}

// checkPreset refuses a preset that there is none of, as a program may set it.
func (u *URLs) checkPreset() error {
	if u.Preset == PresetNone || slices.Contains(presetNames, string(u.Preset)) {
		return nil
	}
	return &ConfigError{"urls.preset", "is no preset that there is", "they are " + strings.Join(presetNames, ", ")}
}
