package sitewalk_test

import (
	"errors"
	"fmt"
	"testing"

	"sitewalk"
	"sitewalk/mapper"
)

func TestExplainFindsTheFileOfAURL(t *testing.T) {
	docroot := makeSite(t, empties("index.html", "page.html", "page/index.html", "page/100%.html", "alone.html", "folder/index.htm"))
	for _, c := range []struct {
		base      string
		extension mapper.Extension
		slash     mapper.Slash
		url, want string // want is empty for no file
	}{
		{"https://h.test/", mapper.ExtensionKeep, mapper.SlashAuto, "https://h.test", "index.html"},
		{"https://h.test/", mapper.ExtensionKeep, mapper.SlashAuto, "http://H.TEST/?query#place", "index.html"},
		{"https://h.test/", mapper.ExtensionKeep, mapper.SlashAuto, "https://h.test/page.html", "page.html"},
		{"https://h.test/", mapper.ExtensionKeep, mapper.SlashAuto, "https://h.test/page/", "page/index.html"},
		{"https://h.test/", mapper.ExtensionKeep, mapper.SlashAuto, "https://h.test/page/100%25.html", "page/100%.html"},
		{"https://h.test/", mapper.ExtensionKeep, mapper.SlashAuto, "https://h.test/folder", "folder/index.htm"},
		{"https://h.test/", mapper.ExtensionKeep, mapper.SlashAuto, "https://h.test/alone/", "alone.html"},
		{"https://h.test/", mapper.ExtensionKeep, mapper.SlashAuto, "https://h.test/../page.html/..", "index.html"},
		{"https://h.test/", mapper.ExtensionKeep, mapper.SlashAuto, "https://h.test/nowhere", ""},
		{"https://h.test/", mapper.ExtensionKeep, mapper.SlashAuto, "https://other.test/page.html", ""},
		{"https://h.test/", mapper.ExtensionStrip, mapper.SlashAuto, "https://h.test/page", "page.html"},
		{"https://h.test/", mapper.ExtensionStrip, mapper.SlashAuto, "https://h.test/page/", "page/index.html"},
		{"https://h.test/", mapper.ExtensionStrip, mapper.SlashAuto, "https://h.test/folder", "folder/index.htm"},
		{"https://h.test/", mapper.ExtensionStrip, mapper.SlashNever, "https://h.test/page", "page/index.html"},
		{"https://h.test/", mapper.ExtensionStrip, mapper.SlashAlways, "https://h.test/alone/", "alone.html"},
		{"https://h.test/sub", mapper.ExtensionKeep, mapper.SlashAuto, "https://h.test/sub/page.html", "page.html"},
		{"https://h.test/sub", mapper.ExtensionKeep, mapper.SlashAuto, "https://h.test/sub", "index.html"},
		{"https://h.test/sub", mapper.ExtensionKeep, mapper.SlashAuto, "https://h.test/subpage.html", ""},
		{"https://h.test/sub", mapper.ExtensionKeep, mapper.SlashAuto, "https://h.test/page.html", ""},
	} {
		config := siteConfig(docroot)
		config.Mapper.BaseURL, config.Mapper.URLs.Extension, config.Mapper.URLs.Slash = c.base, c.extension, c.slash
		found, err := sitewalk.Explain(t.Context(), config, []string{c.url})
		if err != nil {
			t.Fatal(err)
		}
		if isMissing := errors.Is(found[0].Err, sitewalk.ErrNotFound); isMissing != (c.want == "") || !isMissing && found[0].Path != c.want {
			t.Errorf("%s, %s, %s: %s is %s (%v), want %q", c.base, c.extension, c.slash, c.url, found[0].Path, found[0].Err, c.want)
		}
	}
}

func TestExplainSpeaksForAllInAFolderThatIsNotWalked(t *testing.T) {
	config := siteConfig(makeSite(t, empties("index.html", "node_modules/a/b.html", "node_modules/c.html", "out/index.html", "outside.html")))
	config.Scanner.Exclude = []string{"out"}
	paths := []string{"node_modules/a/b.html", "node_modules/c.html", "node_modules/a", "out", "outside.html", "node_modules/c.html"}
	found, err := sitewalk.Explain(t.Context(), config, paths)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"node_modules/a/b.html sensitive", "node_modules/c.html sensitive", "node_modules/a/ sensitive",
		"out/index.html excluded", "outside.html listed", "node_modules/c.html sensitive",
	} {
		if got := fmt.Sprint(found[i].Path, " ", found[i].Verdict); got != want {
			t.Errorf("%s: got %s, want %s", paths[i], got, want)
		}
	}
}

func TestExplainTakesThePathsOfAReport(t *testing.T) {
	docroot := makeSite(t, empties("caf\xe9.html", "100%.html", "a%41.html"))
	config := siteConfig(docroot)
	for given, want := range map[string]string{
		"caf%E9.html": "caf\xe9.html", "100%25.html": "100%.html", "100%.html": "100%.html", "a%41.html": "a%41.html", "a%2541.html": "a%41.html",
	} {
		found, err := sitewalk.Explain(t.Context(), config, []string{given})
		if err != nil {
			t.Fatal(err)
		}
		if found[0].Path != want || found[0].Err != nil {
			t.Errorf("%s is %+v, want %q", given, found[0], want)
		}
	}
}
