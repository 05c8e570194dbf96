package generator

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// project makes a folder with some files, by their names.
func project(t *testing.T, files map[string]string) *os.Root {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return open(t, folder)
}

func open(t *testing.T, folder string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func recognise(t *testing.T, root *os.Root, options Options) *Project {
	t.Helper()
	found, err := Recognise(root, options)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// codes returns the codes of a project's notes, sorted.
func codes(p *Project) string {
	var codes []string
	for _, note := range p.Notes {
		codes = append(codes, note.Code)
	}
	slices.Sort(codes)
	return strings.Join(slices.Compact(codes), " ")
}

// sum says in one line what was found.
func sum(p *Project) string {
	words := []string{
		string(p.Generator) + "@" + p.Recognised.String(),
		p.BaseURL.Value + "@" + p.BaseURL.Place.String(),
		p.Docroot.Value + "@" + p.Docroot.Place.String(),
	}
	switch {
	case p.Style != nil:
		style := p.Style.Extension + "/" + p.Style.Slash
		if p.Style.NamesIndex {
			style += "/index"
		}
		words = append(words, style+"@"+p.StylePlace.String())
	case p.Canonicals:
		words = append(words, "canonicals")
	}
	if p.Host != "" {
		words = append(words, "host:"+p.Host+"@"+p.HostPlace.String())
	}
	for _, own := range p.Sitemaps {
		words = append(words, "sitemap:"+own.File+"@"+own.Place.String())
	}
	if p.Build != "" {
		words = append(words, "build:"+p.Build)
	}
	if notes := codes(p); notes != "" {
		words = append(words, "notes:"+notes)
	}
	return strings.Join(words, "\n")
}

func TestStartersAreRecognised(t *testing.T) {
	folder := filepath.Join("..", "..", "testdata", "generators")
	for name, want := range map[string]string{
		"hugo": "hugo@hugo.toml\nhttps://example.org/@hugo.toml:1\npublic@\nkeep/auto@\nsitemap:sitemap.xml@\n" +
			"build:hugo\nnotes:base-url-example",
		"zola": "zola@zola.toml\nhttps://example.com/@zola.toml:2\npublic@\nkeep/auto@\nsitemap:sitemap.xml@\n" +
			"build:zola build\nnotes:base-url-example",
		"docusaurus": "docusaurus@docusaurus.config.js\nhttps://your-docusaurus-site.example.com/@docusaurus.config.js:13\n" +
			"build@\ncanonicals\nsitemap:sitemap.xml@docusaurus.config.js:20\nbuild:npm run build\nnotes:base-url-example",
		"astro": "astro@astro.config.mjs\nhttps://example.com/@astro.config.mjs:9\ndist@\nkeep/auto@\n" +
			"sitemap:sitemap-index.xml@astro.config.mjs:10\nbuild:npm run build\nnotes:base-url-example",
		"eleventy": "eleventy@eleventy.config.js\nhttps://example.com/@_data/metadata.js:3\n_site@eleventy.config.js:15\n" +
			"keep/auto@\nsitemap:sitemap.xml@content/sitemap.xml.njk\nbuild:npm run build\nnotes:base-url-example",
		"sveltekit": "sveltekit@vite.config.ts\n@\nbuild@\nstrip/never@\nbuild:npm run build\nnotes:base-url-unknown",
		"nextjs":    "nextjs@next.config.ts\n@\nout@\nstrip/never@\nbuild:npm run build\nnotes:base-url-unknown",
		"mkdocs":    "mkdocs@mkdocs.yml\n@\nsite@\nkeep/auto@\nsitemap:sitemap.xml@\nbuild:mkdocs build\nnotes:base-url-unknown",
		"jekyll":    "jekyll@_config.yml\n@\n_site@\nkeep/auto@\nbuild:bundle exec jekyll build\nnotes:base-url-unknown",
		"html":      "html@index.html\nhttps://bakery.example/@index.html:5\n.@\ncanonicals\nnotes:base-url-example",
	} {
		t.Run(name, func(t *testing.T) {
			found := recognise(t, open(t, filepath.Join(folder, name)), Options{})
			if got := sum(found); got != want {
				t.Errorf("found\n%s\nwant\n%s", got, want)
			}
			if len(found.Also) > 0 {
				t.Errorf("also recognised %v", found.Also)
			}
		})
	}
}

func TestSettingsAreRead(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  string // the lines that the sum of what is found must have
	}{
		"Hugo, YAML, keys in any case": {
			map[string]string{"hugo.yaml": "title: x\nBaseURL: https://a.dev/blog\npublishdir: ../www\nuglyurls: true\ndisablekinds: [taxonomy, sitemap]\n"},
			"https://a.dev/blog/@hugo.yaml:2\n../www@hugo.yaml:3\nkeep/auto/index@hugo.yaml:4\nbuild:hugo",
		},
		"Hugo, JSON": {
			map[string]string{"config.json": "{\n\"baseURL\": \"https:\\/\\/a.dev\\/\",\n\"publishDir\": \"build\"}"},
			"hugo@config.json\nhttps://a.dev/@config.json:2\nbuild@config.json:3",
		},
		"Hugo, a folder of settings": {
			map[string]string{
				"config/_default/hugo.toml":  "publishDir = \"out\"\n[params]\nbaseURL = \"https://no.dev/\"\n",
				"config.toml":                "theme = \"x\"\nbaseURL = \"https://a.dev/\"\n",
				"themes/x/hugo.toml":         "baseURL = \"https://theme.dev/\"\n",
				"config/production/hugo.yml": "baseURL: https://production.dev/\n",
			},
			"hugo@config.toml\nhttps://a.dev/@config.toml:2\nout@config/_default/hugo.toml:1",
		},
		"Hugo, no host": {
			map[string]string{"hugo.toml": "baseURL = \"/\"\n"},
			"@\nnotes:base-url-unknown base-url-unusable",
		},
		"Hugo, broken": {
			map[string]string{"hugo.toml": "baseURL = \"https://a.dev/\n"},
			"hugo@hugo.toml\npublic@\nnotes:base-url-unknown settings-unreadable",
		},
		"config.toml of another program": {
			map[string]string{"config.toml": "[server]\nport = 80\n", "public/index.html": "<title>x</title>"},
			"html@public/index.html\npublic@",
		},
		"Zola, all settings": {
			map[string]string{"config.toml": "title = \"x\"\nbase_url = \"https://a.dev/z\"\noutput_dir = 'docs'\ngenerate_sitemap = false\n"},
			"zola@config.toml\nhttps://a.dev/z/@config.toml:2\ndocs@config.toml:3\nbuild:zola build",
		},
		"Jekyll, path and folder": {
			map[string]string{"_config.yml": "url: https://a.dev\nbaseurl: blog\ndestination: ./docs\npermalink: pretty\ngems: [jekyll-sitemap]\n", "CNAME": "b.dev\n"},
			"https://a.dev/blog/@_config.yml:1\n./docs@_config.yml:3\nkeep/auto@_config.yml:4\nhost:github-pages@CNAME\nsitemap:sitemap.xml@_config.yml:5\nbuild:jekyll build",
		},
		"Jekyll, permalinks without an ending": {
			map[string]string{"_config.yml": "url: https://a.dev\npermalink: /:title\n"},
			"canonicals\nbuild:jekyll build",
		},
		"Jekyll, gems": {
			map[string]string{"_config.yml": "title: x\n", "Gemfile": "gem \"github-pages\", group: :jekyll_plugins\ngem 'jekyll-sitemap'\n", "CNAME": "www.a.dev\n"},
			"https://www.a.dev/@CNAME:1\nsitemap:sitemap.xml@Gemfile:2\nbuild:bundle exec jekyll build",
		},
		"MkDocs, tags of Python": {
			map[string]string{"mkdocs.yml": "site_name: x\nmarkdown_extensions:\n  - emoji: {index: !!python/name:material.emoji.twemoji }\nsite_url: !ENV [SITE, 'https://a.dev/docs/']\nsite_dir: html\nuse_directory_urls: false\n"},
			"https://a.dev/docs/@mkdocs.yml:4\nhtml@mkdocs.yml:5\nkeep/auto/index@mkdocs.yml:6\nnotes:not-literal",
		},
		"MkDocs, inherited": {
			map[string]string{"mkdocs.yml": "INHERIT: base/mkdocs.yml\nsite_name: x\n", "base/mkdocs.yml": "site_url: https://a.dev/\n"},
			"mkdocs@mkdocs.yml\nhttps://a.dev/@base/mkdocs.yml:1",
		},
		"Eleventy, CommonJS, a function's last return": {
			map[string]string{".eleventy.js": "const html = require('x');\nmodule.exports = function (config) {\n  config.addFilter('f', (v) => { return { dir: { output: 'no' } } });\n" +
				"  if (config.early) { return { dir: { output: 'early' } }; }\n  return {\n    pathPrefix: '/blog/',\n    dir: { output: 'dist' },\n  };\n};\n", "_data/site.json": "{\"url\": \"https://a.dev\"}"},
			"eleventy@.eleventy.js\nhttps://a.dev/blog/@_data/site.json:1\ndist@.eleventy.js:7",
		},
		"Eleventy, methods": {
			map[string]string{"eleventy.config.mjs": "export default (config) => {\n  config.setInputDirectory('src');\n  config.setOutputDirectory(\"www\");\n};\n", "src/_data/meta.json": "{\"siteUrl\":\"https://a.dev/\"}", "src/sitemap.njk": ""},
			"https://a.dev/@src/_data/meta.json:1\nwww@eleventy.config.mjs:3\nsitemap:sitemap.xml@src/sitemap.njk",
		},
		"Eleventy, computed folder": {
			map[string]string{"eleventy.config.js": "module.exports = () => ({ dir: { output: process.env.OUT } });\n"},
			"_site@\nnotes:base-url-unknown not-literal",
		},
		"Eleventy, only a dependency": {
			map[string]string{"package.json": "{\n\"devDependencies\": {\n\"@11ty/eleventy\": \"3\"}}", "pnpm-lock.yaml": ""},
			"eleventy@package.json:3\n_site@\nbuild:npx @11ty/eleventy",
		},
		"Astro, all settings": {
			map[string]string{"astro.config.ts": "import { defineConfig } from 'astro/config';\nconst SITE = 'https://a.dev/ignored';\nexport default defineConfig({\n  site: SITE,\n  base: '/docs',\n  outDir: './out',\n  trailingSlash: 'never',\n  build: { format: 'file' },\n} satisfies Config);\n"},
			"astro@astro.config.ts\nhttps://a.dev/docs/@astro.config.ts:4\n./out@astro.config.ts:6\nstrip/never@astro.config.ts:7",
		},
		"Astro, from the environment": {
			map[string]string{"astro.config.mjs": "export default {\n  site: process.env.SITE || \"https://a.dev\",\n  base: process.env.BASE,\n}"},
			"https://a.dev/@astro.config.mjs:2\nnotes:not-literal",
		},
		"Astro, a site from elsewhere": {
			map[string]string{"astro.config.mjs": "import { SITE } from './consts';\nexport default { site: SITE.url };\n", "package.json": "{\"homepage\": \"https://a.dev/x\"}"},
			"https://a.dev/x/@package.json:1\ndist@\nnotes:not-literal",
		},
		"Docusaurus, TypeScript": {
			map[string]string{"docusaurus.config.ts": "import type {Config} from '@docusaurus/types';\nconst config: Config = {\n  url: 'https://a.dev',\n  baseUrl: '/docs/',\n  trailingSlash: false,\n  presets: [['classic', { sitemap: false } satisfies Preset.Options]],\n};\nexport default config;\n", "yarn.lock": "", "package.json": "{\"scripts\":{\"build\":\"docusaurus build\"}}"},
			"https://a.dev/docs/@docusaurus.config.ts:3\nbuild@\nstrip/never@docusaurus.config.ts:5\nbuild:yarn run build",
		},
		"Docusaurus, an async function": {
			map[string]string{"docusaurus.config.js": "module.exports = async function createConfig() {\n  const x = (await import('x')).default;\n  return {\n    url: 'https://a.dev', baseUrl: '/', trailingSlash: true,\n    presets: [[require.resolve('@docusaurus/preset-classic'), {}]],\n  };\n};\n"},
			"https://a.dev/@docusaurus.config.js:4\nkeep/auto@docusaurus.config.js:4\nsitemap:sitemap.xml@docusaurus.config.js:5",
		},
		"Next.js, wrapped, with a path": {
			map[string]string{"next.config.mjs": "import createMDX from '@next/mdx'\n\nconst withMDX = createMDX({ extension: /\\.mdx?$/ })\n\n/** @type {import('next').NextConfig} */\nconst nextConfig = {\n  output: 'export',\n  basePath: '/app',\n  distDir: 'site',\n  trailingSlash: true,\n}\n\nexport default withMDX(nextConfig)\n",
				"app/layout.tsx": "export const metadata: Metadata = {\n  metadataBase: new URL('https://a.dev'),\n}\nexport default function Layout({ children }) { return <p>Don't {children}</p> }\n", "app/sitemap.ts": ""},
			"https://a.dev/app/@app/layout.tsx:2\nsite@next.config.mjs:9\nkeep/auto@next.config.mjs:10\nsitemap:sitemap.xml@app/sitemap.ts",
		},
		"Next.js, exported by its script": {
			map[string]string{"package.json": "{\"dependencies\":{\"next\":\"12\"},\"scripts\":{\"build\":\"next build && next export\"}}", "CNAME": "a.dev"},
			"nextjs@package.json:1\nhttps://a.dev/@CNAME:1\nout@\nhost:github-pages@CNAME",
		},
		"SvelteKit, svelte.config.js": {
			map[string]string{"svelte.config.js": "import adapter from '@sveltejs/adapter-static';\nconst config = {\n  kit: {\n    adapter: adapter({ pages: 'www', fallback: '200.html' }),\n    paths: { base: '/kit' },\n    prerender: { origin: 'https://a.dev' },\n  },\n};\nexport default config;\n",
				"src/routes/+layout.ts": "export const prerender = true;\nexport const trailingSlash = 'always';\n", "src/routes/sitemap.xml/+server.ts": ""},
			"https://a.dev/kit/@svelte.config.js:6\nwww@svelte.config.js:4\nkeep/auto@src/routes/+layout.ts:2\nsitemap:sitemap.xml@src/routes/sitemap.xml/+server.ts",
		},
		"HTML, a folder that a host names": {
			map[string]string{"netlify.toml": "[build]\n  publish = \"web/\"\n", "web/index.html": "<meta property=og:url content='https://a.dev/index.html'>", "public/index.html": ""},
			"html@web/index.html\nhttps://a.dev/@web/index.html:1\nweb@netlify.toml:2\nhost:netlify@netlify.toml",
		},
		"HTML, pages without an index": {
			map[string]string{"docs/about.html": "", ".htaccess": "", "docs/CNAME": " a.dev \n"},
			"html@\nhttps://a.dev/@docs/CNAME:1\ndocs@",
		},
		"hosts that contradict each other": {
			map[string]string{"index.html": "", "netlify.toml": "", "wrangler.toml": ""},
			"html@index.html\n.@\nnotes:base-url-unknown",
		},
		"a host without a preset": {
			map[string]string{"index.html": "", "vercel.json": "{}"},
			"html@index.html\nnotes:base-url-unknown",
		},
		"a workflow": {
			map[string]string{"index.html": "", ".github/workflows/a.yml": "jobs:\n# uses: actions/deploy-pages@v3\n", ".github/workflows/b.yml": "jobs:\n  - uses: actions/deploy-pages@v4\n"},
			"host:github-pages@.github/workflows/b.yml:2",
		},
		"a canonical goes before the homepage": {
			map[string]string{"index.html": "<head>\n<link href=/ rel=icon><LINK REL='x Canonical' HREF=https://c.dev/>", "package.json": "{\"homepage\":\"https://h.dev\"}"},
			"https://c.dev/@index.html:2\ncanonicals",
		},
		"a canonical in the body is none": {
			map[string]string{"index.html": "<body><link rel=canonical href=https://c.dev/>", "package.json": "{\"homepage\":\"https://github.com/a/b#readme\"}"},
			"@\nnotes:base-url-unknown",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := sum(recognise(t, project(t, test.files), Options{}))
			for _, line := range strings.Split(test.want, "\n") {
				if !slices.Contains(strings.Split(got, "\n"), line) {
					t.Errorf("found\n%s\nwithout\n%s", got, line)
				}
			}
		})
	}
}

