package sitewalk

import (
	"path"
	"slices"
	"strings"
	"testing"

	"sitewalk/mapper"
	"sitewalk/scanner"
)

// FuzzFilesOf asks for the files that a URL may be of: of the URL that a file is listed
// under it is one, or its folder is, and of no URL any is outside of the docroot.
func FuzzFilesOf(f *testing.F) {
	for i, file := range []string{"index.html", "a/index.html", "page.html", "a b/ü.htm", "100%.html", "%41/x", "a?b#c.html", "\xff/a\\b.html", "a:b/c.html"} {
		f.Add(file, "https://h.test/"+file, uint8(i))
		f.Add(file, "https://h.test/docs/%2e%2e/../../"+file, uint8(i+9))
	}
	slashes := []mapper.Slash{mapper.SlashAuto, mapper.SlashAlways, mapper.SlashNever}
	f.Fuzz(func(t *testing.T, file, url string, style uint8) {
		config := DefaultConfig()
		config.Mapper.BaseURL = "https://h.test/"
		if style&8 != 0 {
			config.Mapper.BaseURL += "docs/v1/"
		}
		config.Mapper.URLs.Slash = slashes[style%3]
		if style&4 != 0 {
			config.Mapper.URLs.Extension = mapper.ExtensionStrip
		}
		e := explainer{config: &config}
		if files, err := e.filesOf(url); err == nil {
			for _, file := range files {
				if path.IsAbs(file) || slices.Contains(strings.Split(file, "/"), "..") {
					t.Fatalf("%q may be of %q", url, file)
				}
			}
		}

		if slices.ContainsFunc(strings.Split(file, "/"), func(s string) bool { return s == "" || s == "." || s == ".." }) {
			return // no path of a file
		}
		m, err := mapper.New(config.Mapper, mapper.Options{Now: func() int64 { return 0 }})
		if err != nil {
			t.Fatal(err)
		}
		worker := m.NewWorker()
		folder, name := path.Split(file)
		folder = strings.TrimSuffix(folder, "/")
		worker.Enter(folder)
		page, listed := worker.Map(&scanner.File{Name: name})
		if !listed {
			return
		}
		want := file
		if slices.Contains(config.Mapper.URLs.Index, name) {
			want = path.Clean(folder)
		}
		files, err := e.filesOf(string(page.Loc))
		if err != nil || !slices.Contains(files, want) {
			t.Fatalf("%q is listed as %s, which may be of %q, %v", file, page.Loc, files, err)
		}
	})
}
