package mapper

import (
	"reflect"
	"strings"
	"testing"

	"sitewalk/internal/strictyaml"
)

// allPresets are the presets that say something by themselves.
var allPresets = []Preset{PresetHugo, PresetGitHubPages, PresetNetlify, PresetCloudflarePages, PresetNginx, PresetApache}

func TestPresetsSpellURLsAsTheHostServesThem(t *testing.T) {
	rows := []struct {
		path string
		want [6]string // by allPresets
	}{
		{"index.html", [6]string{"", "", "", "", "", ""}},
		{"dir/index.html", [6]string{"dir/", "dir/", "dir/", "dir/", "dir/", "dir/"}},
		{"dir/index.htm", [6]string{"dir/", "dir/index.htm", "dir/", "dir/index.htm", "dir/index.htm", "dir/index.htm"}},
		{"page.html", [6]string{"page.html", "page.html", "page", "page", "page.html", "page.html"}},
		{"page.htm", [6]string{"page.htm", "page.htm", "page", "page.htm", "page.htm", "page.htm"}},
		{"dir/page.html", [6]string{"dir/page.html", "dir/page.html", "dir/page", "dir/page", "dir/page.html", "dir/page.html"}},
		{"dir/page.xhtml", [6]string{"dir/page.xhtml", "dir/page.xhtml", "dir/page.xhtml", "dir/page.xhtml", "dir/page.xhtml", "dir/page.xhtml"}},
		{"dir/page.html.html", [6]string{"dir/page.html.html", "dir/page.html.html", "dir/page.html", "dir/page.html", "dir/page.html.html", "dir/page.html.html"}},
		{"dir/bare", [6]string{"dir/bare", "dir/bare", "dir/bare", "dir/bare", "dir/bare", "dir/bare"}},
		{".html", [6]string{".html", ".html", ".html", ".html", ".html", ".html"}},
	}
	if len(servings) != len(allPresets) {
		t.Errorf("%d presets, of which %d are tested", len(servings), len(allPresets))
	}
	for i, preset := range allPresets {
		w := newMapper(t, func(c *Config) { c.URLs.Preset = preset }).NewWorker()
		for _, row := range rows {
			if got, want := locOf(w, row.path), "https://h.test/"+row.want[i]; got != want {
				t.Errorf("%s: %s became %s, want %s", preset, row.path, got, want)
			}
		}
	}
	w := newMapper(t, func(c *Config) { c.URLs.Preset = PresetAuto }).NewWorker()
	if got := locOf(w, "page.html"); got != "https://h.test/page.html" {
		t.Errorf("auto, which nobody has resolved: page.html became %s", got)
	}
}

