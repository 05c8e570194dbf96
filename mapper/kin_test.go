package mapper

import (
	"slices"
	"testing"
)

func TestKinAreWhatMayShareAURLOrAStyle(t *testing.T) {
	strip := func(c *Config) { c.URLs.Extension = ExtensionStrip }
	keep := func(*Config) {}
	for _, test := range []struct {
		path   string
		change func(*Config)
		styles bool
		among  []string // must be kin
		none   bool     // there are none at all
	}{
		{"blog/a.html", keep, false, nil, true},
		{"blog/index.html", keep, false, []string{"blog/index.htm", "blog/index.xhtml"}, false},
		{"index.html", keep, false, []string{"index.htm"}, false},
		{"blog/a.html", strip, false, []string{"blog/a", "blog/a.htm", "blog/a/index.html"}, false},
		{"blog/a/index.htm", strip, false, []string{"blog/a.html", "blog/a/index.html", "blog/a.shtml"}, false},
		{"a b.html/index.html", strip, false, []string{"a b.html/index.htm", "a b.html.html", "a b.html"}, false},
		{"blog/a.html", keep, true, []string{"blog/a/index.html", "blog/a.htm", "blog/a.html.html", "blog/a.HTML", "blog/a.Html"}, false},
		{"blog/a/index.html", keep, true, []string{"blog/a.html", "blog/a/index/index.html", "blog/a/index.htm"}, false},
		{"d/index/index.html", keep, true, []string{"d/index.html"}, false},
	} {
		config := DefaultConfig()
		config.BaseURL = "https://h.test/"
		test.change(&config)
		m, err := New(config, Options{})
		if err != nil {
			t.Fatal(err)
		}
		kin := m.Kin(test.path, test.styles)
		if test.none != (len(kin) == 0) || slices.Contains(kin, test.path) {
			t.Errorf("%s: kin are %q", test.path, kin)
		}
		for _, path := range test.among {
			if !slices.Contains(kin, path) {
				t.Errorf("%s: %q is not among its kin %q", test.path, path, kin)
			}
		}
	}
}