func TestFirstOfSeveralGeneratorsIsChosenAndTheOthersNamed(t *testing.T) {
	files := map[string]string{
		"mkdocs.yml": "site_url: https://m.dev/\n", "_config.yml": "url: https://j.dev\n", "astro.config.mjs": "export default { site: 'https://a.dev' }",
		"index.html": "", "next.config.js": "module.exports = {}",
	}
	found := recognise(t, project(t, files), Options{})
	if found.Generator != Astro || !slices.Equal(found.Also, []Name{MkDocs, Jekyll}) {
		t.Errorf("found %s and also %v", found.Generator, found.Also)
	}
	if found := recognise(t, project(t, files), Options{Generator: Jekyll}); found.BaseURL.Value != "https://j.dev/" {
		t.Errorf("forced to Jekyll, found %+v", found)
	}
}

func TestForcedGeneratorGivesItsDefaults(t *testing.T) {
	docroots := map[Name]string{
		Hugo: "public", Zola: "public", Docusaurus: "build", Astro: "dist", Eleventy: "_site", SvelteKit: "build",
		NextJS: "out", MkDocs: "site", Jekyll: "_site", HTML: ".",
	}
	for _, name := range Names() {
		found := recognise(t, project(t, nil), Options{Generator: name})
		if found.Generator != name || found.Docroot.Value != docroots[name] || found.Recognised.File != "" {
			t.Errorf("%s: found %+v", name, found)
		}
	}
}

