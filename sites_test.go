package sitewalk_test

import (
	"path/filepath"
	"strings"
	"testing"

	"sitewalk"
)

// sites loads a configuration with several sites.
func sites(t *testing.T, text string) sitewalk.Config {
	t.Helper()
	config, err := sitewalk.Load(writeConfig(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func TestASiteInheritsWhatItsEntryDoesNotSay(t *testing.T) {
	top := sites(t, "base_url: https://all.test/\nexclude: [a/**]\nurls: {extension: strip}\nextra_urls: [all.txt]\n"+
		"sites:\n- {docroot: one, base_url: https://one.test/, urls: {slash: never}}\n"+
		"- {docroot: /two, exclude: [], extra_urls: [two.txt], state: two.state}\n")
	folder := filepath.Dir(writeConfig(t, ""))
	one, err := top.Site(0)
	if err != nil {
		t.Fatal(err)
	}
	two, err := top.Site(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, check := range []struct{ what, got, want string }{
		{"one's base URL", one.Mapper.BaseURL, "https://one.test/"},
		{"one's slash", string(one.Mapper.URLs.Slash), "never"},
		{"one's extension", string(one.Mapper.URLs.Extension), "strip"},
		{"one's exclude", strings.Join(one.Scanner.Exclude, " "), "a/**"},
		{"one's docroot", filepath.Base(one.Scanner.Docroot), "one"},
		{"one's extra URLs", filepath.Base(one.Mapper.ExtraURLs[0]), "all.txt"},
		{"two's base URL", two.Mapper.BaseURL, "https://all.test/"},
		{"two's slash", string(two.Mapper.URLs.Slash), "auto"},
		{"two's exclude", strings.Join(two.Scanner.Exclude, " "), ""},
		{"two's docroot", two.Scanner.Docroot, "/two"},
		{"two's extra URLs", filepath.Base(two.Mapper.ExtraURLs[0]), "two.txt"},
		{"two's state", filepath.Base(two.State), "two.state"},
		{"the top's slash", string(top.Mapper.URLs.Slash), "auto"},
	} {
		if check.got != check.want {
			t.Errorf("%s: %q, want %q", check.what, check.got, check.want)
		}
	}
	if strings.Count(one.Scanner.Docroot, filepath.Base(folder)) > 1 || !filepath.IsAbs(one.Scanner.Docroot) {
		t.Errorf("one's docroot %s is not relative to the file once", one.Scanner.Docroot)
	}
}

func TestAMistakeConcernsItsSiteAlone(t *testing.T) {
	const top = "base_url: https://all.test/\n"
	for text, want := range map[string]string{
		"sites:\n- {docrot: a}\n- {docroot: b}":                                                `sitewalk.yaml:3:4: unknown key "docrot" (did you mean docroot?)`,
		"sites:\n- {docroot: a, base_url: nothing}\n- {docroot: b}":                            "sitewalk.yaml:3:26: base_url must begin with http",
		"sites:\n- {docroot: a, sites: [{docroot: c}]}\n- {docroot: b}":                        "sitewalk.yaml:3:23: sites cannot be nested",
		"sites:\n- {docroot: a, output: {max_urls: 0}}\n- {docroot: b}":                        "sitewalk.yaml:3:35: output.max_urls ",
		"output: {max_urls: 0}\nsites:\n- {docroot: a}\n- {docroot: b, output: {max_urls: 9}}": "sitewalk.yaml:2:20: output.max_urls ",
		"state: shared\nsites:\n- {docroot: a}\n- {docroot: b, state: b}":                      "sitewalk.yaml:2:8: state is the same for several sites",
	} {
		config := sites(t, top+text)
		site, err := config.Site(0)
		if err == nil {
			err = site.Validate()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\ngot  %v\nwant %s", text, err, want)
		}
		if site, err = config.Site(1); err == nil {
			err = site.Validate()
		}
		if err != nil {
			t.Errorf("%q: the other site: %v", text, err)
		}
	}
}

func TestAConfigurationOfSeveralSitesIsNotBuiltAsOne(t *testing.T) {
	config := sites(t, "base_url: https://all.test/\nsites: [{docroot: a}]\n")
	if err := config.Validate(); err == nil || !strings.Contains(err.Error(), "sitewalk.yaml:2:8: sites is not empty") {
		t.Errorf("%v", err)
	}
}

func TestASitesOwnFileGoesOverWhatAllHaveInCommon(t *testing.T) {
	common := sites(t, "base_url: https://{1}.test/\nlastmod: []\noutput: {max_urls: 0}\n")
	common.Scanner.Docroot = "/srv/one"
	own := writeConfig(t, "base_url: https://one.test/\nexclude: ['x/**']\n")
	site, err := common.LoadSite(own, true)
	if err != nil {
		t.Fatal(err)
	}
	if site.Mapper.BaseURL != "https://one.test/" || site.Scanner.Docroot != "/srv/one" || len(site.Mapper.LastMod) != 0 {
		t.Errorf("base URL %s, docroot %s, lastmod %v", site.Mapper.BaseURL, site.Scanner.Docroot, site.Mapper.LastMod)
	}
	// The blame is where the mistake is, in the file of all.
	if err := site.Validate(); err == nil || !strings.Contains(err.Error(), ":3:20: output.max_urls") || strings.Contains(err.Error(), own) {
		t.Errorf("%v", err)
	}
	if _, err := common.LoadSite(writeConfig(t, "sites: [{}]\n"), true); err == nil {
		t.Error("a site's own file has sites")
	}
}

func TestSitesThatOverwriteEachOtherAreFound(t *testing.T) {
	site := func(docroot, dir, root, state string) *sitewalk.Config {
		config := sitewalk.DefaultConfig()
		config.Scanner.Docroot, config.Output.Files.Dir, config.Output.Files.Root, config.State = docroot, dir, root, state
		return &config
	}
	problems := sitewalk.CheckTogether([]*sitewalk.Config{
		site("a", ".", "sitemap.xml", "a.state"),
		site("b", ".", "sitemap.xml", "b.state"),
		site("a", ".", "sitemap.xml", "c.state"),
		site("a", ".", "old.xml", "d.state"),
		site("a", "maps", "sitemap.xml", "b.state"),
		site("c", ".", "sitemap.xml", ""),
		site("d", ".", "sitemap.xml", ""),
	})
	for i, want := range []string{"", "", "same name in the same folder", "", "same state", "", ""} {
		if got := problems[i]; (got != nil) != (want != "") || got != nil && !strings.Contains(got.Error(), want) {
			t.Errorf("site %d: %v, want %q", i+1, got, want)
		}
	}
}
