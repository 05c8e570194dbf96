package mapper

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitewalk/scanner"
)

// inScannerOrder sorts paths segment by segment, as the scanner walks them.
func inScannerOrder(paths []string) {
	slices.SortFunc(paths, func(a, b string) int {
		return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
	})
}

// confusingName is a name that shares its beginning, and perhaps its URL, with
// others.
var confusingName = rapid.SampledFrom([]string{
	"a", "a-b", "a.", "a.b", "a.b.html", "a.h", "a.htm", "a.html", "a.html.html", "a.htm.html", "a.shtml", "a.xhtml", "a.HTML", "a!", "a%", "a%.html",
	"aa", "aa.html", "b", "b.html", "b.xhtml", "index", "index.htm", "index.html", "index.xhtml", "index.shtml", "index.html.html", "A.html", "a b.htm", "a b.html",
	".html", "z.html", "zindex.html", "a.txt", "a.txt.html", "a/", "ü.html", "ü.htm", "ü",
})

// confusingTree draws the files of a folder that could be: no name is both a file
// and a folder.
func confusingTree(t *rapid.T, deep int) []string {
	var paths []string
	names := rapid.SliceOfNDistinct(confusingName, 0, 12, func(name string) string { return strings.TrimSuffix(name, "/") }).Draw(t, "names")
	for _, name := range names {
		name = strings.TrimSuffix(name, "/")
		if deep > 0 && rapid.IntRange(0, 2).Draw(t, "folder") == 0 {
			for _, below := range confusingTree(t, deep-1) {
				paths = append(paths, name+"/"+below)
			}
		} else {
			paths = append(paths, name)
		}
	}
	return paths
}

// TestTakenFindsExactlyTheURLsThatWereTakenBefore holds Taken, which remembers
// next to nothing, to a table of all URLs.
func TestTakenFindsExactlyTheURLsThatWereTakenBefore(t *testing.T) {
	var mappers []*Mapper
	for _, extension := range []Extension{ExtensionKeep, ExtensionStrip} {
		for _, slash := range []Slash{SlashAuto, SlashAlways, SlashNever} {
			for _, charset := range []string{CharsetBytes, "iso-8859-1"} {
				for _, index := range [][]string{DefaultConfig().URLs.Index, {"zindex.html", "a", "a.b"}, {}} {
					mappers = append(mappers, newMapper(t, func(c *Config) {
						c.URLs = URLs{Index: index, Extension: extension, Slash: slash, Charset: charset}
					}))
				}
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		paths := confusingTree(t, 3)
		inScannerOrder(paths)
		for _, m := range mappers {
			var taken Taken
			first := map[string]string{}
			w := m.NewWorker()
			for _, path := range paths {
				page, verdict := mapPath(w, path)
				if verdict != scanner.Listed {
					t.Fatalf("%s: %v", path, verdict)
				}
				dir, name := splitPath(path)
				got := page.KeyLength < 0 || taken.Claim(dir, name, page.KeyLength)
				other, found := first[string(page.Loc)]
				if got == found {
					t.Fatalf("%+v: %q of %s: claimed %v; taken before by %q; tree %q", m.config.URLs, path, page.Loc, got, other, paths)
				}
				if !found {
					first[string(page.Loc)] = path
				} else if isIndex(m, path) && !isIndex(m, other) {
					t.Fatalf("%+v: index file %q lost %s to %q", m.config.URLs, path, page.Loc, other)
				}
				if len(taken.keys) > len(taken.path)+1 {
					t.Fatalf("%d keys are remembered at %q", len(taken.keys), path)
				}
			}
		}
	})
}

func isIndex(m *Mapper, path string) bool {
	_, name := splitPath(path)
	return slices.Contains(m.index, name)
}

func TestIndexFileWinsItsFoldersURL(t *testing.T) {
	for _, c := range []struct {
		extension Extension
		slash     Slash
		paths     string
		losers    string
	}{
		{ExtensionKeep, SlashAuto, "index.htm index.html index.xhtml", "index.html index.xhtml"},
		{ExtensionKeep, SlashAuto, "a/index.html a.html", ""},
		{ExtensionStrip, SlashAuto, "a/index.html a.html", ""}, // a/ and a
		{ExtensionStrip, SlashAuto, "a.html a.htm", "a.html"},
		{ExtensionStrip, SlashAlways, "a/index.html a.html a-b.html", "a.html"},
		{ExtensionStrip, SlashNever, "a/index.html a.html a-b/index.html", "a.html"},
		{ExtensionStrip, SlashAlways, "a.b a.b.html", ""}, // a.b and a.b/
		{ExtensionStrip, SlashNever, "a.b a.b.html", "a.b.html"},
		{ExtensionKeep, SlashNever, "index.html index.htm a/b/index.html", "index.html"},
	} {
		m := newMapper(t, func(config *Config) { config.URLs.Extension, config.URLs.Slash = c.extension, c.slash })
		paths := strings.Fields(c.paths)
		inScannerOrder(paths)
		var taken Taken
		var losers []string
		for _, path := range paths {
			page, _ := mapPath(m.NewWorker(), path)
			dir, name := splitPath(path)
			if page.KeyLength >= 0 && !taken.Claim(dir, name, page.KeyLength) {
				losers = append(losers, path)
			}
		}
		if got := strings.Join(losers, " "); got != c.losers {
			t.Errorf("extension %s, slash %s, files %s: duplicates %q, want %q", c.extension, c.slash, c.paths, got, c.losers)
		}
	}
}

func TestTakenForgetsWhatNobodyCanShare(t *testing.T) {
	w := newMapper(t, func(c *Config) { c.URLs.Extension = ExtensionStrip }).NewWorker()
	var taken Taken
	most := 0
	for _, prefix := range []string{"a", "b", "c/d"} {
		for i := range 10_000 {
			dir := prefix + string(rune('a'+i/1000)) + "/" + string(rune('a'+i/100%10))
			name := string(rune('a'+i/10%10)) + string(rune('a'+i%10)) + ".html"
			page, _ := mapPath(w, dir+"/"+name)
			if !taken.Claim(dir, name, page.KeyLength) {
				t.Fatalf("%s/%s is no duplicate", dir, name)
			}
			most = max(most, len(taken.keys))
		}
	}
	if most > 2 {
		t.Errorf("%d keys were remembered at a time, where no name is the beginning of another", most)
	}
}