func TestGivenValuesStandInForWhatIsFound(t *testing.T) {
	for _, starter := range []string{"hugo", "docusaurus", "sveltekit", "html"} {
		root := open(t, filepath.Join("..", "..", "testdata", "generators", starter))
		found := recognise(t, root, Options{BaseURL: "https://given.dev/", Docroot: "given"})
		if found.BaseURL != (Setting{Value: "https://given.dev/", Given: true}) || found.Docroot != (Setting{Value: "given", Given: true}) {
			t.Errorf("%s: found %+v and %+v", starter, found.BaseURL, found.Docroot)
		}
		if strings.Contains(codes(found), "base-url") {
			t.Errorf("%s: noted %s", starter, codes(found))
		}
	}
}

func TestFolderWithoutASiteIsUnknown(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		why   string
	}{
		"empty":                    {nil, "no site generator was recognised"},
		"no site":                  {map[string]string{"main.go": "", "docs/a.md": ""}, "no site generator was recognised"},
		"Next.js, not exported":    {map[string]string{"next.config.js": "module.exports = { reactStrictMode: true }"}, "next.config.js does not say output: 'export'"},
		"SvelteKit, another one":   {map[string]string{"svelte.config.js": "import adapter from '@sveltejs/adapter-auto';\nexport default { kit: { adapter: adapter() } };"}, "the adapter in svelte.config.js:2 is @sveltejs/adapter-auto"},
		"Astro, pages on demand":   {map[string]string{"astro.config.mjs": "export default {\n output: 'server' }"}, "output in astro.config.mjs:2 is server"},
		"Next.js, called anything": {map[string]string{"package.json": "{\"dependencies\":{\"next\":\"16\"}}"}, "package.json does not say output: 'export'"},
	} {
		_, err := Recognise(project(t, test.files), Options{})
		var unknown *UnknownError
		if !errors.As(err, &unknown) || !strings.Contains(err.Error(), test.why) {
			t.Errorf("%s: the error is %v", name, err)
		}
		if found, err := Recognise(project(t, test.files), Options{Docroot: "www"}); err != nil || found.Docroot.Value != "www" {
			t.Errorf("%s: with a docroot, found %+v and %v", name, found, err)
		}
	}
	if _, err := Recognise(project(t, nil), Options{Generator: "gatsby"}); err == nil || !strings.Contains(err.Error(), "hugo, zola") {
		t.Errorf("the error of an unknown name is %v", err)
	}
}