// decodeURLs decodes files one over the other, as a file's entries inherit.
func decodeURLs(t *testing.T, texts ...string) URLs {
	t.Helper()
	config := DefaultConfig()
	for _, text := range texts {
		if _, err := strictyaml.Decode([]byte(text), &config, strictyaml.Options{}); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return config.URLs
}

func TestWhatIsSetWinsOverThePreset(t *testing.T) {
	type values struct {
		index     int // number of names
		extension Extension
		slash     Slash
	}
	for _, test := range []struct {
		texts []string
		want  values
	}{
		{[]string{"urls: {preset: netlify}"}, values{2, ExtensionStrip, SlashAuto}},
		{[]string{"urls: {preset: netlify, extension: keep}"}, values{2, ExtensionKeep, SlashAuto}},
		{[]string{"urls: {extension: keep, preset: netlify}"}, values{2, ExtensionKeep, SlashAuto}},
		{[]string{"urls: {preset: netlify, slash: never}"}, values{2, ExtensionStrip, SlashNever}},
		{[]string{"urls: {preset: netlify, slash: auto}"}, values{2, ExtensionStrip, SlashAuto}},
		{[]string{"urls: {preset: nginx, index: [index.html, index.htm, index.xhtml]}"}, values{3, ExtensionKeep, SlashAuto}},
		{[]string{"urls: {preset: nginx, index: []}"}, values{0, ExtensionKeep, SlashAuto}},
		{[]string{"rules: []", "urls: {preset: nginx, charset: utf-8}"}, values{1, ExtensionKeep, SlashAuto}},
		{[]string{`urls: {preset: "", slash: never}`}, values{3, ExtensionKeep, SlashNever}},
		{[]string{"urls: {preset: netlify}", "urls: {slash: never}"}, values{2, ExtensionStrip, SlashNever}},
		{[]string{"urls: {preset: netlify}", "urls: {extension: keep}"}, values{2, ExtensionKeep, SlashAuto}},
		{[]string{"urls: {preset: netlify, extension: keep}", "urls: {slash: auto}"}, values{2, ExtensionKeep, SlashAuto}},
		// The preset is the nearer word.
		{[]string{"urls: {extension: keep, slash: never}", "urls: {preset: netlify}"}, values{2, ExtensionStrip, SlashAuto}},
		{[]string{"urls: {preset: netlify, extension: keep}", "urls: {preset: cloudflare-pages}"}, values{1, ExtensionStrip, SlashAuto}},
		{[]string{"urls: {preset: netlify, slash: never}", `urls: {preset: ""}`}, values{3, ExtensionKeep, SlashAuto}},
	} {
		got := decodeURLs(t, test.texts...).Resolve()
		if (values{len(got.Index), got.Extension, got.Slash}) != test.want || got.Preset != PresetNone {
			t.Errorf("%q: %+v, want %+v", test.texts, got, test.want)
		}
	}
}

// A program says no more than the values.
func TestPresetLeavesOtherValuesThanTheDefaultsAlone(t *testing.T) {
	urls := DefaultConfig().URLs
	urls.Preset, urls.Slash, urls.Index = PresetCloudflarePages, SlashNever, []string{"default.htm"}
	got := urls.Resolve()
	if got.Slash != SlashNever || got.Extension != ExtensionStrip || !reflect.DeepEqual(got.Index, urls.Index) {
		t.Errorf("got %+v", got)
	}
	if again := got.Resolve(); !reflect.DeepEqual(again, got) {
		t.Errorf("resolved twice: %+v", again)
	}
}

func TestAFileWithoutPresetDecodesToPlainValues(t *testing.T) {
	got := decodeURLs(t, `urls: {preset: "", index: [index.html, index.htm, index.xhtml], extension: keep, slash: auto, charset: bytes}`)
	if want := DefaultConfig().URLs; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestUnknownPresetsAreRefused(t *testing.T) {
	_, err := tryMapper("", func(c *Config) { c.URLs.Preset = "geocities" })
	if err == nil || !strings.HasPrefix(err.Error(), "urls.preset: ") || !strings.Contains(err.Error(), "github-pages") {
		t.Errorf("got %v", err)
	}
	config := DefaultConfig()
	_, err = strictyaml.Decode([]byte("urls:\n  preset: github\n"), &config, strictyaml.Options{Quote: true})
	if err == nil || err.Error() != "line 2:11: urls.preset must be auto, hugo, github-pages, netlify, cloudflare-pages, nginx or apache" {
		t.Errorf("got %v", err)
	}
}

// Under a preset the warning of another style names what to set beside it.
func TestStyleWarningSuggestsWhatWinsOverThePreset(t *testing.T) {
	for _, test := range []struct {
		preset          Preset
		path, canonical string
		want            string
	}{
		{PresetCloudflarePages, "page.html", "/page.html", "urls.extension: keep"},
		{PresetCloudflarePages, "page.html", "/page/", "urls.slash: always"},
		{PresetCloudflarePages, "dir/index.html", "/dir", "urls.slash: never"},
		{PresetGitHubPages, "page.html", "/page", "urls.extension: strip"},
		{PresetGitHubPages, "dir/index.htm", "/dir/index.htm", ""},
	} {
		w := siteWorker(t, func(c *Config) { c.URLs.Preset = test.preset }, test.path)
		loc := locOf(w, test.path)
		page := newDocument(loc, "")
		to, _ := page.resolve(test.canonical)
		_, name := splitPath(test.path)
		if got := w.suggest(name, &to); got != test.want {
			t.Errorf("%s: %s says %s: suggests %q, want %q", test.preset, test.path, test.canonical, got, test.want)
		}
	}
}
