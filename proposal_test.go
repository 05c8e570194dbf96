package sitewalk

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// starters are new projects of each generator.
const starters = "testdata/generators"

func openProject(t *testing.T, path string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// loadProposal loads a proposal as the file that it is.
func loadProposal(t *testing.T, p *Proposal) Config {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sitewalk.yaml")
	if err := os.WriteFile(file, p.YAML, 0o644); err != nil {
		t.Fatal(err)
	}
	config, err := Load(file)
	if err != nil {
		t.Fatalf("%v\n%s", err, p.YAML)
	}
	if err := config.Validate(); err != nil {
		t.Fatalf("%v\n%s", err, p.YAML)
	}
	config.Scanner.Docroot, err = filepath.Rel(filepath.Dir(file), config.Scanner.Docroot)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func TestProposalLoadsAsWhatItSays(t *testing.T) {
	for _, name := range Generators() {
		t.Run(name, func(t *testing.T) {
			p, err := Propose(openProject(t, starters+"/"+name), ProposeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			config := loadProposal(t, p)
			if config.Mapper.BaseURL != p.BaseURL || filepath.ToSlash(config.Scanner.Docroot) != p.Docroot {
				t.Errorf("the file says %s and %s, the proposal %s and %s", config.Mapper.BaseURL, config.Scanner.Docroot, p.BaseURL, p.Docroot)
			}
			if lines := strings.Count(string(p.YAML), "\n"); lines < 8 || lines > 25 {
				t.Errorf("the file has %d lines", lines)
			}
			if p.Generator != name || p.Evidence[0].Setting != "generator" || p.Evidence[0].File == "" {
				t.Errorf("%s is shown by %+v", p.Generator, p.Evidence)
			}
			again, err := Propose(openProject(t, starters+"/"+name), ProposeOptions{})
			if err != nil || string(again.YAML) != string(p.YAML) {
				t.Errorf("another time the proposal is %v\n%s", err, again.YAML)
			}
		})
	}
}

func TestUnknownBaseURLIsNotMadeUp(t *testing.T) {
	for generator, want := range map[string]string{
		"mkdocs": "https://www.example.com/", "jekyll": "https://www.example.com/", "nextjs": "https://www.example.com/",
	} {
		p, err := Propose(openProject(t, starters+"/"+generator), ProposeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if p.BaseURLKnown || p.BaseURL != want || !strings.Contains(string(p.YAML), "# SET THIS") {
			t.Errorf("%s: the base URL is %s\n%s", generator, p.BaseURL, p.YAML)
		}
		if !slices.ContainsFunc(p.Warnings, func(w Warning) bool { return w.Code == "base-url-unknown" }) {
			t.Errorf("%s: warned of %v", generator, p.Warnings)
		}
	}
}

func TestProposalSpellsURLsAsTheSiteDoes(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  string // the line of the file, or none
	}{
		"Hugo":                         {map[string]string{"hugo.toml": ""}, "urls: {preset: hugo}"},
		"Hugo, ugly":                   {map[string]string{"hugo.toml": "uglyURLs = true"}, "urls: {index: []}"},
		"Hugo, at a host":              {map[string]string{"hugo.toml": "", "netlify.toml": ""}, "urls: {preset: netlify}"},
		"MkDocs":                       {map[string]string{"mkdocs.yml": ""}, ""},
		"MkDocs, files":                {map[string]string{"mkdocs.yml": "use_directory_urls: false"}, "urls: {index: []}"},
		"Jekyll":                       {map[string]string{"_config.yml": ""}, ""},
		"Jekyll, at GitHub":            {map[string]string{"_config.yml": "", "CNAME": "a.dev"}, "urls: {preset: github-pages}"},
		"Jekyll, without endings":      {map[string]string{"_config.yml": "permalink: /:title"}, "urls: {preset: auto}"},
		"Docusaurus":                   {map[string]string{"docusaurus.config.js": "export default {}"}, "urls: {preset: auto}"},
		"Docusaurus, slashes":          {map[string]string{"docusaurus.config.js": "export default {trailingSlash: true}", "netlify.toml": ""}, ""},
		"Docusaurus, no slashes":       {map[string]string{"docusaurus.config.js": "export default {trailingSlash: false}", "netlify.toml": ""}, "urls: {extension: strip, slash: never}"},
		"Docusaurus, at a host":        {map[string]string{"docusaurus.config.js": "export default {}", "wrangler.toml": ""}, "urls: {preset: cloudflare-pages}"},
		"Astro, files":                 {map[string]string{"astro.config.mjs": "export default {build: {format: 'file'}}"}, "urls: {extension: strip, slash: never}"},
		"Next.js":                      {map[string]string{"next.config.js": "module.exports = {output: 'export'}"}, "urls: {extension: strip, slash: never}"},
		"HTML":                         {map[string]string{"index.html": ""}, ""},
		"HTML with canonicals":         {map[string]string{"index.html": "<link rel=canonical href=https://a.dev/>"}, "urls: {preset: auto}"},
		"HTML for Apache":              {map[string]string{"index.html": "", ".htaccess": ""}, "urls: {preset: apache}"},
		"HTML, at a host not known to": {map[string]string{"index.html": "", "vercel.json": "{}"}, ""},
	} {
		folder := t.TempDir()
		for name, content := range test.files {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		p, err := Propose(openProject(t, folder), ProposeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for line := range strings.Lines(string(p.YAML)) {
			if strings.HasPrefix(line, "urls:") {
				got, _, _ = strings.Cut(line, "  ")
				got, _, _ = strings.Cut(got, " #")
			}
		}
		if strings.TrimSpace(got) != test.want {
			t.Errorf("%s: the line is %q, not %q", name, got, test.want)
		}
		loadProposal(t, p)
	}
}

func TestProposalQuotesWhatYAMLWouldMisread(t *testing.T) {
	for _, docroot := range []string{
		"a: b", "#x", "it's", `a"b\c`, "- x", "yes", "null", "1.5", "a, [b]", "%x", "@x", "ü/ö", " x ", "&a", "!x", strings.Repeat("long ", 100) + "x",
	} {
		p, err := Propose(openProject(t, starters+"/hugo"), ProposeOptions{Docroot: docroot, BaseURL: "https://a.dev/a%20b"})
		if err != nil {
			t.Fatal(err)
		}
		if config := loadProposal(t, p); filepath.ToSlash(config.Scanner.Docroot) != docroot || config.Mapper.BaseURL != "https://a.dev/a%20b" {
			t.Errorf("%q is read as %q, and the URL as %s", docroot, config.Scanner.Docroot, config.Mapper.BaseURL)
		}
	}
}

func TestProposalLeadsFromTheConfigurationToTheDocroot(t *testing.T) {
	for _, test := range []struct{ project, docroot, want string }{
		{"", "", "public"}, {".", "", "public"}, {"../site", "", "../site/public"}, {"../site", "../www", "../www"}, {"site", "/srv/www", "/srv/www"},
	} {
		p, err := Propose(openProject(t, starters+"/hugo"), ProposeOptions{Project: test.project, Docroot: test.docroot})
		if err != nil || p.Docroot != test.want || !strings.Contains(string(p.YAML), "docroot: "+test.want+"\n") && !strings.Contains(string(p.YAML), "docroot: "+test.want+" ") {
			t.Errorf("%+v gives %v and %+v", test, err, p)
		}
	}
}

func TestWhatCannotBeProposedIsAnError(t *testing.T) {
	if _, err := Propose(openProject(t, t.TempDir()), ProposeOptions{}); !errors.Is(err, ErrNoSite) {
		t.Errorf("the error is %v", err)
	}
	var mistake *ConfigError
	if _, err := Propose(openProject(t, t.TempDir()), ProposeOptions{Generator: "gatsby"}); !errors.As(err, &mistake) {
		t.Errorf("the error of an unknown generator is %v", err)
	}
	if _, err := Propose(openProject(t, starters+"/hugo"), ProposeOptions{BaseURL: "https://a.dev/?"}); !errors.As(err, &mistake) {
		t.Errorf("the error of a base URL with a query is %v", err)
	}
}

func TestREADMEExplainsEveryGeneratorAndWarningOfInit(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	named := append(Generators(), "base-url-unknown", "base-url-example", "base-url-unusable", "not-literal", "settings-unreadable",
		"not-static", "own-sitemap", "other-generator")
	for _, name := range named {
		if !strings.Contains(string(readme), "| `"+name+"` |") {
			t.Errorf("README does not explain %s", name)
		}
	}
}