func TestOnlyWhatIsNoPageIsExcluded(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  []Exclusion
	}{
		"a page for all others": {
			map[string]string{"svelte.config.js": "import a from '@sveltejs/adapter-static';\nexport default { kit: { adapter: a({ fallback: '200.html' }) } };"},
			[]Exclusion{{"200.html", "what is served where there is no page (fallback)", false}},
		},
		"an error page is left out anyway": {
			map[string]string{"svelte.config.js": "import a from '@sveltejs/adapter-static';\nexport default { kit: { adapter: a({ fallback: '404.html' }) } };"}, nil,
		},
		"a search": {
			map[string]string{"mkdocs.yml": "theme:\n  name: readthedocs\n"}, []Exclusion{{"search.html", "the page of results of a search", false}},
		},
	} {
		if found := recognise(t, project(t, test.files), Options{}); !slices.Equal(found.Exclusions, test.want) {
			t.Errorf("%s: excluded %v", name, found.Exclusions)
		}
	}
}

func TestSitemapIsSwitchedOffInTheWordsOfTheFile(t *testing.T) {
	for files, want := range map[[2]string]string{
		{"hugo.toml", "disableKinds = ['rss']\n"}:                         `set disableKinds = ["rss", "sitemap"] above the first table in hugo.toml`,
		{"hugo.yaml", "baseURL: https://a.dev/\n"}:                        `set disableKinds: ["sitemap"] in hugo.yaml`,
		{"hugo.json", "{}"}:                                               `set "disableKinds": ["sitemap"] in hugo.json`,
		{"zola.toml", "base_url = 'https://a.dev'\n"}:                     "set generate_sitemap = false above the first table in zola.toml (Zola 0.20 or later)",
		{"_config.yml", "plugins:\n- x\n- jekyll-sitemap\n"}:              "remove jekyll-sitemap from plugins in _config.yml",
		{"docusaurus.config.js", "export default {presets: ['classic']}"}: "set sitemap: false in the options of the preset classic in docusaurus.config.js",
	} {
		found := recognise(t, project(t, map[string]string{files[0]: files[1]}), Options{})
		if len(found.Sitemaps) != 1 || found.Sitemaps[0].Mend != want {
			t.Errorf("%s: %+v", files[0], found.Sitemaps)
		}
	}
	static := map[string]string{"hugo.toml": "disableKinds = ['sitemap']", "static/sitemap.xml": ""}
	if found := recognise(t, project(t, static), Options{}); len(found.Sitemaps) != 1 || found.Sitemaps[0].Mend != "remove static/sitemap.xml" {
		t.Errorf("static/sitemap.xml: %+v", found.Sitemaps)
	}
}

func TestAPasswordInABaseURLIsNotTold(t *testing.T) {
	for _, text := range []string{"https://me:secret@a.dev/", "https://me:sec%ret@a.dev/"} {
		found := recognise(t, project(t, map[string]string{"hugo.toml": "baseURL = \"" + text + "\"\n"}), Options{})
		for _, note := range found.Notes {
			if strings.Contains(note.Message, "sec") {
				t.Errorf("%q: %s", text, note.Message)
			}
		}
		if len(found.Notes) == 0 {
			t.Errorf("%q: nothing is told", text)
		}
	}
}
