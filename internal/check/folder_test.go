package check

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestRootOfAFolder(t *testing.T) {
	set := writeSet(t, nil)
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(set, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// From the last that is looked for to the first.
	for _, step := range []struct{ name, content, root string }{
		{"sitemap.txt", "https://www.example.com/\n", "sitemap.txt"},
		{"pages.xml", urlset("a"), "sitemap.txt"},
		{"robots.txt", "Sitemap: https://www.example.com/pages.xml", "pages.xml"},
		{"sitemap-0.xml", urlset("a"), "sitemap-0.xml"},
		{"sitemap-index.xml", urlset("a"), "sitemap-index.xml"},
		{"sitemap.xml.gz", compressed(t, urlset("a")), "sitemap.xml.gz"},
		{"sitemap_index.xml", urlset("a"), "sitemap_index.xml"},
		{"sitemap.xml", urlset("a"), "sitemap.xml"},
	} {
		write(step.name, step.content)
		if result, _ := findingsOf(t, Options{Target: set}); result.Root != filepath.Join(set, step.root) {
			t.Errorf("with %s the root is %s", step.name, result.Root)
		}
	}
	write("map.xml", urlset("a"))
	if result, _ := findingsOf(t, Options{Target: set, Root: "map.xml"}); result.Root != filepath.Join(set, "map.xml") {
		t.Errorf("with a root of its own name it is %s", result.Root)
	}
}

func TestWhereASetIs(t *testing.T) {
	outside := writeSet(t, map[string]string{"secret.xml": urlset("a")})
	for name, test := range map[string]struct {
		files   map[string]string
		target  string // in the folder
		options Options
		url     string
		want    []Code
	}{
		"pages tell the host": {
			files: map[string]string{"sitemap.xml": urlset("a/b")}, url: "https://www.example.com/sitemap.xml", want: []Code{RobotsMissing}},
		"shards beside": {
			files: map[string]string{"sitemap.xml": index("x/a.xml"), "a.xml": urlset("x/p")}, url: "https://www.example.com/x/sitemap.xml"},
		"shards below": {
			files: map[string]string{"sitemap.xml": index("x/y/a.xml"), "y/a.xml": urlset("x/y/p")}, url: "https://www.example.com/x/sitemap.xml"},
		"shards called as the index": {
			files: map[string]string{"sitemap.xml": index("en/sitemap.xml", "de/sitemap.xml"), "en/sitemap.xml": urlset("en/p"), "de/sitemap.xml": urlset("de/p"), "robots.txt": vouchedFor},
			url:   "https://www.example.com/sitemap.xml"},
		"folders as in the URL": {
			files:  map[string]string{"x/y/sitemap.xml": index("x/y/a.xml"), "x/y/a.xml": urlset("p"), "robots.txt": "Sitemap: https://www.example.com/x/y/sitemap.xml"},
			target: "x/y", options: Options{BaseURL: "https://www.example.com/x/y/"}, url: "https://www.example.com/x/y/sitemap.xml"},
		"folders as in the URL, by what the set says": {
			files:  map[string]string{"x/y/sitemap.xml": index("x/y/a.xml"), "x/y/a.xml": urlset("x/y/p"), "robots.txt": "Sitemap: https://www.example.com/x/y/sitemap.xml"},
			target: "x/y", url: "https://www.example.com/x/y/sitemap.xml"},
		"shards above, by what the set says": {
			files:  map[string]string{"x/sitemap.xml": index("x/a.xml", "b.xml"), "x/a.xml": urlset("x/p"), "b.xml": "secret"},
			target: "x", url: "https://www.example.com/x/sitemap.xml", want: []Code{MissingShard, ShardFolder}},
		"shards above, by a configuration": {
			files:  map[string]string{"x/sitemap.xml": index("x/a.xml", "b.xml"), "x/a.xml": urlset("x/p"), "b.xml": "secret"},
			target: "x", options: Options{Docroot: "x", BaseURL: "https://www.example.com/x/"}, url: "https://www.example.com/x/sitemap.xml", want: []Code{MissingShard, ShardFolder}},
		"shards that are one file": {
			files: map[string]string{"sitemap.xml": index("a.xml", "a.xml?1", "%61.xml"), "a.xml": urlset("p")}, url: "https://www.example.com/sitemap.xml",
			want: []Code{DuplicateShard, DuplicateShard, RobotsMissing}},
		"shards above, folders as in the URL": {
			files:  map[string]string{"x/sitemap.xml": index("x/a.xml", "b.xml"), "x/a.xml": urlset("x/p"), "b.xml": urlset("q")},
			target: "x", options: Options{BaseURL: "https://www.example.com/x/"}, url: "https://www.example.com/x/sitemap.xml", want: []Code{RobotsMissing, ShardFolder}},
		"told": {
			files:   map[string]string{"sitemap.xml": urlset("x/a", "b")},
			options: Options{BaseURL: "https://www.example.com/x"}, url: "https://www.example.com/x/sitemap.xml", want: []Code{LocScope}},
		"told another host": {
			files:   map[string]string{"sitemap.xml": urlset("a")},
			options: Options{BaseURL: "https://example.com/"}, url: "https://example.com/sitemap.xml", want: []Code{LocScope, RobotsMissing}},
		"docroot": {
			files:  map[string]string{"maps/sitemap.xml": index("maps/a.xml", "b.xml"), "maps/a.xml": urlset("p"), "b.xml": urlset("q"), "robots.txt": "Sitemap: https://www.example.com/maps/sitemap.xml"},
			target: "maps", options: Options{Docroot: ".", BaseURL: "https://www.example.com/"}, url: "https://www.example.com/maps/sitemap.xml", want: []Code{ShardFolder}},
		"docroot, nothing told": {
			files:  map[string]string{"maps/sitemap.xml": index("maps/a.xml"), "maps/a.xml": urlset("p"), "robots.txt": "Sitemap: https://www.example.com/maps/sitemap.xml"},
			target: "maps", options: Options{Docroot: "."}, url: "https://www.example.com/maps/sitemap.xml"},
		"published apart": {
			files:  map[string]string{"site/robots.txt": vouchedFor, "out/sitemap.xml": urlset("p")},
			target: "out", options: Options{Docroot: "site", BaseURL: "https://www.example.com/"}, url: "https://www.example.com/sitemap.xml"},
		"a file": {
			files: map[string]string{"a.xml": urlset("p"), "sitemap.xml": "rubbish"}, target: "a.xml", url: "https://www.example.com/a.xml", want: []Code{RobotsMissing}},
		"nothing to tell by": {
			files: map[string]string{"sitemap.xml": "rubbish"}, want: []Code{NotXML}},
		"shard is a folder": {
			files: map[string]string{"sitemap.xml": index("a.xml", "b.xml"), "a.xml": urlset("p"), "b.xml/x": ""}, url: "https://www.example.com/sitemap.xml", want: []Code{MissingShard, RobotsMissing}},
		"shard is a link out": {
			files: map[string]string{"sitemap.xml": index("a.xml", "link/secret.xml"), "a.xml": urlset("p")}, url: "https://www.example.com/sitemap.xml", want: []Code{MissingShard, RobotsMissing}},
		"names escaped": {
			files: map[string]string{"sitemap.xml": index("%C3%BC%20%23.xml"), "ü #.xml": urlset("p")}, url: "https://www.example.com/sitemap.xml", want: []Code{RobotsMissing}},
		"continued outside": {
			files: map[string]string{"sitemap.xml": continued(index("a.xml"), "../x"), "a.xml": urlset("p")}, url: "https://www.example.com/sitemap.xml", want: []Code{MissingIndex, RobotsMissing}},
		"mixed schemes": {
			files: map[string]string{"sitemap.xml": strings.Replace(urlset("a", "b"), "https://www.example.com/b", "http://www.example.com/b", 1)}, url: "https://www.example.com/sitemap.xml", want: []Code{LocScope, RobotsMissing}},
	} {
		t.Run(name, func(t *testing.T) {
			set := writeSet(t, test.files)
			if strings.Contains(name, "link") {
				if err := os.Symlink(outside, filepath.Join(set, "link")); err != nil {
					t.Skip("no links here:", err)
				}
			}
			options := test.options
			options.Target = filepath.Join(set, test.target)
			if options.Docroot != "" {
				options.Docroot = filepath.Join(set, options.Docroot)
			}
			url := ""
			options.Began = func(_, is string) { url = is }
			_, found := findingsOf(t, options)
			if got := codesOf(found); !slices.Equal(got, test.want) {
				t.Errorf("found %+v", found)
			}
			if url != test.url {
				t.Errorf("it is %q", url)
			}
		})
	}
}

func TestNoSetToCheck(t *testing.T) {
	set := writeSet(t, map[string]string{"empty/x": "", "folder.xml/x": ""})
	targets := map[string]string{"no folder": "none", "no sitemap": "empty", "no file": "empty/sitemap.xml", "sitemap is a folder": "folder.xml"}
	for name, target := range targets {
		t.Run(name, func(t *testing.T) {
			began := func(string, string) { t.Error("it began") }
			if _, err := Run(t.Context(), Options{Target: filepath.Join(set, target), Began: began}); !errors.Is(err, ErrAbsent) {
				t.Errorf("the error is %v", err)
			}
		})
	}
	if runtime.GOOS == "linux" {
		if _, err := Run(t.Context(), Options{Target: "/dev/zero"}); !errors.Is(err, ErrAbsent) {
			t.Errorf("of a device the error is %v", err)
		}
	}
}

func TestUniformPriorities(t *testing.T) {
	page := func(name, priority string) string {
		return "<url><loc>https://www.example.com/" + name + "</loc><priority>" + priority + "</priority></url>"
	}
	list := func(n int, priority, last string) string {
		var b strings.Builder
		b.WriteString(`<urlset xmlns="` + namespace09 + `">`)
		for _, name := range numbers(n - 1) {
			b.WriteString(page(name, priority))
		}
		return b.String() + page("last", last) + "</urlset>"
	}
	for name, test := range map[string]struct {
		content string
		warned  bool
	}{
		"all":  {list(10, "1.0", "1.0"), true},
		"few":  {list(9, "1.0", "1.0"), false},
		"most": {list(10, "1.0", "0.9"), false},
		"none": {urlset(numbers(20)...), false},
	} {
		t.Run(name, func(t *testing.T) {
			_, found := findingsOf(t, Options{Target: writeSet(t, map[string]string{"sitemap.xml": test.content})})
			if slices.Contains(codesOf(found), PriorityUniform) != test.warned {
				t.Errorf("found %+v", found)
			}
		})
	}
}

func TestPlacesOfFindings(t *testing.T) {
	const document = "<?xml version=\"1.0\"?>\n<urlset xmlns=\"" + namespace09 + "\">\n" +
		"  <url><loc>https://www.example.com/a b</loc></url>\n  <url>\n    <loc>https://www.example.com/c</loc><priority>2</priority>\n  </url>\n<nothing/>\n</urls>"
	_, found := findingsOf(t, Options{Target: writeSet(t, map[string]string{"sitemap.xml": document})})
	type place struct {
		line, column int
		code         Code
	}
	var got []place
	for _, f := range found {
		got = append(got, place{f.Line, f.Column, f.Code})
	}
	want := []place{{3, 3, LocEscaping}, {4, 3, Priority}, {7, 1, Element}, {8, 1, NotXML}, {0, 0, RobotsMissing}}
	if !slices.Equal(got, want) {
		t.Errorf("found %v", got)
	}
}
